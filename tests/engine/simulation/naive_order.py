"""In what order waiting jobs come: every key from its definition, at every pass anew."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import numpy as np

from engine.fairness.batches import bag_ends
from engine.fairness.eet import expected_end_times
from engine.policy.policy import parse_policy
from engine.schedule.schedule import Schedule
from engine.simulation.recorded_run import recorded_schedule
from tests.engine.simulation.naive_machine import Amount, Job, Node, holds
from tests.traces import make_schedule

if TYPE_CHECKING:
    from tests.engine.simulation.naive import NaiveSimulation


def in_order(sim: NaiveSimulation, now: int) -> list[Job]:
    """The waiting jobs as a pass comes to them."""
    limit = sim.policy.threshold
    if sim.policy.order == "auction":
        sim.credits.set_bids(sim.queue, [bid(sim, job, now) for job in sim.queue], now)
    # Jobs that have waited beyond the threshold go before all others, in order of submission.
    starved = [job for job in sim.queue if limit is not None and now - job.submit > limit]
    others = [job for job in sim.queue if job not in starved]
    keys = {job: order_key(sim, job, now) for job in others}
    others.sort(key=lambda job: (keys[job], job.number))
    # Ties go by number, which is the order of submission.
    return sorted(starved, key=lambda job: job.number) + others


def in_backfill_order(sim: NaiveSimulation, jobs: list[Job]) -> list[Job]:
    """The jobs behind the reservations; they come in the queue's own order."""
    if sim.policy.backfill == "queue":
        return jobs
    return sorted(jobs, key=lambda job: (backfill_key(sim, job), job.number))


def order_key(sim: NaiveSimulation, job: Job, now: int) -> tuple[float, ...]:
    if sim.policy.order == "fairshare":
        return (usage_factor(sim, owner_of(sim, job), now),)
    if sim.policy.order == "slack":
        return (sim.eet[job.number] - job.estimate,)
    if sim.policy.order == "nuwt":
        return (-waited_for_use(sim, job.user, now),)
    if sim.policy.order == "balanced":
        return (-balanced(sim, job, now),)
    if sim.policy.order == "priority":
        # Fixed point, as the kernel sorts: equal priorities must be equal in both.
        return (-math.floor(priority(sim, job, now) * 2**20 + 0.5),)
    if sim.policy.order == "score":
        value = SCORES[str(sim.policy.score)](**known(sim, job, now))
        # A score that is not a number sorts last.
        return (math.inf if math.isnan(value) else -value,)
    if sim.policy.order == "queues":
        return (-worth(sim, job),)
    if sim.policy.order == "auction":
        return (-offer(sim, job, now),)
    key = {
        "fcfs": (),
        "sjf": (job.estimate, job.procs),
        "ljf": (-job.estimate,),
        "saf": (job.procs * job.estimate,),
        "laf": (-job.procs * job.estimate,),
        "widest": (-job.procs,),
        "narrowest": (job.procs,),
    }[sim.policy.order]
    tie = {"fcfs": 0, "longest": -job.estimate, "shortest": job.estimate, "widest": -job.procs}
    # Ties are only for keys of one number; `sjf` breaks its own.
    return (*key, tie[sim.policy.ties]) if len(key) == 1 else key


def backfill_key(sim: NaiveSimulation, job: Job) -> tuple[float, ...]:
    return {
        "fcfs": (),
        "sjf": (job.estimate,),
        "ljf": (-job.estimate,),
        "saf": (job.procs * job.estimate,),
        "laf": (-job.procs * job.estimate,),
        "widest": (-job.procs,),
        "narrowest": (job.procs,),
    }[sim.policy.backfill]


SCORES: dict[str, Callable[..., float]] = {
    "wait": lambda wait, **_: wait,
    "-usage": lambda usage, **_: -usage,
    "(wait / walltime)^3 * procs": lambda wait, walltime, procs, **_: (wait / walltime) ** 3 * procs,
    "-(estimate + procs / 1000000)": lambda estimate, procs, **_: -(estimate + procs / 1000000),
    "wait / estimate": lambda wait, estimate, **_: wait / estimate,
    "if(queued > 3, -area, slack)": lambda queued, area, slack, **_: -area if queued > 3 else slack,
    "ram + nodes - user_queued * hour": lambda ram, nodes, user_queued, hour, **_: (
        ram + nodes - user_queued * hour
    ),
    "log2(submit) * (wait >= 5 and not ram == 0)": lambda submit, wait, ram, **_: (
        math.log2(submit) * (wait >= 5 and ram != 0)
    ),
    "worth / (wait - 3)": lambda worth, wait, **_: (
        worth / (wait - 3) if wait != 3 else math.copysign(math.inf, worth)
    ),
    "0 / wait": lambda wait, **_: math.nan if wait == 0 else 0.0,
}
"""Formulas, and what they mean."""


def known(sim: NaiveSimulation, job: Job, now: int) -> dict[str, float]:
    """All that formulas may name."""
    moment = datetime.fromtimestamp(sim.trace.zero + now, ZoneInfo(sim.trace.timezone))
    return {
        "wait": now - job.submit,
        "walltime": int(sim.trace.walltime[job.number]),
        "estimate": job.estimate,
        "procs": job.procs,
        "area": job.procs * job.estimate,
        "nodes": sum(count for count, _ in job.tasks),
        "ram": max(job.ram, 0),
        "submit": max(job.submit - sim.first, 1),
        "usage": usage_factor(sim, owner_of(sim, job), now) if "usage" in str(sim.policy.score) else 0.0,
        "queued": len(sim.queue),
        "user_queued": sum(other.user == job.user for other in sim.queue),
        "slack": sim.eet[job.number] - now - job.estimate if sim.eet else 0,
        "hour": moment.hour,
        "worth": worth(sim, job) if "worth" in str(sim.policy.score) else 0.0,
    }


def worth(sim: NaiveSimulation, job: Job) -> float:
    """The job's bid, or the number of its queue, for values that are drawn from a normal distribution."""
    _, mean, spread = str(sim.policy.valuation).split(":")
    # All values are drawn at once from the seed, so that a job's value does not depend on when it is asked
    # for.
    draw = np.random.default_rng(sim.policy.seed)
    value = max(100.0, draw.normal(float(mean), float(spread), len(sim.jobs)).tolist()[job.number])
    if sim.policy.order != "queues":
        return value
    low, high = map(float, str(sim.policy.prices).split(".."))
    # The price classes divide the range evenly, and a job is in the highest that it can pay.
    prices = [low + i * (high - low) / sim.policy.n for i in range(sim.policy.n)]
    return max((i for i, price in enumerate(prices) if price <= value), default=0)


def bid(sim: NaiveSimulation, job: Job, now: int) -> float:
    """What is left of the job's worth if it starts now, at least 0."""
    return max(0.0, worth(sim, job) * left(str(sim.policy.fade), now - job.submit))


def offer(sim: NaiveSimulation, job: Job, now: int) -> float:
    """What jobs are put in order by: the bid, or that for each processor-second that is estimated."""
    return sim.credits.bids[job.number] / (job.procs * job.estimate if sim.policy.bids == "density" else 1)


def left(fade: str, wait: int) -> float:
    """The share of a value after a wait, point by point; times are plain seconds."""
    if fade == "none":
        return 1.0
    points = [tuple(map(float, point.split("@"))) for point in fade.removesuffix(";fall").split(";")]
    if wait <= points[0][0]:
        return points[0][1]
    # Between two points the value falls in a line; after the last it stays, or goes on to fall.
    for (begin, before), (end, after) in itertools.pairwise(points):
        if wait <= end or (fade.endswith(";fall") and (end, after) == points[-1]):
            return before + (wait - begin) * (after - before) / (end - begin)
    return points[-1][1]


def balanced(sim: NaiveSimulation, job: Job, now: int) -> float:
    """S_p of the waiting jobs."""
    waits = [now - other.submit for other in sim.queue]
    walltimes = [other.walltime for other in sim.queue]
    longest, most, least = max(waits), max(walltimes), min(walltimes)
    by_wait = 100 * (now - job.submit) / longest if longest else 0.0
    by_walltime = 100 * (most - job.walltime) / (most - least) if most != least else 0.0
    return sim.tuner.bf * by_wait + (1 - sim.tuner.bf) * by_walltime


def priority(sim: NaiveSimulation, job: Job, now: int) -> float:
    """The weighed sum of the factors, in their order."""
    total = 0.0
    names = ("age", "fairshare", "size", "small", "queue")
    for name, weight in zip(names, sim.policy.factor_weights, strict=True):
        if weight:
            total += weight * factor(sim, job, name, now)
    return total


def waited_for_use(sim: NaiveSimulation, user: int, now: int) -> float:
    """NUWT of the user so far, with usage to 40 significant bits."""
    runs = [job for job in sim.ended + sim.stopped + sim.running if job.user == user]
    waits = [job.start - job.waits_since for job in runs]
    waits += [now - job.waits_since for job in sim.queue if job.user == user]
    return sum(waits) / max(usage_factor(sim, user, now), 1.0)


def factor(sim: NaiveSimulation, job: Job, name: str, now: int) -> float:
    if name == "age":
        return min(1.0, (now - job.submit) / sim.policy.max_age)
    if name == "size":
        return min(1.0, job.procs / sum(node[0] for node in sim.machine))
    if name == "small":
        return 1.0 - factor(sim, job, "size", now)
    if name == "queue":
        return queue_factor(sim, job.queue)
    # Fair share: the part of all usage that the owner has, against the part that is due. Owners without a job
    # that can start take no part.
    owners = {owner_of(sim, job) for job in sim.jobs if not sim.never_starts(job)}
    own = owner_of(sim, job)
    share = {owner: share_of(sim, owner) for owner in owners}
    used = {owner: usage_factor(sim, owner, now) * share[owner] for owner in owners}
    # Nobody has used anything: all have the full factor.
    if not any(used.values()):
        return 1.0
    part, due = used[own] / math.fsum(used.values()), share[own] / math.fsum(share.values())
    return float(2.0 ** (-part / due))


def queue_factor(sim: NaiveSimulation, queue: int) -> float:
    """1 for the queue whose jobs have the shortest median walltime, 0 for the last one; or as it is said."""
    found = str(sim.policy.queue_priority)
    if found != "walltime":
        found = dict(part.split("@") for part in found.split(";"))
        return float(found.get(sim.trace.queue.names[queue], 0)) / max(map(float, found.values()))
    jobs = [job for job in sim.jobs if not sim.never_starts(job)]
    median = {
        code: statistics.median(int(sim.trace.walltime[job.number]) for job in jobs if job.queue == code)
        for code in {job.queue for job in jobs}
    }
    ranked = sorted(set(median.values()))
    return 1 - ranked.index(median[queue]) / max(1, len(ranked) - 1)


def owner_of(sim: NaiveSimulation, job: Job) -> int:
    """Whose usage counts for the job."""
    return int(sim.trace.group.codes[job.number]) if sim.policy.usage_of == "group" else job.user


def usage_factor(sim: NaiveSimulation, owner: int, now: int) -> float:
    """U(now) / share, from the definition, to 40 significant bits."""
    used = []
    for job in sim.ended + sim.stopped + sim.running:
        if owner_of(sim, job) != owner:
            continue
        # Usage of a running job counts up to now; with `accrue=end` it counts only when the job is over.
        over = job not in sim.running
        end = job.end if over else now
        weight, h = penalty(sim, job), sim.policy.half_life
        if sim.policy.order == "nuwt":
            weight, h = weight * sum(node[0] for node in sim.machine), None
        if sim.policy.accrue == "end":
            if over:
                used.append(weight * job.runtime * (2.0 ** (-(now - end) / h) if h else 1.0))
        elif h:
            # 2^-x - 2^-y as 2^-x (1 - 2^-(y - x)), which loses no digits where both are nearly the same.
            new = -math.expm1(-(end - job.start) / h * math.log(2))
            used.append(weight * h / math.log(2) * new * 2.0 ** (-(now - end) / h))
        else:
            used.append(weight * (end - job.start))
    factor = math.fsum(used) / share_of(sim, owner)
    # Rounded to 40 bits: the kernel sums in another order, and an order of jobs must not depend on the last
    # bits.
    mantissa, exponent = math.frexp(factor)
    return math.ldexp(math.floor(mantissa * 2**40 + 0.5), exponent - 40)


def share_of(sim: NaiveSimulation, owner: int) -> float:
    owners = sim.trace.group if sim.policy.usage_of == "group" else sim.trace.user
    return float(dict(sim.policy.shares.of_user).get(owners.names[owner], 1.0))


def penalty(sim: NaiveSimulation, job: Job) -> float:
    whole = [sum(node[k] for node in sim.machine) for k in range(len(sim.machine[0]))]
    shares = [min(1.0, job.total(k) / whole[k]) for k in range(len(whole))]
    left = math.prod(1 - share for share in shares)
    # Of the nodes that can hold a task that one counts of which it takes the least share.
    if sim.policy.penalty == "equivalent":
        worst = 0.0
        for _, need in job.tasks:
            on_node = [largest_share(need, node) for node in sim.machine if holds(node, need)]
            worst = max(worst, min(on_node))
        return worst * sum(count for count, _ in job.tasks) / len(sim.machine)
    return {
        "cpu": shares[0],
        "max": max(shares),
        "sqrt": 1 - left ** (1 / len(shares)),
        "product": 1 - left,
    }[sim.policy.penalty]


def largest_share(need: Amount, node: Node | Amount) -> float:
    return max(a / b for a, b in zip(need, node, strict=True))


def expected_ends(sim: NaiveSimulation) -> list[int]:
    """EET of each job by the policy's share; twins of its parts are in tests/engine/fairness."""
    trace, share = sim.trace, sim.policy.eet_share
    capacity = share.capacity(trace, sim.cluster, reference(sim))
    runtime = trace.runtime.copy()
    further = [trace.asked(name) for name in trace.further_resources]
    asked = (trace.procs, np.maximum(trace.ram, 0), *further)  # as asked for, not in whole nodes
    amounts = np.stack(asked, axis=1)
    # A predictor's estimates are not known in advance; the walltime stands for them.
    for job in sim.jobs:
        runtime[job.number] = job.first_estimate if not sim.predictor else job.walltime
        if sim.never_starts(job):
            runtime[job.number] = 0
    ends = expected_end_times(
        trace.submit,
        trace.user.codes,
        runtime,
        amounts[:, : capacity.shape[1]],
        capacity,
        share.exact_last,
        share.half_life,
    )
    # With a gap, a job ends in time as long as its bag does.
    if share.gap is not None:
        ends = bag_ends(trace, ends, share.gap)
    return [int(end) for end in ends]


def reference(sim: NaiveSimulation) -> Schedule:
    """Whose users fair shares are counted by: the log's own schedule, else easy's."""
    if sim.trace.has_recorded_schedule and sim.cluster == sim.trace.cluster:
        return recorded_schedule(sim.trace, sim.cluster)
    easy = type(sim)(sim.trace, sim.cluster, parse_policy("easy"))
    return make_schedule(sim.trace, easy.simulate(), cluster=sim.cluster)
