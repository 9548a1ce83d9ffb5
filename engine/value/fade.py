"""Values that fade: the share of a job's value that is left when it starts after a wait.

Van den Bossche, Vanmechelen & Broeckhove 2011 leave values that change with time to future work; the
piecewise linear form, whose negative shares are penalties, is ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats
from engine.errors import InputError
from engine.limits import MAX_SPAN
from engine.spelling import format_duration, format_number, parse_duration

FALL = "fall"
"""The word behind the points for shares that go on falling behind the last of them."""

_POINT = re.compile(r"(\d{1,9}[smhd]?)@(-?\d{1,3}(?:\.\d{1,6})?)")


class FadePiece(NamedTuple):
    """The share of a value from a wait on: `share` + (wait - `since`) * `change` / `span`."""

    since: int  # s
    share: float
    change: float  # of the share
    span: float  # s, in which it changes by that


@dataclass(frozen=True)
class Fade:
    """Points (wait in s, share of the value), linear in between and constant before the first.

    Behind the last point the share is constant or, with `falls`, goes on at the slope of the last piece.
    Without points values do not fade.
    """

    points: tuple[tuple[int, float], ...] = ()
    falls: bool = False

    def __bool__(self) -> bool:
        return bool(self.points)

    @property
    def pieces(self) -> Iterator[FadePiece]:
        """The pieces in order of their waits; before the first the share is that of the first point."""
        change, span = 0.0, 1.0
        for (since, share), (until, after) in zip(self.points, self.points[1:], strict=False):
            change, span = after - share, float(until - since)
            yield FadePiece(since, share, change, span)
        since, share = self.points[-1]
        yield FadePiece(since, share, change, span) if self.falls else FadePiece(since, share, 0.0, 1.0)

    def share(self, wait: Floats) -> Floats:
        """What is left of a value after a wait (s, any shape): 1 or less, below 0 for a penalty."""
        left = np.full(wait.shape, self.points[0][1] if self.points else 1.0)
        for piece in self.pieces if self.points else ():
            at = piece.share + (wait - piece.since) * piece.change / piece.span
            left = np.where(wait > piece.since, at, left)
        return left

    def __str__(self) -> str:
        points = [f"{format_duration(wait)}@{format_number(share)}" for wait, share in self.points]
        return ";".join([*points, *([FALL] if self.falls else [])]) or "none"


def parse_fade(text: str) -> Fade:
    """Read `none`, or points such as `1h@1;12h@0.5;3d@-0.2`, with `;fall` behind them. Raises InputError."""
    if text == "none":
        return Fade()
    parts = text.split(";")
    falls = parts[-1] == FALL
    points: list[tuple[int, float]] = []
    for part in parts[:-1] if falls else parts:
        match = _POINT.fullmatch(part)
        if match is None:
            raise InputError(f"fade cannot be {text!r}; spell it WAIT@SHARE;WAIT@SHARE, like 1h@1;1d@0")
        wait, share = parse_duration(match[1]), float(match[2])
        if wait > MAX_SPAN:
            raise InputError(f"fade={text}: a wait of {match[1]} is longer than any log")
        if points and wait <= points[-1][0]:
            raise InputError(f"fade={text}: waits must increase from point to point")
        points.append((wait, share))
    # Beyond the last point the share goes on as between the last two: these must fall.
    if falls and (len(points) < 2 or points[-1][1] >= points[-2][1]):
        raise InputError(f"fade={text}: only a share that falls to its last point can go on falling")
    return Fade(tuple(points), falls)
