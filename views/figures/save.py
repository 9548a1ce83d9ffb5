"""Write a figure to a file: the same bytes for the same figure, and never half a file."""

from __future__ import annotations

import io
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from engine.atomic import write_atomically
from engine.errors import InputError
from views.figures.sheet import DPI, FAINT, WIDTH, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

FORMATS = (".png", ".svg", ".pdf")
"""What a figure can be saved as, by the suffix of the file."""

_NOTE_LINE = 0.1
"""Inches a line of a note."""

_UNDATED: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}


def save(figure: Figure, path: Path, note: str = "", dpi: int = DPI) -> None:
    """Save as PNG, SVG or PDF, by the suffix of `path`; without a date in the file.

    The lines of `note` stand below the figure, which is higher by them. `dpi` is the resolution of
    PNG and of rasterised data inside SVG and PDF. Raises InputError for any other suffix and where
    the file cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise InputError(f"{path}: a figure is saved as one of {', '.join(FORMATS)}")
    data = io.BytesIO()
    with styled():
        whole = _with_note(figure, note) if note else None
        figure.savefig(data, format=suffix[1:], dpi=dpi, metadata=_UNDATED[suffix], bbox_inches=whole)
    try:
        write_atomically(path, lambda part: part.write_bytes(data.getvalue()))
    except OSError as error:
        raise InputError(f"{path}: cannot write this figure: {error.strerror or error}") from error


def _with_note(figure: Figure, note: str) -> Bbox:
    """Write below the figure; returns the page with it, in inches."""
    from matplotlib.transforms import Bbox

    width, height = figure.get_size_inches()
    if width < WIDTH:  # what is a column wide, or else narrower
        note = fill(" ".join(note.split()), round(max(map(len, note.split("\n"))) * width / WIDTH))
    figure.text(0.1 / width, -0.06 / height, note, va="top", fontsize=5.5, color=FAINT, linespacing=1.3)
    return Bbox([[0, -0.14 - _NOTE_LINE * (note.count("\n") + 1)], [width, height]])
