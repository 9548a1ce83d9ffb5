from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.machine.cluster import Cluster, parse_cluster
from engine.machine.outages import Outages
from engine.metrics.loss import idle_over_time, loss_of_capacity
from engine.policy.policy import parse_policy
from engine.schedule.schedule import NOT_RUN, Schedule
from engine.trace import Pieces
from tests.traces import Task, make_schedule, make_trace


class Job(NamedTuple):
    """A job that was run: its tasks, each on a node."""

    submit: int
    wait: int
    runtime: int
    tasks: tuple[Task, ...]
    on: tuple[int, ...]  # the node of each single task
    counts: bool  # whether its wait is measured

    @property
    def start(self) -> int:
        return self.submit + self.wait

    @property
    def end(self) -> int:
        return self.start + self.runtime

    @property
    def each(self) -> list[tuple[int, int]]:
        """CPUs and MiB of every single task."""
        return [(cpus, max(ram, 0)) for count, cpus, ram in self.tasks for _ in range(count)]

    @property
    def procs(self) -> int:
        return sum(cpus for cpus, _ in self.each)


def seconds(jobs: list[Job]) -> range:
    measured = [job for job in jobs if job.counts]
    return range(min(job.submit for job in measured), max(job.end for job in measured))


def waiting(jobs: list[Job], second: int) -> list[Job]:
    return [job for job in jobs if job.counts and job.submit <= second < job.start]


def by_count(jobs: list[Job], machine: int) -> tuple[float, float]:
    """Both losses second by second, where only the number of processors counts."""
    demand = fit = 0
    for second in seconds(jobs):
        idle = max(machine - sum(job.procs for job in jobs if job.start <= second < job.end), 0)
        wanted = [job.procs for job in waiting(jobs, second)]
        demand += min(sum(wanted), idle)
        fit += idle if any(procs <= idle for procs in wanted) else 0
    whole = machine * len(seconds(jobs))
    return demand / whole, fit / whole


def fits(job: Job, free: list[list[int]]) -> bool:
    """Whether there is a node for every task, tried one by one."""
    return _has_room(tuple(job.each), tuple((cpus, ram) for cpus, ram in free))


@cache
def _has_room(tasks: tuple[tuple[int, int], ...], free: tuple[tuple[int, int], ...]) -> bool:
    if not tasks:
        return True
    (cpus, ram), rest = tasks[0], tasks[1:]
    return any(
        _has_room(rest, (*free[:node], (has[0] - cpus, has[1] - ram), *free[node + 1 :]))
        for node, has in enumerate(free)
        if has[0] >= cpus and has[1] >= ram
    )


def on_nodes(jobs: list[Job], capacity: list[tuple[int, int]]) -> tuple[float, float]:
    """The loss while a job asks for no more than is idle, and while none could be placed as well."""
    lost = scattered = 0
    # Each second by itself, from a machine that is empty.
    for second in seconds(jobs):
        free = [list(node) for node in capacity]
        for job in jobs:
            if job.start <= second < job.end:
                for node, (cpus, ram) in zip(job.on, job.each, strict=True):
                    free[node][0] -= cpus
                    free[node][1] -= ram
        cpus, ram = (sum(max(node[k], 0) for node in free) for k in range(2))
        waits = waiting(jobs, second)
        # A second is lost if some waiting job asks for no more than is idle in all.
        if any(job.procs <= cpus and sum(m for _, m in job.each) <= ram for job in waits):
            lost += cpus
            scattered += cpus if not any(fits(job, free) for job in waits) else 0
    whole = sum(cpus for cpus, _ in capacity) * len(seconds(jobs))
    return lost / whole, scattered / whole


def schedule_of(jobs: list[Job], cluster: Cluster) -> Schedule:
    trace = make_trace(
        [job.submit for job in jobs],
        [job.runtime for job in jobs],
        [job.procs for job in jobs],
        ram=[sum(ram for _, ram in job.each) for job in jobs],
        tasks=[job.tasks for job in jobs],
        cluster=cluster,
    )
    rows = [(node, *task) for job in jobs for node, task in zip(job.on, job.each, strict=True)]
    offset = np.cumsum([0, *(len(job.on) for job in jobs)])
    columns = np.array(rows, np.int64).reshape(-1, 3)
    pieces = Pieces(offset, {name: columns[:, k].copy() for k, name in enumerate(("node", "cpus", "ram"))})
    return replace(make_schedule(trace, [job.start for job in jobs]), pieces=pieces)


def measured(jobs: list[Job]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array([job.counts for job in jobs])


@st.composite
def workloads(draw: st.DrawFn, nodes: int) -> list[Job]:
    task = st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(-1, 4))
    jobs = []
    for _ in range(draw(st.integers(1, 12))):
        tasks = tuple(draw(st.lists(task, min_size=1, max_size=2)))
        many = sum(count for count, _, _ in tasks)
        on = draw(st.lists(st.integers(0, nodes - 1), min_size=many, max_size=many))
        submit, wait, runtime = (draw(st.integers(low, 25)) for low in (0, 0, 1))
        jobs.append(Job(submit, wait, runtime, tasks, tuple(on), draw(st.booleans())))
    jobs[0] = jobs[0]._replace(counts=True)
    return sorted(jobs, key=lambda job: job.submit)


@settings(deadline=None, max_examples=80)
@given(workloads(1), st.integers(1, 30))
def test_on_a_pool_as_second_by_second(jobs: list[Job], machine: int) -> None:
    loss = loss_of_capacity(schedule_of(jobs, Cluster.pool(machine)), measured(jobs))
    assert loss == pytest.approx((*by_count(jobs, machine), 0.0), rel=1e-12)


@settings(deadline=None, max_examples=80)
@given(workloads(3))
def test_on_nodes_as_second_by_second(jobs: list[Job]) -> None:
    loss = loss_of_capacity(schedule_of(jobs, parse_cluster("2x5c6m+1x4c3m")), measured(jobs))
    assert loss[1:] == pytest.approx(on_nodes(jobs, [(5, 6), (5, 6), (4, 3)]), rel=1e-12)
    assert loss.demand == pytest.approx(by_count(jobs, 14)[0], rel=1e-12)


@settings(deadline=None, max_examples=100)
@given(
    workloads(3), st.lists(st.tuples(st.integers(0, 2), st.integers(0, 60), st.integers(1, 9)), min_size=1)
)
def test_nodes_that_are_down_do_not_idle_and_are_no_part_of_the_machine(
    jobs: list[Job], spans: list[tuple[int, int, int]]
) -> None:
    capacity = [(5, 6), (5, 6), (4, 3)]
    node, begin, length = np.array(spans).T
    outages = Outages.merged(node, begin, begin + length)
    schedule = schedule_of(jobs, parse_cluster("2x5c6m+1x4c3m"))
    loss = loss_of_capacity(
        replace(schedule, cluster=replace(schedule.cluster, failures=outages)), measured(jobs)
    )
    # A node that is down is as if a job had it that did not wait.
    rows = list(zip(outages.node.tolist(), outages.start.tolist(), outages.end.tolist(), strict=True))
    takers = [Job(b, 0, e - b, ((1, *capacity[n]),), (n,), False) for n, b, e in rows]
    up = 1 - sum(
        capacity[n][0] * sum(1 for second in seconds(jobs) if b <= second < e) for n, b, e in rows
    ) / (14 * len(seconds(jobs)))
    if up == 0:
        assert loss == (None, None, None)
    else:
        fit, fragmented = on_nodes(jobs + takers, capacity)
        assert loss[1:] == pytest.approx((fit / up, fragmented / up), rel=1e-12)
        assert loss.demand == pytest.approx(by_count(jobs + takers, 14)[0] / up, rel=1e-12)


@settings(deadline=None, max_examples=100)
@given(workloads(1))
def test_ram_of_a_pool_counts_too(jobs: list[Job]) -> None:
    loss = loss_of_capacity(schedule_of(jobs, parse_cluster("12c9m")), measured(jobs))
    assert loss[1:] == pytest.approx(on_nodes(jobs, [(12, 9)]), rel=1e-12)


@given(workloads(1), st.integers(1, 30))
def test_what_idles_and_is_wanted_as_second_by_second(jobs: list[Job], machine: int) -> None:
    found = idle_over_time(schedule_of(jobs, Cluster.pool(machine)))
    time = np.arange(90)
    idle, wanted = found.idle.at(time), found.wanted.at(time)
    for second in range(min(job.submit for job in jobs), max(job.end for job in jobs)):
        free = max(machine - sum(job.procs for job in jobs if job.start <= second < job.end), 0)
        asked = sum(job.procs for job in jobs if job.submit <= second < job.start)
        assert (idle[second], wanted[second]) == (free, min(asked, free))


def one_waits(start: int = 10) -> list[Job]:
    """Two nodes of 4 CPUs, 3 of each taken for 10 s; a job of one task of 2 CPUs waits."""
    taken = Job(0, 0, 10, ((2, 3, -1),), (0, 1), True)
    return [taken, Job(4, start - 4, 10, ((1, 2, -1),), (0,), True)]


def test_a_job_that_finds_no_node_is_lost_to_fragmentation() -> None:
    jobs = one_waits()
    everything = np.ones(2, np.bool_)
    # 6 s with 2 idle processors and 2 in demand, of 20 s with 8.
    lost = 12 / 160
    assert loss_of_capacity(schedule_of(jobs, parse_cluster("2x4c")), everything) == (lost, lost, lost)
    assert loss_of_capacity(schedule_of(jobs, Cluster.pool(8)), everything) == (lost, lost, 0.0)


def test_two_idle_nodes_that_are_not_side_by_side() -> None:
    """On four machines of one CPU nodes 1 and 3 idle from 10 to 70, and a job waits for two in a row."""
    lone = ((1, 1, -1),)
    jobs = [Job(0, 0, 70 if node % 2 == 0 else 10, lone, (node,), True) for node in range(4)]
    jobs.append(Job(0, 70, 10, ((2, 1, -1),), (0, 1), True))
    schedule = schedule_of(jobs, parse_cluster("4x1c"))
    contiguous = replace(schedule, policy=parse_policy("easy:placement=contiguous"))
    assert loss_of_capacity(contiguous, schedule.ran) == (0.375, 0.375, 0.375)
    assert loss_of_capacity(schedule, schedule.ran) == (0.375, 0.375, 0.0)


def test_what_partitions_round_up_is_lost_to_fragmentation() -> None:
    """A job of three nodes gets a partition of four; three idle for 10 s while it waits."""
    jobs = [Job(0, 0, 10, ((1, 1, -1),), (0,), True), Job(0, 10, 10, ((3, 1, -1),), (0, 1, 2), True)]
    schedule = schedule_of(jobs, parse_cluster("4x1c"))
    policy = parse_policy("easy:placement=contiguous,partitions=1+2+4")
    assert loss_of_capacity(replace(schedule, policy=policy), schedule.ran) == (0.375, 0.375, 0.375)


def test_a_recorded_schedule_without_nodes_is_counted_as_a_whole() -> None:
    trace = make_trace([0, 4], [10, 10], [6, 2], wait=[0, 6], cluster=parse_cluster("2x4c"))
    schedule = make_schedule(trace, [0, 10], policy="recorded")
    assert loss_of_capacity(schedule, schedule.ran) == (12 / 160, 12 / 160, None)


def test_all_jobs_keep_processors_busy_but_only_the_measured_ones_wait() -> None:
    schedule = schedule_of(one_waits(), Cluster.pool(8))
    assert loss_of_capacity(schedule, np.array([True, False])) == (0.0, 0.0, 0.0)
    assert loss_of_capacity(schedule, np.array([False, True])) == (12 / 128, 12 / 128, 0.0)


def test_jobs_that_were_not_run_neither_wait_nor_work() -> None:
    trace = make_trace([0, 1, 2], [10, 10, 10], [60, 500, 40])
    schedule = make_schedule(trace, [0, NOT_RUN, 10])
    assert loss_of_capacity(schedule, schedule.ran) == (0.16, 0.16, 0.0)


@pytest.mark.parametrize("starts", [[], [NOT_RUN]])
def test_nothing_was_run(starts: list[int]) -> None:
    schedule = make_schedule(make_trace(list(range(len(starts))), [5] * len(starts)), starts)
    assert loss_of_capacity(schedule, schedule.ran) == (None, None, None)
