"""The study in the window: a panel a run with box-plots and tables under them, or two runs compared."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QSplitter, QStackedWidget, QTabWidget, QVBoxLayout, QWidget

from app.model.chart_data import Judged
from app.model.sweeping import Sweeping
from app.model.workbench import Workbench
from app.panels.corner_note import CornerNote
from app.panels.filter_bar import FilterBar
from app.panels.overview_runs import OverviewRuns
from app.panels.panel_area import PanelArea
from app.panels.run_panel import ALL_SHOWN, UNDER_WAY, WAITING, RunPanel
from engine.fairness.shares import file_of_share
from engine.study import run_name
from views.curves import CurvesPanel
from views.data.gantt.colours import ColourMode
from views.data.gantt.layers import Layers
from views.data.gantt.rows import RowKind
from views.data.heatmap_look import HeatmapLook
from views.data.run_series import Course
from views.data.user_rows import UserRows
from views.difference import DifferencePage
from views.distribution import DistributionPanel
from views.overview import OverviewBar
from views.plotting.clock_plot import ClockPlot
from views.scatter import ScatterPanel
from views.scores import ScoresPage
from views.state.context import Stage
from views.sweep import SweepPage
from views.tables import GroupsTable, JobsTable, MetricsTable, RunsTable, Table
from views.text.ticks import axis_of
from views.theme.theme import Theme
from views.timechart.chart import TimeChart
from views.timeline import TimelinePage
from views.work.idle_queue import LAST, LOW, NORMAL


class StudyPage(QWidget):
    """Lays out what is seen of a study and hands every change of it to the charts."""

    context_requested = Signal(QPoint, float)  # on the screen; the time there, in seconds

    def __init__(
        self, workbench: Workbench, stage: Stage, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._workbench, self._stage, self._theme = workbench, stage, theme
        self.filter_bar = FilterBar(workbench, stage, theme, self)
        self._idle_queue = stage.idle_queue
        self.panels: dict[int, RunPanel] = {}
        self.columns = 2
        self._divided = False
        self._division: list[int] = []  # of the splitter, as it was left; heights in pixels
        self.rows: RowKind = "processors"
        self.colours: ColourMode = "user"
        self.heatmap_look = HeatmapLook()
        self.layers = Layers()
        self._baseline: int | None = None
        self.charts_shown = dict(ALL_SHOWN)
        self.overview = OverviewBar(stage, theme, self)
        self.overview_runs = OverviewRuns(workbench, self.overview)
        self.boxplots = DistributionPanel(stage, theme, self)
        self.scatter = ScatterPanel(stage, theme, self)
        self.sizes = CurvesPanel(stage, theme, self)
        self.metrics = MetricsTable(theme, self)
        self.users = GroupsTable("user", stage, theme, self)
        self.queues = GroupsTable("queue", stage, theme, self)
        self.jobs = JobsTable(stage, theme, self)
        self.runs = RunsTable(stage.executor, theme, self)
        self.groups = (self.users, self.queues, self.jobs)
        self.tables: dict[str, Table] = dict(
            zip(("runs", "users", "queues", "jobs"), (self.runs, *self.groups), strict=True)
        )
        self.timeline = TimelinePage(stage, theme, self)
        self.timeline.context_requested.connect(self.context_requested)
        self.scores = ScoresPage(theme, self)
        self.sweep = SweepPage(theme, self)
        Sweeping(workbench, self.sweep)
        self.tabs = QTabWidget(self, documentMode=True)
        self.tabs.addTab(self.boxplots, "Distributions")
        self.tabs.addTab(self.scatter, "Scatter")
        self.tabs.addTab(self.sizes, "Sizes")
        self.tabs.addTab(self.metrics, "Metrics")
        for name, table in self.tables.items():
            self.tabs.addTab(table, name.capitalize())
        self.tabs.addTab(self.timeline, "Timeline")
        self.tabs.addTab(self.scores, "Scores")
        self.tabs.addTab(self.sweep, "Sweep")
        self.area = PanelArea(self)
        self.splitter = QSplitter(Qt.Orientation.Vertical, self)
        self.splitter.addWidget(self.area)
        self.splitter.addWidget(self.tabs)
        self.splitter.setStretchFactor(0, 2)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setChildrenCollapsible(False)
        self.difference = DifferencePage(stage, theme, self)
        self.notes = CornerNote(self.tabs), CornerNote(self.difference)
        self.difference.context_requested.connect(self.context_requested)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.splitter)
        self._stack.addWidget(self.difference)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.filter_bar)
        column.addWidget(self.overview)
        column.addWidget(self._stack, 1)
        for table in self.tables.values():
            workbench.opened.connect(table.start_over)
        workbench.study_changed.connect(self._rebuild)
        workbench.run_changed.connect(self._follow_run)
        workbench.judged.connect(self._show_results)
        workbench.judged.connect(self._measure_later)
        workbench.measured.connect(self._show_metrics)
        for tells in (workbench.executor.changed, stage.executor.idle, self.tabs.currentChanged):
            tells.connect(self._idle_queue.wake)
        workbench.executor.began.connect(self._follow_begun, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        """Whether there is something to show that is not shown yet."""
        return not self._idle_queue.empty or self.filter_bar.busy

    def show_view(self, name: str) -> None:
        """Show one kind of view alone, `all`, or the `difference` of two runs."""
        self._stack.setCurrentWidget(self.difference if name == "difference" else self.splitter)
        charts = name in ("all", "gantt", "heatmap")
        self.area.setVisible(charts)
        self.tabs.setVisible(name in ("all", *self._tab_views))
        if name in ("gantt", "heatmap"):
            self.show_charts(gantt=name == "gantt", heatmap=name == "heatmap")
        elif name == "all":
            self.show_charts(gantt=True, heatmap=True)
        self.tabs.setCurrentWidget(self._tab_views.get(name, self.boxplots))
        self._idle_queue.wake()

    @property
    def _tab_views(self) -> dict[str, QWidget]:
        """The views that are one of the tabs alone."""
        return {
            "boxplots": self.boxplots,
            "table": self.metrics,
            "timeline": self.timeline,
            "scores": self.scores,
            "sweep": self.sweep,
        }

    @property
    def first_chart(self) -> TimeChart | ClockPlot | None:
        """The uppermost chart over time, if any is shown."""
        return next((chart for chart in self._charts if chart.isVisible()), None)

    @property
    def _charts(self) -> list[TimeChart | ClockPlot]:
        """All charts over time, shown or not, from top to bottom."""
        own = [chart for panel in self.panels.values() for chart in panel.charts]
        return [*own, *self.timeline.charts, *self.difference.charts]

    def fit_selection(self) -> None:
        """Zoom to what is selected, wherever it is under the runs that are shown."""
        first = self.first_chart
        charts = [chart for chart in self._charts if chart.isVisible() and type(chart) is type(first)]
        ranges = {chart: found for chart in charts if (found := chart.picked_range()) is not None}
        if ranges:
            parts = [chart.picked_rows() or self._stage.clock.rows for chart in ranges]
            rows = min(low for low, _ in parts), max(high for _, high in parts)
            span = min(start for start, _ in ranges.values()), max(end for _, end in ranges.values())
            self._stage.clock.fit_range(*span, rows=rows)

    def show_charts(self, **shown: bool) -> None:
        """Show or hide charts of all runs, by the names of `ALL_SHOWN`."""
        self.charts_shown.update(shown)
        for panel in self.panels.values():
            panel.show_charts(**self.charts_shown)

    def hide_columns(self, hidden: dict[str, list[str]]) -> None:
        """Hide columns of tables, by the table's name; what the reader changes is kept in `hidden`."""

        def keep(name: str) -> None:
            hidden[name] = sorted(self.tables[name].hidden)

        for name, table in self.tables.items():
            if name in hidden:
                table.hide_columns(hidden[name])
            table.columns_changed.connect(partial(keep, name))

    def set_columns(self, columns: int) -> None:
        """Panels beside each other: 1 stacks them."""
        self.columns = columns
        self._arrange()

    def set_rows(self, rows: RowKind) -> None:
        """Rows of the Gantt charts: all of them are shown again."""
        self.rows = rows
        self._stage.clock.fit_rows()
        self.difference.gantt.set_rows(rows)
        for panel in self.panels.values():
            panel.gantt.set_rows(rows)

    def set_colours(self, colours: ColourMode) -> None:
        """What the colours of the Gantt charts say."""
        self.colours = colours
        for panel in self.panels.values():
            panel.gantt.set_colours(colours)

    def set_layers(self, layers: Layers) -> None:
        """What the Gantt charts show besides the jobs."""
        self.layers = layers
        self.difference.gantt.set_layers(layers)
        for panel in self.panels.values():
            panel.gantt.set_layers(layers)

    @property
    def baseline(self) -> int | None:
        """The run that starts are compared with: the chosen one, else the first."""
        study = self._workbench.study
        runs = [run.id for run in study.runs] if study is not None else []
        return self._baseline if self._baseline in runs else next(iter(runs), None)

    def set_baseline(self, run_id: int) -> None:
        """Compare the starts in the Gantt charts with those in this run."""
        self._baseline = run_id
        self._show_baseline()

    def _show_baseline(self) -> None:
        drawn = self._workbench.drawn.get(self.baseline or 0)
        for panel in self.panels.values():
            panel.gantt.set_baseline(drawn.schedule if drawn is not None else None)

    def set_heatmap_look(self, look: HeatmapLook) -> None:
        """Rows, pixels and scale of the heatmaps, that of two runs too, and of their strips."""
        self.heatmap_look = look
        self.difference.heatmap.set_look(look.rows, look.measure)
        for panel in self.panels.values():
            panel.heatmap.set_measure(look.measure)
        self._show_rows()
        self._share_scales()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours everywhere."""
        self._theme = theme
        self.overview.set_theme(theme)
        for panel_of_runs in (self.boxplots, self.scatter, self.sizes):
            panel_of_runs.set_theme(theme)
        self.filter_bar.set_theme(theme)
        self.metrics.set_theme(theme)
        for table in self.tables.values():
            table.set_theme(theme)
        self.timeline.set_theme(theme)
        self.scores.set_theme(theme)
        self.sweep.set_theme(theme)
        self.difference.set_theme(theme)
        for panel in self.panels.values():
            panel.set_theme(theme)

    def divide(self, division: list[int]) -> None:
        """Divide the height as the splitter was left, as soon as there are results to show."""
        self._division = division
        if self._divided:
            self._idle_queue.add("divide", self._divide)

    def _divide(self) -> None:
        """As it was left; at first the charts over time take most of the height."""
        self.splitter.setSizes(self._division or [self.height() * 7 // 10, self.height() * 3 // 10])

    def _rebuild(self) -> None:
        """Keep the panels of runs that are still there, with their policy as it is now."""
        study = self._workbench.study
        runs = study.runs if study is not None else ()
        for run_id in [run_id for run_id in self.panels if run_id not in {run.id for run in runs}]:
            panel = self.panels.pop(run_id)
            self._idle_queue.discard(panel)
            self.area.remove(panel)
        if runs and not self._divided:
            self._divided = True
            self._idle_queue.add("divide", self._divide)
        for run in runs:
            show = self._follow_run if run.id in self.panels else self._add_panel
            self._idle_queue.add(("panel", run.id), partial(show, run.id))
        self._arrange()
        self._tell_previews()
        if not self._workbench.results:
            self._show_results()
            self._show_metrics()

    def _add_panel(self, run_id: int) -> None:
        study = self._workbench.study
        if study is None or study.run(run_id) is None or run_id in self.panels:
            return
        panel = RunPanel(run_id, self._stage, self._theme, self)
        panel.gantt.set_rows(self.rows)
        panel.gantt.set_colours(self.colours)
        panel.heatmap.set_measure(self.heatmap_look.measure)
        panel.gantt.set_layers(self.layers)
        panel.set_time_axis(axis_of(study.trace))
        panel.show_charts(**self.charts_shown)
        for chart in panel.charts:
            chart.context_requested.connect(self.context_requested)
        panel.set_unjudged(self._why_unjudged)
        self.panels[run_id] = panel
        self.panels = {run.id: self.panels[run.id] for run in study.runs if run.id in self.panels}
        self._arrange()
        self._follow_run(run_id)
        self._show_rows()

    def _arrange(self) -> None:
        self.area.arrange(self.panels.values(), self.columns)

    def _follow_run(self, run_id: int) -> None:
        """A run started, ended or has another policy."""
        study = self._workbench.study
        run = study.run(run_id) if study is not None else None
        panel = self.panels.get(run_id)
        if study is None or run is None or panel is None:
            return
        drawn = self._workbench.drawn.get(run_id)
        ghost = self._workbench.ghost
        own = ghost.drawn if ghost is not None and ghost.result.run_id == run_id else None
        preview = self._workbench.previews.get(run_id)
        policy = preview.drawn.schedule.policy if preview is not None else run.policy
        name = run_name(policy, run.cluster, study.cluster)
        panel.show_run(name, drawn, self._why_empty(run_id), own, preview)
        self._tell_previews()
        if drawn is not None:
            self._share_scales()
            self._stage.clock.set_bounds(drawn.schedule.first_submit, self._workbench.last_end)
        self._show_baseline()

    def _follow_begun(self) -> None:
        """A run that waited for a processor has been given one."""
        for run_id in self.panels:
            if run_id not in self._workbench.drawn:
                self._follow_run(run_id)

    def _tell_previews(self) -> None:
        """Which runs the tabs and the difference show as they were, while only a part of them is there.

        Where no run could be judged they say why they show nothing.
        """
        study, previews = self._workbench.study, self._workbench.previews
        names = [study.name(run) for run in study.runs if run.id in previews] if study is not None else []
        for note in self.notes:
            as_it_was = f"{', '.join(names)} as it was: waits for the whole run" if names else ""
            note.say(self._why_unjudged or as_it_was)

    def _why_empty(self, run_id: int) -> str:
        """What to say of a run that has no schedule."""
        workbench = self._workbench
        job = workbench.run_task(run_id)
        if job is not None:
            return UNDER_WAY if job.began is not None else WAITING
        return workbench.errors.get(run_id) or (WAITING if workbench.holds_run(run_id) else "Cancelled")

    def _show_results(self) -> None:
        """All finished runs, compared anew."""
        study = self._workbench.study
        judged = self._workbench.finished()
        trace = study.trace if study is not None else None
        results = [one.result for one in judged]
        courses = [_course(one) for one in judged]
        shows: dict[QWidget, Callable[[], None]] = {
            self.boxplots: partial(self.boxplots.set_results, trace, results),
            self.scatter: partial(self.scatter.set_results, trace, results),
            self.sizes: partial(self.sizes.set_results, results),
            **{table: partial(table.set_results, trace, results) for table in self.groups},
            self.timeline: partial(self.timeline.set_courses, courses),
            self.difference: partial(self.difference.set_results, results),
        }
        for part, show in shows.items():
            self._show_soon(part, show)
        for panel in self.panels.values():
            panel.set_unjudged(self._why_unjudged)
        self._tell_previews()
        self._show_rows()
        self.overview_runs.show()

    def _show_metrics(self) -> None:
        """The metrics of the runs that were measured: to work out others would hold the window."""
        there = self._workbench.results
        results = [one for one in self._workbench.metrics if one.run_id in there]
        self._show_soon(self.metrics, partial(self.metrics.set_results, results))
        self._show_soon(self.scores, partial(self.scores.set_results, results))

    def _show_soon(self, part: QWidget, show: Callable[[], None]) -> None:
        """Have a part show something: first what is seen, the rest when no other results are on their way."""

        def priority() -> int | None:
            if part.isVisibleTo(self):
                return NORMAL
            return None if self._workbench.busy else LOW

        self._idle_queue.add(part, show, priority)

    def _measure_later(self) -> None:
        """Have the metrics worked out as soon as all that is to be seen is drawn."""
        drawing = self._stage.executor
        self._idle_queue.add("measure", self._workbench.measure, lambda: None if drawing.busy else LAST)

    @property
    def _why_unjudged(self) -> str:
        """Why there is nothing to judge the runs by; empty where nothing is wrong."""
        why, shares = self._workbench.unjudged, file_of_share(self._workbench.share)
        short = why.replace(shares, Path(shares).name) if shares is not None else why  # there is little room
        return f"Not judged: {short}" if why else ""

    def heatmap_rows(self) -> UserRows | None:
        """The users of the heatmaps from top to bottom, the same in all runs; None: no run is done."""
        study, judged = self._workbench.study, self._workbench.finished()
        if study is None or not judged:
            return None
        totals = np.sum([one.steps.totals for one in judged], axis=0)
        return self.heatmap_look.rows(study.trace, totals)

    def _show_rows(self) -> None:
        """The heatmaps: the same rows in all runs, to be compared."""
        judged, rows = self._workbench.finished(), self.heatmap_rows()
        if rows is not None:
            most = max(int(one.steps.count.max(initial=0)) for one in judged)
            shared = most if self.heatmap_look.shared_scale else None
            for one in judged:
                if (panel := self.panels.get(one.result.run_id)) is not None:
                    self._show_soon(panel, partial(self._show_judged, one, rows, shared))

    def _share_scales(self) -> None:
        """The strips of one kind: the same scale in all runs, or each its own."""
        for strips in zip(*(panel.strips for panel in self.panels.values()), strict=True):
            most = max(strip.own_most for strip in strips)
            for strip in strips:
                strip.set_scale_max(most if self.heatmap_look.shared_scale else None)

    def _show_judged(self, judged: Judged, rows: UserRows, most: int | None) -> None:
        """When its turn comes the run may be gone, or have another result."""
        run_id = judged.result.run_id
        if run_id in self.panels and self._workbench.results.get(run_id) is judged:
            self.panels[run_id].show_judged(judged, rows, most)


def _course(one: Judged) -> Course:
    """What the timeline shows of a run."""
    result, schedule, use = one.result, one.drawn.schedule, one.drawn.usage
    return Course(result.run_id, result.name, schedule, use.processors, one.depth)
