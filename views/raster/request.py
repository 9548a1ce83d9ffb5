"""A request for a picture of data: the time, rows and size that it is to show. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

ALL_ROWS = (0.0, 1.0)
"""The whole of the rows, as shares of their height."""


@dataclass(frozen=True)
class RenderRequest:
    """A picture that is asked for: the time it shows, in seconds, and its size in device pixels."""

    window: tuple[float, float]
    width: int
    height: int
    ratio: float  # device pixels a pixel
    rows: tuple[float, float] = ALL_ROWS  # the part of the rows, where a chart has many

    @property
    def seconds_per_pixel(self) -> float:
        """The time that a device pixel covers."""
        return (self.window[1] - self.window[0]) / max(self.width, 1)
