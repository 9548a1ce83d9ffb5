"""Widgets that are made when they are first needed, which takes milliseconds each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar

from PySide6.QtWidgets import QWidget

W = TypeVar("W", bound=QWidget)


class MadeLater(Generic[W]):
    """A widget that is made when it is first asked for. What is connected to it is connected then."""

    def __init__(self, make: Callable[[], W]) -> None:
        self._make = make
        self._then: list[Callable[[W], object]] = []
        self.made: W | None = None

    def __call__(self) -> W:
        """The widget, which the first call makes."""
        if self.made is None:
            self.made = made = self._make()
            while self._then:
                self._then.pop(0)(made)
        return self.made

    def when_made(self, action: Callable[[W], object]) -> None:
        """Call `action` with the widget as soon as it is made; now, if it is."""
        if self.made is not None:
            action(self.made)
        else:
            self._then.append(action)


class WidgetsByName(Mapping[str, QWidget]):
    """Widgets by name, each of which is made when it is first looked up."""

    def __init__(self, later: Mapping[str, MadeLater[QWidget]]) -> None:
        self._later = later

    def __getitem__(self, name: str) -> QWidget:
        return self._later[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._later)

    def __len__(self) -> int:
        return len(self._later)

    @property
    def made(self) -> dict[str, QWidget]:
        """Those that are made so far."""
        return {name: later.made for name, later in self._later.items() if later.made is not None}
