"""Fonts for names of any script: those of this computer that have the letters which the page's font lacks."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SPACES = frozenset("\n\t\u200b")
"""Characters that no font needs to have."""


def written(text: str, families: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """A text with the families of fonts that it needs besides its own.

    Letters that no font of this computer has are written as their codes, `\\u4e2d`, and not as boxes.
    """
    if text.isascii():
        return text, ()
    lacking = frozenset(text) - _SPACES - _letters_of(tuple(families), text)
    if not lacking:
        return text, ()
    further, missing = _further(lacking)
    for letter in missing:
        text = text.replace(letter, letter.encode("ascii", "backslashreplace").decode("ascii"))
    return text, further


def write_all_scripts(figure: Figure, families: Sequence[str]) -> None:
    """Give the texts of a figure the fonts that have their letters."""
    from matplotlib.text import Text

    in_codes = False
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        letters, further = written(text.get_text(), families)
        if letters != text.get_text():
            text.set_text(letters)
            in_codes = True
        if further:
            text.set_fontfamily([*families, *further])
            _accept_usual_weight()
    # Names of ticks are written anew whenever a figure is drawn, so they are changed at their axis.
    for axis in [axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)] if in_codes else ():
        names = [label.get_text() for label in axis.get_ticklabels()]
        spelled = [written(name, families)[0] for name in names]
        if spelled != names:
            axis.set_ticklabels(spelled)


@cache
def _accept_usual_weight() -> None:
    """Let bold texts have letters of fonts without bold ones, which matplotlib would log at each of them."""
    log = logging.getLogger("matplotlib.font_manager")
    log.addFilter(lambda record: "Failed to find font weight" not in record.getMessage())


def _letters_of(families: tuple[str, ...], text: str) -> frozenset[str]:
    """The letters of a text that some font of these families has."""
    letters: set[str] = set()
    for path in _paths(families):
        codes = _codes(path)
        letters |= {letter for letter in text if ord(letter) in codes}
    return frozenset(letters)


@cache
def _paths(families: tuple[str, ...]) -> tuple[str, ...]:
    from matplotlib.font_manager import FontProperties, fontManager

    return tuple(fontManager.findfont(FontProperties(family=family)) for family in families)


@cache
def _codes(path: str) -> frozenset[int]:
    """The code points that a font has glyphs for; none where it cannot be read."""
    from matplotlib.font_manager import get_font

    try:
        return frozenset(get_font(path).get_charmap())
    except (OSError, RuntimeError):  # a broken font of this computer
        return frozenset()


@cache
def _further(lacking: frozenset[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The families of this computer that have these letters, few of them, and the letters that none has.

    Upright fonts of usual weight are tried, sans serif ones first: they look like the rest of a figure.
    """
    from matplotlib.font_manager import fontManager

    fonts = [
        font for font in fontManager.ttflist if font.style == "normal" and font.weight in (400, "normal")
    ]
    fonts.sort(key=lambda font: ("Sans" not in font.name, "Mono" in font.name, font.name, font.fname))
    left, families = set(lacking), []
    for font in fonts:
        if not left:
            break
        if "Last Resort" in font.name:  # its glyphs are boxes
            continue
        codes = _codes(font.fname)
        if has := {letter for letter in left if ord(letter) in codes}:
            left -= has
            families.append(font.name)
    return tuple(dict.fromkeys(families)), tuple(sorted(left))
