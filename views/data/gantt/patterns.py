"""Stripes over jobs of users who have no colour of their own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from views.theme.palette import Pixels, mix, pattern_of, pixel, text_on

_APART = 7.0
"""Pixels from a stripe to the next, across."""

_STRENGTH = 0.55
"""How much of black or white is in a stripe."""


def stripe_patterned(pixels: Pixels, colours: Sequence[str], ratio: float) -> None:
    """Draw rising stripes over pixels, shape (height, width), of those colours that have a pattern.

    A unit has `ratio` pixels. Only each seventh pixel is looked at, so that it costs little of a frame.
    """
    patterned = [colour for colour in dict.fromkeys(colours) if pattern_of(colour)]
    if not patterned:
        return
    places = _stripes(*pixels.shape, max(round(_APART * ratio), 2), max(round(ratio), 1))
    flat = pixels.reshape(-1)
    there = flat[places]
    for colour in patterned:
        pixels_of_colour = there == np.uint32(pixel(colour))
        if pixels_of_colour.any():
            flat[places[pixels_of_colour]] = pixel(mix(colour, text_on(colour), _STRENGTH))


@lru_cache(maxsize=4)
def _stripes(height: int, width: int, apart: int, wide: int) -> NDArray[np.int64]:
    """Positions of the pixels of all stripes in the flat picture."""
    row, column = np.arange(height)[:, None], np.arange(width)
    return np.flatnonzero((row + column) % apart < wide)
