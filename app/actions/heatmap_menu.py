"""The menu of the heatmaps and of the strips under them."""

from __future__ import annotations

from collections.abc import Callable

from app.actions.command import Command, OptionChoice, Submenu, Switch
from app.actions.gantt_menu import while_compared
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


def heatmap_menu(models: Models) -> Submenu:
    """The menu of rows, pixels and colours."""
    grouped = "Groups users by the queue that they use most"
    pinned = "Keep the rows of the selected users on top in all runs; again to undo it"
    scales = {True: "Same scale in all runs", False: "Own scale for each run"}
    one_scale = while_compared(models, "Two runs are compared in a single heatmap, which has a single scale")
    return Submenu(
        "heatmaps",
        "&Heatmaps",
        (
            OptionChoice("heatmaps.order", _ORDERS),
            None,
            Switch("heatmaps.by_queue", "Grouped by &queue", grouped),
            Command("pin users", "&Pin or unpin the selected users", lambda: _pin(models), "P", pinned),
            None,
            OptionChoice("heatmaps.measure", _AGGREGATES),
            None,
            OptionChoice("heatmaps.shared_scale", scales, one_scale),
        ),
    )


def strip_switches(why_not: Callable[[], str]) -> list[Switch]:
    """Switches for the strips under the heatmaps."""
    folds = "Fold strips and heatmaps, so that the other charts stay readable"
    gpus = "GPUs in use and requested, if the machine has any"
    power = "The power of the machine, if it is known, and the price of energy"
    return [
        Switch("charts.cpu", "&CPU strips", "Processors in use and requested", why_not=why_not),
        Switch("charts.ram", "&RAM strips", "RAM in use and requested", why_not=why_not),
        Switch("charts.gpu", "&GPU strips", gpus, why_not=why_not),
        Switch("charts.power", "Po&wer strips", power, why_not=why_not),
        Switch("charts.queue", "&Queue strips", "The number of waiting jobs", why_not=why_not),
        Switch("charts.folds", "&Fold charts where room is short", folds, why_not=why_not),
    ]


def _pin(models: Models) -> None:
    study, users = models.workbench.study, models.selection.value.users
    if not users:
        models.messages.say("Select a user first: click on a row of a heatmap")
        return
    names = [study.trace.user.names[code] for code in sorted(users)]
    models.view.choose(heatmaps=models.view.options.heatmaps.pin(names))
