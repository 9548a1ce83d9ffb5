"""PDF files that are enlarged as a whole: all that is drawn is, text too, and nothing is laid out anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def save_pdf(
    figure: Figure, file: IO[bytes], scale: float, metadata: Mapping[str, Any], **options: Any
) -> None:
    """Write the figure, `scale` times as large as it was laid out. `options` are those of `savefig`."""
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
        """The one page, in such a file."""

        def _ensure_file(self) -> Any:
            if self._file is None:
                self._file = larger(file, metadata=dict(metadata))
            return self._file

    with Pages("unused") as pages:
        figure.savefig(pages, format="pdf", **options)
