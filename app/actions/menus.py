"""The menus of the main window."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QMenu, QToolBar, QToolButton

from app.actions.filter_menu import filter_menu
from app.actions.gantt_menu import gantt_menus
from app.actions.heatmap_menu import heatmap_menu, strip_toggles
from app.actions.layouts_menu import fill_layouts
from app.actions.program_menus import help_menu, window_menu
from app.actions.window_actions import Actions
from app.export.files import export_chart, export_table
from app.panels.notes_dialog import NotesDialog
from app.panels.settings_page import THEMES, SettingsPage
from app.panels.share_choice import ask_share
from app.session.commands import save, save_as
from app.shell.layout import ViewName

if TYPE_CHECKING:
    from app.shell.window import MainWindow

_INSTANT_TIP = "What runs, what waits and what is free at the time under the mouse"


@dataclass
class Menus:
    """What of the menus changes later: the actions that need a study, or mean nothing in a view."""

    actions: Actions
    need_study: list[QAction]
    bar: QToolBar
    context: QMenu  # of the charts over time

    def enable_study(self, there: bool) -> None:
        """Actions on a study can be used only where there is one."""
        self.bar.setVisible(there)
        for action in self.need_study:
            action.setEnabled(there)


def make_menus(window: MainWindow) -> Menus:
    """Fill the menu bar."""
    actions = Actions(window)
    bar = window.addToolBar("Charts")
    bar.setObjectName("Charts")
    bar.setMovable(False)
    context = QMenu("Chart", window)
    in_file, charts = _file_menu(window, actions)
    in_view, of_selection, looks = _view_menu(window, actions)
    filters = filter_menu(window, actions)
    need_study = [*in_file, *in_view, *filters, *_run_menu(window, actions)]
    _fill_bar(bar, in_view[:3], looks)
    _fill_context(window, context, in_view[:3], [*of_selection, filters[1]], [*looks, charts])
    window_menu(window, actions)
    help_menu(window, actions)
    window.status.notes.clicked.connect(lambda: _show_notes(window))
    return Menus(actions, need_study, bar, context)


def _file_menu(window: MainWindow, actions: Actions) -> tuple[list[QAction], QMenu]:
    """The actions on a study, and the menu of charts to export."""
    menu = actions.menu("&File")
    actions.add(menu, "&Open…", window.ask_for_trace, QKeySequence.StandardKey.Open, "A trace or a session")
    actions.add(menu, "Open the &example", window.open_example)
    recent = menu.addMenu("Open &recent")
    recent.aboutToShow.connect(lambda: _fill_recent(window, recent))
    menu.addSeparator()
    saving = [
        actions.add(menu, "&Save the session", lambda: save(window), "Ctrl+S", "Trace, runs and view"),
        actions.add(menu, "Save the session &as…", lambda: save_as(window), "Ctrl+Shift+S"),
    ]
    charts = menu.addMenu("E&xport chart")
    tables = menu.addMenu("Export &table")
    made = [
        *saving,
        actions.add(charts, "&Gantt charts…", lambda: export_chart(window, "gantt"), "Ctrl+E"),
        actions.add(charts, "&Heatmaps…", lambda: export_chart(window, "heatmap")),
        actions.add(charts, "&Distributions…", lambda: export_chart(window, "distributions")),
        actions.add(charts, "&Scatter…", lambda: export_chart(window, "scatter")),
        actions.add(charts, "&Job sizes…", lambda: export_chart(window, "sizes")),
        actions.add(charts, "&Timeline…", lambda: export_chart(window, "timeline")),
        actions.add(charts, "&Radar of scores…", lambda: export_chart(window, "radar")),
        actions.add(charts, "Relative g&ains…", lambda: export_chart(window, "gains")),
        actions.add(charts, "&Difference of two runs…", lambda: export_chart(window, "difference")),
        actions.add(charts, "S&weep…", lambda: export_chart(window, "sweep")),
        actions.add(tables, "&Metrics…", lambda: export_table(window, "metrics")),
        actions.add(tables, "&Users…", lambda: export_table(window, "users")),
        actions.add(tables, "&Queues…", lambda: export_table(window, "queues")),
        actions.add(tables, "&Difference of two runs…", lambda: export_table(window, "difference")),
        actions.add(tables, "S&weep…", lambda: export_table(window, "sweep")),
        actions.add(tables, "&Schedules…", lambda: export_table(window, "schedule")),
    ]
    menu.addSeparator()
    actions.add(menu, "Se&ttings…", lambda: window.show_dialog(SettingsPage(window)), "Ctrl+,")
    actions.add(menu, "&Close the window", window.close, "Ctrl+W")
    actions.add(menu, "&Quit", _quit, "Ctrl+Q", "Close all windows")  # some desktops have no standard key
    return made, charts


def _view_menu(window: MainWindow, actions: Actions) -> tuple[list[QAction], list[QAction], list[QMenu]]:
    """The actions on a study, of which the first three move in time; those of them that a right click
    offers for what is selected; and the menus that change what charts show."""
    menu = actions.menu("&View")
    page, settings = window.page, window.settings
    made = [
        actions.add(menu, "&Fit all", window.clock.fit, tip="Show the whole trace"),
        actions.add(menu, "Zoom &back", window.clock.back, QKeySequence.StandardKey.Back),
        actions.add(menu, "Zoom for&ward", window.clock.forward, QKeySequence.StandardKey.Forward),
        actions.add(menu, "&Previous selection", window.selection.back, "Ctrl+["),
        actions.add(menu, "&Next selection", window.selection.forward, "Ctrl+]"),
        actions.add(menu, "Previous fi&lter", window.filter.back, "Alt+Shift+Left"),
        actions.add(menu, "Next filt&er", window.filter.forward, "Alt+Shift+Right"),
    ]
    clear = actions.add(menu, "&Clear the selection", window.selection.clear)
    inspect = partial(_inspect_instant, window)
    made += [clear, actions.add(menu, "&Inspect this instant", inspect, "I", _INSTANT_TIP)]
    menu.addSeparator()

    def columns(number: int) -> None:
        settings.columns = number
        page.set_columns(number)
        if window.view in ("difference", "timeline", "scores", "sweep"):
            window.show_view("all")

    arrangement = menu.addMenu("&Arrange runs")
    places = {1: "Stacked", 2: "Side by side", 4: "In one row"}
    actions.choice(arrangement, places, settings.columns, columns, lambda: page.columns)
    arrangement.addSeparator()
    made += _pages(window, actions, arrangement)
    shown = menu.addMenu("&Show")

    def chart(kind: str, label: str) -> None:
        there = page.charts_shown
        actions.toggle(shown, label, True, lambda on: page.show_charts(**{kind: on}), now=lambda: there[kind])

    chart("gantt", "&Gantt charts")
    chart("heatmap", "&Heatmaps and usage")
    shown.addSeparator()
    strip_toggles(window, actions, shown)
    why = "Two runs are compared: both of their charts over time are shown"
    actions.not_compared(shown, [action for action in shown.actions() if not action.isSeparator()], why)
    shown.addSeparator()
    for dock in window.docks:
        shown.addAction(dock.toggleViewAction())
    shown.addSeparator()
    whole = QMenu("&Overview of", shown)
    shown.addMenu(whole)
    whole.aboutToShow.connect(lambda: page.overview_runs.fill(whole))
    tip = "In the status line: how long pictures take, and what holds the window"
    actions.toggle(shown, "Frame &times", False, window.status.show_frames, tip)
    of_gantt, steps = gantt_menus(window, actions, menu)
    user_menu, pin = heatmap_menu(window, actions, menu)
    layouts = menu.addMenu("&Layouts")
    layouts.aboutToShow.connect(lambda: fill_layouts(window, layouts))
    theme = menu.addMenu("&Theme")
    actions.choice(theme, THEMES, window.theme_name, window.set_theme, lambda: window.theme_name)
    return [*made, pin, *steps], [clear, pin], [*of_gantt, user_menu, arrangement, shown]


def _pages(window: MainWindow, actions: Actions, menu: QMenu) -> list[QAction]:
    """Pages that take the place of the charts of all runs, and give it back."""
    pages: tuple[tuple[ViewName, str, str | None, str], ...] = (
        (
            "difference",
            "&Difference of two runs",
            "Ctrl+D",
            "What moved between two runs, by how much, and for whom",
        ),
        ("timeline", "&Timeline", "Ctrl+T", "Queue depth, utilization and tunables of all runs over time"),
        ("scores", "Sc&ores", None, "Several metrics of all runs at once, and what each gains over another"),
        ("sweep", "S&weep", None, "Every combination of two keys of a policy, and how any metric fares"),
    )

    def turn(name: ViewName) -> None:
        window.show_view("all" if window.view == name else name)

    def page(name: ViewName, text: str, keys: str | None, tip: str) -> QAction:
        action = actions.add(menu, text, lambda: turn(name), keys, tip)
        action.setCheckable(True)
        menu.aboutToShow.connect(lambda: action.setChecked(window.view == name))
        return action

    return [page(*one) for one in pages]


def _fill_bar(bar: QToolBar, moves: list[QAction], menus: list[QMenu]) -> None:
    """Within reach: moving in time, and the menus that change what the charts show."""
    for action in moves:
        bar.addAction(action)
    bar.addSeparator()
    for menu in menus:
        button = QToolButton(bar, autoRaise=True)
        button.setText(menu.title().replace("&", ""))
        button.setToolTip(button.text())
        button.setMenu(menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        bar.addWidget(button)


def _fill_context(
    window: MainWindow, context: QMenu, moves: list[QAction], picks: list[QAction], menus: list[QMenu]
) -> None:
    """What a right click on a chart offers."""
    instant = context.addAction("&Inspect this instant")
    instant.setToolTip(_INSTANT_TIP)
    instant.triggered.connect(lambda: window.selection.select_instant(instant.data()))

    def show(place: QPoint, time: float) -> None:
        instant.setData(time)  # the mouse is elsewhere by the time that this is chosen
        context.popup(place)

    window.page.context_requested.connect(show)
    for actions in (moves, picks):
        context.addSeparator()
        context.addActions(actions)
    context.addSeparator()
    for menu in menus:
        context.addMenu(menu)


def _run_menu(window: MainWindow, actions: Actions) -> list[QAction]:
    menu = actions.menu("&Runs")
    made = [
        actions.add(menu, "&Add a run…", window.add_run, "Ctrl+N"),
        actions.add(menu, "Run &all again", lambda: _run_all(window), "F5"),
        actions.add(menu, "&Cancel all", lambda: _cancel_all(window), "Ctrl+."),
        actions.add(menu, "&Keep the explored policy", window.explore.keep.click),
        actions.add(menu, "Restore the policy &before exploring", window.explore.restore.click),
        actions.add(menu, "&Expected share of a user…", lambda: ask_share(window)),
        _fair_starts(window, actions, menu),
        actions.add(menu, "&Quality notes…", lambda: _show_notes(window)),
    ]
    _undo(window, actions, menu)
    return made


def _undo(window: MainWindow, actions: Actions, menu: QMenu) -> None:
    """Names the run that was removed last; it can be used only where there is one."""
    workbench = window.workbench
    action = actions.add(menu, "", workbench.bring_back, "Ctrl+Z", "Put the run where it was")

    def follow() -> None:
        study, run = workbench.study, workbench.removed_run
        name = study.name(run) if study is not None and run is not None else "a run"
        action.setText(f"&Undo the removal of {name}")
        action.setEnabled(run is not None)

    workbench.study_changed.connect(follow)
    follow()


def _inspect_instant(window: MainWindow) -> None:
    """Pick the instant under the mouse, or in the middle of what is shown."""
    clock = window.clock
    window.selection.select_instant(clock.hover if clock.hover is not None else (clock.start + clock.end) / 2)


def _fair_starts(window: MainWindow, actions: Actions, menu: QMenu) -> QAction:
    """Whether fair start times are worked out: kept as a setting."""

    def set_wanted(wanted: bool) -> None:
        window.settings.fair_starts = wanted
        window.workbench.set_fair_starts(wanted)

    window.page.scores.fair_starts_wanted.connect(lambda: set_wanted(True))
    window.workbench.fair_starts = window.settings.fair_starts
    tip = "Work out when each job would have started had no later one come: unfair jobs"
    workbench = window.workbench
    on = window.settings.fair_starts
    return actions.toggle(menu, "&Fair start times", on, set_wanted, tip, lambda: workbench.fair_starts)


def _fill_recent(window: MainWindow, menu: QMenu) -> None:
    menu.clear()
    for name in window.settings.recent:
        action = menu.addAction(Path(name).name)
        action.setToolTip(name)
        action.triggered.connect(lambda _=False, name=name: window.open_path(Path(name)))
    if not window.settings.recent:
        menu.addAction("Nothing yet").setEnabled(False)


def _quit() -> None:
    QApplication.closeAllWindows()


def _run_all(window: MainWindow) -> None:
    for run in window.workbench.study.runs if window.workbench.study else ():
        window.workbench.start_run(run.id)


def _cancel_all(window: MainWindow) -> None:
    for run in window.workbench.study.runs if window.workbench.study else ():
        window.workbench.cancel_run(run.id)


def _show_notes(window: MainWindow) -> None:
    study = window.workbench.study
    if study is not None:
        window.show_dialog(NotesDialog(study.trace.name, window.workbench.notes, window))
