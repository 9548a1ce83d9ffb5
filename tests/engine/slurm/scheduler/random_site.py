"""Random workloads of a site: nodes of several kinds, partitions, closures, limits and preemption."""

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask
from engine.slurm.options.rules import SiteRules
from engine.slurm.scheduler.backfill import cycle_numbers
from engine.slurm.scheduler.bounds import UNBOUNDED, RunningLimit, make_bounds, make_closures
from engine.slurm.scheduler.fresh_state import fresh_run
from engine.slurm.scheduler.loop import fits_at_all
from engine.slurm.scheduler.preempt import make_preemption
from engine.slurm.scheduler.state import ANY_NODES, SiteJobs, SiteMachine, SiteRun, SiteWeights
from tests.engine.slurm.scheduler.test_twin_of_loop import RULES

_OF_LOGS = ("turn", "own_offset", "own_node")
"""Fields that jobs of a log have; those drawn here have none."""

_GROUPS = ("tasks", "need", "most", "zone", "exclusive")
_NONE = np.zeros(1, np.int64)
WEIGHTS = SiteWeights(0.0, 0.0, 0.0, 0.0, 1.0, _NONE, np.zeros(1), np.zeros(1, np.bool_), np.zeros(1))


def random_run(seed: int, *, log: bool = False, **rules: int) -> SiteRun | None:
    """A simulation before it begins, with some rules as given; None where no job fits at all.

    With a `log` it notes why jobs wait.
    """
    # The order of the draws is part of what a seed means.
    draw = np.random.default_rng(seed)
    nodes, kinds = int(draw.choice([1, 3, 8, 65])), int(draw.choice([1, 1, 2, 3]))
    count = int(draw.choice([5, 20, 60, 150]))
    horizon = int(120 * 60 * count / nodes / draw.choice([0.3, 1, 4])) + 10
    closed = _closures(draw, nodes, horizon)
    machine = _machine(draw, nodes, kinds, [mask for _, _, mask in closed])
    own = _rules(draw)._replace(**rules)
    jobs = _jobs(draw, count, horizon, machine, closed)
    # Jobs that fit nowhere are refused by all, and would only hide others.
    fits = np.flatnonzero(fits_at_all(fresh_run(jobs, machine, own, WEIGHTS)))
    if len(fits) == 0:
        return None
    jobs, count = _take(jobs, fits), len(fits)
    rank, grades = draw.integers(0, 3, count), np.arange(3)
    preemption = None
    # Half of the runs have preemption, and a third limits: each has code of its own.
    if draw.random() < 0.5:
        beats = grades[:, None] > grades[None, :]
        again, grace = draw.random(count) < 0.5, draw.choice([0, 7, 80], count)
        preemption = make_preemption(rank, beats, again, grace, 100 * rank)
    bounds = None
    if draw.random() < 0.3:
        total = np.add.reduceat(jobs.tasks[:, None] * jobs.need, jobs.offset[:-1], axis=0)
        most = [RunningLimit(int(draw.integers(1, 8)), (UNBOUNDED,) * kinds) for _ in range(3)]
        bounds = make_bounds([(int(owner),) for owner in draw.integers(0, 3, count)], most, total)
    return fresh_run(jobs, machine, own, WEIGHTS, bounds, make_closures(closed), None, preemption, log=log)


def _closures(draw: np.random.Generator, nodes: int, horizon: int) -> list[tuple[int, int, Mask]]:
    closed = []
    for _ in range(int(draw.choice([0, 0, 1, 3]))):
        first = 2 * int(draw.integers(-1000, horizon))
        closed.append((first, first + 2 * int(draw.integers(1, horizon)), draw.random(nodes) < 0.3))
    return sorted(closed, key=lambda row: (row[1], row[0]))


def _machine(draw: np.random.Generator, nodes: int, kinds: int, closed: list[Mask]) -> SiteMachine:
    """Nodes in up to three partitions; the last zones are those of closures."""
    cpus = draw.choice([4, 8, 16], nodes) if draw.random() < 0.5 else np.full(nodes, 8)
    capacity = np.stack([cpus, *(draw.choice([0, 4, 9], nodes) for _ in range(kinds - 1))], 1)
    # The first partition has all nodes, others a random part or all.
    parts = np.ones((int(draw.integers(1, 4)), nodes), np.bool_)
    for part in parts[1:]:
        if draw.random() < 0.6:
            part[:] = draw.random(nodes) < 0.6
    some = [np.ones(nodes, np.bool_), draw.random(nodes) < 0.5]
    return SiteMachine(
        np.ascontiguousarray(capacity.astype(np.int64)),
        np.ascontiguousarray(np.array([*some, *closed])),
        parts,
        draw.integers(1, 3, len(parts)),
        np.sort(draw.integers(1, 4, nodes)) if draw.random() < 0.4 else np.zeros(nodes, np.int64),
        np.sort(draw.integers(1, 4, nodes)) if draw.random() < 0.4 else np.ones(nodes, np.int64),
    )


def _rules(draw: np.random.Generator) -> SiteRules:
    # Values that are repeated here are likelier: most limits that end a pass are off in most sites.
    values = {
        "main_depth": [1, 3, 100],
        "main_part_depth": [0, 0, 0, 1, 4],
        "main_starts": [0, 0, 0, 1, 2],
        "main_gap": [1, 1, 1, 7, 200],
        "backfills": [0, 1, 1, 1],
        "bf_tests": [2, 10, 100],
        "bf_plans": [0, 0, 0, 1, 5],
        "bf_starts": [0, 0, 1],
        "bf_user_tests": [0, 0, 5],
        "bf_part_tests": [0, 0, 0, 5],
        "bf_assoc_tests": [0, 0, 0, 3],
        "bf_user_part_tests": [0, 0, 0, 2],
        "bf_interval": [20, 60],
        "bf_window": [172_800, 20_000],
        "bf_resolution": [2, 120, 600],
        "end_batch": [0, 60],
        "end_linear": [0, 0, 120],
        "exempt": [0, 60],
        "patience": [0, 30, 100],
        "over_limit": [0, 0, -1, 240],
        "completion_delay": [0, 0, 30],
        "completion_spread": [0, 10],
        "multifactor": [0, 1],
        "most_rows": [4, 50, 500],
    }
    return RULES._replace(**{name: int(draw.choice(some)) for name, some in values.items()})


def _jobs(
    draw: np.random.Generator,
    count: int,
    horizon: int,
    machine: SiteMachine,
    closed: list[tuple[int, int, Mask]],
) -> SiteJobs:
    """Jobs of one to three groups, some of them in a closure."""
    nodes, kinds = machine.capacity.shape
    submit = np.sort(2 * draw.integers(0, horizon, count))
    limit = 120 * draw.choice([1, 2, 5, 20, 60, 240], count)
    # Runtimes below, at and beyond the limit.
    runtime = np.maximum((limit * draw.random(count) * draw.choice([0.5, 1, 1.3], count)).astype(np.int64), 1)
    inside = np.full(count, -1, np.int64)
    if closed and draw.random() < 0.5:
        inside = np.where(draw.random(count) < 0.2, draw.integers(0, len(closed), count), -1)
    first = np.array([row[0] for row in closed] + [0], np.int64)
    sizes = draw.choice([1, 1, 2, 3], count) if draw.random() < 0.4 else np.ones(count, np.int64)
    offset = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    groups = int(offset[-1])
    of_job = np.repeat(np.arange(count), sizes)
    # Groups that spread have single-processor tasks, as many as they like on a node.
    spread = draw.random(groups) < 0.3
    wide = draw.choice([1, 1, 2, 5, max(nodes // 3, 1), nodes], count)[of_job]
    need = np.stack(
        [
            np.where(spread, 1, draw.choice([1, 2, 4, 8], groups)),
            *(draw.choice([0, 0, 1, 3], groups) for _ in range(kinds - 1)),
        ],
        1,
    )
    # Jobs of a closure are in its zone, all others in one of the first two.
    zone = np.where(inside >= 0, 2 + inside, draw.integers(0, 2, count))[of_job]
    part = draw.integers(0, len(machine.parts), count)
    user, account = draw.integers(0, 3, count), draw.integers(0, 2, count)
    return SiteJobs(
        submit=submit,
        runtime=runtime,
        limit=limit,
        billing=wide[offset[:-1]].astype(np.float64),
        part=part,
        user=np.zeros(count, np.int64),
        base=draw.integers(0, 4, count).astype(np.float64),
        begin=np.where(inside >= 0, np.maximum(submit, first[inside]), submit),
        offset=offset,
        tasks=np.where(spread, wide * draw.integers(1, 9, groups), wide),
        need=np.ascontiguousarray(need.astype(np.int64)),
        most=np.where(spread, 1 << 40, draw.choice([1, 2, 99], groups)),
        zone=zone,
        exclusive=(draw.random(groups) < 0.5) & (draw.random() < 0.4),
        inside=inside,
        nodes=_node_counts(draw, count, nodes),
        tested=cycle_numbers(user, account, part),
    )


def _node_counts(draw: np.random.Generator, count: int, nodes: int) -> NDArray[np.int64]:
    """The least, the wanted and the largest number of nodes of each job, (count, 3): mostly any."""
    if draw.random() < 0.5:
        return np.tile([1, 1, ANY_NODES], (count, 1))
    least = draw.choice([1, 1, 2, 3], count)
    most = np.where(
        draw.random(count) < 0.5, ANY_NODES, np.maximum(draw.integers(1, nodes + 1, count), least)
    )
    wanted = np.where(draw.random(count) < 0.5, least, np.minimum(most, nodes))
    return np.ascontiguousarray(np.stack([least, wanted, most], 1))


def _take(jobs: SiteJobs, chosen: NDArray[np.int64]) -> SiteJobs:
    """The chosen jobs alone."""
    sizes = np.diff(jobs.offset)[chosen]
    offset = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    groups = np.repeat(jobs.offset[chosen] - offset[:-1], sizes) + np.arange(offset[-1])
    columns = {
        name: np.ascontiguousarray(getattr(jobs, name)[groups if name in _GROUPS else chosen])
        for name in jobs._fields
        if name != "offset" and name not in _OF_LOGS
    }
    return SiteJobs(offset=offset, **columns)
