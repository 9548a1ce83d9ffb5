"""Promised starts, looked up row by row."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.schedule.promises import Promises


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 30), st.integers(0, 99)), max_size=30),
    st.floats(-5, 40),
)
def test_the_last_promise_until_a_time(rows: list[tuple[int, int, int]], time: float) -> None:
    rows.sort(key=lambda row: row[:2])
    table = np.array(rows, np.int64).reshape(-1, 3)
    promises = Promises(table[:, 0], table[:, 1], table[:, 2])
    jobs = np.arange(6)
    for job, known in zip(jobs, promises.known_at(jobs, time), strict=True):
        lines = [start for of, at, start in rows if of == job and at <= time]
        assert known == (lines[-1] if lines else -1)
        own = [start for of, _, start in rows if of == job]
        new = [start for k, start in enumerate(own) if not k or own[k - 1] != start]
        assert promises.of_job(int(job)).tolist() == new
