"""Runs of sites in a comparison: the spread that chance gives them, and which what-ifs can be believed."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.schedule.schedule import Schedule
from engine.slurm.scheduler.phases import PhaseSpread, misleads, phase_spread, phased_change
from engine.words import format_seconds, plural

Spreads = Mapping[int, PhaseSpread]
"""The spread of each run of a site that is repeated in several phases, by its place."""


def spreads_of(schedules: Sequence[Schedule]) -> Spreads:
    """Repeat the runs of sites in further phases of slurmctld's loops. Raises Cancelled."""
    found = {place: phase_spread(schedule) for place, schedule in enumerate(schedules)}
    return {place: spread for place, spread in found.items() if spread is not None}


def reference_site(schedules: Sequence[Schedule]) -> int | None:
    """The place of the first site, which the other sites are changes of; None without one."""
    return next((place for place, each in enumerate(schedules) if each.policy.site is not None), None)


def believable(
    names: Sequence[str], schedules: Sequence[Schedule], spreads: Spreads, baseline: int, *, doubtful: bool
) -> list[int]:
    """The places of the runs that are shown: all, but for what-ifs of a site whose model misleads.

    These are named on standard error; `doubtful` shows them. Raises InputError where the baseline is one.
    """
    first = reference_site(schedules)
    everything = list(range(len(schedules)))
    if first is None or doubtful or not misleads(schedules[first], spreads.get(first)):
        return everything
    hidden = [place for place in everything[first + 1 :] if schedules[place].policy.site is not None]
    why = f"the model of {names[first]} has accounts in another order than the log; --doubtful shows it"
    if baseline in hidden:
        raise InputError(f"{names[baseline]}: a what-if that cannot be the baseline: {why}")
    for place in hidden:
        print(f"{names[place]}: not shown: {why}", file=sys.stderr)
    return [place for place in everything if place not in hidden]


def spread_lines(
    names: Sequence[str], schedules: Sequence[Schedule], spreads: Spreads, jobs: NDArray[np.bool_]
) -> list[str]:
    """What phases make of the mean waits of `jobs`, (n,), and of changes from the first site to others."""
    first = reference_site(schedules)
    if first is None or first not in spreads:
        return []
    means = spreads[first].mean_waits(jobs)
    low, high = format_seconds(means.min()), format_seconds(means.max())
    phases = plural(len(means), "phase")
    lines = [f"{names[first]}: mean wait {low} to {high} over {phases} of slurmctld's loops"]
    for place, spread in spreads.items():
        # Jobs and their order are those of the same log, so that rows of both spreads are the same jobs.
        if place != first and (change := phased_change(spreads[first], spread, jobs)) is not None:
            lines.append(f"{names[place]} against {names[first]}: mean wait {change.sentence}")
    return lines


def spread_facts(spread: PhaseSpread | None, jobs: NDArray[np.bool_]) -> dict[str, object] | None:
    """The mean waits over phases, s, for programs; None for a run that is not repeated."""
    if spread is None:
        return None
    return {"count": len(spread), "wait_mean": spread.mean_waits(jobs).tolist()}
