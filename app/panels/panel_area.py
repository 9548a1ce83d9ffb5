"""The room of the run panels: side by side or one above the other, scrolled where they find no room."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QWidget


class PanelArea(QScrollArea):
    """A grid of panels, all of one size."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, widgetResizable=True)
        holder = QWidget(parent)
        self._grid = QGridLayout(holder)
        self._grid.setContentsMargins(4, 4, 4, 4)
        self._grid.setSpacing(6)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidget(holder)

    def remove(self, panel: QWidget) -> None:
        """A panel goes for good."""
        self._grid.removeWidget(panel)
        panel.hide()
        panel.deleteLater()

    def arrange(self, panels: Collection[QWidget], columns: int) -> None:
        """Place these panels in this order, at most so many beside one another."""
        for panel in panels:
            self._grid.removeWidget(panel)
        columns = min(columns, max(1, len(panels)))
        for index, panel in enumerate(panels):
            self._grid.addWidget(panel, index // columns, index % columns)
        for row in range(self._grid.rowCount()):  # of equal height, whatever is folded away
            self._grid.setRowStretch(row, 1 if row * columns < len(panels) else 0)
        for column in range(self._grid.columnCount()):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
