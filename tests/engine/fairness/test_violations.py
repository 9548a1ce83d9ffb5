import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.fairness.violations import Violations, judge, violation_steps
from engine.schedule.schedule import NOT_RUN, Schedule
from engine.trace import MISSING
from tests.engine.fairness import naive
from tests.traces import make_schedule, make_trace


def judged() -> tuple[Schedule, Violations]:
    """alice's first job is 130 s late, her second in time; bob's is 59 s late, dave's is refused."""
    trace = make_trace(
        [0, 10, 300, 400], [100, 50, 600, 10], [2, 1, 4, 1], user=["alice", "alice", "bob", "dave"]
    )
    schedule = make_schedule(trace, [130, 10, 359, NOT_RUN])
    return schedule, judge(schedule, np.array([[4], [4], [4]]))


def test_what_is_late_and_by_how_much() -> None:
    _, violations = judged()
    assert violations.eet.tolist() == [100, 60, 900, MISSING]
    assert violations.tardiness.tolist() == [130, 0, 59, 0]
    assert violations.violated.tolist() == [True, False, True, False]


def test_lowered_shares_and_batches_change_what_is_late() -> None:
    trace = make_trace([0, 100], [100, 100], [8, 8])
    schedule = make_schedule(trace, [5, 120])
    capacity = np.array([[8]])
    assert judge(schedule, capacity).eet.tolist() == [100, 200]
    assert judge(schedule, capacity).tardiness.tolist() == [5, 20]
    assert judge(schedule, capacity, half_life=1).eet.tolist() == [100, 300]
    assert judge(schedule, capacity, gap=100).eet.tolist() == [200, 200]
    both = judge(schedule, capacity, half_life=1, gap=100)
    assert both.eet.tolist() == [300, 300]
    assert both.violated_jobs.tolist() == [0]


def test_a_bag_with_one_expected_end_is_violated_once_by_its_last_job() -> None:
    """Three jobs of 10 s are expected by 30; two end later, and the first of them is not told of."""
    trace = make_trace([0, 0, 0, 500], [10] * 4, [8] * 4)
    schedule = make_schedule(trace, [25, 90, 0, 500])
    capacity = np.array([[8]])
    assert judge(schedule, capacity).tardiness.tolist() == [25, 80, 0, 0]
    bag = judge(schedule, capacity, gap=60)
    assert bag.eet.tolist() == [30, 30, 30, 510]
    assert bag.tardiness.tolist() == [0, 70, 0, 0]
    assert (bag.violated_jobs.tolist(), bag.weighted_tardiness.tolist()) == ([1], [560])
    together = judge(make_schedule(trace, [25, 25, 0, 500]), capacity, gap=60)
    assert together.violated.tolist() == [False, True, False, False]
    refused = judge(make_schedule(trace, [25, NOT_RUN, 0, 500]), capacity, gap=60)
    assert refused.violated.tolist() == [True, False, False, False]


def test_the_last_second_may_take_no_more_than_it_needs() -> None:
    """Table 1 of Toth & Klusacek 2014: the first job leaves one of its last second's two units."""
    trace = make_trace([0, 1], [4, 1], [2, 2])
    schedule = make_schedule(trace, [0, 2])
    capacity = np.array([[3]])
    assert judge(schedule, capacity).eet.tolist() == [4, 3]
    exact = judge(schedule, np.array([[1]]), exact_last=True)
    assert exact.eet.tolist() == judge(schedule, np.array([[1]])).eet.tolist() == [8, 10]
    late = make_trace([0, 1], [3, 3], [3, 1])
    at_once = make_schedule(late, [0, 1])
    rough, just = (judge(at_once, np.array([[2]]), exact_last=exactly).eet for exactly in (False, True))
    assert (rough.tolist(), just.tolist()) == ([5, 8], [5, 7])


def test_users() -> None:
    _, violations = judged()
    assert violations.jobs.tolist() == [2, 1, 0]
    assert violations.violated_jobs.tolist() == [1, 1, 0]
    assert violations.weighted_tardiness.tolist() == [260, 236, 0]
    np.testing.assert_array_equal(violations.veet, [50.0, 100.0, np.nan])


def test_steps_of_the_heatmap() -> None:
    schedule, violations = judged()
    steps = violation_steps(schedule, violations)
    assert [column.tolist() for column in steps.of_user(0)] == [
        [0, 2],
        [1, 0],
    ]  # from minute (100 - 100) // 60
    # Late by less than a minute, from minute (900 - 600) // 60 on: it shows as one.
    assert [column.tolist() for column in steps.of_user(1)] == [[5, 6], [1, 0]]
    assert [len(column) for column in steps.of_user(2)] == [0, 0]


def test_neighbouring_violations_make_one_step() -> None:
    trace = make_trace([0, 60], [10, 10])
    schedule = make_schedule(trace, [60, 120])
    steps = violation_steps(schedule, judge(schedule, np.array([[9]])))
    assert steps.minute.tolist() == [0, 2]
    assert steps.count.tolist() == [1, 0]


def test_no_violations() -> None:
    trace = make_trace([0, 60], [10, 10], user=["a", "b"])
    schedule = make_schedule(trace, [0, 60])
    steps = violation_steps(schedule, judge(schedule, np.array([[1], [1]])))
    assert steps.offset.tolist() == [0, 0, 0]
    assert len(steps.minute) == len(steps.count) == 0


@settings(deadline=None, max_examples=200)
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 2000), st.integers(0, 2000), st.integers(1, 700)),
        min_size=1,
        max_size=20,
    )
)
def test_steps_as_cell_by_cell(rows: list[tuple[int, int, int, int]]) -> None:
    rows.sort(key=lambda row: row[1])
    submits, waits, runtimes = ([row[k] for row in rows] for k in (1, 2, 3))
    trace = make_trace(submits, runtimes, user=[row[0] for row in rows])
    schedule = make_schedule(trace, [s + q for s, q in zip(submits, waits, strict=True)])
    violations = judge(schedule, np.full((len(trace.user.names), 1), 2))
    cells = naive.violated_minutes(
        trace.user.codes.tolist(), violations.eet.tolist(), runtimes, schedule.end.tolist()
    )
    steps = violation_steps(schedule, violations)

    painted = {}
    for user in range(len(trace.user.names)):
        minute, count = steps.of_user(user)
        assert (np.diff(minute) > 0).all()
        assert (np.diff(count, prepend=0) != 0).all()
        assert not len(count) or count[-1] == 0
        for first, last, value in zip(minute[:-1], minute[1:], count[:-1], strict=True):
            painted.update({(user, m): value for m in range(first, last) if value})
    assert painted == cells

    minute, together = steps.of_all
    assert (np.diff(minute) > 0).all()
    for moment in range(-1, int(minute.max(initial=0)) + 2):
        held = together[minute <= moment][-1:].sum()
        assert held == sum(count for (_, m), count in painted.items() if m == moment)
