"""A clock that is ahead of another clock: the same window, at other times."""

from __future__ import annotations

from PySide6.QtCore import QObject

from views.state.clock import Clock, Part, Window


class ShiftedClock(Clock):
    """A clock whose window is that of a `base`, `shift` seconds later, so that charts of runs can be aligned.

    Its only state is the shift: everything else is read from the base, and changes of the base are changes
    here. It has the bounds of the base, since the amount of data is the same.
    """

    def __init__(self, base: Clock, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._base, self._shift = base, 0.0
        base.changed.connect(self.changed)
        base.bounds_changed.connect(self.bounds_changed)
        base.stepped.connect(self.stepped)
        base.hovered.connect(self._send_hover)

    @property
    def shift(self) -> float:
        """The seconds by which it is ahead of its base."""
        return self._shift

    def set_shift(self, seconds: float) -> None:
        """Run so much later than the base."""
        if seconds != self._shift:
            self._shift = seconds
            self.changed.emit()

    def _send_hover(self) -> None:
        self.hovered.emit(self.hover)

    @property
    def bounds(self) -> Window:
        """The bounds of the base clock: all visible time."""
        return self._base.bounds

    @property
    def window(self) -> Window:
        """The visible window, in its own times."""
        start, end = self._base.window
        return start + self._shift, end + self._shift

    @property
    def rows(self) -> Part:
        """The rows of the base clock."""
        return self._base.rows

    @property
    def hover(self) -> float | None:
        """The time under the mouse, at its own times."""
        return self._base.hover + self._shift if self._base.hover is not None else None

    def reset(self, start: float, end: float) -> None:
        """Reset the base."""
        self._base.reset(start, end)

    def set_bounds(self, start: float, end: float) -> None:
        """Change the bounds of the base."""
        self._base.set_bounds(start, end)

    def set_window(self, start: float, end: float, rows: Part | None = None) -> None:
        """Show this, at its own times."""
        self._base.set_window(start - self._shift, end - self._shift, rows)

    def move_to(self, start: float, end: float) -> None:
        """Show this as a step of a gesture."""
        self._base.move_to(start - self._shift, end - self._shift)

    def zoom(self, factor: float, at: float | None = None) -> None:
        """Zoom the base, at one of its own times."""
        self._base.zoom(factor, at - self._shift if at is not None else None)

    def pan(self, seconds: float, rows: float = 0.0) -> None:
        """Move the base."""
        self._base.pan(seconds, rows)

    def zoom_rows(self, factor: float, at: float, least: float) -> None:
        """Zoom the rows of the base."""
        self._base.zoom_rows(factor, at, least)

    def fit(self) -> None:
        """Show all of the base."""
        self._base.fit()

    def fit_rows(self) -> None:
        """Show all rows of the base."""
        self._base.fit_rows()

    def hold(self) -> None:
        """Begin a drag of the base."""
        self._base.hold()

    def release(self) -> None:
        """End it."""
        self._base.release()

    def back(self) -> None:
        """Go back in the base."""
        self._base.back()

    def forward(self) -> None:
        """Go forward in the base."""
        self._base.forward()

    def forget_ahead(self) -> None:
        """Leave the base nothing to go forward to."""
        self._base.forget_ahead()

    def set_hover(self, time: float | None, shift: float = 0.0) -> None:
        """Tell the base where the mouse is."""
        self._base.set_hover(time - self._shift if time is not None else None, shift + self._shift)
