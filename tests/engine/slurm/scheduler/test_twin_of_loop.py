"""The kernels of a site's schedulers against their slow twin."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.slurm.options.rules import SiteRules
from engine.slurm.scheduler.backfill import cycle_numbers
from engine.slurm.scheduler.bounds import UNBOUNDED, RunningLimit, make_bounds, make_closures
from engine.slurm.scheduler.dependent_submissions import make_followers
from engine.slurm.scheduler.fresh_state import fresh_run
from engine.slurm.scheduler.loop import run_site
from engine.slurm.scheduler.node_failures import make_failures
from engine.slurm.scheduler.preempt import make_preemption
from engine.slurm.scheduler.state import NOT_STARTED, SiteJobs, SiteMachine, SiteWeights
from engine.trace.dependencies import NOBODY
from tests.engine.slurm.scheduler.naive_jobs import Job, Limits
from tests.engine.slurm.scheduler.naive_site import slow_starts

RULES = SiteRules(
    ticks=2, first_check=0, check_beat=1000, resv_over=-1, first_beat=0, main_beat=2000, backfill_phase=1,
    main_depth=100, main_part_depth=0, main_starts=0, main_delay=6, main_every=120, main_gap=1, backfills=1,
    bf_interval=20, bf_tests=100, bf_user_tests=0, bf_part_tests=0, bf_assoc_tests=0, bf_user_part_tests=0,
    bf_starts=0, bf_plans=0,
    bf_window=172_800, bf_resolution=2, calc_period=600, first_calc=600, kill_wait=60, over_limit=0,
    launch_delay=1, completion_delay=0, completion_spread=0, seed=0, end_notice=0, first_full=24,
    first_backfill=10, clock=0, end_batch=60, end_linear=0, multifactor=0, fair_tree=1, most_rows=8, safe=0,
    requeue_delay=40, exempt=0, patience=30,
)  # fmt: skip


@st.composite
def _failures(draw: st.DrawFn, nodes: int, begin: int) -> list[tuple[int, int, int]]:
    """Failures from a begin on, which neither overlap nor touch on any node, in order of theirs."""
    failed = []
    for node in draw(st.sets(st.integers(0, nodes - 1), max_size=2)):
        first = begin + 2 * draw(st.integers(0, 200))
        for _ in range(draw(st.integers(1, 2))):
            last = first + 2 * draw(st.integers(1, 100))
            failed.append((first, last, node))
            first = last + 2 * draw(st.integers(1, 100))
    return sorted(failed)


@st.composite
def _workloads(draw: st.DrawFn) -> tuple[list[Job], list[int], SiteRules, Limits]:
    # Few and small nodes, and a dozen jobs: the twin goes tick by tick.
    nodes = draw(st.lists(st.sampled_from([2, 4]), min_size=1, max_size=4))
    jobs, submit, preempts, bounded = [], 0, draw(st.booleans()), draw(st.booleans())
    for _ in range(draw(st.integers(1, 12))):
        submit += 2 * draw(st.integers(0, 25))
        need = draw(st.sampled_from([1, 1, 2]))
        most = draw(st.sampled_from([1, 99]))
        # No job asks for more than the empty machine has, within its bounds of nodes.
        rooms = sorted(min(most, cpus // need) for cpus in nodes)
        widest = draw(st.integers(1, len(nodes))) if bounded else 99
        room = sum(rooms[-widest:])
        tasks = draw(st.integers(1, room))
        least = draw(st.integers(1, min(widest, tasks, sum(own > 0 for own in rooms)))) if bounded else 1
        runtime, minutes = 2 * draw(st.integers(1, 90)) + 1, draw(st.integers(1, 3))
        jobs.append(
            Job(
                submit,
                runtime,
                120 * minutes,
                tasks,
                need,
                most,
                draw(st.integers(0, 2)),
                draw(st.integers(0, 1)),
                draw(st.integers(0, 1)),
                free=draw(st.sampled_from([False, False, False, True])),
                follows=draw(st.sampled_from([None, None, *range(len(jobs))])),
                think=2 * draw(st.sampled_from([0, 0, 5, 60])),
                inside=draw(st.sampled_from([None, None, None, 0, 1])),
                grade=draw(st.sampled_from([0, 0, 1, 2])) if preempts else 0,
                requeues=draw(st.booleans()),
                grace=draw(st.sampled_from([0, 0, 7, 80])),
                nodes=(least, draw(st.sampled_from([least, min(widest, 9)])) if bounded else 1, widest),
            )
        )
    # Odd beats and phases as well, so that the two schedulers meet in all ways.
    rules = RULES._replace(
        first_beat=draw(st.integers(0, 1)),
        main_beat=draw(st.sampled_from([2000, 2013, 2450])),
        backfill_phase=draw(st.integers(0, 1)),
        first_check=-draw(st.integers(200, 300)),
        check_beat=draw(st.sampled_from([1000, 15_000, 60_150])),
        resv_over=draw(st.sampled_from([-1, 0, 120])),
        clock=2 * draw(st.sampled_from([0, 0, 17])),
        main_depth=draw(st.sampled_from([1, 2, 100])),
        main_part_depth=draw(st.sampled_from([0, 0, 1, 2, 4])),
        main_starts=draw(st.sampled_from([0, 0, 1])),
        main_gap=draw(st.sampled_from([1, 1, 5, 30, 150])),
        bf_tests=draw(st.sampled_from([1, 3, 100])),
        bf_user_tests=draw(st.sampled_from([0, 0, 0, 1, 2])),
        bf_part_tests=draw(st.sampled_from([0, 0, 0, 2])),
        bf_assoc_tests=draw(st.sampled_from([0, 0, 0, 1, 2])),
        bf_user_part_tests=draw(st.sampled_from([0, 0, 0, 1, 2])),
        bf_plans=draw(st.sampled_from([0, 0, 1, 2])),
        bf_interval=draw(st.sampled_from([20, 60])),
        bf_resolution=draw(st.sampled_from([2, 120])),
        end_batch=draw(st.sampled_from([0, 20, 60])),
        end_linear=draw(st.sampled_from([0, 0, 14])),
        safe=draw(st.integers(0, 1)),
        exempt=draw(st.sampled_from([0, 0, 60])),
        patience=draw(st.sampled_from([0, 30, 100])),
    )
    # Closed times lie before, among and after the jobs.
    closed = []
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        first = 2 * draw(st.integers(-50, 200))
        who = draw(st.sets(st.integers(0, len(nodes) - 1), min_size=1))
        closed.append((first, first + 2 * draw(st.integers(1, 200)), who))
    # Limits leave room for the largest job, or it would never start.
    largest = max(job.tasks * job.need for job in jobs)
    limits = Limits(
        draw(st.dictionaries(st.integers(0, 2), st.integers(1, 3), max_size=2)),
        draw(st.dictionaries(st.integers(0, 2), st.integers(largest, 2 * largest), max_size=2)),
        sorted(closed, key=lambda item: (item[1], item[0])),
        draw(st.dictionaries(st.integers(0, 2), st.integers(1, 1000), max_size=1)),
        rules.safe,
        draw(st.dictionaries(st.integers(0, 2), st.integers(1, 1000), max_size=1)),
        draw(st.dictionaries(st.integers(0, 2), st.integers(len(nodes), 6), max_size=2)),
        draw(_failures(len(nodes), jobs[0].submit)),
        draw(st.integers(0, 2)),
    )
    # The closed time of a job is drawn before it is known how many there are.
    for job in jobs:
        job.inside = job.inside if job.inside is not None and job.inside < len(closed) else None
    return jobs, nodes, rules, limits


def _fast_starts(jobs: list[Job], nodes: list[int], rules: SiteRules, limits: Limits) -> list[int | None]:
    def column(name: str) -> np.ndarray:
        return np.array([getattr(job, name) for job in jobs], np.int64)

    count = len(jobs)
    zero = np.zeros(count, np.int64)
    inside = np.array([-1 if job.inside is None else job.inside for job in jobs], np.int64)
    begin = [
        job.submit if job.inside is None else max(job.submit, limits.closed[job.inside][0]) for job in jobs
    ]
    arrays = SiteJobs(
        column("submit"), column("runtime"), column("limit"), column("tasks").astype(np.float64), zero,
        zero.copy(), np.zeros(count), np.array(begin, np.int64), np.arange(count + 1), column("tasks"),
        column("need")[:, None].copy(), column("most"), inside + 1, np.zeros(count, np.bool_), inside,
        np.array([job.nodes for job in jobs], np.int64),
        cycle_numbers(column("user"), column("account"), zero),
    )  # fmt: skip
    every = np.ones((1, len(nodes)), np.bool_)
    own = [np.isin(np.arange(len(nodes)), sorted(who)) for _, _, who in limits.closed]
    machine = SiteMachine(
        np.array(nodes, np.int64)[:, None].copy(), np.vstack([every, *own]), every.copy(),
        np.ones(1, np.int64),        np.zeros(len(nodes), np.int64), np.ones(len(nodes), np.int64),
    )  # fmt: skip
    none = np.zeros(1)
    weights = SiteWeights(
        0.0, 0.0, 0.0, 0.0, 1.0, np.zeros(1, np.int64), none, np.zeros(1, np.bool_), none.copy()
    )
    each = [
        RunningLimit(
            limits.jobs.get(k, UNBOUNDED),
            (limits.cpus.get(k, UNBOUNDED), limits.nodes.get(k, UNBOUNDED)),
            (limits.work[k], UNBOUNDED) if k in limits.work else (),
            True,
            (limits.ahead[k], UNBOUNDED) if k in limits.ahead else (),
        )
        for k in range(3)
    ]
    total = np.array([[job.tasks * job.need, job.nodes[0]] for job in jobs], np.int64)
    closed = [(a, b, np.isin(np.arange(len(nodes)), sorted(who))) for a, b, who in limits.closed]
    bounds = make_bounds(
        [() if job.free else (job.owner,) for job in jobs],
        each,
        total,
        counted=[(job.owner,) if job.free else () for job in jobs],
        by_node=1,
    )
    follows = np.array([NOBODY if job.follows is None else job.follows for job in jobs], np.int64)
    followers = make_followers(follows, column("think"))
    grades = np.arange(3)
    preemption = make_preemption(
        column("grade"), grades[:, None] > grades[None, :],
        np.array([job.requeues for job in jobs]), column("grace"),
        100 * column("grade"),
    ) if column("grade").any() else None  # fmt: skip
    first, last, node = np.array(sorted(limits.failed), np.int64).reshape(-1, 3).T
    failures = make_failures(node, first, last, len(nodes), limits.restarts)
    more = make_closures(closed), followers, preemption, failures
    run = fresh_run(arrays, machine, rules, weights, bounds, *more, room=100)
    run_site(run, np.zeros(2, np.int64))
    return [None if start == NOT_STARTED else start for start in run.state.start.tolist()]


@settings(max_examples=60, deadline=None)
@given(_workloads())
def test_starts_are_those_of_the_slow_twin(
    workload: tuple[list[Job], list[int], SiteRules, Limits],
) -> None:
    jobs, nodes, rules, limits = workload
    found = _fast_starts(jobs, nodes, rules, limits)
    assert found == slow_starts([replace(job, on={}) for job in jobs], nodes, rules, limits)
    free = not limits.work and not limits.ahead and all(job.inside is None for job in jobs)
    free = free and not limits.failed
    assert not free or None not in found
