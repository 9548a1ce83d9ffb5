"""What boxes that choose a metric offer behind the metrics of the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox

from engine.metrics.metric import Metric
from views.text.tooltips import tip


def offer_further(
    box: QComboBox, first: int, metrics: Sequence[Metric], heading: Callable[[Metric], str]
) -> None:
    """Offer these metrics, such as a user's own, from the index `first` on; what is chosen stays, if there.

    The data of an entry is the name of its metric.
    """
    chosen = box.currentData()
    while box.count() > first:
        box.removeItem(box.count() - 1)
    for metric in metrics:
        if metric.better is not None:  # others rate nothing
            box.addItem(heading(metric), metric.name)
            box.setItemData(box.count() - 1, tip(metric.text), Qt.ItemDataRole.ToolTipRole)
    index = box.findData(chosen)
    if index >= 0:
        box.setCurrentIndex(index)
