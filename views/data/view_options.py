"""The options of a view: all that can be looked at in another way, as plain values. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from views.data.comparison import ChangesBy
from views.data.gantt.colours import ColourMode
from views.data.gantt.rows import RowKind
from views.data.gantt.shown_layers import GanttLayers
from views.data.gantt.steps import StepKind
from views.data.heatmap_look import HeatmapLook
from views.data.marks import TimeMark
from views.data.panel_look import PanelLook

UseBy = Literal["user", "account"]
"""Whose use is compared with their shares."""

WaitsBy = Literal["account", "partition", "user", "week"]
"""The groups of jobs whose waits are parted by reason."""


InspectorPlace = Literal["over", "side", "below"]
"""Where the details of a selection are: over the charts while there is one, or always beside or below."""


@dataclass(frozen=True)
class ShownCharts:
    """The visibility of the charts of a run over time; the strips belong to the heatmap above them."""

    gantt: bool = True
    heatmap: bool = True
    cpu: bool = True
    ram: bool = True
    gpu: bool = True
    power: bool = True
    queue: bool = True
    folds: bool = True  # strips are folded away where room is short


STRIPS = ("cpu", "ram", "gpu", "power", "queue")
"""The charts of usage among these."""

TIMELINE_PLOTS = ("depth", "utilization", "tuning")
"""The plots of the timeline, from top to bottom."""

_OF_STUDY = (
    *("solo", "baseline", "compared", "gains_over", "scattered", "scattered_to"),
    *("timeline_hidden", "measured", "marks", "panels", "offsets", "fairshare_run", "folded", "looked_at"),
)


@dataclass(frozen=True)
class ViewOptions:
    """All options of how a study is looked at, from the view to the colours and the compared runs.

    Plain values with defaults, so that settings, layouts and sessions can hold them.
    """

    view: str = "all"  # the name of a `ViewSpec`, or `all`
    tab: str = ""  # the title of the tab in front; empty: the first
    charts: ShownCharts = field(default_factory=ShownCharts)
    verdicts: bool = True  # of the runs, above the charts
    tabs_open: bool = False  # the pages below the charts; else their tabs alone are seen
    inspector: bool = True  # the details of what is selected
    inspector_at: InspectorPlace = "over"
    inspector_share: float = 0.0  # the part of the charts' width that it lies over; 0: as wide as it needs
    alone: bool = False  # the charts, without their surroundings
    solo: tuple[int, str] | None = None  # the single shown chart: its run, and its kind as in `ShownCharts`
    panels: PanelLook = field(default_factory=PanelLook)
    offsets: tuple[tuple[int, float], ...] = ()  # runs whose charts are shifted to later times, by s
    columns: int = 0  # run panels beside each other; 0: as many as fit
    rows: RowKind = "processors"  # of the Gantt charts, as are the next four
    folded: tuple[str, ...] = ()  # groups of nodes, by name
    colours: ColourMode = "user"
    layers: GanttLayers = field(default_factory=GanttLayers)
    step: StepKind = "row"
    heatmaps: HeatmapLook = field(default_factory=HeatmapLook)
    distributions: str = ""  # `DistributionChoices.spelling`
    scatter: str = ""  # `ScatterChoices.spelling`
    timeline_log: bool = False  # queue depth on a logarithmic scale
    timeline_averages: tuple[str, ...] = ("now", "10 h", "24 h")
    timeline_plots: tuple[str, ...] = ()  # of TIMELINE_PLOTS, in figures; empty: all
    timeline_facets: bool = False  # figures of the timeline have a plot for each run
    penalties_whole: bool = False  # axes of penalties up to the whole machine
    tolerance: tuple[str, float] = ("linear", 5.0)  # of delay: its shape, and how many runtimes
    gain_weights: tuple[int, int, int] = (50, 25, 25)  # wait, unfair jobs, loss of capacity, each 0 to 100
    plan_criterion: str = "wait"  # of CRITERIA, shown before and after searches
    hidden_columns: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of tables, by name
    bar_metrics: tuple[str, ...] = ()  # metrics of the figure of bars, by name; empty: the usual metrics
    bars_cut: bool = False  # of these, bars that dwarf all others are cut
    baseline: int | None = None  # the run that others are compared with; None: the usual
    compared: tuple[int, int] | None = None  # the runs whose difference is shown; None: the first two
    changes_by: ChangesBy = "user"  # whose waits a difference compares
    gains_over: int | None = None  # the run that scores are gains over; None: the baseline
    scattered: int | None = None  # the run whose scatter is shown; None: the first
    scattered_to: int | None = None  # the run that arrows in it lead to; None: there are none
    fairshare_by: UseBy = "user"  # whose use over time is shown against their shares
    waits_by: WaitsBy = "account"  # whose waits are parted; of a log without accounts partitions or users
    fairshare_run: int | None = None  # the run whose use over time is shown; None: the first
    looked_at: int | None = None  # the run that was clicked or chosen last; None: the first
    timeline_hidden: tuple[int, ...] = ()  # runs that the timeline does not show, ascending
    marks: tuple[TimeMark, ...] = ()  # of the reader, in order of time
    measured: tuple[int, int] | None = None  # submissions of the jobs measured, s, [first, last); None: all

    @property
    def shown_charts(self) -> ShownCharts:
        """The visible charts of each run: in a view of a single kind of chart, that kind alone."""
        if self.view not in ("gantt", "heatmap"):
            return self.charts
        if self.view == "heatmap":
            return replace(self.charts, gantt=False, heatmap=True)
        return ShownCharts(**dict.fromkeys(STRIPS, False), heatmap=False, folds=self.charts.folds)

    def offset(self, run_id: int) -> float:
        """The seconds by which the charts of a run are shown later than the axis."""
        return dict(self.offsets).get(run_id, 0.0)

    @property
    def bare(self) -> bool:
        """True if the charts have no surroundings."""
        return self.alone or self.solo is not None

    @property
    def of_any_study(self) -> ViewOptions:
        """The options without those of a particular study: run ids mean other runs in another trace."""
        return self.with_study_of(ViewOptions())

    def with_study_of(self, other: ViewOptions) -> ViewOptions:
        """These options, with the runs and times of a study, which belong to a particular study, taken from
        `other`.
        """
        return replace(self, **{name: getattr(other, name) for name in _OF_STUDY})
