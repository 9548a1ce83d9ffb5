"""Figures for Python: what `engine.api` compares, with the figures of the window, without Qt."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.export.asking import figure_of, look_of, request_of
from app.export.provenance import Provenance, caption_of
from app.model.chart_data import ComparedRun, compared_run, draw
from engine import api
from engine.errors import InputError
from resources import example_path
from views.catalog import RUN_FIGURES
from views.data.view_options import ViewOptions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES = tuple(spec.kind for spec in RUN_FIGURES)
"""The kinds of figures that are drawn of runs."""

EXAMPLE = example_path()
"""The bundled example log."""


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure that was drawn: `savefig` writes it, a notebook shows it. `figure` is matplotlib's."""

    kind: str
    figure: Figure

    def savefig(self, path: str | PathLike[str], note: str = "") -> None:
        """Write it as PDF, SVG or PNG, by the suffix; the same figure gives the same bytes.

        `note` are lines below it. Raises InputError.
        """
        from views.figures.save import save

        save(self.figure, Path(path), note)

    def _repr_png_(self) -> bytes:
        from views.figures.sheet import styled

        data = io.BytesIO()
        with styled():
            self.figure.savefig(data, format="png", dpi=110, metadata={"Software": None})
        return data.getvalue()

    def __repr__(self) -> str:
        width, height = self.figure.get_size_inches()
        return f"<figure {self.kind}, {25.4 * width:.0f} x {25.4 * height:.0f} mm>"


@dataclass(frozen=True, eq=False, repr=False)
class Runs(api.Runs):
    """Runs of one log by name, judged together, with their figures."""

    @cached_property
    def judged(self) -> tuple[ComparedRun, ...]:
        """The runs as charts have them, numbered from 1."""
        found = []
        for number, run in enumerate(self.runs, 1):
            data = draw(partial(_as_it_is, run))
            found.append(compared_run(number, data, run.evaluation, None))
        return tuple(found)

    def figure(self, kind: str, **options: str) -> Picture:
        """A figure of the runs, of one of FIGURES; `options` are those of views by name: `colours="wait"`.

        Raises InputError, which names near kinds and options.
        """
        spec, look = figure_of(kind), look_of(options)
        request = request_of(self.log.trace, self.judged, look)
        if why := spec.lacks(request):
            raise InputError(f"{kind}: {why}")
        return Picture(kind, spec.draw(request))

    def caption(self, kind: str) -> str:
        """What a figure of that kind says of where it comes from."""
        request = request_of(self.log.trace, self.judged, ViewOptions())
        about = Provenance(
            request.results,
            self.measuring.filter(self.log.trace),
            None,
            request.window,
            self.measuring.share,
        )
        return caption_of(figure_of(kind), request, about)()


def compare(log: api.Log, policies: Sequence[str], **measuring: Any) -> Runs:
    """Runs of the log under policies, as `engine.api.compare` makes them, with their figures."""
    found = api.compare(log, policies, **measuring)
    return Runs(found.log, found.runs, found.measuring)


def _as_it_is(run: api.OneRun) -> Any:
    return run.schedule
