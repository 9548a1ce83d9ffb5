"""Allocation windows, the balanced order and contiguous nodes: known cases, and all permutations tried."""

import itertools
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from engine.machine.cluster import Cluster, parse_cluster
from engine.policy.policy import parse_policy
from engine.schedule.schedule import Decision, Schedule
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.simulation.workloads import traces
from tests.traces import make_trace

Holds = list[tuple[int, int, int]]  # begin, end, processors


def starts(trace: Trace, policy: str, cluster: Cluster) -> list[int]:
    found: list[int] = simulate(trace, cluster, parse_policy(policy)).start.tolist()
    return found


def test_jobs_placed_together_lose_less_than_one_by_one() -> None:
    # Job 0 holds 6 of 10 to 20. With 1 reserved then, 2 has to wait for it; together, 2 goes first.
    trace = make_trace([0, 1, 1, 1], [20, 10, 20, 19], [6, 8, 4, 2])
    pool = Cluster.pool(10)
    assert starts(trace, "easy", pool) == [0, 20, 30, 1]  # until 50
    assert starts(trace, "easy:window=3", pool) == [0, 21, 1, 20]  # until 39


def first_fit(holds: Holds, processors: int, length: int, total: int) -> int:
    """The first second from 0 on at which so many processors are free for so long."""
    for begin in sorted({0, *(end for _, end, _ in holds)}):
        moments = {begin, *(start for start, _, _ in holds if begin < start < begin + length)}
        used = [sum(width for start, end, width in holds if start <= at < end) for at in moments]
        if max(used) + processors <= total:
            return begin
    raise AssertionError("the machine is empty in the end")


def planned(order: tuple[int, ...], jobs: list[tuple[int, int]], running: Holds, total: int) -> list[int]:
    holds, begins = list(running), [0] * len(jobs)
    for job in order:
        processors, length = jobs[job]
        begins[job] = first_fit(holds, processors, length, total)
        holds.append((begins[job], begins[job] + length, processors))
    return begins


def promises(schedule: Schedule) -> list[tuple[int, int, int]]:
    """When, to which job, and for which second a start was promised."""
    log = schedule.log
    rows = zip(log.time.tolist(), log.job.tolist(), log.kind.tolist(), log.value.tolist(), strict=True)
    return [(now, job, value) for now, job, kind, value in rows if kind == Decision.RESERVED]


@settings(max_examples=60)
@given(st.data())
def test_the_search_finds_what_trying_all_permutations_finds(data: st.DataObject) -> None:
    """Job 0 runs when the others come, all at once; nothing ends before they are placed."""
    total = 12
    running = data.draw(st.integers(1, total))
    jobs = data.draw(st.lists(st.tuples(st.integers(1, total), st.integers(1, 9)), min_size=2, max_size=6))
    trace = make_trace([0, *[1] * len(jobs)], [20, *(n for _, n in jobs)], [running, *(p for p, _ in jobs)])
    schedule = simulate(trace, Cluster.pool(total), parse_policy(f"just:window={len(jobs)}"), log=True)
    holds = [(0, 19, running)]

    def makespan(order: tuple[int, ...]) -> int:
        begins = planned(order, jobs, holds, total)
        return max(begin + length for begin, (_, length) in zip(begins, jobs, strict=True))

    best = min(itertools.permutations(range(len(jobs))), key=makespan)
    expected = [1 + begin for begin in planned(best, jobs, holds, total)]
    promised = {job: time for now, job, time in promises(schedule) if now == 1}
    placed = [promised.get(job, int(schedule.start[job])) for job in range(1, len(jobs) + 1)]
    assert placed == expected


def alike_jobs(seed: int, count: int) -> list[tuple[int, int]]:
    """Jobs of nearly equal size, none alike, among which branch and bound hardly prunes."""
    random = Random(seed)
    return [(random.randint(20, 45), random.randint(900, 1100)) for _ in range(count)]


def placed_together(jobs: list[tuple[int, int]], total: int) -> list[int]:
    """The planned starts, s after the submission of all jobs, behind a job that holds the whole machine."""
    trace = make_trace([0, *[1] * len(jobs)], [20, *(n for _, n in jobs)], [total, *(p for p, _ in jobs)])
    schedule = simulate(trace, Cluster.pool(total), parse_policy(f"just:window={len(jobs)}"), log=True)
    promised = {job: time for now, job, time in promises(schedule) if now == 1}
    return [promised[1 + job] - 1 for job in range(len(jobs))]


def last_end(begins: list[int], jobs: list[tuple[int, int]]) -> int:
    return max(begin + length for begin, (_, length) in zip(begins, jobs, strict=True))


@pytest.mark.parametrize("seed", range(2))
def test_all_orders_of_eight_jobs_are_searched(seed: int) -> None:
    jobs, total = alike_jobs(seed, 8), 100
    best: list[tuple[int, tuple[int, ...]]] = [(1 << 60, ())]

    def place(order: tuple[int, ...], holds: Holds, end: int) -> None:
        """Try all ways to go on; beginnings that end too late are left."""
        if end >= best[0][0]:
            return
        if len(order) == len(jobs):
            best[0] = end, order
        for job in range(len(jobs)):
            if job not in order:
                processors, length = jobs[job]
                begin = first_fit(holds, processors, length, total)
                hold = (begin, begin + length, processors)
                place((*order, job), [*holds, hold], max(end, begin + length))

    place((), [(0, 19, total)], 0)
    assert placed_together(jobs, total) == planned(best[0][1], jobs, [(0, 19, total)], total)


@pytest.mark.parametrize(("seed", "count"), [*((seed, 9 + seed) for seed in range(12)), (1, 20), (2, 20)])
def test_of_more_jobs_the_best_order_has_one_moved_forward_or_the_longest_first(
    seed: int, count: int
) -> None:
    jobs, total = alike_jobs(seed, count), 100
    given = list(range(count))
    orders = [
        tuple(given[:place] + [job] + [other for other in given[place:] if other != job])
        for job in given
        for place in range(job + 1)
    ]
    plans = {order: planned(order, jobs, [(0, 19, total)], total) for order in orders}
    best = min(sorted(plans), key=lambda order: last_end(plans[order], jobs))
    longest_first = tuple(sorted(given, key=lambda job: -jobs[job][1]))
    other = planned(longest_first, jobs, [(0, 19, total)], total)
    expected = plans[best] if last_end(plans[best], jobs) <= last_end(other, jobs) else other
    assert placed_together(jobs, total) == expected


@given(traces(), st.integers(8, 24), st.sampled_from(("easy", "just")))
def test_windows_of_one_and_a_balance_of_waits_alone_are_plain_backfilling(
    trace: Trace, processors: int, name: str
) -> None:
    pool = Cluster.pool(processors)
    plain = starts(trace, name, pool)
    assert starts(trace, f"{name}:order=balanced,bf=1", pool) == plain
    assert starts(trace, f"{name}:order=balanced,tune=window:1:1..4:queue_length>100000", pool) == plain


def test_the_balance_factor_goes_from_waits_to_walltimes() -> None:
    # 1 waits longest and asks for most, 3 the other way round; at 10 only one can start.
    trace = make_trace([0, 1, 5, 9], [10, 30, 20, 10], 4)
    pool = Cluster.pool(4)
    assert starts(trace, "metric:bf=1", pool) == [0, 10, 40, 60]
    assert starts(trace, "metric:bf=0", pool) == [0, 40, 20, 10]
    # At 10 S_w is 100, 55.6, 11.1 and S_r is 0, 50, 100; at 40 of 2 and 3 it is 100, 88.6 and 0, 100.
    assert starts(trace, "metric:bf=0.6", pool) == [0, 10, 50, 40]
    assert starts(trace, "metric:bf=0.5", pool) == [0, 40, 20, 10]


def test_contiguous_jobs_take_whole_nodes_side_by_side() -> None:
    # Nodes 0 and 2 are taken when 2 comes, which needs two in a row.
    trace = make_trace([0, 0, 0, 1], [50, 10, 50, 10], [4, 4, 4, 5])
    schedule = simulate(trace, parse_cluster("4x4c"), parse_policy("easy:placement=contiguous"))
    assert schedule.start.tolist() == [0, 0, 0, 50]
    assert simulate(trace, parse_cluster("4x4c"), parse_policy("easy")).start[3] == 10
    row = schedule.pieces.offset[3]
    assert schedule.pieces["node"][row:].tolist() == [0, 1]
    assert schedule.pieces["cpus"][row:].tolist() == [4, 4]


def test_partitions_round_up_and_are_aligned() -> None:
    # 3 nodes become 4, which begin at 0 or 4: beside one node of job 0 only the second half is left.
    trace = make_trace([0, 0, 1], [50, 20, 10], [1, 3, 5])
    policy = "easy:placement=contiguous,partitions=1+2+4+8"
    schedule = simulate(trace, parse_cluster("8x1c"), parse_policy(policy))
    assert schedule.start.tolist() == [0, 0, 50]
    first, last = schedule.pieces.offset[1:3]
    assert schedule.pieces["node"][first:last].tolist() == [4, 5, 6, 7]


def test_a_blue_gene_is_a_machine_by_name() -> None:
    assert parse_cluster("bluegene") == parse_cluster("80x512c")
    trace = make_trace([0, 0], [10, 10], [40_000, 40_961])
    policy = parse_policy("metric:placement=contiguous,partitions=1+2+4+8+16+32+64+80")
    assert simulate(trace, parse_cluster("bluegene"), policy).start.tolist() == [0, -1]


@pytest.mark.parametrize(
    ("cluster", "keys", "why"),
    [
        ("100c", "placement=contiguous", "several nodes, all alike"),
        ("2x4c+2x8c", "placement=contiguous", "several nodes, all alike"),
        ("8x4c", "placement=contiguous,partitions=3+6", "do not divide the 8 nodes"),
        ("8x4c", "placement=contiguous,partitions=4+16", "do not divide the 8 nodes"),
    ],
)
def test_machines_that_partitions_do_not_suit(cluster: str, keys: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        simulate(make_trace([0], [10], [1]), parse_cluster(cluster), parse_policy(f"easy:{keys}"))


@pytest.mark.parametrize(
    "keys",
    [
        "partitions=2+4",
        "placement=contiguous,partitions=2+3",
        "placement=contiguous,partitions=2+x",
        "placement=contiguous,partitions=0+1",
        "placement=contiguous,constraints=on",
    ],
)
def test_partitions_that_make_no_sense_are_refused_when_the_policy_is_made(keys: str) -> None:
    with pytest.raises(InputError):
        parse_policy(f"easy:{keys}")
