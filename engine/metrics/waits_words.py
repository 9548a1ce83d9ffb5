"""Waits by kind of reason in a sentence: whose waiting is most of all made of what."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.metrics.waits import BY, KINDS, Waits
from engine.schedule.schedule import Decision, Limit, Schedule
from engine.schedule.wait_pieces import keeps_reasons, wait_pieces
from engine.shown_text import shown_name
from engine.shown_values import format_mib
from engine.words import format_seconds, plural

Ints = NDArray[np.int64]

_LEAST_SHARE = 0.05
"""The part of all waits that a group has at least to be spoken of."""

_TOLD = ("limits", "dependencies", "reservations", "not reached", "held", "stopped runs", "priority")
"""The kinds about which something can be done, which are told rather than a lack of room."""

_LIMIT_NAMES = {
    Limit.USER_JOBS: "the limit max_user_jobs",
    Limit.USER_CPUS: "the limit max_user_cpus",
    Limit.QUEUE_CPUS: "the limit max_queue_cpus",
}
_UNITS = {"cpus": "CPU", "gpu": "GPU", "billing": "unit of billing"}


def waits_sentence(schedule: Schedule, waits: Waits) -> str:
    """The largest part of a group's waits that is no lack of room, or the largest; empty where nobody waits.

    Groups with less than a twentieth of all waits are passed over. The share is that of the schedule,
    rounded down, so that it is at least as large.
    """
    total = int(waits.seconds.sum())
    if total == 0:
        return ""
    kinds = list(KINDS)
    # Of very many groups none may be that large: the one that waited longest is told of all the same.
    large = np.flatnonzero(waits.seconds >= min(_LEAST_SHARE * total, waits.seconds.max()))
    told = [kinds.index(kind) for kind in _TOLD if kinds.index(kind) in waits.shown]
    best = _largest(waits, large, told) or _largest(waits, large, waits.shown)
    if best is None:
        return ""
    group, kind = best
    share = int(100 * waits.shares[group, kind])
    whose = " and ".join(
        f"{field} {shown_name(name)}" for field, name in zip(waits.by, waits.names[group], strict=True)
    )
    what = _named_limit(schedule, waits, group) if kinds[kind] == "limits" else ""
    seems = "seems to be" if waits.inferred else "is"
    text = f"{share} % of the waiting of {whose} {seems} {what or _WORDS[kinds[kind]]}"
    return f"{text}, of {format_seconds(int(waits.seconds[group]))} in all."


_WORDS = {
    "resources": "for resources that were not free",
    "priority": "behind jobs of higher priority",
    "limits": "at limits",
    "reservations": "for what was kept for others",
    "dependencies": "for jobs that it depends on",
    "not reached": "for passes that did not reach it",
    "held": "on hold",
    "stopped runs": "in runs that were stopped",
    "next pass": "for the next pass",
    "not known": "for something that the log does not tell",
}


def _largest(waits: Waits, groups: Ints, kinds: Sequence[int]) -> tuple[int, int] | None:
    """The group and the kind with the most seconds together, of these."""
    if not len(kinds) or not len(groups):
        return None
    seconds = waits.parts[groups][:, list(kinds)]
    place = int(seconds.argmax())
    row, column = divmod(place, len(kinds))
    return (int(groups[row]), int(kinds[column])) if seconds[row, column] > 0 else None


def _named_limit(schedule: Schedule, waits: Waits, group: int) -> str:
    """The limit, if a single one makes up all that a group waits at limits; else nothing."""
    if not keeps_reasons(schedule):
        return ""
    own = np.ones(len(schedule.trace), np.bool_)
    for field, name in zip(waits.by, waits.names[group], strict=True):
        column = BY[field](schedule.trace)
        own &= column.codes == column.names.index(name)
    pieces = wait_pieces(schedule)
    kinds = (Decision.LIMIT, Decision.SITE_LIMIT)
    values = np.unique(pieces.value[own[pieces.job] & np.isin(pieces.kind, kinds)])
    if len(values) != 1:
        return ""
    value, limits = int(values[0]), schedule.site_limits
    if limits is None:
        return f"at {_LIMIT_NAMES[Limit(value)]}"
    held = limits.held_by(value)
    if held.sort == "jobs":
        return f"at the limit of {plural(held.most, 'job')} of {held.owner}"
    amount = plural(held.most, _UNITS.get(held.resource, held.resource))
    if held.resource == "ram":
        amount = f"{format_mib(held.most)} of RAM"
    return f"at the limit of {amount}{'' if held.sort == 'amount' else ' times minutes'} of {held.owner}"
