"""The menus of Gantt charts: what colours say, what rows are, what else is shown, and steps among jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from app.actions.window_actions import Actions
from views.data.gantt.colours import COLOUR_NAMES, ColourMode
from views.data.gantt.layers import LAYER_NAMES, Layers
from views.data.gantt.rows import ROW_NAMES, RowKind
from views.data.gantt.steps import STEP_NAMES, StepKind
from views.gantt import GanttChart

if TYPE_CHECKING:
    from app.shell.window import MainWindow


_NO_FAILURES = "No machine fails: give a run one that does, like 20x80c~30d/4h"


def gantt_menus(window: MainWindow, actions: Actions, view: QMenu) -> tuple[list[QMenu], list[QAction]]:
    """Add the menus to the View menu; returns those that change the charts, and the steps."""
    window.page.set_layers(Layers(**{name: getattr(window.settings, f"show_{name}") for name in LAYER_NAMES}))
    layers = view.addMenu("Gantt &layers")
    menus = [_colours(window, actions, view), _rows(window, actions, view), layers]
    for name in LAYER_NAMES:
        _layer(window, actions, layers, name)
    return menus, _steps(window, actions, view)


def _at_hand(window: MainWindow) -> GanttChart | None:
    """The Gantt chart that has the focus, else the first one that is seen."""
    page = window.page
    gantts = [page.difference.gantt, *(panel.gantt for panel in page.panels.values())]
    shown = [gantt for gantt in gantts if gantt.isVisible()]
    return next((gantt for gantt in shown if gantt.hasFocus()), shown[0] if shown else None)


def _colours(window: MainWindow, actions: Actions, view: QMenu) -> QMenu:
    menu = view.addMenu("Gantt c&olours")

    def choose(mode: ColourMode) -> None:
        window.settings.colours = mode
        window.page.set_colours(mode)

    made = actions.choice(menu, COLOUR_NAMES, window.settings.colours, choose, lambda: window.page.colours)
    against = QMenu("Change of start a&gainst", menu)
    menu.addMenu(against)
    against.aboutToShow.connect(lambda: _fill_baselines(window, against, made["change"].trigger))
    why = "Two runs are compared: colours say how much earlier or later jobs start"
    actions.not_compared(menu, menu.actions(), why)
    return menu


def _fill_baselines(window: MainWindow, menu: QMenu, show_change: Callable[[], None]) -> None:
    """The runs, of which one is what starts are compared with; choosing one shows the change."""
    menu.clear()
    study, page = window.workbench.study, window.page
    group = QActionGroup(menu)
    if study is None:
        menu.addAction("No runs yet").setEnabled(False)
        return
    for run in study.runs:

        def choose(run_id: int) -> None:
            page.set_baseline(run_id)
            show_change()

        action = menu.addAction(study.name(run))
        action.setCheckable(True)
        action.setChecked(run.id == page.baseline)
        action.triggered.connect(partial(choose, run.id))
        group.addAction(action)


def _rows(window: MainWindow, actions: Actions, view: QMenu) -> QMenu:
    menu = view.addMenu("Gantt &rows")

    def choose(kind: RowKind) -> None:
        window.settings.rows = kind
        window.page.set_rows(kind)

    actions.choice(menu, ROW_NAMES, window.settings.rows, choose, lambda: window.page.rows)
    menu.addSeparator()
    actions.add(menu, "Show &all rows", window.clock.fit_rows)

    def fit() -> None:
        if (gantt := _at_hand(window)) is not None:
            gantt.fit_rows()

    actions.add(menu, "&Fit the jobs in view", fit, "Shift+F", "Show only rows in use")
    return menu


def _layer(window: MainWindow, actions: Actions, menu: QMenu, name: str) -> None:
    label, tip = LAYER_NAMES[name]

    def show(on: bool) -> None:
        setattr(window.settings, f"show_{name}", on)
        window.page.set_layers(replace(window.page.layers, **{name: on}))

    there = window.page.layers
    action = actions.toggle(
        menu, label, getattr(there, name), show, tip, lambda: getattr(window.page.layers, name)
    )
    if name == "down":
        menu.aboutToShow.connect(lambda: _offer_down(window, action, tip))


def _offer_down(window: MainWindow, action: QAction, tip: str) -> None:
    """There is something to be shown only where a run's machine fails."""
    study = window.workbench.study
    fails = study is not None and any(run.cluster.failures is not None for run in study.runs)
    action.setEnabled(fails)
    action.setToolTip(tip if fails else _NO_FAILURES)
    action.setStatusTip(action.toolTip())


def _steps(window: MainWindow, actions: Actions, view: QMenu) -> list[QAction]:
    menu = view.addMenu("S&tep from job to job")

    def choose(kind: StepKind) -> None:
        window.settings.step = kind

    def step(forward: bool) -> None:
        if (gantt := _at_hand(window)) is not None:
            gantt.step(window.settings.step, forward)

    made = [
        actions.add(menu, "&Next job", partial(step, True), ".", "Select the next job, in the chosen way"),
        actions.add(
            menu, "&Previous job", partial(step, False), ",", "Select the job before, in the chosen way"
        ),
    ]
    menu.addSeparator()
    actions.choice(menu, STEP_NAMES, window.settings.step, choose)
    return made
