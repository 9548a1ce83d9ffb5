"""The selected jobs, as far as a Gantt chart shows them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from views.data.gantt.data import GanttData
from views.state.selection import Selection


def chosen_jobs(data: GanttData, selection: Selection) -> NDArray[np.int64]:
    """The selected jobs that are shown, ascending; others may still be of another trace."""
    jobs = selection.known_jobs(len(data.entry))
    return np.asarray(jobs[data.entry[jobs] >= 0])


def single_selected(data: GanttData | None, selection: Selection) -> int | None:
    """The selected job, if it is shown; None if several are selected."""
    if data is None or len(selection.jobs) != 1:  # there may be very many
        return None
    chosen = chosen_jobs(data, selection)
    return int(chosen[0]) if len(chosen) else None
