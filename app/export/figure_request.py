"""The request for a figure of runs without a window: which runs, which time, which users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from app.export.picks import Picks
from app.export.titles import TITLE, title_of
from app.model.chart_data import ComparedRun
from engine.errors import InputError
from engine.filter import Expression
from engine.spelling import nearest
from engine.trace import Trace
from engine.words import plural
from views.catalog import RUN_FIGURES
from views.data.comparison import RunPair
from views.data.gantt.look import GanttLook
from views.data.other_run import OtherRun
from views.data.own_data import OwnData
from views.data.results import Result
from views.data.run_series import RunSeries
from views.data.selection import in_words
from views.data.view_options import ViewOptions
from views.figures.request import FigureRequest
from views.spec import FigureSpec

FIGURES = tuple(spec.kind for spec in RUN_FIGURES)
"""The kinds of figures that are drawn of runs."""

_OF_RUNS = ("baseline", "gains_over", "scattered", "scattered_to", "fairshare_run")
"""View options that are the number of a run."""


def figure_of(kind: str) -> FigureSpec:
    """The figure of runs of that kind. Raises InputError, which names near kinds."""
    specs = {spec.kind: spec for spec in RUN_FIGURES}
    if kind not in specs:
        hint = nearest(kind, specs) or f"; there are {', '.join(specs)}"
        raise InputError(f"no kind of figure is called {kind}{hint}")
    return specs[kind]


def request_of(
    trace: Trace,
    runs: Sequence[ComparedRun],
    look: ViewOptions,
    picks: Picks | None = None,
    only: Expression | None = None,
) -> FigureRequest:
    """The request of a window that shows these runs, which are numbered from 1, with these picks.

    Jobs that do not match `only` are left out. Raises InputError for unknown runs, and for an empty time.
    """
    picks = picks or Picks()
    shown = picks.shown
    begin = float(trace.submit[0]) if len(trace) else 0.0
    end = max((float(run.result.schedule.last_end) for run in runs), default=begin)
    if shown != (None, None):
        begin, end = begin if shown[0] is None else shown[0], end if shown[1] is None else shown[1]
        if begin >= end:
            raise InputError("the time to be shown ends before it begins")
    totals = np.sum([run.steps.totals for run in runs], axis=0)
    # A run that the look names and that is not there is an error, told before anything is drawn.
    ids = {run.result.run_id: run.result for run in runs}
    pair = RunPair(runs[0].result, runs[1].result) if len(runs) > 1 else None
    if look.compared is not None:
        pair = RunPair(_run("compared", look.compared[0], ids), _run("compared", look.compared[1], ids))
    for name in ("offsets", "timeline_hidden"):
        for given in getattr(look, name):
            _run(name, given[0] if name == "offsets" else given, ids)
    for name in _OF_RUNS:
        if getattr(look, name) is not None:
            _run(name, getattr(look, name), ids)
    baseline = None
    if look.baseline is not None:
        base = ids[look.baseline]
        baseline = OtherRun(base.schedule, base.name, base.colour)
    return FigureRequest(
        trace=trace,
        results=[run.result for run in runs],
        series=[
            RunSeries(
                run.result.run_id,
                run.result.name,
                run.chart_data.schedule,
                run.chart_data.usage.processors,
                run.depth,
            )
            for run in runs
        ],
        window=(begin, max(end, begin + 1.0)),
        title=title_of(trace, only),
        options=replace(look, marks=picks.marks),
        gantt=GanttLook(
            rows=look.rows,
            folded=look.folded,
            part=picks.part,
            colours=look.colours,
            layers=look.layers,
            hidden=only,
            dimmed=picks.faded,
            selected=picks.selection.without_time.mask(trace),
            job=picks.selection.single_job,
            instant=picks.selection.instant,
            baseline=baseline,
        ),
        rows=look.heatmaps.rows(trace, totals),
        own=OwnData(pair),
        selected=in_words(picks.selection, trace, TITLE),
        users=tuple(sorted(picks.selection.users)),
    )


def _run(name: str, number: int, runs: Mapping[int, Result]) -> Result:
    """The run of a number. Raises InputError."""
    if number not in runs:
        verb = "is" if len(runs) == 1 else "are"
        raise InputError(f"--option {name}={number}: there {verb} {plural(len(runs), 'run')}, counted from 1")
    return runs[number]
