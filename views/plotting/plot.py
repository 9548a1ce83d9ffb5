"""A plot as data: what it shows, what is written around it, and what the mouse finds in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF

from views.data.scales import Scale, Span
from views.plotting.layers import Layer
from views.theme.theme import Theme

Floats = NDArray[np.float64]

NEAR = 7.0
"""Pixels within which a dot is hit."""


@dataclass(frozen=True)
class PlotArea:
    """Which heights of both scales are seen, and the pixels of the widget that they lie on."""

    left: float
    top: float
    width: float
    height: float
    x: Span
    y: Span
    ratio: float = 1.0  # device pixels a pixel

    @property
    def rect(self) -> QRectF:
        """The pixels."""
        return QRectF(self.left, self.top, self.width, self.height)

    def xs(self, heights: Floats) -> Floats:
        """Pixels across of heights of the scale across."""
        low, high = self.x
        return self.left + (heights - low) / (high - low) * self.width

    def ys(self, heights: Floats) -> Floats:
        """Pixels down of heights of the scale up."""
        low, high = self.y
        return self.top + self.height - (heights - low) / (high - low) * self.height

    def spot(self, x: float, y: float) -> QPointF:
        """Where two heights meet."""
        return QPointF(float(self.xs(np.array(x))), float(self.ys(np.array(y))))

    def x_height(self, x: float) -> float:
        """The height of the scale across at a pixel."""
        return self.x[0] + (x - self.left) / max(self.width, 1e-9) * (self.x[1] - self.x[0])

    def y_height(self, y: float) -> float:
        """The height of the scale up at a pixel."""
        return self.y[0] + (self.top + self.height - y) / max(self.height, 1e-9) * (self.y[1] - self.y[0])

    def nearest(self, x: Floats, y: Floats, place: QPointF, within: float = NEAR) -> int | None:
        """The point, given by its heights, that is seen nearest to a place; None where none is near."""
        across = (self.x[1] - self.x[0]) / max(self.width, 1e-9)  # heights a pixel
        close = np.flatnonzero(np.abs(x - self.x_height(place.x())) <= within * across)
        distance = np.hypot(self.xs(x[close]) - place.x(), self.ys(y[close]) - place.y())
        if not len(close) or not (distance <= within).any():
            return None
        return int(close[np.nanargmin(distance)])


@dataclass(frozen=True)
class Reading:
    """What lies under the mouse, in words; the units that a click picks, if any, and where it is ringed.

    `spot` are heights of both scales.
    """

    text: str
    units: Callable[[], Sequence[int]] | None = None
    spot: tuple[float, float] | None = None


@dataclass(frozen=True)
class Mark:
    """A picked unit: heights on both scales, and its value in words."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Words:
    """What is written around a plot: `title` and `y_name` above, `x_name` below; `text` explains them.

    With a `message` there is nothing else to see.
    """

    title: str
    text: str = ""
    x_name: str = ""
    y_name: str = ""
    message: str = ""


@dataclass(frozen=True)
class Slot:
    """What stands beside others under a plot whose scale across is `Slots`: a name and its colour."""

    name: str
    colour: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Plot(ABC):
    """What a `PlotWidget` shows, immutable: it is made in a thread and read on that of the window."""

    words: Words
    x: Scale
    y: Scale
    slots: Sequence[Slot] = ()

    @abstractmethod
    def layers(self, theme: Theme) -> Sequence[Layer]:
        """What is drawn, the first at the bottom."""

    def read(self, area: PlotArea, place: QPointF) -> Reading | None:
        """What lies at a place in pixels."""
        return None

    def marks(self, units: Sequence[int]) -> list[Mark]:
        """Where picked units stand."""
        return []
