"""The request for a figure: the runs, and how the window shows them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from views.data.gantt.look import GanttLook
from views.data.own_data import OwnData
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

    `own` is what single views show besides the runs: see `ViewSpec.own`.
    """

    trace: Trace
    results: list[Result]
    series: list[RunSeries]  # of the same runs, over time
    window: tuple[float, float]  # visible time, s from the trace's zero
    title: str  # the trace and its filter; empty: nothing
    options: ViewOptions
    gantt: GanttLook
    rows: UserRows | None = None  # of the heatmaps
    own: OwnData = field(default_factory=OwnData)
    selected: str = ""  # what is selected, in words; empty: nothing
    users: tuple[int, ...] = ()  # that are selected, ascending

    @property
    def shown(self) -> ShownRuns:
        """What plots are made from."""
        return ShownRuns(self.trace, tuple(self.results), tuple(self.series), self.users, self.own)
