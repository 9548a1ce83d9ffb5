"""Levels: rasters of more time than a frame shows, in columns narrower than its pixels.

A frame of many jobs costs time for each of them. One that is put together from a level costs time for each
pixel alone, however many jobs there are: it serves while the user moves through time, and zooms by less than
two. A pixel has the colour of the job that covers most of it, of those that the columns of the level show,
and is weakened by what the columns leave free. Columns begin at multiples of their time, so that a picture
does not flicker as it moves.

Imported by workers only, as `jobs` beside it is.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.compiler.kernels import inner_kernel, kernel
from views.raster.jobs import ALL, FAINTEST, WHOLE_BITS, Strips, clean_arrays, meet, rectangles
from views.raster.request import RenderRequest
from views.theme.palette import Pixels

Weights = NDArray[np.uint32]

MANY = 50
"""More strips than this a pixel column, and a frame of a level takes less time than one of jobs."""

COARSEST, FINEST = 2.0, 5.0
"""A level serves frames whose pixels are as wide as so many of its columns: with fewer, jobs would move."""

BESIDE = 0.25
"""The time that a level has on each side of the frame for which it is made, as a part of the frame's."""

BITS = 15  # of a share in a level, and of the part of a pixel that a column takes
WHOLE = (1 << BITS) - 1
MOST_SHARE = (1 << 2 * BITS) - 1  # the bits of a share in the working arrays of `jobs`
ROUNDING = WHOLE // 400  # what roundings may take from the sum of a wholly covered pixel


class Drawn(NamedTuple):
    """Jobs as `rectangles` takes them: arrays that are the same from frame to frame."""

    start: Ints
    end: Ints
    latest: Ints
    colour: Pixels
    cover: Strips

    def is_same(self, other: Drawn) -> bool:
        """Whether both are the same jobs in the same colours, which the arrays' identity shows."""
        return self.cover is other.cover and self.colour is other.colour

    def among(self, left: float, right: float) -> tuple[int, int]:
        """The range of jobs outside of which none runs between these times (s)."""
        lowest = bisect_right(self.latest, left)
        return lowest, max(lowest, bisect_left(self.start, right))


class Level(NamedTuple):
    """A raster of jobs: columns of `wide` s from the time `left` on, each from top to bottom."""

    jobs: Drawn
    left: float
    wide: float
    columns: int
    colour: Pixels  # (columns * height,) of the job that covers most
    weight: Weights  # (columns * height,) its share in the upper 16 bits, the sum of all shares in the lower

    def serves(self, jobs: Drawn, window: tuple[float, float], width: int) -> bool:
        """Whether the frame of these jobs and this time can be put together from this level."""
        left, right = max(window[0], jobs.start[0]), min(window[1], jobs.latest[-1])
        inside = self.left <= left and right <= self.left + self.wide * self.columns
        fine = COARSEST <= (window[1] - window[0]) / width / self.wide < FINEST
        return inside and fine and self.jobs.is_same(jobs)


def make_level(jobs: Drawn, window: tuple[float, float], width: int) -> Level:
    """The level for frames like that of `window` (s) with `width` pixels."""
    start, end, latest, colour, cover = jobs
    span = window[1] - window[0]
    # A power of two, so that levels of neighbouring zooms have common edges and jobs do not jump.
    wide = 2.0 ** math.floor(math.log2(span / width / COARSEST))
    # The level reaches beyond the frame at both sides, but not beyond the first and last job.
    first = math.floor(max(window[0] - BESIDE * span, start[0]) / wide)
    columns = max(math.ceil(min(window[1] + BESIDE * span, latest[-1]) / wide) - first, 0)
    height = cover.height
    shown, weight = np.empty(columns * height, np.uint32), np.empty(columns * height, np.uint32)
    # As many columns at a time as a frame has, whose working arrays are there already.
    for column in range(0, columns, width):
        count = min(width, columns - column)
        left, right = (first + column) * wide, (first + column + count) * wide
        most, covered = clean_arrays(width * height)
        meet(
            start, end, colour, cover.offset, cover.row, cover.share,
            *jobs.among(left, right), left, 1.0 / wide, count, 1, height, most, covered,
        )  # fmt: skip
        part = slice(column * height, (column + count) * height)
        _keep(most, covered, shown[part], weight[part])
    return Level(jobs, first * wide, wide, columns, shown, weight)


def level_frame(level: Level, window: tuple[float, float], width: int, background: int) -> Pixels:
    """The pixels of a frame that the level serves, shape (height, width)."""
    height = level.jobs.cover.height
    pixels = np.empty(width * height, np.uint32)
    left, across = (window[0] - level.left) / level.wide, (window[1] - window[0]) / width / level.wide
    _frame(level.colour, level.weight, left, across, height, background, pixels)
    return np.ascontiguousarray(pixels.reshape(width, height).T)


class Frames:
    """What frames of the same jobs share: the level that they are put together from.

    It is made for the second of two frames of the same jobs in the same colours, since it takes as long as
    two: while a policy is explored each picture is of other jobs.
    """

    def __init__(self) -> None:
        self.level: Level | None = None
        self._before: Drawn | None = None

    def paint(self, jobs: Drawn, request: RenderRequest, background: int) -> Pixels:
        """The picture that is wanted, shape (height, width)."""
        window, width, level, before = request.window, request.width, self.level, self._before
        self._before = jobs
        if level is None or not level.serves(jobs, window, width):
            again = before is not None and before.is_same(jobs)
            level = make_level(jobs, window, width) if again and _is_dense(jobs, window, width) else None
            self.level = level
        if level is None:
            return rectangles(*jobs, window, width, background)
        return level_frame(level, window, width, background)


def _is_dense(jobs: Drawn, window: tuple[float, float], width: int) -> bool:
    """Whether a frame has so many jobs that it takes longer than one of a level."""
    lowest, highest = jobs.among(*window)
    return int(jobs.cover.offset[highest] - jobs.cover.offset[lowest]) > MANY * width


@kernel
def _keep(most: Ints, covered: NDArray[np.int32], colour: Pixels, weight: Weights) -> None:
    """What the columns of a level show; the working arrays end up zero."""
    for pixel in range(len(colour)):
        over = most[pixel]
        share = max((over >> 32 & MOST_SHARE) >> BITS, np.int64(over != 0))
        total = min(np.int64(covered[pixel]) >> (WHOLE_BITS - BITS), WHOLE)
        colour[pixel] = np.uint32(over & 0xFFFFFFFF)
        weight[pixel] = np.uint32(share << 16 | total)
        most[pixel] = 0
        covered[pixel] = 0


@kernel
def _frame(
    colour: Pixels,
    weight: Weights,
    left: float,
    across: float,
    height: int,
    background: int,
    pixels: Pixels,
) -> None:
    """Put the columns of a level together, pixel column by pixel column, several rows at a time."""
    best, total, over = np.empty(height, np.int32), np.empty(height, np.int32), np.empty(height, np.uint32)
    columns = len(colour) // height
    for column in range(len(pixels) // height):
        best[:] = 0
        total[:] = 0
        over[:] = 0
        x0 = left + column * across
        x1 = x0 + across
        for each in range(max(int(x0), 0), min(math.ceil(x1), columns)):
            # The share of this pixel that the column of the level covers, as a fixed-point number.
            part = np.int32((min(x1, each + 1.0) - max(x0, float(each))) / across * (1 << BITS))
            here = each * height
            _add(colour[here : here + height], weight[here : here + height], part, best, total, over)
        here = column * height
        _mix(best, total, over, np.uint32(background), pixels[here : here + height])


@inner_kernel
def _add(
    colour: Pixels,
    weight: Weights,
    part: Any,
    best: NDArray[np.int32],
    total: NDArray[np.int32],
    over: Pixels,
) -> None:
    """Add a column of a level, of which a `part` lies in the pixels: no branches, and 32 bits are enough."""
    for row in range(len(best)):
        share = np.int32(weight[row] >> np.uint32(16)) * part
        preferred = np.int32(colour[row] >> np.uint32(31)) << np.int32(30)
        share = np.int32(share | preferred if share > 0 else np.int32(0))
        over[row] = colour[row] if share > best[row] else over[row]
        best[row] = max(best[row], share)
        total[row] += np.int32(weight[row] & np.uint32(0xFFFF)) * part


@inner_kernel
def _mix(
    best: NDArray[np.int32], total: NDArray[np.int32], over: Pixels, background: Any, pixels: Pixels
) -> None:
    """The colours of pixels, mixed with the background where it shows, as by `jobs`."""
    under_red_blue, under_green = background & np.uint32(0xFF00FF), background & np.uint32(0xFF00)
    for row in range(len(best)):
        share = np.uint32(total[row] >> np.int32(BITS)) + np.uint32(ROUNDING)
        strong = min(
            np.uint32(FAINTEST) + (np.uint32(ALL - FAINTEST) * share >> np.uint32(BITS)), np.uint32(ALL)
        )
        strong = strong if best[row] > 0 else np.uint32(0)
        weak = np.uint32(ALL) - strong
        red_blue = under_red_blue * weak + (over[row] & np.uint32(0xFF00FF)) * strong + np.uint32(0x800080)
        green = under_green * weak + (over[row] & np.uint32(0xFF00)) * strong + np.uint32(0x8000)
        mixed = (red_blue >> np.uint32(8)) & np.uint32(0xFF00FF) | (green >> np.uint32(8)) & np.uint32(0xFF00)
        pixels[row] = np.uint32(0xFF000000) | mixed
