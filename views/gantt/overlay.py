"""Everything painted over the colours of a Gantt chart: hatches, lines of waits, outlines and text."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtGui import QFont, QRegion

from engine.schedule.backfills import NOBODY
from views.data.gantt.backfills import stripe
from views.data.gantt.data import GanttData
from views.data.gantt.down import hatch_down
from views.data.gantt.idle import hatch_idle
from views.data.gantt.rows import MACHINE_ROWS
from views.data.gantt.shown_layers import ShownLayers
from views.gantt.labels import paint_boxes, paint_marked, visible_boxes
from views.gantt.layered import LayerOverlay
from views.gantt.waits import paint_waits
from views.theme.palette import Pixels
from views.theme.theme import Theme
from views.timechart.picture import Picture


def overlay(
    picture: Picture,
    data: GanttData,
    colours: Pixels,
    layers: ShownLayers,
    layered: LayerOverlay,
    marked: frozenset[int],
    theme: Theme,
    font: QFont,
) -> Picture:
    """The same picture with all that but plans; `colours` has a pixel for each job in the order of `data`."""
    request, said, words = picture.request, "", QRegion()
    if layers.down:
        hatch_down(picture.pixels, request, data.down, theme.idle, theme.faint)
    if layers.idle and data.rows.kind in MACHINE_ROWS:
        hatch_idle(picture.pixels, request, layered.idle(), theme.idle, theme.bad)
    if layers.backfilled:
        chosen = layered.backfills().first != NOBODY
        stripe(picture.pixels, request, data, colours, chosen, theme.text)
    if layers.waits:
        said = paint_waits(picture.image, request, data, colours, marked, theme.accent)
    boxes = visible_boxes(data, request)
    if boxes is not None:
        words = paint_boxes(picture.image, request, data, boxes, colours, theme.bad, font)
    paint_marked(picture.image, request, data, marked, theme.accent)
    return replace(picture, words=words, said=said)
