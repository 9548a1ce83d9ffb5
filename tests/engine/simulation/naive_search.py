"""Local search for a better plan: every trial is judged from the whole plan, and undone by copying."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from engine.policy.penalty import penalties
from engine.simulation.workload import policy_workload
from tests.engine.simulation.naive_kept import earliest, in_turn
from tests.engine.simulation.naive_machine import Hold, Job

if TYPE_CHECKING:
    from tests.engine.simulation.naive import NaiveSimulation

Values = dict[str, float]
Searched = tuple[int, int, int, int, float, Values, Values]
"""When it was, jobs that waited, moves that were tried and kept, the gain, and criteria before and after."""


def draw(sim: NaiveSimulation) -> int:
    sim.random = sim.random * 48271 % (2**31 - 1)
    return sim.random


def improve(sim: NaiveSimulation, now: int) -> bool:
    """Whether nothing more was found in as many trials in a row as there are moves."""
    policy = sim.policy
    waiting = in_turn(sim)
    if len(waiting) < 2:
        return True
    moved = {job.number: -len(waiting) for job in waiting}
    first, tried, kept = values(sim, waiting), 0, 0
    gained, best, best_plan = 0.0, 0.0, slots(waiting)
    moves = [(job, job) for job in waiting]
    if policy.search != "gap":
        apart = range(1, len(waiting) // 2 + 1)
        moves = [(job, waiting[(at + by) % len(waiting)]) for by in apart for at, job in enumerate(waiting)]
        moves = moves[
            : math.comb(len(waiting), 2)
        ]  # half of the last ones are the other half the other way round
    at, stride = draw(sim), 1 + draw(sim) % len(moves)
    while math.gcd(stride, len(moves)) != 1:
        stride += 1
    since_best = 0
    for trial in range(policy.trials):
        since_best += 1
        if since_best > len(moves):
            break
        at += stride
        one, other = moves[at % len(moves)]
        recent = trial - len(waiting) // 2
        if policy.search == "tabu" and (moved[one.number] > recent or moved[other.number] > recent):
            continue
        if begin(one) > begin(other):
            one, other = other, one
        before, was = values(sim, waiting), slots(waiting)
        one.slot = other.slot = None
        if other is not one:
            other.slot = earliest(sim, other, now)
        one.slot = earliest(sim, one, now)
        tried += 1
        if other is not one and begin(other) == was[other.number].begin:
            restore(waiting, was)
            continue
        gains = gain(policy.criteria, before, values(sim, waiting))
        allowed = begin(one) <= max(was[one.number].begin, one.latest)
        heat = 0.05 * (1 - trial / policy.trials)
        if allowed and gains <= 1e-9:
            allowed = policy.search == "annealing" and draw(sim) / (2**31 - 1) < math.exp(
                min(gains / heat, 0)
            )
        if not allowed:
            restore(waiting, was)
            continue
        kept += 1
        moved[one.number] = moved[other.number] = trial
        gained += gains
        if gained > best + 1e-9:
            best, best_plan, since_best = gained, slots(waiting), 0
    if policy.search == "annealing" and gained < best - 1e-9:
        for job in waiting:
            job.slot = None
        for job in sorted(waiting, key=lambda job: (best_plan[job.number].begin, job.number)):
            job.slot = earliest(sim, job, now)
    sim.searches.append((now, len(waiting), tried, kept, gained, first, values(sim, waiting)))
    return since_best > len(moves)


def begin(job: Job) -> int:
    assert job.slot is not None
    return job.slot.begin


def slots(waiting: list[Job]) -> dict[int, Hold]:
    return {job.number: job.slot for job in waiting if job.slot is not None}


def restore(waiting: list[Job], was: dict[int, Hold]) -> None:
    for job in waiting:
        job.slot = was[job.number]


def values(sim: NaiveSimulation, waiting: list[Job]) -> Values:
    """Each criterion of the plan."""
    work = policy_workload(sim.trace, sim.cluster, sim.policy, sim.trace.walltime)
    weight = penalties(work, sim.policy.penalty) * sim.cluster.cpus
    waits: dict[int, int] = defaultdict(int)
    use: dict[int, float] = defaultdict(float)
    for job in sim.stopped + sim.ended:
        waits[job.user] += job.start - job.submit
        use[job.user] += weight[job.number] * job.runtime
    for job in sim.running:
        waits[job.user] += job.start - job.submit
        use[job.user] += weight[job.number] * sim.rest(job, job.first_estimate)
    planned = [begin(job) - job.submit for job in waiting]
    for job, wait in zip(waiting, planned, strict=True):
        waits[job.user] += wait
        use[job.user] += weight[job.number] * sim.rest(job, job.first_estimate)
    lengths = [sim.rest(job, job.first_estimate) for job in waiting]
    nuwt = [waits[user] / max(use[user], 1) for user in use]
    mean = sum(nuwt) / len(nuwt)
    slowdowns = [max(1, (w + d) / max(d, 10)) for w, d in zip(planned, lengths, strict=True)]
    late, fair = [0] * len(waiting), [0.0] * len(waiting)
    responses = [w + d for w, d in zip(planned, lengths, strict=True)]
    procs = policy_workload(sim.trace, sim.cluster, sim.policy, sim.trace.walltime).need[:, 0]
    areas = [int(procs[job.number]) * d for job, d in zip(waiting, lengths, strict=True)]
    if sim.eet:
        ends = [job.submit + one for job, one in zip(waiting, responses, strict=True)]
        fair = [
            one / max(sim.eet[job.number] - job.submit, 1)
            for job, one in zip(waiting, responses, strict=True)
        ]
        late = [max(0, end - sim.eet[job.number]) for end, job in zip(ends, waiting, strict=True)]
    return {
        "wait": sum(planned) / len(waiting),
        "response": (sum(planned) + sum(lengths)) / len(waiting),
        "slowdown": sum(slowdowns) / len(waiting),
        "nuwt_mean": mean,
        "nuwt_std": math.sqrt(sum((one - mean) ** 2 for one in nuwt) / len(nuwt)),
        "violated": sum(one > 0 for one in late) / len(waiting),
        "tardiness": sum(late) / len(waiting),
        "awq": sum(a * w for a, w in zip(areas, planned, strict=True)) / sum(areas),
        "awf": sum(a * one for a, one in zip(areas, responses, strict=True)) / sum(areas),
        "response_l2": math.sqrt(sum(one**2 for one in responses)),
        "fair_slowdown": sum(fair) / len(waiting),
    }


def gain(criteria: str, before: Values, after: Values) -> float:
    gained = 0.0
    for part in criteria.split(";"):
        name, weight = part.split("=")
        old, new = before[name], after[name]
        change = (old - new) / old if old > 0 else -float(new > 0)
        gained += float(weight) * change
    return gained
