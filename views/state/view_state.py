"""The view state of a window: its options, as a single value with change signals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from views.data.marks import TimeMark
from views.data.view_options import ViewOptions
from views.work.widget_handlers import while_alive


class ViewState(QObject):
    """The options of a window, with a signal for changes.

    `changed` carries the names of the changed fields. `chosen` carries them too, but only for choices of the
    user, not for those of a session or a layout: settings remember them. `mark_wanted` requests that the
    charts move to a mark.
    """

    changed = Signal(frozenset)
    chosen = Signal(frozenset)
    mark_wanted = Signal(TimeMark)

    def __init__(self, options: ViewOptions | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.options = options or ViewOptions()

    def choose(self, **values: Any) -> None:
        """Set fields that the user chose."""
        names = self._set(replace(self.options, **values))
        if names:
            self.chosen.emit(names)

    def restore(self, options: ViewOptions) -> None:
        """Show saved options."""
        self._set(options)

    def follow(self, owner: QObject, names: str, show: Callable[[], object]) -> None:
        """Call `show` now and whenever a field changes; field names are separated by spaces.

        This ends when its `owner` is destroyed. Raises ValueError for an unknown field.
        """
        wanted = frozenset(names.split())
        unknown = wanted - {entry.name for entry in fields(ViewOptions)}
        if unknown:
            raise ValueError(f"no fields of the view state: {', '.join(sorted(unknown))}")

        # A field name is checked once here: a misspelt name would never be heard.
        hear = while_alive(owner, lambda changed: show() if wanted & changed else None)
        self.changed.connect(hear)
        # The state may be deleted before the owner, as a window closes in no particular order.
        owner.destroyed.connect(lambda: self.changed.disconnect(hear) if isValid(self) else None)
        show()

    def _set(self, options: ViewOptions) -> frozenset[str]:
        before, self.options = self.options, options
        names = frozenset(
            entry.name
            for entry in fields(ViewOptions)
            if getattr(options, entry.name) != getattr(before, entry.name)
        )
        if names:
            self.changed.emit(names)
        return names
