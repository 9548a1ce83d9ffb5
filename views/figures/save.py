"""Write a figure to a file: the same bytes for the same figure, and never half a file."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.atomic import write_atomically
from engine.errors import InputError
from views.figures.sheet import DPI, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")
"""What a figure can be saved as, by the suffix of the file."""

_UNDATED: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}


def save(figure: Figure, path: Path, dpi: int = DPI) -> None:
    """Save as PNG, SVG or PDF, by the suffix of `path`; without a date in the file.

    `dpi` is the resolution of PNG and of rasterised data inside SVG and PDF. Raises
    InputError for any other suffix and where the file cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise InputError(f"{path}: a figure is saved as one of {', '.join(FORMATS)}")
    data = io.BytesIO()
    with styled():
        figure.savefig(data, format=suffix[1:], dpi=dpi, metadata=_UNDATED[suffix])
    try:
        write_atomically(path, lambda part: part.write_bytes(data.getvalue()))
    except OSError as error:
        raise InputError(f"{path}: cannot write this figure: {error.strerror or error}") from error
