"""Hiding, pinning and aligning charts of runs: in the menu of a chart, and the way back in the Show menu."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.actions.command import Submenu
from app.actions.offers import Offer, literal, refill
from app.model.aligning import align_with_mark, end_alignment
from app.model.models import Models
from app.panels.run_panel import RunPanel
from views.data.panel_look import Chart
from views.state.spot import Spot

KINDS = {
    "gantt": "Gantt chart",
    "heatmap": "heatmap",
    "cpu": "CPU",
    "ram": "RAM",
    "gpu": "GPU",
    "queue": "queue",
}


class PanelEntries:
    """The entries of the menu of a chart that hide it and pin its run, for the chart that was clicked."""

    def __init__(self, models: Models, menu: QMenu) -> None:
        self._models = models
        self._chart: Chart | None = None
        self.hide = QAction("&Hide this chart", menu)
        self.hide.triggered.connect(self._hide)
        self.pin = QAction("Pin to the &top", menu, checkable=True)
        self.pin.setToolTip("The charts of this run come first and stay visible")
        self.pin.triggered.connect(self._pin)
        menu.addActions([self.hide, self.pin])
        self.align = menu.addMenu("A&lign this time with")
        self.end = menu.addAction("&End the alignment of runs", lambda: end_alignment(models))

    def offer(self, spot: Spot) -> None:
        """The spot that the menu is of: only charts of runs are hidden, pinned and aligned."""
        panel, options = spot.widget.parentWidget(), self._models.view.options
        self._chart = None
        if isinstance(panel, RunPanel):
            self._chart = next(
                ((panel.run_id, kind) for kind, one in panel.kinds.items() if one is spot.widget), None
            )
        for action in (self.hide, self.pin):
            action.setVisible(self._chart is not None)
        self._offer_marks(panel.run_id if isinstance(panel, RunPanel) else None, spot.time)
        self.end.setVisible(bool(options.offsets))
        pinned = self._models.view.options.panels.pinned
        self.pin.setChecked(self._chart is not None and self._chart[0] == pinned)

    def _offer_marks(self, run_id: int | None, time: float | None) -> None:
        """Marks that the time under the mouse can be aligned with."""
        self.align.clear()
        if run_id is not None and time is not None:
            for mark in self._models.view.options.marks:
                align = partial(align_with_mark, self._models, run_id, time, mark)
                self.align.addAction(mark.name.replace("&", "&&"), align)
        self.align.menuAction().setVisible(not self.align.isEmpty())

    def _hide(self) -> None:
        view = self._models.view
        if self._chart is not None:
            solo = None if view.options.solo == self._chart else view.options.solo
            view.choose(panels=view.options.panels.hide(self._chart), solo=solo)

    def _pin(self, on: bool) -> None:
        view = self._models.view
        if self._chart is not None:
            view.choose(panels=replace(view.options.panels, pinned=self._chart[0] if on else None))


def hidden_charts_menu(models: Models) -> Submenu:
    """The submenu of hidden charts: a click shows a chart again."""

    def why_not() -> str:
        return "" if models.view.options.panels.hidden else "No chart is hidden"

    return Submenu("hidden charts", "&Hidden charts", fill=partial(_fill, models), why_not=why_not)


def _fill(models: Models, menu: QMenu) -> None:
    study, charts = models.workbench.study, models.view.options.panels.hidden
    shown = [
        Offer(literal(f"{study.name(run)}: {KINDS.get(kind, kind)}"), partial(_show, models, (run_id, kind)))
        for run_id, kind in charts
        if (run := study.run(run_id)) is not None
    ]
    refill(menu, [*shown, None, Offer("&All of them", partial(_show, models, *charts))])


def _show(models: Models, *charts: Chart) -> None:
    models.view.choose(panels=models.view.options.panels.show(*charts))
