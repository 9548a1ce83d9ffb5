"""Expected end times: when a job would end if its user had a share of the machine alone."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.compiler.kernels import kernel
from engine.errors import InputError
from engine.fairness.batches import bags_of, with_bag_ends
from engine.row_groups import grouped
from engine.schedule.schedule import Schedule
from engine.trace import MISSING, Trace

_MOST_NEEDED = 2.0**62
"""Unit-seconds (MiB-seconds) of one job that 64-bit sums can still hold."""


def schedule_eet(
    schedule: Schedule,
    capacity: Ints,
    exact_last: bool = False,
    half_life: int | None = None,
    gap: int | None = None,
) -> Ints:
    """Expected end times of a schedule's jobs, shape (n,), in seconds; MISSING for jobs that were not run.

    The runtimes are those of the schedule (the log's own, for the recorded one), the processors those that
    the job occupied, RAM and other resources those that it requested. `capacity` is that of `Share.capacity`:
    of shape (users, 1) for processors alone, (users, 2) with MiB of RAM, and so on. Jobs that were not run
    use nothing of their user's share. With `half_life` (s) recent use lowers the share, see
    `expected_end_times`. The jobs of a workflow, if the trace has its dependencies on, and with `gap` (s)
    those of a bag of tasks, all get the latest EET among them.
    """
    ran = schedule.ran
    trace = schedule.trace
    amounts = amounts_of(trace, schedule.procs, capacity.shape[1])
    recent = exact_last, half_life
    if ran.all() and schedule.came is None:  # nothing is copied where all jobs ran, in the trace's order
        eet = expected_end_times(
            schedule.submit, trace.user.codes, schedule.runtime, amounts, capacity, *recent
        )
    else:
        jobs = np.flatnonzero(ran)
        jobs = jobs[np.argsort(schedule.turn[jobs])]
        eet = np.full(len(trace), MISSING, np.int64)
        eet[jobs] = expected_end_times(
            schedule.submit[jobs],
            trace.user.codes[jobs],
            schedule.runtime[jobs],
            amounts[jobs],
            capacity,
            *recent,
        )
    bags = bags_of(schedule, gap)
    return eet if bags is None else with_bag_ends(eet, bags)


def amounts_of(trace: Trace, procs: Ints, count: int) -> Ints:
    """The amounts of the first `count` shared resources that each job uses, shape (n, count), given its
    processors, shape (n,).
    """
    if count == 1:
        return procs[:, None]
    further = [trace.asked(name) for name in trace.further_resources]
    return np.stack((procs, trace.ram, *further)[:count], axis=1)


def expected_end_times(
    submit: Ints,
    user: NDArray[np.integer],
    runtime: Ints,
    amounts: Ints,
    capacity: Ints,
    exact_last: bool = False,
    half_life: int | None = None,
) -> Ints:
    """EET of each job, shape (n,), in seconds (Toth & Klusacek 2014, Algorithm 1).

    Jobs come in order of arrival. Job j of user u = `user[j]` needs `amounts[j, k]` times `runtime[j]`
    unit-seconds of resource k, from `submit[j]` on and never more than `amounts[j, k]` at once, out of the
    part of `capacity[u, k]` (at least 1, available at every second) that the user's earlier jobs leave. The
    EET is the second after that in which the need is met, of the resource that meets it last. An amount of 0
    or less requests nothing of that resource.

    As in the paper a job's last second takes as much as any other even if less is needed; with `exact_last`
    it takes only the need. `amounts` has shape (n, K), `capacity` (users, K). Raises InputError if a job's
    need would overflow.

    With `half_life`, in seconds and at least 1, recent use lowers a user's share (beyond the paper, which
    names it as future work). Let m be the mean use of the share by the user's earlier jobs over the seconds
    before the job's arrival, where each second weighs half as much as a second one half-life later, and the
    use before the first arrival is 0. The job gets floor(C 2^(-m / C)), at least 1, instead of C =
    `capacity[u, k]` at every second, minus the use of earlier jobs. So a user who took all of the share for a
    long time keeps half of it, as by the fair-share factor 2^(-usage / share) of Slurm's priorities. The use
    is computed by this algorithm, not taken from a schedule: all compared schedules have the same expected
    end times, which depend on earlier arrivals alone.
    """
    if capacity.size and capacity.min() < 1:
        raise ValueError("a share needs at least one unit of each resource")
    # The kernel counts in whole unit-seconds; a need beyond their range is refused before it wraps around.
    for amount in amounts.T if len(amounts) else ():
        need = amount.astype(np.float64)
        need *= runtime
        if (most := need.max()) > _MOST_NEEDED:
            raise InputError(f"a job asks for {most:.3g} unit-seconds: too much to give it an expected end")
        del need  # it is as long as the trace
    # Each resource can only delay the end: the last resource to meet the need decides.
    eet = submit + runtime
    codes = np.array(user, np.int64)
    for k in range(capacity.shape[1]):
        fill_shares(
            np.array(submit, np.int64),
            codes,
            np.array(runtime, np.int64),
            np.array(amounts[:, k], np.int64),
            np.array(capacity[:, k], np.int64),
            exact_last,
            half_life or 0,
            eet,
        )
    return eet


@kernel
def fill_shares(
    submit: Ints,
    user: Ints,
    runtime: Ints,
    amount: Ints,
    capacity: Ints,
    exact_last: bool,
    half_life: int,
    eet: Ints,
) -> None:
    """Raise `eet` to the end times for a single resource, all arrays shape (n,), `capacity` (users,).

    After the newest arrival, the free part of a share never decreases with time: a job changes free into
    max(free - amount, 0) up to its end and does not change it afterwards. So a share is represented by steps,
    each a time and the amount that becomes free then; a job takes the earliest steps up to its own amount,
    and returns them at its end. If the share is lowered for a job (`half_life` > 0) the earliest steps are
    withheld from it.
    """
    order, offset = grouped(user, len(capacity))
    for owner in range(len(capacity)):
        if offset[owner] == offset[owner + 1]:
            continue
        share = capacity[owner]
        since = submit[order[offset[owner]]]
        mean = 0.0
        # All of the share is free from the first arrival on; the heap is ordered by time.
        steps = [(since, share)]
        kept = [(since, share) for _ in range(0)]
        for job in order[offset[owner] : offset[owner + 1]]:
            if amount[job] > 0 and runtime[job] > 0:
                if half_life > 0:
                    mean = mean_use(steps, share, since, submit[job], mean, half_life)
                    since = submit[job]
                    keep_back(steps, kept, share - max(1, int(share * 2.0 ** (-mean / share))))
                end = _take(steps, submit[job], amount[job], amount[job] * runtime[job], exact_last)
                eet[job] = max(eet[job], end)
                # The decayed part is withheld from this job only: later jobs may use it.
                while len(kept) > 0:
                    heapq.heappush(steps, kept.pop())


@kernel
def mean_use(
    steps: list[tuple[int, int]], share: int, since: int, now: int, mean: float, half_life: int
) -> float:
    """The decayed mean use up to `now`, given the mean up to `since`; older steps are merged."""
    free = 0
    # The use is constant between two steps, so that each stretch decays in one go.
    while len(steps) > 0 and steps[0][0] <= now:
        time, more = heapq.heappop(steps)
        if time > since:
            mean = _decayed(mean, share - free, time - since, half_life)
            since = time
        free += more
    # What became free before now is one step at now: no later question is about the past.
    if free > 0:
        heapq.heappush(steps, (now, free))
    return _decayed(mean, share - free, now - since, half_life)


@kernel
def _decayed(mean: float, taken: int, seconds: int, half_life: int) -> float:
    """The mean use after `seconds` more seconds with the constant use `taken`."""
    weight: float = 2.0 ** (-seconds / half_life)
    return taken + (mean - taken) * weight


@kernel
def keep_back(steps: list[tuple[int, int]], kept: list[tuple[int, int]], amount: int) -> None:
    """Move the earliest steps, up to the amount, from `steps` to `kept`."""
    # The earliest steps are withheld: what is free first is what decay takes away.
    while amount > 0:
        time, more = heapq.heappop(steps)
        part = min(more, amount)
        kept.append((time, part))
        if more > part:
            heapq.heappush(steps, (time, more - part))
        amount -= part


@kernel
def _take(steps: list[tuple[int, int]], arrival: int, amount: int, need: int, exact_last: bool) -> int:
    """Take `need` from the share, at most `amount` per second; returns the second after the last."""
    now = arrival
    free = 0
    while True:
        # Steps up to now are merged: they are free for the whole rest of the job.
        while len(steps) > 0 and steps[0][0] <= now:
            free += heapq.heappop(steps)[1]
        # The job runs at its full rate, or nothing more becomes free: the rate is constant from here.
        if free >= amount or len(steps) == 0:
            break
        until = steps[0][0]
        # The need is met before more becomes free, so the next step does not matter.
        if free > 0 and (need - 1) // free < until - now:
            break
        need -= free * (until - now)
        now = until
    rate = min(free, amount)
    # Rounded up: a started second counts as a whole second, as in the paper.
    end = now + (need - 1) // rate + 1
    if free > rate:
        heapq.heappush(steps, (now, free - rate))
    last = need - (end - 1 - now) * rate
    if exact_last and last < rate:
        heapq.heappush(steps, (end - 1, rate - last))
        heapq.heappush(steps, (end, last))
    else:
        heapq.heappush(steps, (end, rate))
    return end
