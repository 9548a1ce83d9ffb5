import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.metrics.compare import box, change, jobs_in_common
from engine.schedule.schedule import NOT_RUN
from tests.engine.metrics import naive
from tests.traces import make_schedule, make_trace


def test_a_job_that_any_run_refused_is_left_out_of_all() -> None:
    trace = make_trace([0, 1, 2], [5, 5, 5])
    runs = [make_schedule(trace, start) for start in ([0, 1, 2], [0, NOT_RUN, 2], [9, 9, 9])]
    assert jobs_in_common(runs).tolist() == [True, False, True]
    assert jobs_in_common(run for run in runs[:1]).tolist() == [True, True, True]


@pytest.mark.parametrize(
    ("value", "baseline", "percent"),
    [(150, 100, 50.0), (50.0, 100, -50.0), (0, 4, -100.0), (-3, -2, -50.0), (7, 7, 0.0)],
)
def test_change(value: float, baseline: float, percent: float) -> None:
    assert change(value, baseline) == percent


@pytest.mark.parametrize(("value", "baseline"), [(None, 1), (1, None), (1, 0), (0, 0)])
def test_no_change_to_speak_of(value: float | None, baseline: float | None) -> None:
    assert change(value, baseline) is None


def test_a_box_by_hand() -> None:
    result = box(np.array([1.0, 2.0, np.nan, 3.0, 4.0, 100.0, -50.0, 5.0]))
    # In order -50 1 2 3 4 5 100: quartiles 1.5, 3, 4.5; fences at -3 and 9.
    assert result is not None
    assert (result.minimum, result.low, result.q1, result.median) == (-50.0, 1.0, 1.5, 3.0)
    assert (result.q3, result.high, result.maximum, result.count) == (4.5, 5.0, 100.0, 7)
    assert result.outliers.tolist() == [5, 6]


def test_a_whisker_never_ends_inside_the_box() -> None:
    result = box(np.array([0, 10, 10, 10]))
    assert result is not None
    assert (result.low, result.q1, result.outliers.tolist()) == (7.5, 7.5, [0])


def test_the_smallest_boxes() -> None:
    assert box(np.array([np.nan, np.nan])) is None
    assert box(np.empty(0, np.int64)) is None
    single = box(np.array([7]))
    assert single is not None
    assert (single.low, single.q1, single.median, single.q3, single.high) == (7.0,) * 5
    assert len(single.outliers) == 0


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=40))
def test_a_box_as_by_definition(values: list[int]) -> None:
    result = box(np.array(values))
    assert result is not None
    q1, median, q3 = (naive.quantile(values, q) for q in (0.25, 0.5, 0.75))
    assert (result.q1, result.median, result.q3) == pytest.approx((q1, median, q3))
    reach = 1.5 * (q3 - q1)
    outliers = [i for i, value in enumerate(values) if not q1 - reach <= value <= q3 + reach]
    assert result.outliers.tolist() == outliers
    assert result.low <= result.q1 <= result.median <= result.q3 <= result.high
