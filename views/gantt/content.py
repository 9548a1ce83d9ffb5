"""The content of a Gantt chart: what is chosen for it, and the rows, boxes and colours that follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.filter import Expression
from engine.quantities import Jobs
from engine.schedule.schedule import Schedule
from views.data.gantt.colours import Classes, ColourMode, classify
from views.data.gantt.data import GanttData, gantt_data
from views.data.gantt.rows import RowKind, Rows, rows_of
from views.data.gantt.shown_layers import GanttLayers
from views.data.other_run import OtherRun
from views.gantt.layer_data import LayerOverlay
from views.gantt.legend_entries import LegendEntries
from views.state.filter import Filter
from views.theme.theme import Theme
from views.timechart.legend import Swatches
from views.work.lazy import LazyValue

if TYPE_CHECKING:
    from engine.schedule.processors import Boxes


class GanttContent:
    """The choices are attributes; after a change of one, `arrange` or `classify` makes what depends on it.

    `data` and `classes` are computed by whoever first asks for them, which is a thread that paints.
    """

    def __init__(self) -> None:
        self.schedule: Schedule | None = None
        self.boxes: Boxes | None = None
        self.tardiness: NDArray[np.int64] | None = None  # of each job, s, shape (n,)
        self.eet: NDArray[np.int64] | None = None  # expected end of each job, s, shape (n,)
        self.others: tuple[OtherRun, ...] = ()  # starts are compared with the first
        self.row_kind: RowKind = "processors"
        self.folded: tuple[str, ...] = ()  # groups of nodes
        self.mode: ColourMode = "user"
        self.layers = GanttLayers()
        self.hidden: Expression | None = None  # what jobs must meet to be in the data
        self.data: LazyValue[GanttData] | None = None
        self.classes: LazyValue[Classes] | None = None
        self.layered: LayerOverlay | None = None
        self._known_rows: Rows | None = None

    def show(self, schedule: Schedule | None, boxes: Boxes | None) -> None:
        """Take another schedule; what was known of jobs and other runs is no longer true."""
        self.schedule, self.boxes, self.tardiness, self.others = schedule, boxes, None, ()
        if schedule is not None:
            self.layered = LayerOverlay(schedule)

    def arrange(self, filter: Filter) -> None:
        """Lay the jobs out in rows, without those that the filter hides."""
        # Taken now: `make` runs later in another thread, where the attributes may have changed.
        schedule, boxes, kind, folded = self.schedule, self.boxes, self.row_kind, self.folded
        hidden, jobs = filter.hidden, self.jobs
        self.data, self.hidden = None, hidden
        if schedule is not None and boxes is not None:
            # Until the new layout is ready, scrolling and labels need some rows: those of the plain machine.
            if self._known_rows is None:
                self._known_rows = rows_of(schedule.cluster, "processors")

            def make() -> GanttData:
                data = gantt_data(schedule, boxes, kind, folded)
                return data if hidden is None or jobs is None else data.only(hidden.mask(jobs))

            self.data = LazyValue(make)

    def classify(self, filter: Filter, theme: Theme, until: Classes | None = None) -> None:
        """Give each job its colour; `until` that is done, these classes are shown."""
        jobs, mode, dark, filtered = self.jobs, self.mode, theme.dark, filter.expression
        self.classes = (
            None if jobs is None else LazyValue(lambda: classify(jobs, mode, dark, filtered), until)
        )

    @property
    def baseline(self) -> OtherRun | None:
        """The run that starts are compared with; None if there is no other run."""
        return next(iter(self.others), None)

    @property
    def jobs(self) -> Jobs | None:
        """The jobs of the schedule, with what is known of their ends and of the baseline."""
        schedule, (baseline, name, _) = self.schedule, self.baseline or (None, "", "")
        known = self.tardiness, baseline, self.eet
        return None if schedule is None else Jobs(schedule.trace, schedule, *known, baseline_name=name)

    @property
    def laid_out(self) -> GanttData | None:
        """The data that are drawn, as soon as they have their rows."""
        return None if self.data is None else self.data.value

    @property
    def rows(self) -> Rows | None:
        """The shown rows; the old rows until the new layout is ready, so that labels do not jump."""
        if (data := self.laid_out) is not None:
            self._known_rows = data.rows
        return self._known_rows

    @property
    def known_classes(self) -> Classes | None:
        """The classes of colours, as soon as they are computed."""
        return None if self.classes is None else self.classes.value

    @property
    def entries(self) -> LegendEntries | None:
        """The meaning of the legend's entries, once it is known."""
        classes = self.known_classes
        if classes is None or self.schedule is None:
            return None
        return LegendEntries(self.schedule.trace, self.mode, classes)

    def legend(self, picked: frozenset[int] | None, theme: Theme) -> Swatches | None:
        """The colours with their names; None if they are not known yet. `picked` are the
        classes of the selected jobs."""
        classes, layered = self.known_classes, self.layered
        if classes is None or self.schedule is None:
            return None
        hatched = layered.hatched(self.layers, self.row_kind, theme) if layered is not None else ()
        return Swatches(classes.entries, classes.ordered, picked, hatched)
