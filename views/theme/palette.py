"""Colours of data: runs, users, counts and waits; safe for colour blindness. No Qt here.

Runs and users keep their colour in every chart, figure and theme.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint32]

RUN_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#d381ae", "#dc9700", "#66c0f5", "#5e5e5e")
"""Okabe & Ito's palette without yellow and black, which vanish on one of the two backgrounds.

Some are darker or lighter than theirs, so that no two are the same grey.
"""

MORE_RUN_COLOURS = ("#6a51a3", "#8c3b12", "#1b9e9e", "#8f2d56", "#a8762a", "#4a6fd8", "#5f8f2f")
"""Of the eighth run and those after it: darker or lighter than the first, and with a pattern of their own."""

_PATTERNS = (0,) * len(RUN_COLOURS) + (1, 1, 1, 2, 1, 1, 2)
"""Of these fourteen: those of one pattern are told apart in grey and in deuteranopia."""

SQUARES = ("■", "▨", "▧", "▩")
"""Stand for a colour in text, by its pattern."""

_SHADE, _MOST_RUNS = 0.22, 84
"""How much greyer each further fourteen runs are; so many runs have a colour of their own."""

USER_COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#b8a800",
    "#6a51a3", "#8c3b12", "#1b9e9e", "#8f2d56", "#a8762a", "#4a6fd8", "#5f8f2f",
)  # fmt: skip
"""Twice seven hues, the second seven darker or lighter than the first."""

OTHER_USERS = "#9aa3ad"
"""The common grey of all further users."""

_HEAT_LIGHT = ("#f9cb5c", "#f8a53d", "#ee7a2c", "#d8442a", "#a81430", "#550824")
_HEAT_DARK = ("#6a2a72", "#98286a", "#cb3c50", "#ee7233", "#fbb53c", "#fff6c2")
WAIT = ("#f4dc4b", "#a9c651", "#4fa878", "#2f7f94", "#2b4c7e")
"""Waits and slowdowns, from short to long on a light background; on a dark one the other way round."""

LATE = ("#e49439", "#ca652a", "#b72838", "#710e39")
LATE_DARK = ("#b74274", "#dd675e", "#f19a49", "#fbd277")
"""Lateness after the expected end time, least to most on a light and on a dark background."""

SIZE = ("#f0c08a", "#d98a76", "#a85c82", "#6a3d86", "#2c2a63")
"""Numbers of processors, from few to many on a light background, else from many to few."""

UNKNOWN = "#b39cc9"
"""Jobs without a value."""

OVER_UNDER = ("#611f03", "#883709", "#c0c6cc", "#88b7d2", "#609ed2", "#4b84c1", "#2d6ba9")
OVER_UNDER_DARK = ("#ffdcc1", "#f8b98a", "#59626c", "#4f7599", "#5188b8", "#5d9dd1", "#79b4e4")
"""Estimates against runtimes: too short (orange), right (grey), ever longer (blue)."""

_LESS_LIGHT = ("#79ade1", "#408ad4", "#276aae", "#1d4f82", "#143659")
_MORE_LIGHT = ("#e6965e", "#d96412", "#aa4d0c", "#7f3a09", "#572706")
_LESS_DARK = ("#4282c1", "#4f9ae5", "#79b3ec", "#a3cbf2", "#d1e5f8")
_MORE_DARK = ("#bd6929", "#df7c31", "#f19957", "#f6ba8e", "#faddc8")
"""From small to large changes, as light on either side: an hour later is as strong as an hour earlier."""

ON_TIME, ON_TIME_DARK = "#a8b7c9", "#4c5b6b"
"""A job that met its expected end time, where colours show lateness, on a light and on a dark background."""


FIRST = 0x80000000
"""Pixels with this bit, which opaque colours have, are drawn over those without it; faded colours lack it."""


def rgb(colour: str) -> tuple[int, int, int]:
    """Red, green and blue, 0..255, of `#rrggbb`."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def pixel(colour: str) -> int:
    """The colour as an opaque pixel, 0xffrrggbb."""
    return 0xFF000000 | int(colour[1:], 16)


def hex_colour(colour: int) -> str:
    """A pixel as `#rrggbb`."""
    return f"#{colour & 0xFFFFFF:06x}"


def luminance(colour: str) -> float:
    """Relative luminance, 0 (black) to 1 (white), as the W3C's contrast rules define it."""
    parts = [c / 255 for c in rgb(colour)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    """Contrast of two colours, 1 (the same) to 21 (black on white); text needs 4.5."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def text_on(colour: str) -> str:
    """Black or white, whichever is read better on this colour; always at least 4.5 : 1."""
    return max("#000000", "#ffffff", key=lambda text: contrast(colour, text))


def mix(first: str, second: str, share: float) -> str:
    """The first colour mixed with a share (0..1) of the second."""
    parts = (round(a + (b - a) * share) for a, b in zip(rgb(first), rgb(second), strict=True))
    return "#" + "".join(f"{part:02x}" for part in parts)


def lightness(colour: str) -> float:
    """The perceived lightness of a colour, 0 (black) to 100 (white): L* of the CIE, 1976; a difference of 1
    is just visible.
    """
    light = luminance(colour)
    return 116 * light ** (1 / 3) - 16 if light > 216 / 24389 else light * 24389 / 27


def unknown_beside(colours: Sequence[str]) -> str:
    """The shade for jobs without a value that is furthest from these colours where all is grey."""
    shades = [mix(UNKNOWN, end, share / 20) for end in ("#000000", "#ffffff") for share in range(15)]
    taken = [lightness(colour) for colour in colours]
    return max(shades, key=lambda shade: min((abs(lightness(shade) - other) for other in taken), default=0.0))


def gradient(anchors: Sequence[str], steps: int = 256) -> Pixels:
    """Opaque pixels from the first anchor to the last, shape (steps,)."""
    where = np.linspace(0, len(anchors) - 1, steps)
    parts = np.array([rgb(anchor) for anchor in anchors], float)
    mixed = [
        np.interp(where, np.arange(len(anchors)), parts[:, k]).round().astype(np.uint32) for k in range(3)
    ]
    return np.asarray(np.uint32(0xFF000000) | mixed[0] << 16 | mixed[1] << 8 | mixed[2], np.uint32)


@cache
def heat_colours(dark: bool, steps: int = 256) -> Pixels:
    """Counts of violations, least to most: always further from the background. Shape (steps,)."""
    return gradient(_HEAT_DARK if dark else _HEAT_LIGHT, steps)


def same_colour(dark: bool) -> str:
    """The grey of what did not change."""
    return "#59626d" if dark else "#bfc6cd"


@cache
def change_colours(dark: bool, steps: int = 256) -> Pixels:
    """Changes from the most below 0 to the most above, shape (2 steps + 1,): blue, grey at 0, orange.

    Both sides are equally light at each step, always further from the background, and told apart in all
    kinds of colour blindness. Where there is only grey, the sign is told by words and by direction.
    """
    less = gradient(_LESS_DARK if dark else _LESS_LIGHT, steps)
    more = gradient(_MORE_DARK if dark else _MORE_LIGHT, steps)
    same = np.array([pixel(same_colour(dark))], np.uint32)
    return np.concatenate((less[::-1], same, more))


def run_colour(run_id: int) -> str:
    """The colour of a run, by its id (from 1): each seven further runs have others, and another pattern."""
    colours = (*RUN_COLOURS, *MORE_RUN_COLOURS)
    again, place = divmod((run_id - 1) % _MOST_RUNS, len(colours))
    return mix(colours[place], "#808080", _SHADE * again / (1 + _SHADE * again))


def pattern_of(colour: str) -> int:
    """How lines and areas of a colour are drawn beside the colour: 0 plain, 1 to 3 dashed or hatched.

    Seven runs, and seven users, are plain; further ones have a pattern, since their colours are not told
    apart from all others by everyone.
    """
    return _patterns().get(colour, 0)


@cache
def _patterns() -> dict[str, int]:
    many = len(_PATTERNS)
    return {
        run_colour(run): (_PATTERNS[(run - 1) % many] + (run - 1) // many) % len(SQUARES)
        for run in range(1, _MOST_RUNS + 1)
    }


def square_of(colour: str) -> str:
    """A square for text that is written in this colour."""
    return SQUARES[pattern_of(colour)]


def user_colours(
    names: Sequence[str], area: NDArray[np.float64], present: NDArray[np.bool_] | None = None
) -> list[str]:
    """A colour per user; `area` is the use of each user, shape (users,).

    A name has the same colour in every trace if possible. The users with the largest area get distinct
    colours, starting at the index given by their name's checksum; the rest are grey. If only some are
    `present`, shape (users,), those of them that have a colour keep it, and the largest of the rest get the
    colours of absent users.
    """
    order = np.argsort(-np.asarray(area, float), kind="stable")
    colours = [OTHER_USERS] * len(names)
    free = set(range(len(USER_COLOURS)))
    _deal(order[: len(USER_COLOURS)], names, colours, free)
    if present is not None:
        grey = [user for user in order[present[order]] if colours[user] == OTHER_USERS]
        away = [user for user in order[~present[order]][::-1] if colours[user] != OTHER_USERS]
        for user in away[: max(len(grey) - len(free), 0)]:
            free.add(USER_COLOURS.index(colours[user]))
            colours[user] = OTHER_USERS
        _deal(grey[: len(free)], names, colours, free)
    return colours


def _deal(users: Iterable[int], names: Sequence[str], colours: list[str], free: set[int]) -> None:
    """Assign each of these users a free colour, an index of USER_COLOURS."""
    for user in users:
        index = zlib.crc32(names[user].encode()) % len(USER_COLOURS)
        while index not in free:
            index = (index + 1) % len(USER_COLOURS)
        free.discard(index)
        colours[user] = USER_COLOURS[index]
