from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.metrics.curves import area_curves

rows = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4), st.integers(1, 4)), min_size=1, max_size=20)


@given(rows)
def test_as_the_sums_of_the_paper(rows: list[tuple[int, int, int]]) -> None:
    curves = area_curves(*(np.array([row[k] for row in rows], np.int64) for k in range(3)))
    areas = [runtime * procs for _, runtime, procs in rows]
    assert curves.area.tolist() == sorted(set(areas))
    for i, x in enumerate(curves.area.tolist()):
        small = [row for row, area in zip(rows, areas, strict=True) if area <= x]
        assert curves.jobs[i] == float(Fraction(len(small), len(rows)))
        assert curves.work[i] == float(Fraction(sum(d * r for _, d, r in small), sum(areas)))
        assert curves.wait_area[i] == sum(q * r for q, _, r in small)


def test_no_jobs_have_no_curve() -> None:
    none = np.empty(0, np.int64)
    curves = area_curves(none, none, none)
    assert [len(column) for column in (curves.area, curves.jobs, curves.work, curves.wait_area)] == [0] * 4
