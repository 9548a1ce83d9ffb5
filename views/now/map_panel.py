"""The map of starts with its progress: a click on a cell asks about a job of that size and walltime."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from engine.now.queued_job import request_words
from views.now.plots import start_map_plot
from views.plotting.widget import PlotWidget
from views.state.context import ViewContext
from views.theme.theme import Theme

if TYPE_CHECKING:
    from engine.now.start_map import StartMap

_LEAD = "The planned start of a job that is submitted now, for each size and walltime: where the holes are."


class MapPanel(QWidget):
    """Shows a map, or offers to work it out (`map_wanted`); `cancel_wanted` stops that.

    `cell_picked` carries a job of the size of a cell, and the walltime, s. `export_wanted`: the map is to be
    a file.
    """

    map_wanted, cancel_wanted, export_wanted = Signal(), Signal(), Signal()
    cell_picked = Signal(object, int)

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.start_map: StartMap | None = None
        self._running = False
        self.go = QPushButton("&Map", self)
        self.go.clicked.connect(self._go)
        self.export = QPushButton("E&xport…", self)
        self.export.setToolTip("Write the map as a figure: PDF, SVG or PNG")
        self.export.clicked.connect(self.export_wanted)
        self.export.hide()
        self.message = QLabel(_LEAD, self, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.progress = QProgressBar(self, textVisible=False, maximum=1000)
        self.progress.setFixedHeight(4)
        self.plot = PlotWidget(context, theme, "Map of starts", self)
        self.plot.picked.connect(lambda units, _: self._pick(units[0]))
        head = QHBoxLayout()
        head.addWidget(self.go)
        head.addWidget(self.message, 1)
        head.addWidget(self.export)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 4, 6, 4)
        column.setSpacing(2)
        column.addLayout(head)
        column.addWidget(self.progress)
        column.addWidget(self.plot, 1)
        # The bar keeps its line while it is hidden, so that the map does not jump when a computation begins.
        keeps = self.progress.sizePolicy()
        keeps.setRetainSizeWhenHidden(True)
        self.progress.setSizePolicy(keeps)
        self.show_progress(None)
        self.set_theme(theme)

    def show_progress(self, share: float | None) -> None:
        """Show the progress of the map, 0 to 1; None if no map is computed."""
        self._running = share is not None
        self.progress.setVisible(share is not None)
        self.progress.setValue(round(1000 * (share or 0.0)))
        self.go.setText("Cancel" if self._running else "&Map")
        self.go.setToolTip(
            "Stop; the earlier map stays"
            if self._running
            else "Plan the queue once for each size and walltime"
        )

    def show_map(self, start_map: StartMap | None) -> None:
        """Show a map that was worked out, or none."""
        self.start_map = start_map
        self.message.setText(
            _LEAD if start_map is None else f"Jobs like {request_words(start_map.job)}: click a cell to ask."
        )
        self.export.setVisible(start_map is not None)
        self.plot.set_plot(None if start_map is None else partial(start_map_plot, start_map))

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.plot.set_theme(theme)

    def _go(self) -> None:
        if self._running:
            self.cancel_wanted.emit()
        else:
            self.map_wanted.emit()

    def _pick(self, unit: int) -> None:
        if self.start_map is not None:
            size, limit = divmod(unit, len(self.start_map.limits))
            self.cell_picked.emit(self.start_map.asked(size), self.start_map.limits[limit])
