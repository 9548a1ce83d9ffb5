"""The charts of a run over time: Gantt chart, heatmap, and strips of CPU, RAM, GPU, power and queue."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.model.chart_data import ChartData, ComparedRun
from app.model.preview import Preview
from engine.machine.power import power_of
from engine.quantities import Jobs
from views.data.usage import further_of
from views.data.user_rows import UserRows
from views.data.view_options import STRIPS, ShownCharts
from views.gantt.chart import GanttChart
from views.heatmap.chart import NONE_LATE, HeatmapChart
from views.state.context import ViewContext
from views.state.filter import NO_MATCH, lack_of
from views.state.selection import Selection
from views.state.shifted_clock import ShiftedClock
from views.state.view_state import ViewState
from views.text.counts import format_seconds
from views.text.ticks import TimeAxis
from views.theme.palette import run_colour
from views.theme.theme import Theme
from views.timechart.chart import TimeChart
from views.timechart.frame import TITLE
from views.timechart.offset_axis import OffsetAxis
from views.usage import UsageChart
from views.work.async_memo import AsyncMemo
from views.work.widget_handlers import EventWatch

if TYPE_CHECKING:
    from engine.filter import Expression
    from engine.metrics.series import UsageSeries

_STRIP, _TALL_STRIP, _TALLEST = 30, 52, 4000
"""Least and greatest height of a strip of usage, in pixels, beside a heatmap and alone."""

_LINES_OF_STRIP = 1.6
"""Least height of a strip in lines of the window's font, where these are high."""

_STRIPS, _STRIPS_OF_HEATMAP = 0.15, 0.4
"""The part of a panel's height that strips may take, else they are folded away; without a Gantt chart."""

_LEAST = 50
"""Lowest plot of the other charts, in pixels: a heatmap that leaves no such plots is folded away."""

COMPARING = "Computing expected end times…"
"""The message in the heatmap of a run before it is compared with the others."""


class RunPanel(QWidget):
    """Charts of a run on the window's clock; the time axis is below all runs.

    `folds_changed`: the set of charts that do not fit changed; `least_changed`: its minimum height changed.
    """

    folds_changed = Signal()
    least_changed = Signal()

    def __init__(
        self, run_id: int, context: ViewContext, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.run_id = run_id
        self.folded: tuple[str, ...] = ()  # charts that find no room, by name
        self.clock = ShiftedClock(context.clock, self)
        context = replace(context, clock=self.clock)
        self.gantt = GanttChart(context, theme, self)
        self.heatmap = HeatmapChart(context, theme, self)
        self.cpu = UsageChart(context, theme, "cpu", self)
        self.ram = UsageChart(context, theme, "ram", self)
        self.gpu = UsageChart(context, theme, "gpu", self)
        self.power = UsageChart(context, theme, "power", self)
        self.queue = UsageChart(context, theme, "queue", self)
        self._shown = ShownCharts()
        self._view = context.view
        self._common_height = 0  # of the lowest panel of all runs; 0: not known yet
        self._shares = False  # the colours of heatmaps with the other runs
        self._has_ram = self._has_gpus = self._has_power = False
        self._unjudged = COMPARING
        self._chart_data: ChartData | None = None  # what the other charts show
        self._judged = False  # whether the heatmap has anything to show
        self._run_name, self._believed, self._colour = "", "", run_colour(run_id)
        self._selection, self._filter = context.selection, context.filter
        self._jobs: Jobs | None = None  # as they fare in this run
        self._own: AsyncMemo[UsageSeries] = AsyncMemo(context.executor, "Used by the selected users", self)
        self._own.ready.connect(self._take_own)
        self._lack: AsyncMemo[str] = AsyncMemo(context.executor, "Jobs that match the filter", self)
        self._lack.ready.connect(self._show_lack)
        self._stale = ""  # why the charts are of another policy than was wanted
        self._previewed = False  # then there are notes about that
        self._selection.changed.connect(self._show_own)
        self._filter.changed.connect(self._show_own)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for chart, stretch in zip(self.charts, (5, 4, 1, 1, 1, 1, 1), strict=True):
            chart.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
            chart.show_axis(False)
            chart.setMinimumHeight(1)
            EventWatch(chart, self, self._look_at)
            column.addWidget(chart, stretch)
        self.offset_axis = OffsetAxis(context, theme, self)
        self.offset_axis.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        column.addWidget(self.offset_axis)
        self._follow(context.view)

    def _look_at(self, _: QObject, event: QEvent) -> bool:
        """A run whose charts are clicked, or are given keys, is the one that is looked at."""
        if event.type() in (QEvent.Type.MouseButtonPress, QEvent.Type.KeyPress):
            self._view.choose(looked_at=self.run_id)
        return False

    @property
    def charts(self) -> tuple[TimeChart, ...]:
        """All charts, from top to bottom."""
        return self.gantt, self.heatmap, *self.strips

    @property
    def kinds(self) -> dict[str, TimeChart]:
        """All charts, by their names in `ShownCharts`."""
        return dict(zip(("gantt", "heatmap", *STRIPS), self.charts, strict=True))

    @property
    def empty(self) -> bool:
        """True if all charts are hidden."""
        chosen = self.chosen
        return not any(getattr(chosen, kind) for kind in self.kinds)

    @property
    def strips(self) -> tuple[UsageChart, ...]:
        """Strips of CPU, RAM, GPUs, power and queue, as in STRIPS."""
        return self.cpu, self.ram, self.gpu, self.power, self.queue

    def set_time_axis(self, axis: TimeAxis) -> None:
        """Use this time axis, before there is anything to show too."""
        for chart in (*self.charts, self.offset_axis):
            chart.set_time_axis(axis)

    def show_run(
        self,
        name: str,
        chart_data: ChartData | None,
        instead: str,
        ghost: ChartData | None = None,
        preview: Preview | None = None,
        error: str = "",
    ) -> None:
        """Name the run, and show its schedule; where there is none yet, say `instead` why.

        `ghost` is what the run was before it was explored, and a `preview` what is in view of it
        while the whole is simulated. An `error` says why the schedule is that of before the last change.
        """
        # A run whose last change failed still shows the schedule of before, and its title says so.
        self._stale = f"As before the change: {error}" if error and chart_data is not None else ""
        self._show_preview(preview)
        chart_data = preview.chart_data if preview is not None else chart_data
        for strip in self.strips:
            strip.set_ghost(ghost.usage if ghost is not None else None)
        self._run_name = name
        if chart_data is None:
            self._believed = ""
        self._title()
        if chart_data is not None:
            # The same schedule is not set twice: charts would forget their pictures and flash.
            if chart_data is not self._chart_data:
                self._chart_data = chart_data
                self.gantt.set_data(chart_data.schedule, chart_data.boxes)
                self._show_usage(chart_data)
            if not self._judged:
                self.heatmap.set_message(error if preview is not None and preview.note else self._unjudged)
            return
        # Nothing is left of a run without a schedule, so that the message is not taken for its result.
        self._chart_data, self._judged = None, False
        for strip in self.strips:
            strip.set_data(None)
        for chart in self.charts:
            chart.set_message(instead)

    def forget(self) -> None:
        """Drop all that is known of the jobs of a trace that is left."""
        self._chart_data, self._jobs, self._judged = None, None, False
        self.gantt.set_data(None)
        self.heatmap.set_data(None, None)
        for strip in self.strips:
            strip.set_data(None)

    def _show_preview(self, preview: Preview | None) -> None:
        """Show which charts contain only the previewed part, and which charts still show the old run."""
        self._previewed = preview is not None
        if preview is None:
            self._show_lack()
            return
        # A run that was stopped is shown up to its fault, which the note says of all charts.
        if preview.note:
            self.gantt.set_note(preview.note, preview.span)
            self.heatmap.set_note(preview.note)
            for strip in self.strips:
                strip.set_note(preview.note, preview.span)
            return
        about = f"about {format_seconds(preview.seconds)}"
        self.gantt.set_note(f"Preview; the whole run takes {about}", preview.span)
        # The heatmap needs the whole run, so it still shows the previous run.
        self.heatmap.set_note("As before the change: the whole run is still being simulated")
        for strip in self.strips:
            strip.set_note("Preview", preview.span)

    def show_judged(self, judged: ComparedRun, rows: UserRows, most: int | None) -> None:
        """Show violated EETs: the `rows` are users, the scale ends at `most`, or is the run's own."""
        self._judged, self._believed = True, judged.result.believed
        self._title()
        violations = judged.result.violations
        late, eet = (None, None) if violations is None else (violations.tardiness, violations.eet)
        self.gantt.set_tardiness(late, eet)
        # Without a measured job the filter is the reason, otherwise nothing was late.
        filtered = self._filter.value.hides and not judged.result.measured.any()
        nothing = NO_MATCH if filtered else NONE_LATE
        self.heatmap.set_data(judged.result.schedule.trace, judged.steps, rows, nothing)
        self.heatmap.set_scale_max(most)
        schedule = judged.result.schedule
        self._jobs = Jobs(schedule.trace, schedule, late, eet=eet)
        self.heatmap.set_jobs(self._jobs)
        self._show_own()

    def set_unjudged(self, why: str) -> None:
        """Say why there is nothing to judge the run by; empty: it is being judged."""
        self._unjudged = why or COMPARING
        if why and self.gantt.schedule is not None:
            self._judged = False
            self.gantt.set_tardiness(None)
            self.heatmap.set_data(None, None)
            self.heatmap.set_message(why)

    def _follow(self, view: ViewState) -> None:
        """Follow the view state, now and later."""
        view.follow(self, "view charts solo panels", self._follow_charts)
        view.follow(self, "offsets", self._follow_offset)
        view.follow(self, "rows folded", lambda: self.gantt.set_rows(view.options.rows, view.options.folded))
        view.follow(self, "colours", lambda: self.gantt.set_colours(view.options.colours))
        view.follow(self, "layers", lambda: self.gantt.set_layers(view.options.layers))
        view.follow(self, "heatmaps", lambda: self.heatmap.set_aggregate(view.options.heatmaps.measure))

    @property
    def chosen(self) -> ShownCharts:
        """The kinds of charts to show, or a single chart."""
        options = self._view.options
        if options.solo is not None and options.solo[0] == self.run_id:
            kinds = {kind: kind == options.solo[1] for kind in self.kinds}
            return ShownCharts(**kinds, folds=False)
        away = {kind for run, kind in options.panels.hidden if run == self.run_id} & self.kinds.keys()
        return replace(options.shown_charts, **dict.fromkeys(away, False))

    def _follow_charts(self) -> None:
        self._shown = self.chosen
        self._title()
        self._arrange()

    def _follow_offset(self) -> None:
        """Stand as far from the other runs as is chosen, and say so."""
        self.clock.set_shift(self._view.options.offset(self.run_id))
        self.offset_axis.setVisible(self.clock.shift != 0)
        self._arrange()

    def share_height(self, height: int) -> None:
        """Show as many charts as have room in this height, of the lowest panel of all runs, in pixels."""
        if height != self._common_height:
            self._common_height = height
            self._arrange()

    def share_legend(self, shared: bool) -> None:
        """Set whether the colours of the heatmap are explained above all runs."""
        if shared != self._shares:
            self._shares = shared
            self._title()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        for chart in (*self.charts, self.offset_axis):
            chart.set_theme(theme)

    def _title(self) -> None:
        """Put the run's name over its uppermost chart, with how near a site's model comes to the log."""
        name = f"{self._run_name}: {self._believed}" if self._believed else self._run_name
        self.gantt.set_title(name, self._colour)
        self.heatmap.set_plain(self._shares and self._shown.gantt)
        if self._shown.gantt:
            self.heatmap.set_titles("Violated expected end times", "Violated EETs")
        else:
            self.heatmap.set_titles(f"{name}: violated EETs", name, self._colour)

    def _show_usage(self, chart_data: ChartData) -> None:
        schedule = chart_data.schedule
        self._jobs = Jobs(schedule.trace, schedule)
        self._has_ram = schedule.cluster.ram is not None and schedule.trace.has_ram
        self._has_gpus = further_of(schedule) is not None
        self._has_power = power_of(schedule.trace.cluster) is not None
        for strip in self.strips:
            strip.set_data(schedule, chart_data.usage)
        self._show_own()
        self._arrange()

    @property
    def _own_key(self) -> tuple[Jobs | None, frozenset[int], Expression | None]:
        """The key of the use in the foreground: the selected users' use, by jobs that match the filter."""
        return self._jobs, self._selection.value.users, self._filter.value.expression

    @property
    def _lack_key(self) -> tuple[Jobs | None, Selection, Expression | None]:
        """The key of the message whether any job, or any selected job, matches the filter."""
        return self._jobs, self._selection.value.without_time, self._filter.value.expression

    def _find_lack(self) -> None:
        """Have it found out in a thread whether a filter leaves nothing to be seen."""
        jobs, selection, expression = self._lack_key
        if jobs is None or expression is None:
            self._lack.forget()
        else:
            self._lack.request(self._lack_key, lambda: lack_of(jobs, selection, expression))
        self._show_lack()

    def _show_lack(self) -> None:
        """Show in charts of jobs that a filter leaves none, or none of the selected jobs; strips show all
        jobs.
        """
        if not self._previewed:
            known = self._lack.key == self._lack_key
            lack = (self._lack.value or "") if known else ""
            for chart in self.charts:
                chart.set_note("" if chart in self.strips else self._stale or lack)

    def _show_own(self) -> None:
        """Have the use of these jobs worked out in a thread, since they may be many."""
        self._find_lack()
        jobs, users, expression = self._own_key
        schedule = jobs.schedule if jobs is not None else None
        # Without a selected user and a filter all jobs are meant, which the strip shows anyway.
        if jobs is None or schedule is None or not (users or expression):
            self._own.forget()
            for strip in self.strips:
                strip.set_own(None)
            return

        def work() -> UsageSeries:
            from engine.metrics.power import usage_and_power

            # Both conditions are computed in the thread: a mask takes time in the number of jobs.
            picked = Selection(users=users).mask(jobs.trace)
            matching = expression.mask(jobs) if expression is not None else None
            both = [mask for mask in (picked, matching) if mask is not None]
            return usage_and_power(schedule, np.logical_and.reduce(both))

        self._own.request(self._own_key, work)
        # The value of the same key may be there already; then no signal comes.
        self._take_own()

    def _take_own(self) -> None:
        """Show the use of the jobs that are meant now, if it is there."""
        if self._own.value is not None and self._own.key == self._own_key:
            for strip in self.strips:
                strip.set_own(self._own.value)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:  # the axis has its own by now
            self._arrange()

    def _arrange(self) -> None:
        """Show the chosen charts that fit: the lower charts are folded away first.

        It depends only on the panel's height, which charts do not change: otherwise stacked panels would look
        different.
        """
        axis = self.offset_axis.sizeHint().height() if self.clock.shift else 0
        shown, height = self._shown, (self._common_height or self.height()) - axis
        strips = [
            (self.cpu, shown.cpu),
            (self.ram, shown.ram and self._has_ram),
            (self.gpu, shown.gpu and self._has_gpus),
            (self.power, shown.power and self._has_power),
            (self.queue, shown.queue),
        ]
        low_strip = max(_STRIP, round(_LINES_OF_STRIP * self.fontMetrics().height()))
        beside = shown.heatmap or shown.gantt  # else strips alone are shown
        wanted = [strip for strip, on in strips if on]
        both = shown.gantt and shown.heatmap
        least = round(TITLE) + _LEAST
        share = _STRIPS if shown.gantt else _STRIPS_OF_HEATMAP
        room = int(share * height / low_strip) if shown.folds else len(wanted)
        with_heatmap = shown.heatmap and (not (shown.folds and both) or height >= 2 * least)
        seen = {self.gantt: shown.gantt, self.heatmap: with_heatmap}
        seen.update({strip: strip in wanted[:room] for strip in self.strips})
        folded = [self.heatmap] if shown.heatmap and not with_heatmap else []
        self._fold([*folded, *wanted[room:]])
        others = any(on == chart.isHidden() for chart, on in seen.items())
        for chart, on in seen.items():
            chart.setVisible(on)
        for strip in self.strips:
            strip.setMinimumHeight(low_strip)
            strip.setMaximumHeight(max(_TALL_STRIP, low_strip) if beside else _TALLEST)
        low = axis + (least if shown.folds else least * (1 + both) + len(wanted) * low_strip)
        if low != self.minimumHeight():
            self.setMinimumHeight(low)
            self.least_changed.emit()
        layout = self.layout()
        if others and layout is not None:
            layout.activate()  # or charts would be painted where they are no more, and pictures made for that

    def _fold(self, charts: list[TimeChart]) -> None:
        """Remember what finds no room."""
        names = tuple("heatmap" if chart is self.heatmap else chart.title for chart in charts)
        if names != self.folded:
            self.folded = names
            self.folds_changed.emit()
