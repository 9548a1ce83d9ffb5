"""The waits of groups of jobs under each run, and the colours of the kinds of reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Ints
from engine.metrics.waits import BY, KINDS, GroupWaits, usual_by, waits_of
from engine.schedule.schedule import Decision
from engine.schedule.wait_pieces import NO_REASON
from engine.shown_text import with_kind
from engine.trace import Trace
from views.data.results import Result
from views.data.wait_kinds import KIND_COLOURS

REASON_COLOURS: dict[str, str] = {
    kind: KIND_COLOURS[None if reasons[0] == NO_REASON else Decision(reasons[0])]
    for kind, reasons in KINDS.items()
}
"""The colour of each kind: that of its first reason in the inspector."""


@dataclass(frozen=True, eq=False)
class RunWaits:
    """The waits of the groups of a run; `codes`, (g,), are the groups among all that the log has."""

    result: Result
    waits: GroupWaits
    codes: Ints


def run_waits(results: Sequence[Result], by: str) -> tuple[RunWaits, ...]:
    """The waits of the measured jobs of each run, in order of the runs."""
    made = []
    for result in results:
        waits = waits_of(result.schedule, (by,), result.measured)
        # Waits have names alone; selections, tables and the order of weeks need the codes of the log.
        code_of = {name: code for code, name in enumerate(BY[by](result.schedule.trace).names)}
        codes = np.array([code_of[names[0]] for names in waits.names], np.int64)
        made.append(RunWaits(result, waits, codes))
    return tuple(made)


def by_known(trace: Trace, wanted: str) -> str:
    """The grouping that is wanted; where the log does not tell accounts apart, the first that it does."""
    return usual_by(trace) if wanted == "account" else wanted


def codes_in_order(runs: Sequence[RunWaits], by: str) -> list[int]:
    """The groups that waited under any run, the longest waits in all runs together first.

    Weeks are in order of time, from the first in which anybody waited to the last.
    """
    seconds: dict[int, int] = {}
    for run in runs:
        for code, waited in zip(run.codes.tolist(), run.waits.seconds.tolist(), strict=True):
            seconds[code] = seconds.get(code, 0) + waited
    if by == "week":
        # Codes of weeks are in order of time: a week in which nobody waited keeps its place between others.
        return list(range(min(seconds, default=0), max(seconds, default=-1) + 1))
    return sorted(seconds, key=lambda code: (-seconds[code], code))


def kinds_shown(runs: Sequence[RunWaits]) -> list[str]:
    """The kinds of reasons for which anybody waited, in the order of KINDS."""
    return [kind for place, kind in enumerate(KINDS) if any(place in run.waits.shown for run in runs)]


def group_words(by: str, name: str) -> str:
    """`account phys`, `no partition`, `week of 2024-01-01`."""
    return with_kind("week of" if by == "week" else by, name)
