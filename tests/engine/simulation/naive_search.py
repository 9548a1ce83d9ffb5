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
    if policy.search == "greedy":
        plan_greedily(sim, waiting, now)
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
        ]  # half of the last moves are the other half in reverse order
    at, stride = draw(sim), 1 + draw(sim) % len(moves)
    while math.gcd(stride, len(moves)) != 1:
        stride += 1
    since_best = 0
    for trial in range(policy.trials):
        since_best += 1
        if since_best > len(moves):
            break
        at += stride
        left, right = moves[at % len(moves)]
        recent = trial - len(waiting) // 2
        if policy.search == "tabu" and (moved[left.number] > recent or moved[right.number] > recent):
            continue
        if begin(left) > begin(right):
            left, right = right, left
        before, was = values(sim, waiting), slots(waiting)
        left.slot = right.slot = None
        if right is not left:
            right.slot = earliest(sim, right, now)
        left.slot = earliest(sim, left, now)
        tried += 1
        # Tasks of several kinds may fit worse into more room: then each gap may be later than the job was.
        if right is not left and begin(right) >= was[right.number].begin:
            restore(waiting, was)
            continue
        gains = gain(str(policy.criteria), before, values(sim, waiting))
        allowed = begin(left) <= max(was[left.number].begin, left.latest)
        heat = 0.05 * (1 - trial / policy.trials)
        if allowed and gains <= 1e-9:
            allowed = policy.search == "annealing" and draw(sim) / (2**31 - 1) < math.exp(
                min(gains / heat, 0)
            )
        if not allowed:
            restore(waiting, was)
            continue
        kept += 1
        moved[left.number] = moved[right.number] = trial
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


def plan_greedily(sim: NaiveSimulation, waiting: list[Job], now: int) -> None:
    """Plan all jobs anew, one at a time: overdue jobs first, then those that gain most for what they use."""
    before = values(sim, waiting)
    weight = weights(sim)
    nuwt = nuwt_of(sim, waiting)
    worths = {job.number: worth_of_a_second(sim, job, waiting, before) for job in waiting}
    used: dict[int, float] = defaultdict(float)
    # What users have used so far, by runtimes as far as they are known; of running jobs what is believed.
    for job in sim.stopped + sim.ended:
        used[job.user] += weight[job.number] * job.runtime
    for job in sim.running:
        likely = likely_runtime(sim, job.user, sim.rest(job, job.first_estimate))
        used[job.user] += weight[job.number] * max(likely, now - job.start)

    # Overdue jobs go first, by how long they are due; then the densest.
    def rank(job: Job) -> tuple[float, float, int]:
        return job.latest if now >= job.latest else math.inf, -density(job), job.number

    def density(job: Job) -> float:
        apart = (nuwt[job.user] - before["nuwt_mean"]) / (before["nuwt_std"] or 1)
        of_user = relative(sim, before, "nuwt_mean", 1 / len(nuwt))
        of_user += relative(sim, before, "nuwt_std", apart / len(nuwt))
        whole = worths[job.number] + of_user / max(used[job.user], 1)
        # The kernel rounds too: ties must be ties in both.
        return forty_bits(whole / (weight[job.number] * sim.rest(job, job.first_estimate)))

    # All slots are dropped, so that each is planned beside those planned before it alone.
    left, planned_later = list(waiting), 0
    for job in waiting:
        job.slot = None
    behind = []
    while left:
        job = min(left, key=rank)
        left.remove(job)
        job.slot = earliest(sim, job, now)
        # Beyond so many jobs that start later, the others are planned behind all.
        if begin(job) > now:
            if sim.policy.plan_depth != "all" and planned_later >= int(sim.policy.plan_depth):
                job.slot = None
                behind.append(job)
            else:
                planned_later += 1
        # A planned job uses the machine, which changes the worth of its user's next one.
        used[job.user] += weight[job.number] * likely_runtime(
            sim, job.user, sim.rest(job, job.first_estimate)
        )
    for job in behind:
        job.slot = earliest(sim, job, now)
    after = values(sim, waiting)
    sim.searches.append(
        (now, len(waiting), 1, 1, gain(str(sim.policy.criteria), before, after), before, after)
    )


def likely_runtime(sim: NaiveSimulation, user: int, length: int) -> float:
    """Of the user's jobs that ended, and one more that took of what it asked for what all did together."""
    everybody = sum(ran for _, ran, _ in sim.taught), sum(asked for _, _, asked in sim.taught)
    ran = sum(ran for job, ran, _ in sim.taught if job == user)
    asked = sum(asked for job, _, asked in sim.taught if job == user)
    usual = length * (everybody[0] / everybody[1]) if everybody[1] else float(length)
    return length * (ran + usual) / (asked + length)


def worth_of_a_second(sim: NaiveSimulation, job: Job, waiting: list[Job], before: Values) -> float:
    """The relative gain where this job starts a second earlier, users' normalized waits apart."""
    many, length = len(waiting), sim.rest(job, job.first_estimate)
    response = begin(job) - job.submit + length
    procs = policy_workload(sim.trace, sim.cluster, sim.policy, sim.trace.walltime).need[:, 0]
    # Areas weigh the waits; each job's part is what a second of it is worth.
    areas = {
        user_of.number: int(procs[user_of.number]) * sim.rest(user_of, user_of.first_estimate)
        for user_of in waiting
    }
    part = areas[job.number] / sum(areas.values())
    slopes = {
        "wait": 1 / many,
        "response": 1 / many,
        "slowdown": 1 / many / max(length, 10),
        "awq": part,
        "awf": part,
        # The slope of the root of a sum of squares, with the values of before.
        "response_l2": response / max(before["response_l2"], 1),
    }
    if sim.eet:
        promised = sim.eet[job.number] - job.submit
        slopes["fair_slowdown"] = 1 / many / max(promised, 1)
    return sum(relative(sim, before, name, slope) for name, slope in slopes.items())


def relative(sim: NaiveSimulation, before: Values, name: str, slope: float) -> float:
    weights = dict(part.split("=") for part in str(sim.policy.criteria).split(";"))
    return float(weights.get(name, 0)) * slope / before[name] if before[name] > 0 else 0.0


def forty_bits(number: float) -> float:
    mantissa, exponent = math.frexp(number)
    return math.ldexp(math.floor(mantissa * 2**40 + 0.5), exponent - 40)


def begin(job: Job) -> int:
    assert job.slot is not None
    return job.slot.begin


def slots(waiting: list[Job]) -> dict[int, Hold]:
    return {job.number: job.slot for job in waiting if job.slot is not None}


def restore(waiting: list[Job], was: dict[int, Hold]) -> None:
    for job in waiting:
        job.slot = was[job.number]


def weights(sim: NaiveSimulation) -> list[float]:
    """Processors that each job counts for, by its penalty."""
    work = policy_workload(sim.trace, sim.cluster, sim.policy, sim.trace.walltime)
    return [float(share) * sim.cluster.cpus for share in penalties(work, sim.policy.penalty)]


def nuwt_of(sim: NaiveSimulation, waiting: list[Job]) -> dict[int, float]:
    """The normalized wait of each user who has jobs that wait or have started."""
    weight = weights(sim)
    waits: dict[int, int] = defaultdict(int)
    use: dict[int, float] = defaultdict(float)
    for job in sim.stopped + sim.ended:
        waits[job.user] += job.start - job.submit
        use[job.user] += weight[job.number] * job.runtime
    for job in sim.running:
        waits[job.user] += job.start - job.submit
        use[job.user] += weight[job.number] * sim.rest(job, job.first_estimate)
    for job in waiting:
        waits[job.user] += begin(job) - job.submit
        use[job.user] += weight[job.number] * sim.rest(job, job.first_estimate)
    return {user: waits[user] / max(use[user], 1) for user in use}


def values(sim: NaiveSimulation, waiting: list[Job]) -> Values:
    """Each criterion of the plan."""
    planned = [begin(job) - job.submit for job in waiting]
    lengths = [sim.rest(job, job.first_estimate) for job in waiting]
    nuwt = list(nuwt_of(sim, waiting).values())
    mean = sum(nuwt) / len(nuwt)
    # Slowdowns are bounded by ten seconds and by 1.
    slowdowns = [max(1, (w + d) / max(d, 10)) for w, d in zip(planned, lengths, strict=True)]
    late, fair = [0] * len(waiting), [0.0] * len(waiting)
    responses = [w + d for w, d in zip(planned, lengths, strict=True)]
    procs = policy_workload(sim.trace, sim.cluster, sim.policy, sim.trace.walltime).need[:, 0]
    areas = [int(procs[job.number]) * d for job, d in zip(waiting, lengths, strict=True)]
    # Without expected ends nothing is late.
    if sim.eet:
        ends = [job.submit + response for job, response in zip(waiting, responses, strict=True)]
        fair = [
            response / max(sim.eet[job.number] - job.submit, 1)
            for job, response in zip(waiting, responses, strict=True)
        ]
        late = [max(0, end - sim.eet[job.number]) for end, job in zip(ends, waiting, strict=True)]
    return {
        "wait": sum(planned) / len(waiting),
        "response": (sum(planned) + sum(lengths)) / len(waiting),
        "slowdown": sum(slowdowns) / len(waiting),
        "nuwt_mean": mean,
        "nuwt_std": math.sqrt(sum((user_of - mean) ** 2 for user_of in nuwt) / len(nuwt)),
        "violated": sum(user_of > 0 for user_of in late) / len(waiting),
        "tardiness": sum(late) / len(waiting),
        "awq": sum(a * w for a, w in zip(areas, planned, strict=True)) / sum(areas),
        "awf": sum(a * response for a, response in zip(areas, responses, strict=True)) / sum(areas),
        "response_l2": math.sqrt(sum(response**2 for response in responses)),
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
