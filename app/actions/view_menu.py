"""The View menu: time, selection, which charts are shown and how they look, layouts, theme."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDockWidget, QWidget

from app.actions.command import Command, MenuChoice, State, Submenu, Switch
from app.actions.gantt_menu import gantt_menus, while_compared
from app.actions.heatmap_menu import heatmap_menu, strip_switches
from app.actions.layouts_menu import Layouts, layout_entries
from app.actions.panel_menu import hidden_charts_menu
from app.model.models import Models
from app.panels.charts.chart_set import ChartSet
from app.panels.charts.overview_runs import OverviewRuns
from app.panels.settings_page import THEMES, Themes, step_text_size, use_text_size
from views.catalog import ALL, VIEWS, view_spec
from views.spec import ViewSpec
from views.state.places import OpenedViews
from views.state.trail import Trail
from views.state.view_state import ViewState

INSTANT_TIP = "What runs, what waits and what is free at the time under the mouse"


MOVES = ("fit all", "back", "forward")
"""Commands that move in time, which the tool bar and the menu of a chart offer too."""

OF_SELECTION = ("clear selection", "pin users")
"""Commands on what is selected, which the menu of a chart offers too."""

LOOKS = ("gantt colours", "gantt rows", "gantt layers", "heatmaps", "arrange", "show")
"""Menus that change what charts show, which the tool bar and the menu of a chart offer too."""


_PLACES = {"over": "Over the charts", "side": "Beside the charts", "below": "Below the charts"}
"""Where details of the selection are."""


@dataclass(frozen=True)
class ViewTools:
    """The parts of a window that its View menu shows and arranges; `frames` shows frame times."""

    charts: ChartSet
    show_alone: Callable[[], object]
    overview: OverviewRuns
    docks: Sequence[QDockWidget]
    layouts: Layouts
    themes: Themes
    frames: QAction


def view_menu(models: Models, tools: ViewTools, window: QWidget) -> Submenu:
    """The menu."""
    view, themes, keys = models.view, tools.themes, QKeySequence.StandardKey
    # The trail follows clock, selection and opened views from here on; Back and Forward go along it.
    trail = Trail(models.clock, models.selection, OpenedViews(view, window), window)
    arrangements = {0: "Automatic", 1: "Stacked", 2: "Side by side", 4: "In one row"}
    columns = State(now=lambda: view.options.columns, changed=view.changed)
    theme = State(now=lambda: themes.theme_name, changed=themes.theme_changed)
    charts = Command("charts", "&Charts", partial(view.choose, view=ALL), "Alt+1", "The charts of all runs")
    pages = [_page(models, spec) for spec in VIEWS if spec.entry]
    tabs = [_tab(models, spec) for spec in VIEWS if spec.area == "tab"]
    return Submenu(
        "view",
        "&View",
        (
            Command("fit all", "&Fit all", models.clock.fit, tip="Show the whole trace"),
            Command("back", "&Back", trail.back, keys.Back, "Back to the earlier view and selection"),
            Command(
                "forward", "For&ward", trail.forward, keys.Forward, "Forward to the view before going back"
            ),
            Command("clear selection", "&Clear the selection", models.selection.clear),
            Command("instant", "&Inspect this instant", partial(_inspect_instant, models), "I", INSTANT_TIP),
            None,
            Switch("alone", "Hide pa&nels", "Show the charts only", "C", program=False),
            Command(
                "maximise",
                "Maximise this &chart",
                tools.show_alone,
                "O",
                "Show only the chart under the mouse, or all charts again",
            ),
            Command("everything", "Show &everything", partial(_bring_back, models), "B"),
            None,
            Submenu(
                "arrange",
                "&Arrange runs",
                (MenuChoice("columns", arrangements, partial(_arrange, models), columns),),
            ),
            Submenu("pages", "&Pages", (charts, *pages)),
            _shown_menu(models, tools),
            *gantt_menus(models, tools.charts),
            heatmap_menu(models),
            Submenu("tabs", "Ta&bs", tabs),
            Submenu("layouts", "&Layouts", listed=partial(layout_entries, models, tools.layouts, window)),
            _text_menu(models),
            Submenu("theme", "&Theme", (MenuChoice("theme", THEMES, themes.set_theme, theme),)),
        ),
    )


def _text_menu(models: Models) -> Submenu:
    """Commands that change the size of all text."""
    settings = models.settings
    steps = {1: ("larger", "&Larger", "Ctrl++; Ctrl+="), -1: ("smaller", "&Smaller", "Ctrl+-")}
    commands = [
        Command(
            f"{name} text",
            f"{label} text",
            partial(step_text_size, settings, step),
            keys,
            "All text of the window and its charts; settings keep the size",
            program=True,
        )
        for step, (name, label, keys) in steps.items()
    ]
    usual = partial(use_text_size, settings, 0)
    back = Command("usual text", "&As the system", usual, "Ctrl+0", "The desktop's own size", program=True)
    return Submenu("text size", "Te&xt size", (*commands, back))


def _bring_back(models: Models) -> None:
    """Show all charts and the window parts around them: also hidden charts, except those of kinds that are
    switched off.
    """
    view = models.view
    view.choose(alone=False, solo=None, panels=view.options.panels.show(*view.options.panels.hidden))


def _arrange(models: Models, columns: int) -> None:
    """Lay out the runs in columns; a page that hides them is left."""
    spec = view_spec(models.view.options.view)
    away = spec is not None and spec.entry
    models.view.choose(columns=columns, **({"view": ALL} if away else {}))


def _page(models: Models, spec: ViewSpec[Any]) -> Command:
    """A command that shows a page instead of the charts of all runs, and goes back."""
    view = models.view
    return Command(
        f"view {spec.name}",
        spec.entry,
        lambda on: view.choose(view=spec.name if on else ALL),
        spec.keys,
        spec.tip,
        State(now=lambda: view.options.view == spec.name, changed=view.changed),
    )


def _tab(models: Models, spec: ViewSpec[Any]) -> Command:
    """Opens a page below the charts."""
    show = partial(models.view.choose, view=ALL, tab=spec.title, tabs_open=True)
    return Command(f"tab {spec.name}", f"Tab {spec.title}", show, tip="Open this page below the charts")


def _shows_chart(view: ViewState, kind: str) -> bool:
    return bool(getattr(view.options.shown_charts, kind))


def _show_chart(view: ViewState, kind: str, on: bool) -> None:
    """Show or hide a kind of chart; this leaves a view of a single kind."""
    charts = replace(view.options.shown_charts, **{kind: on})
    alone = view.options.view in ("gantt", "heatmap")
    view.choose(view=ALL if alone else view.options.view, charts=charts)


def _shown_menu(models: Models, tools: ViewTools) -> Submenu:
    view = models.view
    # While two runs are compared, their charts over time stay: the entries are disabled, with the reason.
    why_not = while_compared(models, "Two runs are compared: both of their charts over time are shown")
    charts = [
        Command(
            f"show {kind}",
            label,
            partial(_show_chart, view, kind),
            state=State(now=partial(_shows_chart, view, kind), changed=view.changed),
            program=True,
            why_not=why_not,
        )
        for kind, label in {"gantt": "&Gantt charts", "heatmap": "&Heatmaps"}.items()
    ]
    folds = "Open their pages, or fold them away"
    places = State(now=lambda: view.options.inspector_at, changed=view.changed)

    def place(where: str) -> None:
        view.choose(inspector_at=where, inspector=True)

    verdict = "Who was hurt most under each run, by what, and what would help"
    return Submenu(
        "show",
        "&Show",
        (
            *charts,
            None,
            *strip_switches(why_not),
            hidden_charts_menu(models),
            None,
            Switch("verdicts", "&Verdicts above the charts", verdict, "V"),
            Switch("tabs_open", "&Tabs below the charts", folds, "Ctrl+J"),
            *(dock.toggleViewAction() for dock in tools.docks),
            Submenu("details", "&Details", (MenuChoice("details", _PLACES, place, places),)),
            None,
            Submenu("overview", "&Overview of", listed=tools.overview.entries),
            tools.frames,
        ),
    )


def _inspect_instant(models: Models) -> None:
    """Pick the instant under the mouse, or in the middle of what is shown."""
    clock = models.clock
    instant = clock.pointed if clock.pointed is not None else (clock.start + clock.end) / 2
    models.selection.select_instant(instant)
