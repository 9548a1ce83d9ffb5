"""What a click on the legend of a Gantt chart selects or filters: the jobs of a class of colours."""

from __future__ import annotations

import numpy as np

from engine.filter import Expression
from engine.filter.expression import Compare, Not, join
from engine.trace import Trace
from views.boxes.colours import Classes, ColourMode
from views.filter import Filter, FilterModel
from views.names import with_kind
from views.selection import Codes, SelectionModel
from views.words import plural


def pick_class(
    model: SelectionModel, trace: Trace, mode: ColourMode, classes: Classes, entry: int, toggle: bool
) -> None:
    """Select the users, the queues or the jobs of a class; with `toggle` they join, or leave, the others."""
    chosen, value = classes.of_job == entry, model.value
    if mode == "user":
        users = frozenset(np.flatnonzero(classes.of_code == entry).tolist())
        before: Codes = value.users if not value.jobs else frozenset()
        model.select_users(before ^ users if toggle else users)
    elif mode == "queue":
        queues = frozenset(np.flatnonzero(classes.of_code == entry).tolist())
        model.select_queues(value.queues ^ queues if toggle else queues)
    else:
        jobs = frozenset(np.flatnonzero(chosen).tolist())
        model.select_jobs(trace, value.jobs ^ jobs if toggle else jobs)


_FIELDS: dict[ColourMode, str] = {
    "size": "procs",
    "wait": "wait",
    "slowdown": "bounded_slowdown",
    "estimate": "estimate",
    "late": "late",
}
"""The fields of filters that colours stand for; none tells of a change, which is between two runs."""


def class_filter(trace: Trace, mode: ColourMode, classes: Classes, entry: int) -> Expression | None:
    """What the jobs of a class meet; None where no field says that."""
    if mode in ("user", "queue"):
        names = trace.user if mode == "user" else trace.queue
        rest = _is_rest(trace, mode, classes, entry)
        named = tuple(names.names[code] for code in np.flatnonzero((classes.of_code == entry) != rest))
        one = Compare(mode, "=" if len(named) == 1 else "in", named)
        return Not(one) if rest else one
    field, bounds = _FIELDS.get(mode), classes.bounds
    if field is None or entry > len(bounds):
        return None
    low = [Compare(field, ">", (_plain(bounds[entry - 1]),))] if entry else []
    high = [Compare(field, "<=", (_plain(bounds[entry]),))] if entry < len(bounds) else []
    return join("and", *low, *high)


def _is_rest(trace: Trace, mode: ColourMode, classes: Classes, entry: int) -> bool:
    """Whether an entry stands for all users, or queues, that have no colour of their own."""
    names = trace.user if mode == "user" else trace.queue
    return entry == len(classes.names) - 1 and len(names.names) > len(classes.names)


def filter_class(model: FilterModel, trace: Trace, mode: ColourMode, classes: Classes, entry: int) -> None:
    """Look at the jobs of a class alone; at all again where that is so already."""
    expression = class_filter(trace, mode, classes, entry)
    if expression is not None:
        same = model.value.expression == expression
        model.set(Filter() if same else Filter(expression, model.value.hides))


def _plain(bound: float) -> float:
    return int(bound) if bound == int(bound) else bound


def describe_class(trace: Trace, mode: ColourMode, classes: Classes, entry: int) -> str:
    """An entry of the legend in words, and what clicks on it do."""
    jobs = plural(int((classes.of_job == entry).sum()), "job")
    if class_filter(trace, mode, classes, entry) is not None:
        filters = "Double-click: filter by them."
    elif mode == "change":
        filters = "No filter: it asks for jobs of one run, a change is between two."
    else:
        filters = "No filter: it asks for values, and these have none."
    name = classes.names[entry]
    if mode in ("user", "queue") and not _is_rest(trace, mode, classes, entry):
        name = with_kind(mode, name)
    return f"{name}: {jobs}\nClick: select them. Ctrl+click: more of them.\n{filters}"
