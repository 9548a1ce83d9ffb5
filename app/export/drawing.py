"""Figures on paper, drawn one at a time in a worker thread, with their source notes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Lock

from app.export.provenance import Provenance, caption_of
from views.catalog import figure_spec
from views.figures.printing import PrintedFigure, PrintOptions, printed
from views.figures.request import FigureRequest
from views.figures.save import rendered

one_drawing = Lock()
"""Held while a figure is drawn: matplotlib's settings are shared by all threads."""


@dataclass(frozen=True, eq=False)
class Sketch:
    """A figure that may be drawn: its kind, what of, and how it is printed."""

    kind: str
    request: FigureRequest
    about: Provenance
    how: PrintOptions

    @property
    def lacks(self) -> str:
        """The reason why nothing can be drawn; empty if something can."""
        return figure_spec(self.kind).lacks(self.request)

    @property
    def of_all_time(self) -> Sketch:
        """The same of all the time of the runs, instead of what is seen."""
        results = self.request.results
        begin = float(results[0].schedule.first_submit)
        end = max(begin + 1.0, *(float(result.schedule.last_end) for result in results))
        window = begin, end
        return replace(
            self, request=replace(self.request, window=window), about=replace(self.about, window=window)
        )

    @property
    def with_shared_scale(self) -> Sketch:
        """The same request with a common scale for all runs, whatever is visible."""
        options = self.request.options
        alike = replace(options, heatmaps=replace(options.heatmaps, shared_scale=True))
        return replace(self, request=replace(self.request, options=alike))

    def draw(self) -> tuple[PrintedFigure, str]:
        """The figure, and its source lines. Raises InputError."""
        spec = figure_spec(self.kind)
        note = caption_of(spec, self.request, self.about)()
        return printed(spec.drawing(self.request), self.how, note.count("\n") + 1), note

    def render(self, suffix: str, dpi: int) -> bytes:
        """The bytes of its file. Raises InputError."""
        with one_drawing:
            made, note = self.draw()
            return rendered(made, suffix, note, dpi)
