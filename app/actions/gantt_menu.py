"""The menus of Gantt charts: what colours say, what rows are, what else is shown, and steps among jobs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from app.actions.folding import add_folding
from app.actions.window_actions import Actions
from app.model.models import Models
from app.panels.chart_set import ChartSet
from views.data.gantt.colours import COLOUR_NAMES, COLOURS
from views.data.gantt.rows import ROW_NAMES
from views.data.gantt.shown_layers import LAYER_NAMES
from views.data.gantt.steps import STEP_NAMES

_NO_FAILURES = "No machine fails: give a run one that does, like 20x80c~30d/4h"


def gantt_menus(
    models: Models, charts: ChartSet, actions: Actions, view: QMenu
) -> tuple[list[QMenu], list[QAction]]:
    """Add the menus to the View menu; returns those that change the charts, and the steps."""
    layers = view.addMenu("Gantt &layers")
    menus = [_colours(models, actions, view), _rows(models, charts, actions, view), layers]
    for name, (label, tip) in LAYER_NAMES.items():
        action = actions.switch(layers, label, f"layers.{name}", tip)
        if name == "down":
            models.workbench.study_changed.connect(partial(_offer_down, models, action, tip))
            _offer_down(models, action, tip)
    return menus, _steps(models, charts, actions, view)


def _colours(models: Models, actions: Actions, view: QMenu) -> QMenu:
    menu = view.addMenu("Gantt c&olours")
    made = actions.option(menu, COLOUR_NAMES, "colours")
    models.workbench.study_changed.connect(partial(_offer_colours, models, made))
    _offer_colours(models, made)
    against = QMenu("Change of start a&gainst", menu)
    menu.addMenu(against)
    against.aboutToShow.connect(lambda: _fill_baselines(models, against, made["change"].trigger))
    why = "Two runs are compared: colours say how much earlier or later jobs start"
    actions.not_compared(menu, menu.actions(), why)
    return menu


def _offer_colours(models: Models, made: Mapping[str, QAction]) -> None:
    """Offer what only some logs tell where the open one does."""
    study = models.workbench.study
    for name, action in made.items():
        quantity = COLOURS[name]
        action.setVisible(quantity.told_by(study.trace))


def _fill_baselines(models: Models, menu: QMenu, show_change: Callable[[], None]) -> None:
    """Fill the menu of runs that starts can be compared with; choosing one shows the change."""
    menu.clear()
    study, chosen = models.workbench.study, models.view.options.baseline
    group = QActionGroup(menu)
    if not study.runs:
        menu.addAction("No runs yet").setEnabled(False)
        return
    ids = [run.id for run in study.runs]
    for run in study.runs:

        def choose(run_id: int) -> None:
            models.view.choose(baseline=run_id)
            show_change()

        action = menu.addAction(study.name(run))
        action.setCheckable(True)
        action.setChecked(run.id == (chosen if chosen in ids else ids[0]))
        action.triggered.connect(partial(choose, run.id))
        group.addAction(action)


def _rows(models: Models, charts: ChartSet, actions: Actions, view: QMenu) -> QMenu:
    menu = view.addMenu("Gantt &rows")
    actions.option(menu, ROW_NAMES, "rows")
    menu.addSeparator()
    actions.add(menu, "Show &all rows", models.clock.fit_rows)

    def fit() -> None:
        if (gantt := charts.gantt) is not None:
            gantt.fit_rows()

    actions.add(menu, "&Fit the jobs in view", fit, "Shift+F", "Show only rows in use")
    menu.addSeparator()
    add_folding(models, charts, actions, menu)
    return menu


def _offer_down(models: Models, action: QAction, tip: str) -> None:
    """Enable the layer of outages only where a run's machine fails."""
    fails = any(run.cluster.failures is not None for run in models.workbench.study.runs)
    action.setEnabled(fails)
    action.setToolTip(tip if fails else _NO_FAILURES)
    action.setStatusTip(action.toolTip())


def _steps(models: Models, charts: ChartSet, actions: Actions, view: QMenu) -> list[QAction]:
    menu = view.addMenu("S&tep from job to job")

    def step(forward: bool) -> None:
        if (gantt := charts.gantt) is not None:
            gantt.step(models.view.options.step, forward)

    made = [
        actions.add(menu, "&Next job", partial(step, True), ".", "Select the next job, in the chosen way"),
        actions.add(
            menu, "&Previous job", partial(step, False), ",", "Select the job before, in the chosen way"
        ),
    ]
    menu.addSeparator()
    actions.option(menu, STEP_NAMES, "step")
    return made
