"""Where quantities are offered, and what is told when a user's own ones are added."""

from __future__ import annotations

from collections.abc import Callable

from engine.quantities.quantity import Quantity, ShownIn
from engine.quantities.table import QUANTITIES
from engine.trace import Trace


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


_followers: list[tuple[ShownIn, Callable[[str, Quantity], object]]] = []
"""Who is told of quantities that are added, and for which place."""


def each_offered(place: ShownIn, take: Callable[[str, Quantity], object]) -> None:
    """Have `take` called with the name and the quantity of all that are offered in a place, now and later.

    Tables that modules keep of quantities follow a user's own ones so.
    """
    for name, quantity in offered(place).items():
        take(name, quantity)
    _followers.append((place, take))


def add_quantity(quantity: Quantity) -> None:
    """Offer a further quantity, or another one by a name of the same places."""
    QUANTITIES[quantity.name] = quantity
    for place, take in _followers:
        if place in quantity.shown:
            take(quantity.offer(place).name, quantity)
