"""The scale between times and pixels."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TimeScale:
    """Maps times start..end (s) evenly onto pixels left..left + width."""

    start: float
    end: float
    left: float
    width: float

    @property
    def seconds_per_pixel(self) -> float:
        """The time that a pixel covers."""
        return (self.end - self.start) / max(self.width, 1e-9)

    def x(self, time: float) -> float:
        """The pixel position of a time."""
        return self.left + (time - self.start) / self.seconds_per_pixel

    def time(self, x: float) -> float:
        """The time at a pixel position."""
        return self.start + (x - self.left) * self.seconds_per_pixel
