import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.schedule.backfills import larger_between, passed_first, times_passed
from engine.simulation.run import simulate
from tests.traces import make_trace

SMALL = st.integers(-3, 12)


@given(st.lists(SMALL, min_size=1, max_size=20), st.lists(st.tuples(SMALL, SMALL, SMALL), max_size=10))
def test_larger_values_of_a_range_are_counted(values: list[int], queries: list[tuple[int, int, int]]) -> None:
    most = len(values)
    ranges = [(min(max(low, 0), most), min(max(high, 0), most), at) for low, high, at in queries]
    low, high, bound = np.array(ranges, np.int64).reshape(-1, 3).T
    found = larger_between(np.array(values), low, high, bound)
    assert found.tolist() == [
        sum(value > at for value in values[first:second]) for first, second, at in ranges
    ]


def test_a_backfilled_job_went_past_all_that_wait_before_it() -> None:
    """On four processors three wait for all of them; a short one of one processor fits in front."""
    trace = make_trace([0, 1, 2, 3, 4], [100, 10, 10, 10, 5], [3, 4, 4, 4, 1], walltime=[100, 10, 10, 10, 5])
    schedule = simulate(trace, Cluster.pool(4), parse_policy("easy"), log=True)
    assert schedule.start[4] == 4
    assert passed_first(schedule).tolist() == [-1, -1, -1, -1, 1]
    assert times_passed(schedule).tolist() == [0, 0, 0, 0, 3]
