"""The history of shown pages, so that each can be left the way it was entered."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from views.state.history import History
from views.state.view_state import ViewState


class OpenedViews(QObject):
    """The views that the user opened, by name. `stepped` is sent when another view is opened."""

    stepped = Signal()

    def __init__(self, view: ViewState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self._history: History[str] = History()
        self._before = self._present = view.options.view
        view.changed.connect(self._follow)
        view.chosen.connect(self._keep)

    @property
    def value(self) -> str:
        """The current view."""
        return self._present

    def back(self) -> None:
        """Show what was shown before."""
        self._show(self._history.back(self._present))

    def forward(self) -> None:
        """Undo the last `back`."""
        self._show(self._history.forward(self._present))

    def forget_ahead(self) -> None:
        """Leave nothing for `forward`: something else was changed."""
        self._history.forget_ahead()

    def _follow(self, names: frozenset[str]) -> None:
        if "view" in names:
            self._before, self._present = self._present, self._view.options.view

    def _keep(self, names: frozenset[str]) -> None:
        """Replace the view without a step, as for a session or a layout."""
        if "view" in names:
            self._history.push(self._before)
            self.stepped.emit()

    def _show(self, name: str) -> None:
        if name != self._present:
            self._view.restore(replace(self._view.options, view=name))
