"""The menu of the heatmaps and of the strips under them."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.actions.window_actions import Actions
from app.model.models import Models
from views.data.user_order import OrderKind
from views.data.violation_counts import Aggregate

_ORDERS: dict[OrderKind, str] = {
    "violations": "Most violated first",
    "usage": "Heaviest first",
    "name": "By name",
}
_AGGREGATES: dict[Aggregate, str] = {
    "max": "Pixel = maximum",
    "mean": "Pixel = mean",
}


def heatmap_menu(models: Models, actions: Actions, view: QMenu) -> tuple[QMenu, QAction]:
    """Add the menu of rows, pixels and colours; returns it, and the action that pins users."""
    menu = view.addMenu("&Heatmaps")
    actions.option(menu, _ORDERS, "heatmaps.order")
    menu.addSeparator()
    tip = "Users stand with those whose most used queue is the same"
    actions.switch(menu, "Grouped by &queue", "heatmaps.by_queue", tip)
    tip = "Keep the rows of the selected users on top in all runs, or no longer"
    pin = actions.add(menu, "&Pin or unpin the selected users", lambda: _pin(models), "P", tip)
    menu.addSeparator()
    actions.option(menu, _AGGREGATES, "heatmaps.measure")
    menu.addSeparator()
    scales = {True: "Same scale in all runs", False: "Own scale for each run"}
    chosen = actions.option(menu, scales, "heatmaps.shared_scale")
    actions.not_compared(menu, chosen.values(), "Two runs are compared in one heatmap: it has one scale")
    return menu, pin


def strip_switches(actions: Actions, menu: QMenu) -> None:
    """Switches for the strips under the heatmaps."""
    actions.switch(menu, "&CPU strips", "charts.cpu", "Processors in use and requested")
    actions.switch(menu, "&RAM strips", "charts.ram", "RAM in use and requested")
    actions.switch(menu, "&GPU strips", "charts.gpu", "GPUs in use and requested, where the machine has some")
    actions.switch(menu, "&Queue strips", "charts.queue", "The number of waiting jobs")
    actions.switch(
        menu,
        "&Fold charts where room is short",
        "charts.folds",
        "Strips and heatmaps, so that the others can be read",
    )


def _pin(models: Models) -> None:
    study, users = models.workbench.study, models.selection.value.users
    if not users:
        models.messages.say("Select a user first: click on a row of a heatmap")
        return
    names = [study.trace.user.names[code] for code in sorted(users)]
    models.view.choose(heatmaps=models.view.options.heatmaps.pin(names))
