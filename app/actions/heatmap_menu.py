"""The menu of the heatmaps and of the strips under them; what is chosen is kept as a setting."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.actions.window_actions import Actions
from app.model.settings import Settings
from views.data.heatmap_look import HeatmapLook
from views.data.user_order import OrderKind
from views.data.violation_counts import Measure

if TYPE_CHECKING:
    from app.shell.window import MainWindow


def look_of(settings: Settings) -> HeatmapLook:
    """The look that was chosen last."""
    return HeatmapLook(
        settings.user_order, settings.users_by_queue, settings.heatmap_shows, settings.shared_scale
    )


def heatmap_menu(window: MainWindow, actions: Actions, menu: QMenu) -> tuple[QMenu, QAction]:
    """Which users the rows are, what a pixel shows, and the scale of colours; and the action that pins."""
    made = menu.addMenu("&Heatmaps")
    settings, page = window.settings, window.page

    def order(name: OrderKind) -> None:
        settings.user_order = name
        page.set_heatmap_look(replace(page.heatmap_look, order=name))

    def by_queue(on: bool) -> None:
        settings.users_by_queue = on
        page.set_heatmap_look(replace(page.heatmap_look, by_queue=on))

    def measure(name: Measure) -> None:
        settings.heatmap_shows = name
        page.set_heatmap_look(replace(page.heatmap_look, measure=name))

    def shared(on: bool) -> None:
        settings.shared_scale = on
        page.set_heatmap_look(replace(page.heatmap_look, shared_scale=on))

    orders: dict[OrderKind, str] = {
        "violations": "Most violated first",
        "usage": "Heaviest first",
        "name": "By name",
    }
    actions.choice(made, orders, settings.user_order, order, lambda: page.heatmap_look.order)
    made.addSeparator()
    tip = "Users stand with those whose most used queue is the same"
    grouped = settings.users_by_queue
    actions.toggle(made, "Grouped by &queue", grouped, by_queue, tip, lambda: page.heatmap_look.by_queue)
    tip = "Keep the rows of the selected users on top in all runs, or no longer"
    pin = actions.add(made, "&Pin or unpin the selected users", lambda: _pin(window), "P", tip)
    made.addSeparator()
    measures: dict[Measure, str] = {
        "max": "A pixel shows the most it covers",
        "mean": "A pixel shows the mean of what it covers",
    }
    actions.choice(made, measures, settings.heatmap_shows, measure, lambda: page.heatmap_look.measure)
    made.addSeparator()
    scales = {True: "Same scale in all runs", False: "Own scale for each run"}
    chosen = actions.choice(
        made, scales, settings.shared_scale, shared, lambda: page.heatmap_look.shared_scale
    )
    actions.not_compared(made, chosen.values(), "Two runs are compared in one heatmap: it has one scale")
    return made, pin


def strip_toggles(window: MainWindow, actions: Actions, menu: QMenu) -> None:
    """Which strips stand under the heatmaps."""
    settings, page = window.settings, window.page

    def strip(kind: str, label: str, on: bool, tip: str) -> None:
        def show(shown: bool) -> None:
            setattr(settings, f"show_{kind}", shown)
            page.show_charts(**{kind: shown})

        actions.toggle(menu, label, on, show, tip, lambda: page.charts_shown[kind])

    strip("cpu", "&CPU strips", settings.show_cpu, "Processors in use and requested")
    strip("ram", "&RAM strips", settings.show_ram, "RAM in use and requested")
    strip("queue", "&Queue strips", settings.show_queue, "The number of waiting jobs")
    strip("folds", "&Fold strips where room is short", settings.show_folds, "So that the charts can be read")


def _pin(window: MainWindow) -> None:
    study, users = window.workbench.study, window.selection.value.users
    if study is None or not users:
        window.statusBar().showMessage("Select a user first: click on a row of a heatmap", 8000)
        return
    names = [study.trace.user.names[code] for code in sorted(users)]
    window.page.set_heatmap_look(window.page.heatmap_look.pin(names))
