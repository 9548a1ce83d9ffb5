"""What views show besides finished runs, such as the results of a search, found by its type."""

from __future__ import annotations

from typing import TypeVar

from engine.errors import InputError

T = TypeVar("T")


class OwnData:
    """Values of different types, at most one of each; None among them is left out."""

    def __init__(self, *values: object) -> None:
        self._values = {type(value): value for value in values if value is not None}

    def find(self, kind: type[T]) -> T | None:
        """The value of a type; None if there is none."""
        value = self._values.get(kind)
        return value if isinstance(value, kind) else None

    def get(self, kind: type[T]) -> T:
        """The value of a type. Raises InputError if there is none."""
        value = self.find(kind)
        if value is None:
            raise InputError("There is nothing of this to show yet.")
        return value
