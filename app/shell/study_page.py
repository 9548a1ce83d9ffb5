"""The study in the window: charts of all runs with tabs under them, or a page instead."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.export.titles import TITLE, title_of
from app.model.chart_data import ComparedRun
from app.model.models import Models
from app.model.reading import MANY_JOBS
from app.panels.charts.chart_set import ChartSet
from app.panels.charts.chart_splitter import ChartSplitter
from app.panels.charts.corner_note import CornerNote
from app.panels.charts.folding_tabs import FoldingTabs
from app.panels.charts.overview_runs import OverviewRuns
from app.panels.charts.run_charts import RunCharts
from app.panels.filter_bar import FilterBar
from app.panels.made_later import MadeLater, WidgetsByName
from app.panels.page_area import PageArea
from app.panels.verdict_lines import VerdictLines
from views.catalog import ALL, VIEWS, view_spec
from views.data.gantt.look import GanttLook
from views.data.own_data import OwnData
from views.data.run_series import RunSeries
from views.data.selection import in_words
from views.data.shown_runs import ShownRuns
from views.difference.page import DifferencePage
from views.figures.request import FigureRequest
from views.overview.bar import OverviewBar
from views.plotting.clock_plot import ClockPlot
from views.spec import ViewSpec
from views.state.spot import Spot
from views.tables.table import Table
from views.text.ticks import axis_of
from views.theme.theme import Theme
from views.timechart.chart import TimeChart
from views.verdict.strip import VerdictStrip
from views.work.idle_queue import CHARTS, LAST, LOW, NORMAL, charts
from views.work.widget_handlers import while_alive

if TYPE_CHECKING:
    from views.difference.page import DifferencePage
    from views.scores.page import ScoresPage

V = TypeVar("V", bound=QWidget)


class ThemedView(Protocol):
    """A view of the study, each of which paints in a theme."""

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""


class OpenStudyPage(QWidget):
    """Page of a study: the views of `views.catalog`, to which it hands every change of the study.

    What is not seen is put off until it is, or until no other results are on their way. A view that takes
    the place of all others, or shows no runs, is made when it is first needed. `add_views` completes the
    page, in a turn of its own.
    """

    context_requested = Signal(QPoint, Spot)  # on the screen, and in a chart
    made = Signal(QWidget)  # a view

    def __init__(self, models: Models, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._models, self._theme = models, theme
        self._workbench, context = models.workbench, models.context
        self._idle_queue = context.idle_queue
        self.filter_bar = FilterBar(models, theme, self)
        self.overview = OverviewBar(context, theme, self)
        self.overview_runs = OverviewRuns(self._workbench, self.overview)
        self.runs = RunCharts(self._workbench, context, theme, self)
        self.verdicts = VerdictStrip(theme, self)
        self._verdict_lines = VerdictLines(models, self.verdicts, self.runs, lambda: self.chart_set)
        self.tabs = FoldingTabs(self)
        self.notes = [CornerNote(theme, self.tabs)]
        self._shown: dict[bool, ShownRuns] = {}  # the runs that views show, by whether they are measured
        self._lay_out()

    def add_views(self) -> None:
        """Make room for the views, which are made when they are needed, and follow the study."""
        self._later = {spec.name: self._put(spec) for spec in VIEWS if spec.make is not None}
        self.views = WidgetsByName(self._later)
        for spec in VIEWS:
            if spec.area == "tab" and spec.show is not None:
                self._idle_queue.add(("make", spec.name), self._later[spec.name], lambda: LAST)
        self.chart_set = ChartSet(self._models.context.clock, lambda: self._charts)
        self._connect()

    def view(self, name: str, kind: type[V]) -> V:
        """The view with a name of `views.catalog`, which is a widget of this class."""
        widget = self.views[name]
        assert isinstance(widget, kind), name
        return widget

    def later(self, name: str) -> MadeLater[Any]:
        """The view with a name of `views.catalog`, which may not be made yet."""
        return self._later[name]

    def _put(self, spec: ViewSpec[Any]) -> MadeLater[QWidget]:
        """A container for a view: empty at first; the view is created in it when it is first needed."""
        later: MadeLater[QWidget] = MadeLater(lambda: self._make_view(spec, area))
        area = PageArea(later, self)
        if spec.area == "tab":
            self.tabs.addTab(area, spec.title)
        else:
            self._stack.addWidget(area)
            self._areas[spec.name] = area
        return later

    def _make_view(self, spec: ViewSpec[Any], area: QWidget) -> QWidget:
        """A view, with the runs that others show by now."""
        assert spec.make is not None
        widget = spec.make(self._models.context, self._theme, area)
        if spec.bind is not None:
            spec.bind(widget, self._models.context)
        requested = getattr(widget, "context_requested", None)
        if requested is not None:
            requested.connect(self.context_requested)
        if isinstance(widget, Table):
            self._workbench.opened.connect(widget.start_over)
        if self._workbench.is_open:
            self._show_time_axis(spec, widget)
        if spec.show is not None and (shown := self._shown.get(spec.measured)) is not None:
            show = partial(spec.show, widget, shown)
            # A tab that was made in its turn is filled in its turn too: of very many jobs when it is seen.
            if spec.area == "page" or area.isVisibleTo(self):
                show()
            else:
                self._show_soon(widget, show)
        if spec.show is not None and spec.area == "page":
            self.notes.append(CornerNote(self._theme, widget))
            self._show_previews()
        self.made.emit(widget)
        return widget

    @property
    def _charts(self) -> list[TimeChart | ClockPlot]:
        """All charts over time, shown or not, from top to bottom."""
        made = self.views.made.values()
        of_views = [chart for view in made for chart in getattr(view, "charts", ())]
        return [*self.runs.charts, *(chart for chart in of_views if isinstance(chart, TimeChart | ClockPlot))]

    def _lay_out(self) -> None:
        self.splitter = ChartSplitter(self.runs, self.tabs, self)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.splitter)
        self._areas: dict[str, PageArea] = {}  # of the views that take the place of all others
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.filter_bar)
        column.addWidget(self.overview)
        column.addWidget(self.verdicts)
        column.addWidget(self._stack, 1)

    def _connect(self) -> None:
        workbench, view = self._workbench, self._models.view
        for name in ("difference", "scores"):
            self.later(name).when_made(self._count_runs)
        workbench.opened.connect(self._empty_views)
        workbench.study_changed.connect(self._follow_study)
        workbench.run_changed.connect(while_alive(self, lambda _: self._show_previews()))
        workbench.judged.connect(self._show_results)
        workbench.judged.connect(self._tell_later)
        workbench.judged.connect(self._measure_later)
        workbench.measured.connect(self._show_metrics)
        drawing = self._models.context.executor
        # What waits for the workbench looks again whenever that may have come to rest.
        at_rest = (workbench.executor.changed, workbench.files.changed, workbench.study_changed, drawing.idle)
        for signal in (*at_rest, self.tabs.currentChanged):
            signal.connect(self._idle_queue.wake)
        for part in (self.runs, self.overview):
            part.context_requested.connect(self.context_requested)
        self.runs.requested.connect(self._show_soon)
        self.runs.dropped.connect(self._idle_queue.discard)
        workbench.leaving.connect(partial(self.setUpdatesEnabled, False))
        workbench.study_changed.connect(self._paint_again)
        view.follow(self, "view tabs_open alone solo verdicts", self._show_view)
        view.follow(self, "tab", self._show_tab)
        self.tabs.currentChanged.connect(self._choose_tab)
        self.tabs.wanted.connect(self._open_tabs)

    @property
    def busy(self) -> bool:
        """True if there is new content that is not shown yet."""
        return self._idle_queue.busy or self.filter_bar.busy or self._unpainted

    @property
    def _unpainted(self) -> bool:
        """True if a chart that is seen is still to be painted: then it requests its picture."""
        return any(isinstance(chart, TimeChart) and chart.stale for chart in self._charts)

    def paint_overdue(self) -> None:
        """Paint charts now that are still to be painted."""
        if self._unpainted:
            self.window().repaint()

    def _paint_again(self) -> None:
        """Paint another study in a turn of its own, apart from all else that follows from its opening."""
        if not self.updatesEnabled():
            self._idle_queue.add("paint", partial(self.setUpdatesEnabled, True), charts)

    def _show_view(self) -> None:
        """Show a single kind of view, or all charts of runs with the tabs under them."""
        name = self._models.view.options.view
        spec = view_spec(name)
        area = spec.area if spec is not None else None
        # A page is made when it is first shown.
        if area == "page":
            self._later[name]()
        self._stack.setCurrentWidget(self._areas[name] if area == "page" else self.splitter)
        self.runs.setVisible(area in (None, "runs"))
        # The overview shows the common clock: bare charts, and a view with a clock of its own, go without it.
        bare = area is None and self._models.view.options.bare
        alone = spec is not None and spec.own_clock
        self.overview.setHidden(bare or alone)
        self.filter_bar.put_away(alone)
        self.verdicts.set_wanted(self._models.view.options.verdicts and area in (None, "runs") and not bare)
        self.tabs.setVisible(area in (None, "tab") and not bare)
        # Tabs open by themselves only where a tab was asked for; else as the user left them.
        self.splitter.open_tabs(area == "tab" or self._models.view.options.tabs_open)
        if area == "tab":
            self.tabs.setCurrentWidget(self.views[name])
        elif area is None:
            self._show_tab()
        # Charts that were hidden had no priority in the queue; now they may have.
        self._idle_queue.wake()

    def _show_tab(self) -> None:
        titles = [self.tabs.tabText(index) for index in range(self.tabs.count())]
        wanted = self._models.view.options.tab or titles[0]
        if wanted in titles:
            self.tabs.setCurrentIndex(titles.index(wanted))

    def _open_tabs(self, on: bool) -> None:
        """Open or fold the pages of the tabs away; a page that is shown alone is not folded."""
        if self._models.view.options.view == ALL:
            self._models.view.choose(tabs_open=on)

    def _choose_tab(self, index: int) -> None:
        if self._models.view.options.view == ALL:  # else the tab is the view
            self._models.view.choose(tab=self.tabs.tabText(index))

    def set_theme(self, theme: Theme) -> None:
        """Use other colours everywhere."""
        self._theme = theme
        views = [cast("ThemedView", view) for view in self.views.made.values()]
        parts: list[ThemedView] = [
            self.overview,
            self.filter_bar,
            self.verdicts,
            self.runs,
            *views,
            *self.notes,
        ]
        for part in parts:
            part.set_theme(theme)

    def _follow_study(self) -> None:
        made = self.views.made
        for spec in VIEWS:
            if spec.name in made:
                self._show_time_axis(spec, made[spec.name])
        self._show_previews()
        if not self._workbench.finished():
            self._show_results()
            self._show_metrics()

    def _count_runs(self, page: DifferencePage | ScoresPage) -> None:
        """Let a page that needs two runs know how many there are."""

        def show() -> None:
            page.set_run_count(len(self._workbench.study.runs))

        self._workbench.study_changed.connect(show)
        show()

    def _show_time_axis(self, spec: ViewSpec[Any], widget: QWidget) -> None:
        """Give a view the trace's own time axis, though no run may be shown in it yet."""
        axis = axis_of(self._workbench.study.trace)
        for chart in () if spec.own_clock else getattr(widget, "charts", ()):
            if isinstance(chart, TimeChart | ClockPlot):
                chart.set_time_axis(axis)

    def _show_previews(self) -> None:
        """Show which runs are outdated in the views, while only a part of them is ready.

        If no run could be compared, the views show the reason.
        """
        study, live = self._workbench.open_study.study, self._workbench.open_study.live
        names = [study.name(run) for run in study.runs if live[run.id].preview is not None]
        for note in self.notes:
            as_it_was = (
                f"{', '.join(names)} as before the change: the whole run is still being simulated"
                if names
                else ""
            )
            note.say(self.runs.why_unjudged or as_it_was)

    def _show_results(self) -> None:
        """All finished runs, compared anew."""
        judged = self._workbench.finished()
        shown = ShownRuns(
            self._workbench.study.trace if self._workbench.is_open else None,
            tuple(run.result for run in judged),
            tuple(_series(run) for run in judged),
        )
        self._show(shown, measured=False)
        self._show_previews()
        self.overview_runs.show()

    def _show_metrics(self) -> None:
        """The metrics of the runs that were measured: to work out others would hold the window."""
        there = {run.result.run_id for run in self._workbench.finished()}
        results = tuple(metric for metric in self._workbench.comparison.metrics if metric.run_id in there)
        self._show(ShownRuns(results[0].schedule.trace if results else None, results), measured=True)

    def _show(self, shown: ShownRuns, measured: bool) -> None:
        self._shown[measured] = shown
        made = self.views.made
        for spec in VIEWS:
            if spec.show is not None and spec.measured == measured and spec.name in made:
                widget = made[spec.name]
                self._show_soon(widget, partial(spec.show, widget, shown), NORMAL)

    def _empty_views(self) -> None:
        """Take the runs of the trace that was open from all views, seen or not.

        Users and jobs that are selected from now on are numbers of another trace.
        """
        nothing = ShownRuns(None, (), ())
        self._shown.clear()
        made = self.views.made
        for spec in VIEWS:
            if spec.show is not None and spec.name in made:
                widget = made[spec.name]
                self._idle_queue.discard(widget)
                spec.show(widget, nothing)

    def _show_soon(self, part: QWidget, show: Callable[[], object], seen: int = CHARTS) -> None:
        """Let a part show new content: visible parts first, the rest when no other results are on their way.

        With millions of jobs a view needs much memory, so views that were never opened are not filled.
        """

        def priority() -> int | None:
            if part.isVisibleTo(self):
                return seen
            long = len(self._workbench.study.trace) > MANY_JOBS
            return None if long or self._workbench.busy else LOW

        self._idle_queue.add(part, show, priority)

    def _tell_later(self) -> None:
        """Have the verdicts worked out as soon as the charts are drawn; hidden ones once they are seen."""
        drawing, view = self._models.context.executor, self._models.view

        def priority() -> int | None:
            return LOW if view.options.verdicts and not drawing.busy else None

        self._idle_queue.add("verdicts", self._verdict_lines.renew, priority)

    def _measure_later(self) -> None:
        """Have the metrics worked out as soon as all that is to be seen is drawn.

        Metrics that are not seen wait until no run is simulated: their work would slow a slider's steps down.
        """
        drawing, simulating = self._models.context.executor, self._workbench.executor

        def priority() -> int | None:
            waits = drawing.busy or (simulating.busy and not self._metrics_seen)
            return None if waits else LAST

        self._idle_queue.add("measure", self._workbench.measure, priority)

    @property
    def _metrics_seen(self) -> bool:
        """True if a view that shows metrics is visible."""
        made = self.views.made
        return any(made[spec.name].isVisibleTo(self) for spec in VIEWS if spec.measured and spec.name in made)

    def figure_request(self) -> FigureRequest | None:
        """The request for a figure or a table of the current content; None before a run is finished."""
        study, models = self._workbench.study, self._models
        # Figures are of finished runs: a preview is of a part of the time.
        results = [run.result for run in self._workbench.finished()]
        if not results:
            return None
        trace, options, only = study.trace, models.view.options, self._workbench.only
        return FigureRequest(
            trace=trace,
            results=results,
            series=[_series(run) for run in self._workbench.finished()],
            window=models.clock.window,
            title=title_of(trace, only),
            options=options,
            gantt=self._gantt_look(),
            rows=self.runs.heatmap_rows,
            own=self._own_data,
            selected=in_words(models.selection.value, trace, TITLE),
            users=tuple(sorted(models.selection.value.users)),
        )

    @property
    def _own_data(self) -> OwnData:
        """What views show besides the runs: those that show runs choose some before they are looked at."""
        made = self.views.made
        chosen = (spec for spec in VIEWS if spec.name in made or spec.show is not None)
        return OwnData(*(spec.own(self.views[spec.name]) for spec in chosen if spec.own is not None))

    def _gantt_look(self) -> GanttLook:
        """The look of the Gantt charts, from all that is chosen for them."""
        study, models = self._workbench.study, self._models
        options, filter, picked = models.view.options, models.filter.value, models.selection.value
        return GanttLook(
            rows=options.rows,
            folded=options.folded,
            part=models.clock.rows,
            colours=options.colours,
            layers=options.layers,
            hidden=filter.hidden,
            dimmed=filter.dimmed,
            selected=picked.without_time.mask(study.trace),
            job=picked.single_job,
            instant=picked.instant,
            baseline=next(iter(self.runs.others), None),
        )


def _series(run: ComparedRun) -> RunSeries:
    """The series that the timeline shows of a run."""
    result, schedule, use = run.result, run.chart_data.schedule, run.chart_data.usage
    return RunSeries(result.run_id, result.name, schedule, use.processors, run.depth)
