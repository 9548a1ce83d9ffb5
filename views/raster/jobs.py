"""Compiled rasterizer of jobs: boxes over time and rows in, pixels out.

Imported by workers only, since Numba is slow to load. Pixels are uint32, 0xffrrggbb, row 0 at the top. Rows
(of processors or nodes) do not change while the user moves through time, so the part of each pixel row that a
job covers is computed once for each height, and a frame only has to process the times.
"""

from __future__ import annotations

import math
import threading
from bisect import bisect_left, bisect_right
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.compiler.kernels import inner_kernel, kernel
from views.theme.palette import FIRST, Pixels

Numbers = NDArray[np.int32]
Shares = NDArray[np.uint16]
Rowed = NDArray[np.int32] | NDArray[np.float64]  # a processor may be a small part of a row

ALL = 256
"""The strength of a colour that hides the background."""

FAINTEST = 90
"""Minimum strength of the colour of a partly covered pixel, so that no job is invisible."""

WHOLE_ROW = 65_535  # a pixel row, in units of a strip's share
WHOLE_COLUMN = 16_384  # a pixel column; times a strip's share it stays below 2^30
COARSE = 12  # bits dropped before shares are summed, so that thousands of jobs may share a pixel
WHOLE_BITS = 18  # a pixel is 2^18 units of those sums
ROUNDING = (1 << WHOLE_BITS) // 500  # what roundings may take from the sum of a wholly covered pixel

DENSE = 300
"""More strips than this a pixel column are short ones, in order of time: columns then stay in the cache."""

STRIPES, STRIPE = 8, 2
"""Diagonals of a hatch are so many pixels apart, and so wide."""

_scratch = threading.local()


class Strips(NamedTuple):
    """The part of each pixel row that each job covers: job k owns the entries offset[k]:offset[k + 1].

    An entry with the share 0 follows an entry of a whole row: its `row` is the number of further whole rows.
    """

    offset: Numbers  # (n + 1,)
    row: Shares  # (m,) pixel row
    share: Shares  # (m,) of WHOLE_ROW
    height: int


def strips(offset: Numbers, first: Rowed, count: Rowed, seen: tuple[float, float], height: int) -> Strips:
    """The strips of jobs: job k has the boxes offset[k]:offset[k + 1], each `count` rows from `first` on.

    The rows `seen` fill `height` pixels; boxes outside of them are left out. The boxes of a job ascend.
    """
    owned = np.zeros(len(offset), np.int32)
    room = 4 * len(first)
    row, share = np.empty(room, np.uint16), np.empty(room, np.uint16)
    top, down = seen[0], height / (seen[1] - seen[0])
    entries = _strips(offset, first, count, top, down, height, owned, row, share)
    for column in (row, share):
        column.resize(entries, refcheck=False)  # in place: a copy would need as much memory again
    return Strips(owned, row, share, height)


def rectangles(
    start: Ints,
    end: Ints,
    latest: Ints,
    colour: Pixels,
    cover: Strips,
    window: tuple[float, float],
    width: int,
    background: int,
) -> Pixels:
    """Paint the jobs that run within `window` (s); returns pixels, shape (height, width).

    Job k runs from start[k] to end[k] (s, shape (n,), ascending by start); `latest` is the
    running maximum of the ends. A pixel has the colour of the job that covers most of it (of
    the greater colour where two cover the same), weakened towards the background by what all
    jobs together leave free; jobs with colours that have the bit FIRST go before others.
    """
    # No job before `lowest` ends within the window, and none from `highest` on has begun.
    lowest = bisect_right(latest, window[0])
    highest = max(lowest, bisect_left(start, window[1]))
    # Short jobs fill columns one after the other: stored upright, a column stays in the cache.
    upright = int(cover.offset[highest] - cover.offset[lowest]) > DENSE * width
    steps = (1, cover.height) if upright else (width, 1)
    most, covered = clean_arrays(cover.height * width)
    across = width / (window[1] - window[0])
    meet(
        start, end, colour, cover.offset, cover.row, cover.share,
        lowest, highest, window[0], across, width, *steps, most, covered,
    )  # fmt: skip
    pixels = np.empty(cover.height * width, np.uint32)
    _settle(most, covered, background, pixels)
    # The picture is turned back, which is quicker than painting it across.
    if upright:
        return np.ascontiguousarray(pixels.reshape(width, cover.height).T)
    return pixels.reshape(cover.height, width)


def hatch(pixels: Pixels, background: int, plain: Pixels, striped: Pixels) -> None:
    """Give what nothing covers the colour plain[c] in column c, and on diagonals striped[c].

    `pixels` has shape (height, width) and is changed; the others have shape (width,).
    """
    _hatch(pixels, background, plain, striped)


def hatch_where(
    pixels: Pixels, cover: Pixels, background: int, colour: int, plain: int, striped: int
) -> None:
    """Mix `colour` into uncovered pixels, as far as `cover` is white; both of shape (height, width).

    Where it is all white, `plain` of ALL parts have that colour, and `striped` parts on diagonals, which lean
    in the opposite direction to those of `hatch`. `pixels` is modified.
    """
    _hatch_where(pixels, cover, background, colour, plain, striped)


def clean_arrays(size: int) -> tuple[Ints, NDArray[np.int32]]:
    """This thread's working arrays, all zero: `_settle` leaves them so. New pages cost more than drawing."""
    kept: tuple[Ints, NDArray[np.int32]] | None = getattr(_scratch, "arrays", None)
    if kept is None or len(kept[0]) != size:
        kept = np.zeros(size, np.int64), np.zeros(size, np.int32)
        _scratch.arrays = kept
    return kept


@kernel
def _strips(
    offset: Numbers,
    first: Rowed,
    count: Rowed,
    top: float,
    down: float,
    height: int,
    owned: Numbers,
    row: Shares,
    share: Shares,
) -> int:
    """Fill the strips; returns their number. A box has at most four: its ends, two for what is between."""
    entries = 0
    for job in range(len(offset) - 1):
        owned[job] = entries
        open_row, covered = -1, 0.0
        for box in range(offset[job], offset[job + 1]):
            # Only what is seen of the box, in pixels.
            y0 = max((first[box] - top) * down, 0.0)
            y1 = min((first[box] + count[box] - top) * down, float(height))
            r = int(y0)
            if r >= y1:
                continue
            # Most boxes lie in one row; whether it is that of the box before, no processor could guess.
            begins = r != open_row
            entries += begins
            covered = (0.0 if begins else covered) + min(y1, r + 1.0) - y0
            row[entries - 1], share[entries - 1], open_row = r, _share_of(covered), r
            if r + 1 < y1:
                # Between the two ends of a box lie whole rows, which take two entries however many they are.
                last = math.ceil(y1) - 1
                if last > r + 1:
                    row[entries], share[entries] = r + 1, WHOLE_ROW
                    entries += 1
                if last > r + 2:
                    row[entries], share[entries] = last - r - 2, 0
                    entries += 1
                covered = y1 - last
                row[entries], share[entries], open_row = last, _share_of(covered), last
                entries += 1
    owned[len(offset) - 1] = entries
    return entries


@inner_kernel
def _share_of(covered: float) -> int:
    """The part of a pixel row that is covered, above 0 and at most 1, in units of a strip's share."""
    return max(1, min(WHOLE_ROW, int(covered * WHOLE_ROW + 0.5)))


@kernel
def meet(
    start: Ints,
    end: Ints,
    colour: Pixels,
    offset: Numbers,
    row: Shares,
    share: Shares,
    lowest: int,
    highest: int,
    left: float,
    across: float,
    width: int,
    down_step: int,
    right_step: int,
    most: Ints,
    covered: NDArray[np.int32],
) -> None:
    """Meet strips with time. The pixel of (row, column) is at row * down_step + column * right_step."""
    for job in range(lowest, highest):
        x0 = max((start[job] - left) * across, 0.0)
        x1 = min((end[job] - left) * across, float(width))
        if x1 <= x0:
            continue
        # The bit FIRST stands above the share, so that such a job wins over any share of others.
        paint = np.int64(colour[job]) | (np.int64(colour[job] & FIRST) << 31)
        column0 = int(x0)
        column1 = min(int(x1), width - 1)
        # Most jobs are narrower than a pixel when all of a trace is shown: no loop over columns.
        if column0 == column1:
            wide = np.int64((x1 - x0) * WHOLE_COLUMN)
            pixel = np.uintp(0)
            for entry in range(offset[job], offset[job + 1]):
                tall = np.int64(share[entry])
                if tall == 0:
                    for _ in range(row[entry]):
                        pixel += np.uintp(down_step)
                        _meet(most, covered, pixel, wide * WHOLE_ROW, paint)
                    continue
                pixel = np.uintp(np.int64(row[entry]) * down_step + column0 * right_step)
                _meet(most, covered, pixel, wide * tall, paint)
            continue
        # The first and the last column are covered in part, all between as a whole.
        first_wide = np.int64((column0 + 1 - x0) * WHOLE_COLUMN)
        last_wide = np.int64((x1 - column1) * WHOLE_COLUMN)
        whole = np.int64(0)
        for entry in range(offset[job], offset[job + 1]):
            tall = np.int64(share[entry])
            # An entry without a share stands for whole rows that follow the one before it.
            first, count = (np.int64(row[entry]), np.int64(1)) if tall else (whole + 1, np.int64(row[entry]))
            whole, tall = first, tall or np.int64(WHOLE_ROW)
            for down in range(first, first + count):
                pixel = np.uintp(down * down_step + column0 * right_step)
                _meet(most, covered, pixel, first_wide * tall, paint)
                for _ in range(column1 - column0 - 1):
                    pixel += np.uintp(right_step)
                    _meet(most, covered, pixel, WHOLE_COLUMN * tall, paint)
                if last_wide > 0:
                    _meet(most, covered, pixel + np.uintp(right_step), last_wide * tall, paint)


@inner_kernel
def _meet(most: Ints, covered: NDArray[np.int32], pixel: Any, share: Any, paint: Any) -> None:
    """Add a job that covers a share of a pixel: keeps the greatest (priority, share, colour) and the sum of
    shares.

    The three are packed into a single number, so that there is no branch to mispredict.
    """
    most[pixel] = max(most[pixel], (share << 32) | paint)
    covered[pixel] += np.int32(share >> COARSE)


@kernel
def _settle(most: Ints, covered: NDArray[np.int32], background: int, pixels: Pixels) -> None:
    """Colours of what was met, mixed with the background where it shows; the working arrays end up zero.

    Without branches, and red and blue at once, so that several pixels are mixed at a time.
    """
    under_red_blue, under_green = background & 0xFF00FF, background & 0xFF00
    for pixel in range(len(pixels)):
        over = most[pixel]
        # Shares were rounded down many times: a little is given back, so that full pixels are full.
        share = np.int64(covered[pixel]) + ROUNDING
        strong = FAINTEST + ((ALL - FAINTEST) * share >> WHOLE_BITS)
        strong = np.int64(0) if over == 0 else np.int64(ALL) if strong > ALL else strong
        weak = ALL - strong
        # Red and blue lie 16 bits apart and do not carry into each other, so one multiplication does both.
        red_blue = under_red_blue * weak + (over & 0xFF00FF) * strong + 0x800080
        green = under_green * weak + (over & 0xFF00) * strong + 0x8000
        pixels[pixel] = np.uint32(0xFF000000 | (red_blue >> 8 & 0xFF00FF) | (green >> 8 & 0xFF00))
        most[pixel] = 0
        covered[pixel] = 0


@kernel
def _hatch(pixels: Pixels, background: int, plain: Pixels, striped: Pixels) -> None:
    for row in range(pixels.shape[0]):
        for column in range(pixels.shape[1]):
            if pixels[row, column] == background:
                on_stripe = (row + column) % STRIPES < STRIPE
                pixels[row, column] = striped[column] if on_stripe else plain[column]


@kernel
def _hatch_where(
    pixels: Pixels, cover: Pixels, background: int, colour: int, plain: int, striped: int
) -> None:
    red_blue, green = np.int64(colour) & 0xFF00FF, np.int64(colour) & 0xFF00
    under_red_blue, under_green = np.int64(background) & 0xFF00FF, np.int64(background) & 0xFF00
    for row in range(pixels.shape[0]):
        for column in range(pixels.shape[1]):
            share = np.int64(cover[row, column]) & 0xFF
            if share > 0 and pixels[row, column] == background:
                on_stripe = (row - column) % STRIPES < STRIPE
                strong = (striped if on_stripe else plain) * share // 0xFF
                weak = ALL - strong
                mixed_red_blue = under_red_blue * weak + red_blue * strong + 0x800080
                mixed_green = under_green * weak + green * strong + 0x8000
                pixels[row, column] = np.uint32(
                    0xFF000000 | (mixed_red_blue >> 8 & 0xFF00FF) | (mixed_green >> 8 & 0xFF00)
                )
