"""Where quantities are offered, and what is told when a user's own ones are added."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Any

from engine.quantities.quantity import Quantity
from engine.quantities.table import QUANTITIES
from engine.trace import Trace
from engine.trace.columns import ShownIn


def offered(place: ShownIn, trace: Trace | None = None) -> dict[str, Quantity]:
    """The quantities offered in a place, by their names there, in the order of the table.

    With a trace, only those that its log has.
    """
    there = (quantity for quantity in QUANTITIES.values() if place in quantity.shown)
    return {
        quantity.offer(place).name: quantity
        for quantity in there
        if trace is None or quantity.available_in(trace)
    }


_Entry = Callable[[str, Quantity], Any]

_tables: list[tuple[ShownIn, MutableMapping[str, Any], _Entry]] = []
"""The tables that follow the quantities offered in a place, and what makes an entry of them."""


def _whole(_: str, quantity: Quantity) -> Quantity:
    return quantity


def each_offered(place: ShownIn, table: MutableMapping[str, Any], entry: _Entry = _whole) -> None:
    """Keep an entry in a module's table for each quantity offered in a place, now and later, by its name.

    Entries are the quantities, or what `entry` makes of the name and the quantity. A user's own quantities
    come and go so.
    """
    for name, quantity in offered(place).items():
        table[name] = entry(name, quantity)
    _tables.append((place, table, entry))


def add_quantity(quantity: Quantity) -> None:
    """Offer a further quantity, or another one by a name of the same places."""
    QUANTITIES[quantity.name] = quantity
    for place, table, entry in _tables:
        if place in quantity.shown:
            name = quantity.offer(place).name
            table[name] = entry(name, quantity)


def remove_quantity(name: str) -> None:
    """Offer a quantity no longer."""
    quantity = QUANTITIES.pop(name)
    for place, table, _ in _tables:
        if place in quantity.shown:
            table.pop(quantity.offer(place).name, None)  # places may share a table
