"""Hiding and pinning charts of runs: in the menu of a chart, and the way back in the Show menu."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from app.model.models import Models
from app.panels.run_panel import RunPanel
from views.data.panel_look import Chart

KINDS = {"gantt": "Gantt chart", "heatmap": "heatmap", "cpu": "CPU", "ram": "RAM", "queue": "queue"}


class PanelEntries:
    """The entries of the menu of a chart that hide it and pin its run, for the chart that was clicked."""

    def __init__(self, models: Models, menu: QMenu) -> None:
        self._models = models
        self._chart: Chart | None = None
        self.hide = QAction("&Hide this chart", menu)
        self.hide.triggered.connect(self._hide)
        self.pin = QAction("Pin to the &top", menu, checkable=True)
        self.pin.setToolTip("The charts of this run stand first, and stay in sight")
        self.pin.triggered.connect(self._pin)
        menu.addActions([self.hide, self.pin])

    def offer(self, widget: QWidget) -> None:
        """The chart that the menu is of: only charts of runs are hidden and pinned."""
        panel = widget.parentWidget()
        self._chart = None
        if isinstance(panel, RunPanel):
            self._chart = next((panel.run_id, kind) for kind, one in panel.kinds.items() if one is widget)
        for action in (self.hide, self.pin):
            action.setVisible(self._chart is not None)
        pinned = self._models.view.options.panels.pinned
        self.pin.setChecked(self._chart is not None and self._chart[0] == pinned)

    def _hide(self) -> None:
        view = self._models.view
        if self._chart is not None:
            solo = None if view.options.solo == self._chart else view.options.solo
            view.choose(panels=view.options.panels.hide(self._chart), solo=solo)

    def _pin(self, on: bool) -> None:
        view = self._models.view
        if self._chart is not None:
            view.choose(panels=replace(view.options.panels, pinned=self._chart[0] if on else None))


def add_hidden_charts(models: Models, menu: QMenu) -> None:
    """Add the submenu of hidden charts to the Show menu: a click shows one again."""
    hidden = menu.addMenu("&Hidden charts")
    hidden.aboutToShow.connect(lambda: _fill(models, hidden))
    models.view.follow(menu, "panels", lambda: hidden.setEnabled(bool(models.view.options.panels.hidden)))


def _fill(models: Models, menu: QMenu) -> None:
    menu.clear()
    study, view = models.workbench.study, models.view
    charts = view.options.panels.hidden
    for run_id, kind in charts if study is not None else ():
        run = study.run(run_id) if study is not None else None
        if study is not None and run is not None:
            name = f"{study.name(run)}: {KINDS.get(kind, kind)}".replace("&", "&&")
            menu.addAction(name, lambda one=(run_id, kind): _show(models, one))
    menu.addSeparator()
    menu.addAction("&All of them", lambda: _show(models, *charts))


def _show(models: Models, *charts: Chart) -> None:
    models.view.choose(panels=models.view.options.panels.show(*charts))
