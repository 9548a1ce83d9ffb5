"""The print settings of a figure: paper size, font, colour or greys, and notes around the figure.

For larger text a figure is laid out with text of the usual size on a smaller page and then enlarged as a
whole, so that proportions do not depend on the text size.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.spelling import nearest
from views.figures.page_fonts import write_all_scripts
from views.figures.page_settings import COLUMN, DPI, STYLE, TEXT, WIDTH, Laid, Sheet, drawn_on, fonts
from views.figures.page_text import Keys, collecting_keys, key_lines
from views.figures.sheet import styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MM = 1 / 25.4
"""Inches of a millimetre."""

USUAL = float(STYLE["font.size"])
"""Points of the text that figures are laid out with."""

_LEAST_HEIGHT = 0.3
"""Plots are made lower to fit on a page down to this part of their height."""


_LARGE, _LARGE_DPI = 20.0, 150
"""Inches of width from which on a page is looked at from some way off, and the dots an inch that it needs."""


@dataclass(frozen=True)
class PaperSize:
    """The size of a page: width and greatest height in mm, and points of text that suit it."""

    width: float
    height: float
    size: float
    about: str
    brief: str = ""  # the same where room is short


PAPERS: dict[str, PaperSize] = {
    "85mm": PaperSize(85, 225, 7, "a column of a journal", "one column"),
    "180mm": PaperSize(180, 225, 8, "two columns of a journal", "two columns"),
    "slide": PaperSize(338.7, 190.5, 16, "a slide, 16:9", "16:9"),
    "poster": PaperSize(801, 1149, 24, "an A0 poster, upright, with a margin of 20 mm", "A0"),
}
"""The sizes that have a name."""


@dataclass(frozen=True)
class PrintOptions:
    """The choices for print. Widths and heights are in inches, `size` is in points.

    `height` is the maximum height on the page; None: as high as the figure needs.
    """

    width: float = WIDTH
    height: float | None = None
    font: str = str(STYLE["font.family"])
    size: float = USUAL
    grey: bool = False
    title: bool = True
    captions: bool = True
    provenance: bool = True

    @property
    def scale(self) -> float:
        """The factor by which the layout is enlarged."""
        return self.size / USUAL

    @property
    def fine(self) -> int:
        """The resolution of data images relative to a page: 200 dots per inch, 150 on large paper."""
        return max(round(self.scale * (DPI if self.width <= _LARGE else _LARGE_DPI) / DPI), 1)

    def check(self) -> None:
        """Raise InputError where the font is not there, or a size is out of all measure."""
        if not 20 * MM <= self.width <= 3000 * MM:
            raise InputError(f"a width of {self.width / MM:.0f} mm: it is 20 to 3000 mm")
        if self.height is not None and not 20 * MM <= self.height <= 3000 * MM:
            raise InputError(f"a height of {self.height / MM:.0f} mm: it is 20 to 3000 mm")
        if not 3 <= self.size <= 200:
            raise InputError(f"text of {self.size:g} points: it is 3 to 200 points")
        if self.font != STYLE["font.family"] and self.font not in (families := font_families()):
            hint = nearest(self.font, families) or ""
            raise InputError(f"no font is called {self.font}{hint}")


_LEAST_POINTS = 5.0
"""Points of type that can be read in print."""


_KEY, _KEY_LINE = 6.0, 0.1
"""Points of the type of keys below a figure, and inches of a line."""


@dataclass(frozen=True, eq=False)
class PrintedFigure:
    """A figure as it was laid out, and how much it is enlarged; `cut` inches at its top are left out.

    `below` it are so many inches with the keys of its shortened texts.
    """

    figure: Figure
    how: PrintOptions
    scale: float
    cut: float = 0.0
    below: float = 0.0


IN_COLUMN = PrintOptions(COLUMN, size=PAPERS["85mm"].size)
"""How figures are printed that are called as wide as a column: with the text of that paper."""


def font_families() -> list[str]:
    """The names of the fonts that there are."""
    from matplotlib import font_manager

    return sorted(font_manager.get_font_names())


def paper_of(text: str) -> PaperSize:
    """The paper of a name in PAPERS, or as wide as a number of mm. Raises InputError."""
    if text in PAPERS:
        return PAPERS[text]
    try:
        width = float(text.removesuffix("mm"))
    except ValueError:
        hint = nearest(text, PAPERS) or f"; there are {', '.join(PAPERS)}"
        raise InputError(f"{text} is not a width in mm, and no paper has this name{hint}") from None
    return PaperSize(width, 0.0, 7 if width < 120 else USUAL, "")


def on_paper(text: str, grey: bool = False, usual: PrintOptions | None = None) -> PrintOptions:
    """Print on a paper as `paper_of` reads it; without a text as `usual`, else on a page of the usual width.

    Raises InputError.
    """
    if not text:
        return replace(usual or PrintOptions(), grey=grey)
    paper = paper_of(text)
    return PrintOptions(paper.width * MM, paper.height * MM or None, size=paper.size, grey=grey)


def check_legible(made: PrintedFigure) -> None:
    """Raise InputError, which says what height there has to be, where a page is too low for its figure.

    Such a figure is made smaller as a whole, with its type.
    """
    smaller = made.scale / made.how.scale
    points = made.how.size * smaller
    if made.how.height is None or smaller >= 1.0 or points >= _LEAST_POINTS:
        return
    needed = made.how.height / smaller / MM
    raise InputError(
        f"a height of {made.how.height / MM:.0f} mm holds this figure only with type of {points:.1f} points; "
        f"it needs {math.ceil(needed)} mm, a wider page, or fewer plots"
    )


def printed(draw: Callable[[], Figure], how: PrintOptions, note_lines: int = 0) -> PrintedFigure:
    """The figure that `draw` returns, fitted to the page.

    If the figure is higher than the page, its plots are drawn lower; if that is not enough, secondary parts
    are left out, and then the whole figure is made smaller. Room for `note_lines` lines is left below it.
    Raises the errors of `draw` and `PrintOptions.check`.
    """
    how.check()
    sheet = Sheet(how.width / how.scale, how.font, 1.0, how.title, how.captions, how.fine, grey=how.grey)
    below = 0.14 + 0.1 * (note_lines + 1) if note_lines and how.provenance else 0.0

    # The height costs no drawing: `Laid` ends the layout as soon as the height is known.
    def height_of(part: float, on: Sheet) -> float:
        """The height of the page, with plots of that part of theirs; nothing is drawn for it."""
        try:
            with drawn_on(replace(on, heights=part, drawn=False)):
                height = float(draw().get_figheight())
        except Laid as laid:
            height = laid.height
        return height + below - on.cut

    def lay_out(room: float) -> tuple[Figure, float]:
        """The figure with plots as low as the room asks for, and the inches of its keys below it."""
        # Heights grow in proportion with the plots, so two layouts give the height for any part.
        part, on = 1.0, sheet
        if (height := height_of(1.0, on)) > room:
            least = height_of(_LEAST_HEIGHT, on)
            if least > room:
                # Not even low plots fit: what a figure can do without is left out, and both heights are taken
                # anew.
                on = replace(on, spare=True)
                height, least = height_of(1.0, on), height_of(_LEAST_HEIGHT, on)
            slope = (height - least) / (1.0 - _LEAST_HEIGHT)
            part = min(max(1.0 - (height - room) / slope if slope > 0 else 0.5, _LEAST_HEIGHT), 1.0)
        return _drawn(draw, replace(on, heights=part))

    # The layout is made for the page before it is enlarged.
    scale = how.scale
    room = how.height / scale if how.height is not None else float("inf")
    figure, keyed = lay_out(room) if how.height is not None else _drawn(draw, sheet)
    if keyed and float(figure.get_figheight()) + below + keyed - sheet.cut > room:
        figure, keyed = lay_out(room - keyed)  # which texts are shortened is known only now
    height = float(figure.get_figheight()) + below + keyed - sheet.cut
    if height > room:  # names and gaps need so much
        scale *= room / height
    return PrintedFigure(figure, how, scale, sheet.cut, keyed)


def _drawn(draw: Callable[[], Figure], sheet: Sheet) -> tuple[Figure, float]:
    """The figure on a sheet, and the inches of its keys below it."""
    with drawn_on(sheet), collecting_keys() as keys:
        figure = draw()
        return figure, _finish(figure, keys)


def _finish(figure: Figure, keys: Keys) -> float:
    """Give all texts their fonts, and write the keys of the shortened ones below a figure: so many inches."""
    with styled():
        width, height = figure.get_size_inches()
        # Pixels make small type up to a twentieth wider than it was measured.
        lines = key_lines(keys, 0.95 * (float(width) - 0.2), _KEY)
        if lines:
            place = 0.1 / width, -0.04 / height
            figure.text(*place, "\n".join(lines), va="top", fontsize=_KEY, color=TEXT, linespacing=1.2)
        write_all_scripts(figure, fonts())
    return 0.06 + _KEY_LINE * len(lines) if lines else 0.0
