"""What a click on the legend of a Gantt chart selects: the jobs of a class, by what the colours say."""

from __future__ import annotations

import numpy as np

from engine.trace import Trace
from views.boxes.colours import Classes, ColourMode
from views.selection import Codes, SelectionModel
from views.words import plural


def pick_class(
    model: SelectionModel, trace: Trace, mode: ColourMode, classes: Classes, entry: int, toggle: bool
) -> None:
    """Select the users, the queues or the jobs of a class; with `toggle` they join, or leave, the others."""
    chosen, value = classes.of_job == entry, model.value
    if mode == "user":
        users = frozenset(np.unique(trace.user.codes[chosen]).tolist())
        before: Codes = value.users if not value.jobs else frozenset()
        model.select_users(before ^ users if toggle else users)
    elif mode == "queue":
        queues = frozenset(np.unique(trace.queue.codes[chosen]).tolist())
        model.select_queues(value.queues ^ queues if toggle else queues)
    else:
        jobs = frozenset(np.flatnonzero(chosen).tolist())
        model.select_jobs(trace, value.jobs ^ jobs if toggle else jobs)


def describe_class(classes: Classes, entry: int) -> str:
    """An entry of the legend in words."""
    jobs = plural(int((classes.of_job == entry).sum()), "job")
    return f"{classes.names[entry]}: {jobs}\nClick: select them. Ctrl-click: more of them."
