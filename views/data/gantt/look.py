"""The look of a Gantt chart: all that a reader can choose, as a plain value."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.filter import Expression
from views.data.gantt.colours import ColourMode
from views.data.gantt.rows import RowKind
from views.data.gantt.shown_layers import GanttLayers
from views.data.other_run import OtherRun
from views.raster.request import ALL_ROWS


@dataclass(frozen=True, eq=False)
class GanttLook:
    """The look of a Gantt chart: rows, colours, the visible part of the rows, and layers besides the jobs.

    Jobs that do not match `hidden` in their run are left out. Jobs that do not match `dimmed` are faded, and
    so are those that are not `selected`, shape (n,); None: nothing is selected. `job` is the selected job, an
    index in the trace, from which lines are drawn; None: none or several. `instant` (s) is the marked
    instant, `baseline` the run that start changes refer to.
    """

    rows: RowKind = "processors"
    folded: tuple[str, ...] = ()  # groups of nodes, by name
    part: tuple[float, float] = ALL_ROWS
    colours: ColourMode = "user"
    layers: GanttLayers = field(default_factory=GanttLayers)
    hidden: Expression | None = None
    dimmed: Expression | None = None
    selected: NDArray[np.bool_] | None = None
    job: int | None = None
    instant: float | None = None
    baseline: OtherRun | None = None
