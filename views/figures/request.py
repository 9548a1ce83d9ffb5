"""The request for a figure: the runs, and how the window shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from views.data.gantt.look import GanttLook
from views.data.results import Result
from views.data.run_series import RunSeries
from views.data.shown_runs import ShownRuns
from views.data.user_rows import UserRows
from views.data.view_options import ViewOptions

if TYPE_CHECKING:
    from engine.trace import Trace


@dataclass(frozen=True, eq=False, kw_only=True)
class FigureRequest:
    """Finished runs, at least one, and options for showing them.

    `own` is the data of single views besides the runs, by the name of the view: see `ViewSpec.own`.
    """

    trace: Trace
    results: list[Result]
    series: list[RunSeries]  # of the same runs, over time
    window: tuple[float, float]  # visible time, s from the trace's zero
    title: str  # the trace and its filter; empty: nothing
    options: ViewOptions
    gantt: GanttLook
    rows: UserRows | None = None  # of the heatmaps
    own: Mapping[str, Any] = field(default_factory=dict)
    selected: str = ""  # what is selected, in words; empty: nothing
    users: tuple[int, ...] = ()  # that are selected, ascending

    def shown(self, view: str = "") -> ShownRuns:
        """The runs, and what else a view shows, by its name."""
        own = self.own.get(view)
        return ShownRuns(self.trace, tuple(self.results), tuple(self.series), self.users, own)
