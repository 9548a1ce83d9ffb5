"""Texts of a figure: how wide they are, how they are made to fit, and the keys of shortened texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from views.figures.page_fonts import written
from views.figures.page_settings import DPI, STYLE, fonts

_LEAST_TEXT = 5.0
"""Points: a text that finds no room is not written smaller, but shortened."""

_STEM = re.compile(r".*[^\w.]", re.DOTALL)
"""The beginning of a text up to the end of a word."""

_BREAKS = re.compile(r"[ \n\t]+")
"""Between words that may stand in different lines."""

Keys = dict[str, str]
"""What shortened texts stand for: `[1]` or `…` -> the text, or what is left out of several."""

_keys: ContextVar[Keys | None] = ContextVar("keys", default=None)


@contextmanager
def collecting_keys() -> Iterator[Keys]:
    """Collect the keys of all texts that are shortened within."""
    keys: Keys = {}
    token = _keys.set(keys)
    try:
        yield keys
    finally:
        _keys.reset(token)


def key_lines(keys: Keys, inches: float, size: float) -> list[str]:
    """The lines below a figure that say what its shortened texts stand for."""
    each = [f"{short} {whole}" for short, whole in keys.items()]
    return wrapped("; ".join(each), inches, size) if each else []


def fitting(text: str, inches: float, size: float, least: float = _LEAST_TEXT) -> tuple[str, float]:
    """A text and its size in points, smaller where it would be too wide; shortened below the `least`."""
    small = fitting_size(text, inches, size, least)
    return elided(text, inches * STYLE["font.size"] / small), small


def fitting_size(text: str, inches: float, size: float, least: float = _LEAST_TEXT) -> float:
    """The size in points at which a text is no wider than that, the `least` at least."""
    wide = text_inches(text) * size / STYLE["font.size"]
    return size if wide <= inches else max(size * inches / wide, least)


def elided(text: str, inches: float) -> str:
    """The beginning of a text of the usual size that fits so many inches, and the number of its key.

    Without keys, on somebody's own axes, it ends with dots alone.
    """
    if text_inches(text) <= inches + 1e-6:
        return text
    # A text that was shortened before has its number already.
    keys, number = _keys.get(), ""
    if keys is not None:
        known = (short for short, whole in keys.items() if whole == text and short != _LEFT_OUT)
        number = next(known, f"[{len(keys) + 1}]")
        keys[number] = text
    # Letter by letter from the end, with the number counted: it must fit too.
    head, short = text, text
    while head and text_inches(short) > inches + 1e-6:
        head = head[:-1]
        short = f"{head.rstrip()}{_LEFT_OUT}{number}"
    return short if head else number or short


_LEFT_OUT = "…"
"""What stands for the part of texts that is left out."""


def shortened(names: Sequence[str], inches: float) -> list[str]:
    """Names that are to be told apart, each within so many inches of text of the usual size.

    Where they are too long, the words that all begin with are left out; where that is not enough, each that
    is too long is shortened by itself.
    """
    if all(text_inches(name) <= inches for name in names):
        return list(names)
    # What the first and the last in order begin with, all of them do.
    stem_match = _STEM.match(_common(min(names), max(names))) if len(set(names)) > 1 else None
    stem, keys = stem_match.group(0) if stem_match else "", _keys.get()
    # A single common beginning can be left out in a figure: a second would have the same sign.
    if stem and keys is not None and keys.get(_LEFT_OUT, stem) == stem:
        rests = [_LEFT_OUT + name.removeprefix(stem) for name in names]
        if all(text_inches(rest) <= inches for rest in rests) and _LEFT_OUT not in rests:
            keys[_LEFT_OUT] = stem
            return rests
    return [elided(name, inches) for name in names]


def _common(first: str, last: str) -> str:
    """What both begin with."""
    same = next((k for k, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), None)
    return first[:same] if same is not None else min(first, last)


def wrapped(text: str, inches: float, size: float) -> list[str]:
    """Lines of a text of that size in points, as many words as fit so many inches.

    A longer word is broken after `-` `:` `,` `=` `/`, and where there is none at any letter. Thin spaces,
    those within numbers, break no line.
    """
    room = inches * STYLE["font.size"] / size
    lines = [""]
    for word in _BREAKS.split(text.strip()):
        longer = f"{lines[-1]} {word}".lstrip()
        if text_inches(longer) <= room:
            lines[-1] = longer
            continue
        parts = _broken_word(word, room)
        # The broken word begins a line of its own, unless the line is still empty.
        lines[len(lines) if lines[-1] else 0 :] = parts
    return lines


def _broken_word(word: str, inches: float) -> list[str]:
    """The lines of a word; one where it fits."""
    if text_inches(word) <= inches:
        return [word]
    lines = [""]
    for part in re.findall(r"[^-:,=/]*[-:,=/]|[^-:,=/]+", word):
        for piece in [part] if text_inches(part) <= inches else part:  # letter by letter
            if not lines[-1] or text_inches(lines[-1] + piece) <= inches:
                lines[-1] += piece
            else:
                lines.append(piece)
    return lines


def text_width(text: str) -> float:
    """Pixels that a text of the usual size takes."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    letters, further = written(text, fonts())
    font = FontProperties(family=[*fonts(), *further], size=STYLE["font.size"])
    width, _, _ = text_to_path.get_text_width_height_descent(letters, font, False)
    return float(width) * DPI / 72


def text_inches(text: str) -> float:
    """Inches that a text of the usual size takes."""
    return text_width(text) / DPI
