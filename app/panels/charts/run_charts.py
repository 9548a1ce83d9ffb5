"""The charts of all runs over time: a panel for each run, side by side or stacked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.model.chart_data import ComparedRun
from app.model.workbench import Workbench
from app.panels.charts.legend_line import LegendLine
from app.panels.charts.panel_area import PanelArea
from app.panels.charts.panel_drag import PanelDrag
from app.panels.charts.run_panel import RunPanel
from engine.policy.share import file_of_share
from views.data.gantt.colours import of_log
from views.data.other_run import OtherRun
from views.data.user_rows import UserRows
from views.data.view_options import STRIPS
from views.state.clock import Window
from views.state.context import ViewContext
from views.state.spot import Spot
from views.text.ticks import axis_of
from views.theme.palette import run_colour
from views.theme.theme import Theme
from views.timechart.axis_chart import AxisChart
from views.timechart.chart import TimeChart
from views.widgets.tab_order import chain
from views.work.idle_queue import charts


class RunCharts(PanelArea):
    """Panels of all runs of the workbench.

    `requested` (panel, show): the panel has new content, to be shown by calling `show` later; `dropped`
    (panel): it was removed.
    """

    context_requested = Signal(QPoint, Spot)  # on the screen, and in a chart
    requested = Signal(object, object)
    dropped = Signal(object)

    def __init__(self, workbench: Workbench, context: ViewContext, theme: Theme, parent: QWidget) -> None:
        self._workbench, self._context, self._theme = workbench, context, theme
        super().__init__(self._make_time_axis, parent)
        self.panels: dict[int, RunPanel] = {}
        self._hidden: set[int] = set()  # what-ifs that are not shown
        self.line = LegendLine(theme, (context.filter, context.selection), self)
        self.empty = QLabel("There are no runs: add one (Ctrl+N).", self.viewport())
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.empty.setStyleSheet(f"color: {theme.faint}")
        self.empty.hide()
        QVBoxLayout(self.viewport()).addWidget(self.empty)
        workbench.leaving.connect(self._forget)
        workbench.study_changed.connect(self._rebuild)
        workbench.run_changed.connect(self._follow_run)
        workbench.executor.began.connect(self._follow_begun, Qt.ConnectionType.QueuedConnection)
        workbench.judged.connect(self._follow_judged)
        view = context.view
        self._drag = PanelDrag(lambda: self.panels, self)
        self._drag.dropped.connect(self._move)
        view.follow(self, "columns solo panels", self._arrange)
        view.follow(self, "rows", context.clock.fit_rows)  # all of another kind are shown
        view.follow(self, "baseline", self._show_baseline)
        view.follow(self, "heatmaps", self._follow_look)
        for follow in (partial(view.follow, self, "colours"), context.filter.changed.connect):
            follow(self._follow_lateness)
        view.follow(self, "heatmaps charts view solo colours panels", self._update_line)

    @property
    def charts(self) -> list[TimeChart]:
        """All charts, shown or not, from top to bottom."""
        return [chart for panel in self.panels.values() for chart in panel.charts]

    def share_height(self, height: int) -> None:
        """Panels differ by a pixel in height; all show what the lowest has room for."""
        for panel in self.panels.values():
            panel.share_height(height)

    def _update_line(self) -> None:
        """Show the common colour scale of all heatmaps, and the charts that did not fit."""
        options, panels = self._context.view.options, self.panels.values()
        shares = options.heatmaps.shared_scale or len(panels) == 1
        shown = options.shown_charts
        plain = shares and shown.gantt and shown.heatmap
        with_legend = [panel.heatmap for panel in panels if plain and panel.heatmap.legend is not None]
        folded = max((panel.folded for panel in panels), key=len, default=())
        if options.solo is not None and options.solo[1] != "heatmap":
            with_legend, folded = [], ()  # nothing here is about that chart
        if with_legend and "heatmap" not in folded:
            self.line.show_legend(with_legend[0].legend, with_legend[0].describe_colours, folded)
        else:
            self.line.show_legend(None, "", folded)
        for panel in panels:
            panel.share_legend(shares)
        alike = shown.gantt and options.solo is None and len(panels) > 1 and of_log(options.colours)
        self._share_legend(alike)
        may_fold = shown.folds and (shown.heatmap or any(getattr(shown, kind) for kind in STRIPS))
        there = bool(panels) and (may_fold or alike or (shown.heatmap and shares and shown.gantt))
        # It stays whatever is folded: otherwise it would appear and disappear with its text.
        self.line.setVisible(there)
        self.set_head(self.line if there else None)

    def _share_legend(self, alike: bool) -> None:
        """Tell what colours mean once for all Gantt charts, if they mean the same in all."""
        charts = [panel.gantt for panel in self.panels.values() if not panel.empty]
        with_legend = [chart for chart in charts if chart.legend is not None] if alike else []
        if alike and charts and not with_legend:
            return  # a thread works out what the colours mean now: until then all stays as it is
        meant = {
            (swatches.entries, swatches.hatched)
            for swatches in (chart.legend for chart in with_legend)
            if swatches is not None
        }
        # A single legend for all charts only if all of them show the same.
        shared = len(meant) == 1
        for chart in charts:
            chart.share_legend(shared)
        self.line.share(with_legend[0] if shared else None)

    def _make_time_axis(self, parent: QWidget) -> AxisChart:
        """The axis under a column."""
        axis = AxisChart(self._context, self._theme, parent)
        axis.context_requested.connect(self.context_requested)
        axis.set_time_axis(axis_of(self._workbench.study.trace))
        return axis

    @property
    def others(self) -> tuple[OtherRun, ...]:
        """All runs with a schedule, first the run that starts are compared with; none before that has a
        schedule.
        """
        study, there, baseline = self._workbench.study, self._workbench.open_study.shown, self.baseline
        if baseline not in there:
            return ()
        runs = sorted((run for run in study.runs if run.id in there), key=lambda run: run.id != baseline)
        return tuple(OtherRun(there[run.id].schedule, study.name(run), run_colour(run.id)) for run in runs)

    @property
    def baseline(self) -> int | None:
        """The run that starts are compared with: the chosen run, otherwise the usual one."""
        return self._workbench.study.baseline(self._context.view.options.baseline)

    @property
    def heatmap_rows(self) -> UserRows | None:
        """The users of the heatmaps from top to bottom, the same in all runs; None: no run is done."""
        study, judged = self._workbench.study, self._workbench.finished()
        if not judged:
            return None
        totals = np.sum([run.steps.totals for run in judged], axis=0)
        return self._context.view.options.heatmaps.rows(study.trace, totals)

    @property
    def why_unjudged(self) -> str:
        """The reason why runs cannot be compared; empty if they can."""
        why, shares = self._workbench.comparison.unjudged, file_of_share(self._workbench.share)
        short = why.replace(shares, Path(shares).name) if shares is not None else why  # there is little room
        return f"Not judged: {short}" if why else ""

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        for panel in self.panels.values():
            panel.set_theme(theme)
        for axis in self.axes:
            axis.set_theme(theme)
        self.line.set_theme(theme)
        self._update_line()  # the scale of the heatmaps has other colours
        self.empty.setStyleSheet(f"color: {theme.faint}")

    def _show_judged(self, panel: RunPanel, judged: ComparedRun, rows: UserRows, most: int | None) -> None:
        """Show what was judged; the run may be gone by now, or have another result."""
        run_id = panel.run_id
        live = self._workbench.live_run(run_id)
        if self.panels.get(run_id) is panel and live is not None and live.compared is judged:
            panel.show_judged(judged, rows, most)
            self._update_line()

    def _shared_most(self, judged: list[ComparedRun]) -> int | None:
        """The maximum of the common scale of all heatmaps; None: each has its own scale."""
        if not self._context.view.options.heatmaps.shared_scale:
            return None
        return max((int(run.steps.count.max(initial=0)) for run in judged), default=0)

    def _forget(self) -> None:
        """Drop the jobs of a trace that is left, before its filter and selection are reset: charts would be
        arranged anew for that.
        """
        for panel in self.panels.values():
            panel.forget()

    def _rebuild(self) -> None:
        """Keep the panels of runs that are still there, with their policy as it is now."""
        study = self._workbench.study
        runs = study.runs
        for axis in self.axes:
            axis.set_time_axis(axis_of(study.trace))
        for panel in self.panels.values():  # they may wait for runs of another trace
            panel.set_time_axis(axis_of(study.trace))
        for run_id in [run_id for run_id in self.panels if run_id not in {run.id for run in runs}]:
            panel = self.panels.pop(run_id)
            if self._context.view.options.solo is not None:
                self._context.view.choose(solo=None)  # all others were hidden for it, or are asked for
            self.dropped.emit(panel)
            self.remove(panel)
        self.panels = {run.id: self.panels[run.id] for run in runs if run.id in self.panels}
        self.empty.setVisible(not runs)
        self.empty.raise_()
        for run in runs:
            show = self._follow_run if run.id in self.panels else self._add_panel
            self._context.idle_queue.add(("panel", run.id), partial(show, run.id), charts)
        self._arrange()

    def _add_panel(self, run_id: int) -> None:
        study = self._workbench.study
        # Signals of removed runs may still come in this turn.
        if study.run(run_id) is None or run_id in self.panels:
            return
        panel = RunPanel(run_id, self._context, self._theme, self)
        panel.set_time_axis(axis_of(study.trace))
        panel.offset_axis.context_requested.connect(self.context_requested)
        for kind, chart in panel.kinds.items():
            chart.context_requested.connect(self.context_requested)
            chart.title_double_clicked.connect(lambda kind=kind: self.show_alone(run_id, kind))
        self._drag.watch(panel)
        panel.set_unjudged(self.why_unjudged)
        # Queued: these are sent while a panel is painted or laid out, and must not lay it out again from
        # within.
        panel.gantt.legend_changed.connect(self._update_line, Qt.ConnectionType.QueuedConnection)
        panel.folds_changed.connect(self._update_line, Qt.ConnectionType.QueuedConnection)
        panel.least_changed.connect(self.bound_anew, Qt.ConnectionType.QueuedConnection)
        self.panels[run_id] = panel
        # Panels stand in the order of the study, wherever this run was added.
        self.panels = {run.id: self.panels[run.id] for run in study.runs if run.id in self.panels}
        self._arrange()
        self._update_line()
        self._follow_run(run_id)
        self._request([panel])

    def span_of(self, run_id: int) -> Window:
        """The time span of the charts of a run, s, in its own times if it is aligned with others."""
        panel = self.panels.get(run_id)
        return (panel.clock if panel is not None else self._context.clock).window

    def bring(self, run_id: int) -> None:
        """Scroll so far that the charts of a run are seen."""
        if run_id in self.panels:
            self.ensureWidgetVisible(self.panels[run_id])

    def show_alone(self, run_id: int, kind: str) -> None:
        """Show a single chart and nothing else, or show all again."""
        solo, view = (run_id, kind), self._context.view
        view.choose(solo=None if view.options.solo == solo else solo)

    def show_present_alone(self) -> None:
        """Show the chart under the mouse alone, otherwise that with the focus, otherwise the first; or show
        all again.
        """
        view = self._context.view
        shown = [
            (run, kind, c) for run, p in self.panels.items() for kind, c in p.kinds.items() if c.isVisible()
        ]
        # The mouse counts more than the focus; with neither it is the first chart.
        best = max(
            shown, key=lambda candidate: (_under_mouse(candidate[2]), candidate[2].hasFocus()), default=None
        )
        if view.options.solo is not None:
            view.choose(solo=None)
        elif best is not None:
            view.choose(solo=best[:2])

    def _move(self, run_id: int, to: int) -> None:
        """Move a run to the place of another run; a pinned run is unpinned, because it would stay first."""
        view, edits = self._context.view, self._workbench.edits
        panels = view.options.panels
        pinned = panels.pinned in (run_id, to)
        # With a pinned run the order on the screen is not that of the study: that of the screen is meant.
        order = panels.arranged(list(self.panels)) if pinned else list(self.panels)
        place = order.index(to)
        order.remove(run_id)
        order.insert(place, run_id)
        # Unpinning and moving are undone in a single step.
        edits.beginMacro("the move of a run's charts")
        if pinned:
            view.choose(panels=replace(panels, pinned=None))
        self._workbench.move_run(run_id, order)
        edits.endMacro()

    def _arrange(self) -> None:
        options = self._context.view.options
        look, solo = options.panels, options.solo
        # A chart that is shown alone hides all other panels; runs without any shown chart have none.
        alone = self.panels.get(solo[0]) if solo is not None else None
        arranged = [self.panels[run] for run in look.arranged(list(self.panels))]
        panels = [panel for panel in arranged if not panel.empty] if alone is None else [alone]
        for panel in self.panels.values():
            if panel not in panels:
                panel.hide()
        pinned = self.panels.get(look.pinned) if look.pinned is not None else None
        self.arrange(panels, min(max(options.columns, 0), 8), pinned)
        # The keys go from chart to chart in the order in which they are seen.
        chain([self, *(chart for panel in panels for chart in panel.charts), *self.axes])

    def _follow_run(self, run_id: int) -> None:
        """Show a run that started, ended or has another policy."""
        study = self._workbench.study
        run = study.run(run_id)
        panel, live = self.panels.get(run_id), self._workbench.live_run(run_id)
        if run is None or panel is None or live is None:
            return
        # A what-if that is not shown has no charts; a run that was stopped shows what had started before.
        chart_data, preview = (None, None) if live.hidden else (live.chart_data, live.preview or live.stopped)
        ghost = self._workbench.comparison.ghost
        ghost_data = ghost.chart_data if ghost is not None and ghost.result.run_id == run_id else None
        # A preview is of another policy than the run has so far, and is named so.
        policy = preview.chart_data.schedule.policy if preview is not None else run.policy
        name = study.name(replace(run, policy=policy))
        panel.show_run(name, chart_data, live.message, ghost_data, preview, live.error)
        shown = chart_data or (preview.chart_data if preview is not None else None)
        if shown is not None:
            self._share_scales()
            # The bounds reach to the last end of any run, so that they stay while a slider moves.
            last = max(self._workbench.open_study.last_end, shown.schedule.last_end)
            self._context.clock.set_bounds(shown.schedule.first_submit, last)
        self._show_baseline()

    def _follow_begun(self) -> None:
        """Show that a run which waited for a processor has started."""
        for run_id in self.panels:
            if run_id not in self._workbench.open_study.shown:
                self._follow_run(run_id)

    def _follow_judged(self) -> None:
        """The heatmaps have the same rows in all runs, to be compared: all of them are shown anew."""
        hidden = {run_id for run_id, live in self._workbench.open_study.live.items() if live.hidden}
        for run_id in hidden ^ self._hidden:
            self._follow_run(run_id)
        self._hidden = hidden
        for panel in self.panels.values():
            panel.set_unjudged(self.why_unjudged)
        self._request_all()

    def _follow_lateness(self) -> None:
        """Have each schedule compared at once if charts show which jobs are late: only then it is known."""
        expression = self._context.filter.value.expression
        late = self._context.view.options.colours == "late" or (expression is not None and expression.of_run)
        self._workbench.paces = not late

    def _follow_look(self) -> None:
        self._request_all()
        self._share_scales()

    def _request_all(self) -> None:
        self._request(self.panels.values())

    def _request(self, panels: Iterable[RunPanel]) -> None:
        rows, finished = self.heatmap_rows, self._workbench.finished()
        if rows is not None:
            most = self._shared_most(finished)
            for panel in panels:
                live = self._workbench.live_run(panel.run_id)
                judged = live.compared if live is not None else None
                if judged is not None:
                    self.requested.emit(panel, partial(self._show_judged, panel, judged, rows, most))

    def _show_baseline(self) -> None:
        others = self.others
        for panel in self.panels.values():
            panel.gantt.set_others(others)

    def _share_scales(self) -> None:
        """Give the strips of each kind the same scale in all runs, or separate scales."""
        shared = self._context.view.options.heatmaps.shared_scale
        for strips in zip(*(panel.strips for panel in self.panels.values()), strict=True):
            most = max(strip.own_most for strip in strips)
            for strip in strips:
                strip.set_scale_max(most if shared else None)


def _under_mouse(chart: QWidget) -> bool:
    """True if the mouse is over the widget now: `underMouse` is outdated after charts moved under the
    mouse.
    """
    return chart.visibleRegion().contains(chart.mapFromGlobal(QCursor.pos()))
