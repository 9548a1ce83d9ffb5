"""The settings of the page that a figure is drawn on: its width, fonts, and how much is written on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

DPI = 200
"""Resolution of PNG files, and of rasterised data inside SVG and PDF."""

WIDTH = 7.2
"""Inches: the text width of a page."""

COLUMN = 3.5
"""Inches: the width of a column of a page with two."""

LEFT, RIGHT, TOP = 0.72, 0.12, 0.22
"""Inches around the axes: labels at the left, the title above."""

TEXT, FAINT, GRID = "#1b2129", "#586270", "#dde2e8"
GOOD, BAD, MARK = "#0a6e4f", "#b3172d", "#1257b8"

STYLE: Any = {
    "font.family": "DejaVu Sans",  # included in matplotlib, so that a figure is the same everywhere
    "font.size": 8.0,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8.0,
    "axes.linewidth": 0.6,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": TEXT,
    "text.color": TEXT,
    "xtick.color": TEXT,
    "ytick.color": TEXT,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "text.parse_math": False,  # a dollar sign in a user's name is a dollar sign
    "svg.hashsalt": "batchscope",  # determines ids inside the file, which are random otherwise
    "pdf.fonttype": 42,  # journals refuse the default, Type 3
}


@dataclass(frozen=True)
class Sheet:
    """The layout settings of a figure: its width in inches, the font, and the notes around it.

    Plots are `heights` times as high, and data images `fine` times as fine, as usual: the page is enlarged.
    """

    width: float = WIDTH
    font: str = ""
    heights: float = 1.0
    titled: bool = True
    captioned: bool = True
    fine: int = 1
    spare: bool = False  # the page is too low for what figures can do without
    grey: bool = False  # without colours, so that dashes, markers and hatches distinguish
    drawn: bool = True  # else figures end with `Laid`, as soon as their height is known

    @property
    def cut(self) -> float:
        """Inches at the top that are left empty for a title that is not written."""
        return 0.0 if self.titled else TOP - 0.04


class Laid(Exception):  # noqa: N818
    """Raised in place of drawing a figure where only its height, in inches, is asked for."""

    def __init__(self, height: float) -> None:
        super().__init__(height)
        self.height = height


_USUAL = Sheet()
_sheet: ContextVar[Sheet] = ContextVar("sheet", default=_USUAL)


@contextmanager
def drawn_on(sheet: Sheet) -> Iterator[None]:
    """Draw on that sheet."""
    token = _sheet.set(sheet)
    try:
        yield
    finally:
        _sheet.reset(token)


def page_width() -> float:
    """The width of the page in inches."""
    return _sheet.get().width


def plot_height(inches: float) -> float:
    """The height of a plot that is usually so many inches high."""
    return inches * _sheet.get().heights


def fineness() -> int:
    """The factor on the usual resolution of data images."""
    return _sheet.get().fine


def is_spare() -> bool:
    """Whether figures leave out what they can do without, since the page is too low for it."""
    return _sheet.get().spare


def is_grey() -> bool:
    """Whether the figure is printed without colours."""
    return _sheet.get().grey


def is_drawn() -> bool:
    """False where only the height of the figure is asked for."""
    return _sheet.get().drawn


def is_titled() -> bool:
    """True if the figure has a title."""
    return _sheet.get().titled


def captioned() -> bool:
    """True if notes are written below plots."""
    return _sheet.get().captioned


def is_narrow() -> bool:
    """True if the page is a column, in which parts are placed below each other instead of side by side."""
    return page_width() < (WIDTH + COLUMN) / 2


def fonts() -> list[str]:
    """The font of the sheet, followed by the usual font for missing glyphs."""
    usual = str(STYLE["font.family"])
    return list(dict.fromkeys((_sheet.get().font or usual, usual)))
