"""The pictures of a Gantt chart, made away from the GUI thread."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from PySide6.QtGui import QFont, QRegion

from engine.filter import Expression
from engine.quantities import Jobs
from engine.schedule.backfills import NOBODY
from views.data.gantt.backfills import stripe
from views.data.gantt.colours import NAMED, Classes, ColourMode, Painted, both, cut_short, paint_jobs
from views.data.gantt.data import GanttData
from views.data.gantt.down_nodes import hatch_outages
from views.data.gantt.idle import hatch_idle
from views.data.gantt.patterns import stripe_patterned
from views.data.gantt.rows import MACHINE_ROWS
from views.data.gantt.shown_layers import GanttLayers
from views.gantt.labels import paint_boxes, paint_marked, visible_boxes
from views.gantt.layer_data import LayerOverlay
from views.gantt.waits import paint_waits
from views.raster.request import RenderRequest
from views.state.selection import Selection
from views.theme.palette import Pixels
from views.theme.theme import Theme
from views.timechart.picture import ChartPicture
from views.work.lazy import LazyValue


def overlay(
    picture: ChartPicture,
    data: GanttData,
    colours: Pixels,
    layers: GanttLayers,
    layered: LayerOverlay,
    marked: frozenset[int],
    theme: Theme,
    font: QFont,
) -> ChartPicture:
    """The picture with all overlays except plans; `colours` has a pixel per job in the order of `data`."""
    # From the ground up: hatches of the machine, patterns of the boxes, lines of waits, then outlines with
    # their words, so that no line runs through a word. The selected jobs come last.
    request, note, words = picture.request, "", QRegion()
    if layers.down:
        hatch_outages(picture.pixels, request, data.down, theme.idle, theme.faint)
    if layers.idle and data.rows.kind in MACHINE_ROWS:
        hatch_idle(picture.pixels, request, layered.idle(), theme.idle, theme.bad)
    if layers.backfilled:
        chosen = layered.backfills().first != NOBODY
        stripe(picture.pixels, request, data, colours, chosen, theme.text)
    if layers.waits:
        note = paint_waits(picture.image, request, data, colours, marked, theme.accent)
    boxes = visible_boxes(data, request)
    if boxes is not None:
        words = paint_boxes(picture.image, request, data, boxes, colours, theme.bad, font)
    paint_marked(picture.image, request, data, marked, theme.accent)
    return replace(picture, words=words, note=note)


@dataclass(frozen=True, eq=False)
class Drawing:
    """The content of a picture: the data and their look. `version` changes with the data."""

    version: int
    jobs: Jobs
    data: LazyValue[GanttData]
    classes: LazyValue[Classes]
    layered: LayerOverlay
    mode: ColourMode
    layers: GanttLayers
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

    def make(self, request: RenderRequest, shown: Drawing) -> ChartPicture:
        """The picture of what is shown; takes time in the number of jobs."""
        drawn, kept, theme, selection = shown.data(), self._painted, shown.theme, shown.selection
        # Zoom and scrolling change none of these, so the colours of millions of jobs are computed once for a
        # look, not for each frame.
        key = (shown.version, shown.mode, selection.without_time, shown.filtered, theme.name)
        if kept is None or kept[0] != key:
            matching = None if shown.filtered is None else shown.filtered.mask(shown.jobs)
            picked = both(selection.without_time.mask(shown.jobs.trace), matching)
            painted = paint_jobs(shown.classes(), picked, theme.idle)
            pixels = cut_short(painted.pixels[drawn.job], drawn.lost, theme.idle)
            # Another thread may replace the pair meanwhile: in `kept` the colours and the key belong
            # together.
            kept = self._painted = key, Painted(pixels, painted.picked)
        colours, layers, layered = kept[1].pixels, shown.layers, shown.layered
        pixels = drawn.paint(request, colours, theme.idle)
        if shown.mode in NAMED:
            stripe_patterned(pixels, shown.classes().colours, request.ratio)
        picture = ChartPicture.of(request, pixels)
        picture = overlay(picture, drawn, colours, layers, layered, selection.jobs, theme, shown.font)
        # The plan is painted after the words, and leaves their place free.
        if layers.reservations:
            layered.plans.paint(picture, drawn, selection.instant, theme)
        return picture
