"""Columns that are equal share memory, and go on doing so where jobs are chosen."""

import numpy as np

from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from engine.simulation.workload import make_workload
from engine.trace import Pieces
from tests.traces import make_trace


def test_a_choice_of_jobs_shares_what_all_jobs_share() -> None:
    trace = make_trace([0, 1, 2, 3], [10, 20, 30, 40], [1, 2, 3, 4])
    count = {"count": trace.procs, "cpus": np.ones(4, np.int64), "ram": np.zeros(4, np.int64)}
    single = Pieces(np.arange(5), count)
    for chosen in (np.array([1, 3]), np.array([False, True, False, True])):
        taken: dict[int, np.ndarray] = {id(trace.procs): trace.procs[chosen]}
        pieces = single.take(chosen, taken)
        assert pieces["count"] is taken[id(trace.procs)]
        assert pieces.offset.tolist() == [0, 1, 2]
        assert {name: column.tolist() for name, column in pieces.columns.items()} == {
            "count": [2, 4],
            "cpus": [1, 1],
            "ram": [0, 0],
        }
    part = trace.take(np.array([1, 3]))
    assert part.think_time is part.preceding or trace.think_time is not trace.preceding
    assert part.procs.tolist() == [2, 4]


def test_rows_of_several_groups_are_chosen_by_job() -> None:
    several = Pieces(np.array([0, 2, 3]), {"cpus": np.array([5, 6, 7])})
    column = several["cpus"]
    chosen = several.take(np.array([1]), {id(column): np.array([9])})
    assert chosen["cpus"].tolist() == [7]
    assert not several.single


def test_a_pool_of_processors_needs_no_columns_of_its_own() -> None:
    trace = make_trace([0, 1], [10, 20], [1, 2], cluster=Cluster.pool(2))
    work = make_workload(trace, trace.cluster, trace.walltime)
    assert work.submit is trace.submit
    assert np.shares_memory(work.group_need, trace.tasks["cpus"])
    assert np.shares_memory(work.need, trace.tasks["count"])
    schedule = simulate(trace, trace.cluster, parse_policy("easy"))
    assert schedule.pieces.offset is trace.tasks.offset
