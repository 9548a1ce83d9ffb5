"""The request for a figure of runs without a window: all their time, and options by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args, get_type_hints

import numpy as np

from app.model.chart_data import ComparedRun
from engine.errors import InputError
from engine.spelling import nearest
from engine.trace import Trace
from views.catalog import RUN_FIGURES
from views.data.gantt.look import GanttLook
from views.data.run_series import RunSeries
from views.data.view_options import ViewOptions
from views.figures.request import FigureRequest
from views.spec import FigureSpec

_OPTIONS = (
    *("rows", "colours", "distributions", "scatter", "timeline_log", "penalties_whole", "plan_criterion"),
    "changes_by",
)
"""Fields of ViewOptions that a word sets."""


def figure_of(kind: str) -> FigureSpec:
    """The figure of runs of that kind. Raises InputError, which names near kinds."""
    specs = {spec.kind: spec for spec in RUN_FIGURES}
    if kind not in specs:
        hint = nearest(kind, specs) or f"; there are {', '.join(specs)}"
        raise InputError(f"no kind of figure is called {kind}{hint}")
    return specs[kind]


def request_of(
    trace: Trace, runs: Sequence[ComparedRun], look: ViewOptions, users: Sequence[str] = ()
) -> FigureRequest:
    """The request of a window that shows all the time of these runs, with these users selected.

    Raises InputError for unknown users.
    """
    begin = float(trace.submit[0]) if len(trace) else 0.0
    end = max((float(one.result.schedule.last_end) for one in runs), default=begin)
    totals = np.sum([one.steps.totals for one in runs], axis=0)
    first_two = (runs[0].result, runs[1].result) if len(runs) > 1 else None
    return FigureRequest(
        trace=trace,
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
        rows=look.heatmaps.rows(trace, totals),
        own={"difference": first_two},
        users=tuple(sorted({_user(trace, name) for name in users})),
    )


def _user(trace: Trace, name: str) -> int:
    """The code of a user. Raises InputError."""
    names = trace.user.names
    if name not in names:
        raise InputError(f"{trace.name} has no user {name}{nearest(name, names) or ''}")
    return names.index(name)


def look_of(settings: Mapping[str, str]) -> ViewOptions:
    """The view options that words set, by their names, the others as in a new window. Raises InputError."""
    chosen: dict[str, Any] = {}
    known = choices()
    for name, value in settings.items():
        if name not in known:
            hint = nearest(name, known) or f"; there are {', '.join(known)}"
            raise InputError(f"--option {name}={value}: views have no such option{hint}")
        chosen[name] = _value(name, value, known[name])
    return ViewOptions(**chosen)


def choices() -> dict[str, tuple[Any, ...] | None]:
    """The options of views that take a word: their values, True and False, or None where any text will do."""
    hints = get_type_hints(ViewOptions)
    return {
        name: (True, False) if hints[name] is bool else (get_args(hints[name]) or None) for name in _OPTIONS
    }


def _value(name: str, text: str, allowed: tuple[Any, ...] | None) -> str | bool:
    if allowed == (True, False):
        if text not in ("on", "off"):
            raise InputError(f"--option {name}={text}: it is on or off")
        return text == "on"
    if allowed is not None and text not in allowed:
        raise InputError(f"--option {name}={text}: it is one of {', '.join(allowed)}")
    return text
