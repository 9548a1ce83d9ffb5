"""A change of a site's rules on a log: both are simulated, and held against the record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.arrays import Mask
from engine.dates import parse_time
from engine.errors import InputError
from engine.policy.policy import Policy, site_policy
from engine.reading.log import Log
from engine.report.rule_change import RuleChange, rule_change
from engine.run_source import schedule_of
from engine.schedule.accuracy import TwinAccuracy, accuracy_of
from engine.schedule.schedule import Schedule
from engine.simulation.control import Control, thread_pool
from engine.simulation.stages import Stages
from engine.slurm.scheduler.phases import PhaseSpread, phase_spread, phases_of
from engine.slurm.site.reservations import Reservation


@dataclass(frozen=True, eq=False)
class ChangedSite:
    """What a change of a site's rules did, with the schedules of the whole log by the rules before and after.

    `policies` are those of both sites' files. `first` is the schedule by the rules before, with its accuracy
    on the jobs submitted before the change; `second` that by the rules after it, on those submitted after. An
    accuracy is None where no such job ran.
    """

    policies: tuple[Policy, Policy]
    change: RuleChange
    first: Schedule
    second: Schedule
    accuracies: tuple[TwinAccuracy | None, TwinAccuracy | None]

    @property
    def verdicts(self) -> tuple[str, ...]:
        """How far both models are to be believed, a sentence each, as far as it is known.

        The new rules are a change of the old ones, and carry their verdict; the record after the change is
        told beside it.
        """
        old, new = self.accuracies
        lines = [] if old is None else [f"Old rules, by the jobs before the change: {old.verdict}."]
        if old is not None and new is not None and new.brief:
            lines.append(
                "New rules: a what-if of the old rules, with their verdict; by the jobs after the change, "
                f"{new.brief}."
            )
        elif new is not None:
            lines.append(f"New rules, by the jobs after the change: {new.verdict}.")
        return tuple(lines)

    @property
    def sentence(self) -> str:
        """What changed, how much of it the rules explain, and how sure that is."""
        return self.change.sentence

    def __repr__(self) -> str:
        return f"<change of a site: {self.sentence}>"


def check_sites(*policies: Policy) -> None:
    """Raise InputError for a policy that is not a site's own Slurm, or whose files say nothing of any."""
    for policy in policies:
        if policy.site is None:
            raise InputError(f"{policy}: give the files of a site, site:DIR or a slurm.conf")
        conf = policy.site.conf
        if not (conf.has_nodes or conf.partitions or conf.options):
            raise InputError(f"{conf.path}: this is no slurm.conf: it has no node, partition or setting")


def site_change(
    log: Log, at: str, before: Policy, after: Policy, stages: Stages | None = None
) -> ChangedSite:
    """Simulate a log by the rules before and after a change, and compare the waits.

    Each simulation is repeated with several phases of Slurm's loops (`phase_spread`), which tells by
    how much waits vary without a change.

    A reservation is no rule, but something that happened: those of both sites hold under both rules. Jobs
    that were submitted before the change meet those alone that the earlier files name.

    The log is read for the machine of the first site, as a comparison reads it.

    `at` is an ISO date in the log's time zone, or seconds from its zero. `stages` tells progress and cancels.
    Raises Cancelled, and InputError for policies that are no sites, logs without starts and dates outside of
    the log.
    """
    check_sites(before, after)
    log = log.on_site_machine([before, after])
    trace = log.trace
    if not trace.has_recorded_schedule:
        raise InputError(f"{trace.name}: the log does not say when its jobs started: nothing can be compared")
    moment = parse_time(at, trace)
    for jobs, side in ((trace.submit < moment, "before"), (trace.submit >= moment, "after")):
        if not jobs.any():  # known before minutes of simulations
            raise InputError(f"{trace.name}: no job ran that was submitted {side} this date")
    stages = stages or Stages(Control())
    control = stages.control
    # Both rules under each set of reservations: the runs of the rules before, then those of the rules after.
    reservations = _reservations(before, after)
    policies = [_with(policy, reserved) for policy in (before, after) for reserved in reservations]
    stages.count = len(policies) * phases_of(len(trace))

    def schedule_by(policy: Policy) -> Schedule:
        schedule = schedule_of(trace, log.machine(policy), policy, control=control)
        stages.end()
        return schedule

    with thread_pool(2) as workers:
        schedules = list(workers.map(schedule_by, policies))
    spreads = [phase_spread(schedule, control, stages.end) for schedule in schedules]
    earlier, half = trace.submit < moment, len(reservations)
    first, second = (_joined(part, earlier) for part in (schedules[:half], schedules[half:]))
    before_spread, after_spread = (_joined_spread(part, earlier) for part in (spreads[:half], spreads[half:]))
    phases = None if before_spread is None or after_spread is None else (before_spread, after_spread)
    # A configuration is held against the record only where it was in force.
    accuracies = accuracy_of(first, earlier), accuracy_of(second, ~earlier)
    return ChangedSite((before, after), rule_change(first, second, moment, phases), first, second, accuracies)


def _reservations(before: Policy, after: Policy) -> list[tuple[Reservation, ...]]:
    """The reservations that jobs before the change meet, and those that later jobs meet, if these differ.

    A reservation of both sites ends when the later files say.
    """
    old, new = (policy.site.reservations if policy.site is not None else () for policy in (before, after))
    both = {(each.name, each.start): each for each in (*old, *new)}
    return list(dict.fromkeys([old, tuple(both.values())]))


def _with(policy: Policy, reservations: tuple[Reservation, ...]) -> Policy:
    """The policy of a site with other reservations."""
    assert policy.site is not None
    return site_policy(replace(policy.site, reservations=reservations))


def _joined(schedules: Sequence[Schedule], earlier: Mask) -> Schedule:
    """A schedule with the starts of the earlier jobs in the first of two, and of the others in the second."""
    early, late = schedules[0], schedules[-1]
    start = np.where(earlier, early.start, late.start)
    return replace(late, start=start, end=np.where(earlier, early.end, late.end))


def _joined_spread(spreads: Sequence[PhaseSpread | None], earlier: Mask) -> PhaseSpread | None:
    """Waits in phases, joined as `_joined` joins schedules; None where there are none."""
    early, late = spreads[0], spreads[-1]
    if early is None or late is None:
        return None
    return PhaseSpread(np.where(earlier, early.wait, late.wait))
