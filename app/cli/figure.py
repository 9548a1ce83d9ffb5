"""The command `figure`: a figure of runs for print, as the window exports it, without a window."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any, get_args, get_type_hints

import numpy as np

from app.cli.commands import simulated
from app.cli.loading import open_trace, policy_of
from app.export.output import check_output
from app.export.provenance import Provenance, caption_of
from app.model.chart_data import Judged, Verdict, draw, judge
from engine.errors import InputError
from engine.simulation.control import Control
from engine.spelling import nearest
from engine.study import Study
from views.catalog import RUN_FIGURES
from views.data.gantt.look import GanttLook
from views.data.run_series import RunSeries
from views.data.view_options import ViewOptions
from views.figures.request import FigureRequest
from views.figures.save import FORMATS, save
from views.spec import FigureSpec

_OPTIONS = (
    *("rows", "colours", "distributions", "scatter", "timeline_log", "penalties_whole", "plan_criterion"),
    "changes_by",
)
"""Fields of ViewOptions that a word sets."""


def make_figure(options: argparse.Namespace) -> None:
    """Draw the figure `options.kind` of the runs into a file. Raises InputError, OSError."""
    spec = _spec(options.kind)
    check_output(options.output, *FORMATS)
    look = _look(options.option)
    for text in options.policy:
        policy_of(text, options)  # says what is wrong with it before the trace is read
    trace, cluster = open_trace(options)
    study = Study(trace, cluster)
    for text in options.policy:
        study = study.add(policy_of(text, options, trace, cluster))
    charts = {
        run.id: draw(partial(simulated, trace, run.cluster, run.policy, options, log=True))
        for run in study.runs
    }
    judged = judge(study, charts, Verdict(), options.share, None, None, Control())
    request = _request(study, list(judged.runs.values()), look)
    if why := spec.lacks(request):
        raise InputError(f"{spec.kind}: {why}")
    about = Provenance(request.results, None, None, request.window, options.share)
    note = "" if options.no_note else caption_of(spec, request, about)()
    save(spec.draw(request), options.output, note)
    if not options.quiet:
        print(f"wrote {options.output}", file=sys.stderr)


def _spec(kind: str) -> FigureSpec:
    """The figure of a kind. Raises InputError."""
    specs = {spec.kind: spec for spec in RUN_FIGURES}
    if kind not in specs:
        hint = nearest(kind, specs) or f"; there are {', '.join(specs)}"
        raise InputError(f"no kind of figure is called {kind}{hint}")
    return specs[kind]


def _request(study: Study, runs: Sequence[Judged], look: ViewOptions) -> FigureRequest:
    """What a window would ask for that shows all the time of these runs."""
    begin = float(study.trace.submit[0]) if len(study.trace) else 0.0
    end = max((float(one.result.schedule.last_end) for one in runs), default=begin)
    totals = np.sum([one.steps.totals for one in runs], axis=0)
    first_two = (runs[0].result, runs[1].result) if len(runs) > 1 else None
    return FigureRequest(
        trace=study.trace,
        results=[one.result for one in runs],
        series=[
            RunSeries(
                one.result.run_id,
                one.result.name,
                one.chart_data.schedule,
                one.chart_data.usage.processors,
                one.depth,
            )
            for one in runs
        ],
        window=(begin, max(end, begin + 1.0)),
        title="",
        options=look,
        gantt=GanttLook(rows=look.rows, colours=look.colours, layers=look.layers),
        rows=look.heatmaps.rows(study.trace, totals),
        own={"difference": first_two},
    )


def _look(settings: Sequence[str]) -> ViewOptions:
    """The view options that `NAME=VALUE` set, the others as in a new window. Raises InputError."""
    chosen: dict[str, Any] = {}
    known = choices()
    for setting in settings:
        name, _, value = setting.partition("=")
        if name not in known:
            hint = nearest(name, known) or f"; there are {', '.join(known)}"
            raise InputError(f"--option {setting}: views have no such option{hint}")
        chosen[name] = _value(name, value, known[name])
    return ViewOptions(**chosen)


def choices() -> dict[str, tuple[Any, ...] | None]:
    """The options of views that take a word: their values, True and False, or None where any text will do."""
    hints = get_type_hints(ViewOptions)
    words = (
        "rows",
        "colours",
        "distributions",
        "scatter",
        "timeline_log",
        "penalties_whole",
        "plan_criterion",
    )
    return {
        name: (True, False) if hints[name] is bool else (get_args(hints[name]) or None)
        for name in (*words, "changes_by")
    }


def _value(name: str, text: str, allowed: tuple[Any, ...] | None) -> str | bool:
    if allowed == (True, False):
        if text not in ("on", "off"):
            raise InputError(f"--option {name}={text}: it is on or off")
        return text == "on"
    if allowed is not None and text not in allowed:
        raise InputError(f"--option {name}={text}: it is one of {', '.join(allowed)}")
    return text
