"""Write a figure to a file: the same bytes for the same figure, and never half a file."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from engine.atomic import write_atomically
from engine.errors import InputError
from views.figures.grey import in_greys
from views.figures.page_fonts import write_all_scripts
from views.figures.page_settings import DPI, FAINT, STYLE, WIDTH, Sheet, drawn_on, fonts
from views.figures.page_text import text_inches, wrapped
from views.figures.printing import PrintedFigure, PrintOptions
from views.figures.sheet import styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox


def save_pdf(
    figure: Figure, file: IO[bytes], scale: float, metadata: Mapping[str, Any], **options: Any
) -> None:
    """Write the figure, enlarged by `scale`. `options` are those of `savefig`."""
    if scale == 1.0:
        figure.savefig(file, format="pdf", metadata=dict(metadata), **options)
        return
    from matplotlib.backends.backend_pdf import Op, PdfFile, PdfPages

    class Larger(PdfFile):
        """A file whose pages are larger, and what is drawn on them too."""

        def newPage(self, width: float, height: float) -> None:
            """Begin a page of so many inches before it is enlarged."""
            page: Any = super()
            page.newPage(width * scale, height * scale)
            page.output(scale, 0, 0, scale, 0, 0, Op.concat_matrix)
            self.width, self.height = width, height  # by which lines are cut, before they are enlarged

    larger: Any = Larger

    class Pages(PdfPages):
        """The single page of such a file."""

        def _ensure_file(self) -> Any:
            if self._file is None:
                self._file = larger(file, metadata=dict(metadata))
            return self._file

    with Pages("unused") as pages:
        figure.savefig(pages, format="pdf", **options)


_NOTE = 5.5
"""Points of the type of a note."""

FORMATS = (".png", ".svg", ".pdf")
"""What a figure can be saved as, by the suffix of the file."""

_NOTE_LINE = 0.1
"""Inches a line of a note."""

_LAYOUT = ("GDEF", "GPOS", "GSUB")
"""Tables of a font that say which glyphs replace others, and how they are moved."""

_UNDATED: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}


def save(figure: Figure, path: Path, note: str = "", dpi: int = DPI, about: str = "") -> None:
    """Save as PNG, SVG or PDF, by the suffix of `path`; the file has no date.

    The lines of `note` are added below the figure, which grows by them; `about`, by default the note, goes to
    the file's metadata. `dpi` is the resolution of PNG and of rasterised data inside SVG and PDF. Raises
    InputError for any other suffix and if the file cannot be written.
    """
    save_printed(PrintedFigure(figure, PrintOptions(), 1.0), path, note, dpi, about)


def save_printed(made: PrintedFigure, path: Path, note: str = "", dpi: int = DPI, about: str = "") -> None:
    """Save a figure on its page, as `save` does; without provenance on the page, it is in the metadata."""
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise InputError(f"{path}: a figure is saved as one of {', '.join(FORMATS)}")
    data = rendered(made, suffix, note, dpi, about)
    try:
        write_atomically(path, lambda part: part.write_bytes(data))
    except OSError as error:
        raise InputError(f"{path}: cannot write this figure: {error.strerror or error}") from error


def rendered(made: PrintedFigure, suffix: str, note: str = "", dpi: int = DPI, about: str = "") -> bytes:
    """The bytes of the file of a figure."""
    data, figure, scale = io.BytesIO(), made.figure, made.scale
    metadata = _metadata(suffix, about or note)
    # A note is measured in the figure's font, so the style is set for all of it.
    with drawn_on(Sheet(font=made.how.font)), styled():
        written = _write_note(figure, note, made.below) if note and made.how.provenance else None
        below = made.below + (_height_of(written) if written is not None else 0.0)
        # Greys come after the note was written, and change it too.
        if made.how.grey:
            in_greys(figure)
        # The box cuts the title line and adds the notes; without both the figure is saved as it is.
        box = _page(figure, below, made.cut) if below or made.cut else None
        if suffix == ".png":
            # PNG is enlarged by its dots, PDF by its matrix, SVG by its size: the layout is the same in all
            # three.
            size: dict[str, Any] = {"dpi": dpi * scale, "pil_kwargs": {"dpi": (dpi, dpi)}}
            figure.savefig(data, format="png", metadata=metadata, bbox_inches=box, **size)
        elif suffix == ".svg":
            figure.savefig(data, format="svg", dpi=dpi * made.how.fine, metadata=metadata, bbox_inches=box)
        else:
            with _fonts_of_glyphs_alone():
                save_pdf(figure, data, scale, metadata, bbox_inches=box, dpi=dpi * made.how.fine)
        if written is not None:
            written.remove()  # the figure may be saved again
    return _larger_svg(data.getvalue(), scale) if suffix == ".svg" else data.getvalue()


@contextmanager
def _fonts_of_glyphs_alone() -> Iterator[None]:
    """Embed fonts without their layout tables, which are slow to write: a page gives the position of each
    glyph.
    """
    from fontTools.subset import Options  # type: ignore[import-untyped]

    usual = list(Options._drop_tables_default)
    Options._drop_tables_default = [*usual, *_LAYOUT]
    try:
        yield
    finally:
        Options._drop_tables_default = usual


def _metadata(suffix: str, about: str) -> dict[str, Any]:
    """The metadata of a file: no date, and the source of the figure."""
    text = " ".join(about.split())
    name = {".png": "Description", ".svg": "Description", ".pdf": "Subject"}[suffix]
    return {**_UNDATED[suffix], **({name: text} if text else {})}


def _larger_svg(data: bytes, scale: float) -> bytes:
    """The picture so many times as large: its width and height are, and its coordinates stay."""
    if scale == 1.0:
        return data

    def larger(match: re.Match[bytes]) -> bytes:
        return b'%s="%.6gpt"' % (match[1], float(match[2]) * scale)

    head, opening, rest = data.partition(b"<svg ")
    tag, end, body = rest.partition(b">")
    return head + opening + re.sub(rb'\b(width|height)="([\d.]+)pt"', larger, tag) + end + body


def _write_note(figure: Figure, note: str, below: float) -> Text:
    """Write a note `below` inches under the figure; its own lines are kept where they fit the page."""
    width, height = figure.get_size_inches()
    room = float(width) - 0.2
    widest = max(map(text_inches, note.split("\n"))) * _NOTE / STYLE["font.size"]
    if width < WIDTH or widest > room:  # what is a column wide, or else narrower, has the fewest lines
        note = "\n".join(wrapped(note, room, _NOTE))
    place = 0.1 / width, -(below + 0.06) / height
    written = figure.text(*place, note, va="top", fontsize=_NOTE, color=FAINT, linespacing=1.3)
    write_all_scripts(figure, fonts())
    return written


def _height_of(note: Text) -> float:
    """Inches that a note takes below a figure."""
    return 0.14 + _NOTE_LINE * (note.get_text().count("\n") + 1)


def _page(figure: Figure, below: float, cut: float) -> Bbox:
    """The page with so many inches more below, and fewer at the top."""
    from matplotlib.transforms import Bbox

    width, height = figure.get_size_inches()
    return Bbox([[0, -below], [width, height - cut]])
