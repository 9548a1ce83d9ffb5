"""The pictures of a Gantt chart, made away from the GUI thread."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from PySide6.QtGui import QFont

from engine.filter import Expression
from engine.quantities import Jobs
from views.data.gantt.colours import NAMED, Classes, ColourMode, Painted, both, cut_short, paint_jobs
from views.data.gantt.data import GanttData
from views.data.gantt.patterns import stripe_patterned
from views.data.gantt.shown_layers import ShownLayers
from views.gantt.layered import LayerOverlay
from views.gantt.overlay import overlay
from views.raster.request import RenderRequest
from views.state.selection import Selection
from views.theme.theme import Theme
from views.timechart.picture import Picture
from views.work.lazy import Lazy


@dataclass(frozen=True, eq=False)
class Drawing:
    """The content of a picture: the data and their look. `version` changes with the data."""

    version: int
    jobs: Jobs
    data: Lazy[GanttData]
    classes: Lazy[Classes]
    layered: LayerOverlay
    mode: ColourMode
    layers: ShownLayers
    selection: Selection
    filtered: Expression | None
    theme: Theme
    font: QFont


class Pictures:
    """Paints pictures, in any thread, and caches the colours of jobs for a look."""

    def __init__(self) -> None:
        self._painted: tuple[Hashable, Painted] | None = None  # its pixels in the order of the data

    @property
    def painted(self) -> Painted | None:
        """The colours that jobs have in the last picture; None: there was none."""
        return self._painted[1] if self._painted is not None else None

    def make(self, request: RenderRequest, shown: Drawing) -> Picture:
        """The picture of what is shown; takes time in the number of jobs."""
        drawn, kept, theme, selection = shown.data(), self._painted, shown.theme, shown.selection
        key = (shown.version, shown.mode, selection.without_time, shown.filtered, theme.name)
        if kept is None or kept[0] != key:
            matching = None if shown.filtered is None else shown.filtered.mask(shown.jobs)
            picked = both(selection.without_time.mask(shown.jobs.trace), matching)
            painted = paint_jobs(shown.classes(), picked, theme.idle)
            pixels = cut_short(painted.pixels[drawn.job], drawn.cut, theme.idle)
            kept = self._painted = key, Painted(pixels, painted.picked)
        colours, layers, layered = kept[1].pixels, shown.layers, shown.layered
        pixels = drawn.paint(request, colours, theme.idle)
        if shown.mode in NAMED:
            stripe_patterned(pixels, shown.classes().colours, request.ratio)
        picture = Picture.of(request, pixels)
        picture = overlay(picture, drawn, colours, layers, layered, selection.jobs, theme, shown.font)
        if layers.reservations:
            layered.plans.paint(picture, drawn, selection.instant, theme)
        return picture
