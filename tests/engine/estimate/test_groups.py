from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.compiler.kernels import only_read
from engine.estimate.groups import finest_groups, nested_groups, number_pairs
from tests.traces import make_trace


def test_pairs_are_numbered_in_order_of_appearance() -> None:
    number = np.empty(5, np.int64)
    first, second = np.array([3, 0, 3, 0, 3]), np.array([1, 2**33, 1, 3, 2])
    assert number_pairs(first, only_read(second), number) == 4
    assert number.tolist() == [0, 1, 0, 2, 3]


@given(st.lists(st.tuples(st.integers(0, 2**27), st.integers(0, 2**33)), max_size=60))
def test_numbers_of_any_pairs(pairs: list[tuple[int, int]]) -> None:
    first, second = (np.array([pair[k] for pair in pairs], np.int64) for k in (0, 1))
    number = np.empty(len(pairs), np.int64)
    assert number_pairs(first, only_read(second), number) == len(set(pairs))
    order = list(dict.fromkeys(pairs))
    assert number.tolist() == [order.index(pair) for pair in pairs]


@given(st.lists(st.tuples(*[st.integers(1, 3)] * 4), max_size=30))
def test_jobs_share_groups_where_they_share_attributes(jobs: list[tuple[int, int, int, int]]) -> None:
    zeros = [0] * len(jobs)
    executable, user, walltime, procs = ([job[k] for job in jobs] for k in range(4))
    trace = make_trace(zeros, [1] * len(jobs), procs, walltime=walltime, user=user, executable=executable)
    groups, count = nested_groups(trace, trace.procs)
    named = {}
    for job, attributes in enumerate(jobs):
        sets = [mask for mask in product((True, False), repeat=4) if any(mask)]
        for rank, mask in enumerate(sets):
            key = (mask, *(a for a, present in zip(attributes, mask, strict=True) if present))
            assert named.setdefault(key, groups[job, rank]) == groups[job, rank]
    assert len(set(named.values())) == len(named) == count
    assert not named or max(named.values()) == count - 1

    finest, kinds = finest_groups(trace, trace.procs)
    assert kinds == len(set(jobs))
    assert len({*zip(finest.tolist(), jobs, strict=True)}) == kinds
