"""The unit that a value of a chart belongs to, and how to select it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.metrics.groups import GROUPINGS
from engine.trace import Trace
from views.data.measures import OVERS, Over
from views.data.unit_name import unit_name
from views.state.selection import Selection, SelectionModel
from views.text.counts import plural


def select_units(
    selection: SelectionModel, trace: Trace, over: Over, units: Sequence[int], toggle: bool
) -> None:
    """Select users, queues or jobs, or the jobs of classes.

    With `toggle` they are added to the selection, or removed if all of them are selected already.
    """
    value, codes = selection.value, frozenset(int(unit) for unit in units)
    # A class of jobs is no item of a selection: its jobs are selected instead.
    if over == "class":
        wanted = np.isin(GROUPINGS[over](trace).codes, units)
        codes = frozenset(np.flatnonzero(wanted).tolist())
    # Users that are selected along with a job were not chosen by themselves.
    present = {"user": value.users if not value.jobs else frozenset[int](), "queue": value.queues}
    if toggle:
        # All of them were selected: taken away. Otherwise those that lack are added.
        before = present.get(over, value.jobs)
        codes = before - codes if codes <= before else before | codes
    if over == "user":
        selection.select_users(codes)
    elif over == "queue":
        selection.select_queues(codes)
    else:
        selection.select_jobs(trace, codes)


def selected_units(trace: Trace | None, over: Over, value: Selection) -> list[int]:
    """The selected users, queues or jobs that this trace has, ascending."""
    if trace is None:
        return []
    there = {
        "user": (value.users, len(trace.user.names)),
        "queue": (value.queues, len(trace.queue.names)),
        "job": (value.jobs, len(trace)),
    }
    units, count = there.get(over, (frozenset(), 0))
    return sorted(unit for unit in units if unit < count)


def describe_selected(trace: Trace | None, over: Over, units: list[int]) -> str:
    """The selected units in words, after the marker that they have in charts."""
    if trace is None or not units:
        return ""
    return f"◆ {unit_name(trace, over, units[0]) if len(units) == 1 else plural(len(units), over)}"


def click_hint(what: str, over: Over) -> str:
    """Describe the effect of a click on a dot, a bar or a curve."""
    several = what == "bar" or over == "class"
    return f"Click a {what} to select its {'jobs' if over == 'class' else OVERS[over] if several else over}"
