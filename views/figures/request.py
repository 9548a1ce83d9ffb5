"""What a figure is asked to show: the runs, and all that the window has chosen for its charts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from views.data.gantt.look import GanttLook
from views.data.results import Result
from views.data.run_series import RunSeries
from views.data.search_results import SearchResults
from views.data.study_look import StudyLook
from views.data.sweep_cells import Cells
from views.data.user_rows import UserRows
from views.data.view_options import ViewOptions
from views.text.metrics import Value

if TYPE_CHECKING:
    from engine.trace import Trace


@dataclass(frozen=True, eq=False)
class FigureRequest:
    """Finished runs, at least one but for a sweep, and how they are to be shown."""

    trace: Trace
    results: list[Result]
    window: tuple[float, float]  # visible time, s from the trace's zero
    title: str  # the trace and its filter; empty: nothing
    options: ViewOptions
    gantt: GanttLook
    rows: UserRows | None  # of the heatmaps
    pair: tuple[Result, Result] | None  # the runs whose difference is shown
    scattered: Result  # the run that the scatter shows
    baseline: int  # index, among the results, of the run that gains are told against
    series: list[RunSeries]  # the runs that the timeline shows
    cells: Cells | None  # of the sweep
    summaries: Mapping[int, Mapping[str, Value]] = field(default_factory=dict)  # of its cells, by index
    study: StudyLook | None = None  # that was run last
    search: SearchResults | None = None  # the last
    selected: str = ""  # what is selected, in words; empty: nothing
    users: tuple[int, ...] = ()  # that are selected, ascending
