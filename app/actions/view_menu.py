"""The View menu: time, selection, which charts are shown and how they look, layouts, theme."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDockWidget, QMenu

from app.actions.gantt_menu import gantt_menus
from app.actions.heatmap_menu import heatmap_menu, strip_switches
from app.actions.layouts_menu import Layouts, fill_layouts
from app.actions.panel_menu import add_hidden_charts
from app.actions.window_actions import Actions
from app.model.models import Models
from app.panels.chart_set import ChartSet
from app.panels.overview_runs import OverviewRuns
from app.panels.settings_page import THEMES, Themes
from views.catalog import ALL, VIEWS, view_spec
from views.spec import ViewSpec
from views.state.places import Places
from views.state.trail import Trail
from views.state.view_state import ViewState

INSTANT_TIP = "What runs, what waits and what is free at the time under the mouse"


@dataclass(frozen=True)
class ViewMenu:
    """Actions and menus of the View menu that the tool bar or the menu of a chart offers too."""

    of_study: list[QAction]  # that need one
    moves: list[QAction]  # in time
    of_selection: list[QAction]
    looks: list[QMenu]


def view_menu(
    models: Models,
    charts: ChartSet,
    show_alone: Callable[[], object],
    overview: OverviewRuns,
    docks: Sequence[QDockWidget],
    layouts: Layouts,
    themes: Themes,
    frames: QAction,
    actions: Actions,
) -> ViewMenu:
    """Fill the menu; `show_alone` shows one chart alone, `frames` frame times."""
    menu, view = actions.menu("&View"), models.view
    clock, selection, keys = models.clock, models.selection, QKeySequence.StandardKey
    trail = Trail(clock, selection, Places(view, menu), menu)
    moves = [
        actions.add(menu, "&Fit all", clock.fit, tip="Show the whole trace"),
        actions.add(menu, "&Back", trail.back, keys.Back, "To what was shown and selected before"),
        actions.add(menu, "For&ward", trail.forward, keys.Forward, "To what was shown before going back"),
    ]
    clear = actions.add(menu, "&Clear the selection", selection.clear)
    instant = actions.add(menu, "&Inspect this instant", partial(_inspect_instant, models), "I", INSTANT_TIP)
    made = [*moves, clear, instant]
    menu.addSeparator()
    made += [
        actions.switch(menu, "Hide pa&nels", "alone", "Show the charts only", "C"),
        actions.add(menu, "Maximise this &chart", show_alone, "O", "Or all charts again"),
        actions.add(menu, "Show &everything", partial(_bring_back, models), "B"),
    ]
    menu.addSeparator()
    arrangement = menu.addMenu("&Arrange runs")
    arrangements = {0: "As fits best", 1: "Stacked", 2: "Side by side", 4: "In one row"}
    actions.choice(
        arrangement, arrangements, partial(_arrange, models), lambda: view.options.columns, view.changed
    )
    pages = menu.addMenu("&Pages")
    made.append(actions.add(pages, "&Charts", partial(view.choose, view=ALL), "Alt+1", "Of all runs"))
    made += [_page(models, actions, pages, spec) for spec in VIEWS if spec.entry]
    shown = _shown_menu(models, overview, docks, frames, actions, menu)
    of_gantt, steps = gantt_menus(models, charts, actions, menu)
    user_menu, pin = heatmap_menu(models, actions, menu)
    tabs = menu.addMenu("Ta&bs")
    for spec in VIEWS:
        if spec.area == "tab":
            made.append(_tab(models, actions, tabs, spec))
    kept = menu.addMenu("&Layouts")
    kept.aboutToShow.connect(lambda: fill_layouts(models, layouts, kept))
    theme = menu.addMenu("&Theme")
    actions.choice(theme, THEMES, themes.set_theme, lambda: themes.theme_name, themes.theme_changed)
    looks = [*of_gantt, user_menu, arrangement, shown]
    return ViewMenu([*made, pin, *steps], moves, [clear, pin], looks)


def _bring_back(models: Models) -> None:
    """Show all charts and what stands around them: hidden charts too, but for those of kinds switched off."""
    view = models.view
    view.choose(alone=False, solo=None, panels=view.options.panels.show(*view.options.panels.hidden))


def _arrange(models: Models, columns: int) -> None:
    """Lay out the runs in columns; a page that hides them is left."""
    spec = view_spec(models.view.options.view)
    away = spec is not None and spec.entry
    models.view.choose(columns=columns, **({"view": ALL} if away else {}))


def _page(models: Models, actions: Actions, menu: QMenu, spec: ViewSpec) -> QAction:
    """Action that shows a page instead of the charts of all runs, and goes back."""
    view = models.view
    return actions.toggle(
        menu,
        spec.entry,
        lambda on: view.choose(view=spec.name if on else ALL),
        lambda: view.options.view == spec.name,
        view.changed,
        spec.tip,
        spec.keys or None,
    )


def _tab(models: Models, actions: Actions, menu: QMenu, spec: ViewSpec) -> QAction:
    """Action that opens a page below the charts."""
    show = partial(models.view.choose, view=ALL, tab=spec.title, tabs_open=True)
    return actions.add(menu, f"Tab {spec.title}", show, tip="Open this page below the charts")


def _shows_chart(view: ViewState, kind: str) -> bool:
    return bool(getattr(view.options.shown_charts, kind))


def _show_chart(view: ViewState, kind: str, on: bool) -> None:
    """Show or hide a kind of chart; a view of one kind alone is left."""
    charts = replace(view.options.shown_charts, **{kind: on})
    alone = view.options.view in ("gantt", "heatmap")
    view.choose(view=ALL if alone else view.options.view, charts=charts)


def _shown_menu(
    models: Models,
    overview: OverviewRuns,
    docks: Sequence[QDockWidget],
    frames: QAction,
    actions: Actions,
    menu: QMenu,
) -> QMenu:
    shown, view = menu.addMenu("&Show"), models.view
    for kind, label in {"gantt": "&Gantt charts", "heatmap": "&Heatmaps"}.items():
        actions.toggle(
            shown,
            label,
            partial(_show_chart, view, kind),
            partial(_shows_chart, view, kind),
            view.changed,
        )
    shown.addSeparator()
    strip_switches(actions, shown)
    why = "Two runs are compared: both of their charts over time are shown"
    actions.not_compared(shown, [action for action in shown.actions() if not action.isSeparator()], why)
    add_hidden_charts(models, shown)
    shown.addSeparator()
    folds = "Open their pages, or fold them away"
    actions.switch(shown, "&Tabs below the charts", "tabs_open", folds, "Ctrl+J")
    for dock in docks:
        shown.addAction(dock.toggleViewAction())
    shown.addSeparator()
    whole = QMenu("&Overview of", shown)
    shown.addMenu(whole)
    whole.aboutToShow.connect(lambda: overview.fill(whole))
    shown.addAction(frames)
    return shown


def _inspect_instant(models: Models) -> None:
    """Pick the instant under the mouse, or in the middle of what is shown."""
    clock = models.clock
    instant = clock.pointed if clock.pointed is not None else (clock.start + clock.end) / 2
    models.selection.select_instant(instant)
