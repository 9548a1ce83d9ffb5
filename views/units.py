"""What a single value of a chart belongs to, and what picking it selects."""

from __future__ import annotations

from engine.metrics.groups import GROUPINGS
from engine.trace import Trace
from views.measures import OVERS, Over
from views.names import with_kind
from views.selection import Selection, SelectionModel
from views.words import plural


def unit_name(trace: Trace, over: Over, unit: int) -> str:
    """A user, queue or class by its code, a job by its index, in words."""
    if over == "job":
        return f"job {trace.job_id[unit]} of user {trace.user.names[trace.user.codes[unit]]}"
    name = GROUPINGS[over](trace).names[unit]
    return name if over == "class" else with_kind(over, name)


def select_unit(selection: SelectionModel, trace: Trace, over: Over, unit: int, toggle: bool) -> None:
    """Select a user, queue or job; a class of jobs is nothing that can be selected."""
    if over == "user":
        selection.select_user(unit, toggle)
    elif over == "queue":
        selection.select_queue(unit, toggle)
    elif over == "job":
        selection.select_job(trace, unit, toggle)


def selected_units(trace: Trace | None, over: Over, value: Selection) -> list[int]:
    """The selected users, queues or jobs that this trace has, ascending."""
    if trace is None:
        return []
    there = {
        "user": (value.users, len(trace.user.names)),
        "queue": (value.queues, len(trace.queue.names)),
        "job": (value.jobs, len(trace)),
    }
    units, many = there.get(over, (frozenset(), 0))
    return sorted(unit for unit in units if unit < many)


def spell_selected(trace: Trace | None, over: Over, units: list[int]) -> str:
    """The selected ones in words, behind the mark that they have in charts."""
    if trace is None or not units:
        return ""
    return f"◆ {unit_name(trace, over, units[0]) if len(units) == 1 else plural(len(units), over)}"


def click_hint(over: Over) -> str:
    """What a click on a dot does."""
    return f"Click a dot to select its {over}" if over != "class" else f"Dots are {OVERS[over]}"
