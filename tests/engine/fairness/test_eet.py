import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from engine.fairness.batches import bag_ends
from engine.fairness.eet import expected_end_times, schedule_eet
from engine.machine.cluster import UNLIMITED
from engine.schedule.schedule import NOT_RUN
from engine.trace import MISSING
from tests.engine.fairness import naive
from tests.paths import SHARED, needs
from tests.traces import make_schedule, make_trace


def eet(
    submit: list[int],
    amounts: list[list[int]],
    runtime: list[int],
    capacity: list[list[int]],
    user: list[int] | None = None,
    exact_last: bool = False,
) -> list[int]:
    codes = np.array(user or [0] * len(submit))
    columns = (np.array(column, np.int64) for column in (submit, runtime, amounts, capacity))
    begin, run, need, share = columns
    ends: list[int] = expected_end_times(begin, codes, run, need, share, exact_last).tolist()
    return ends


def test_table_1_of_the_paper() -> None:
    assert eet([0, 1], [[2], [2]], [4, 1], [[3]]) == [4, 3]


def test_a_job_wider_than_the_share_becomes_longer() -> None:
    assert eet([10], [[6]], [5], [[4]]) == [10 + 8]  # 30 units at 4 a second


def test_the_last_second_takes_all_unless_told_otherwise() -> None:
    # 5 units at 2 a second: the third second needs one unit, and takes both.
    submit, amounts, runtime, share = [0, 0], [[5], [1]], [1, 1], [[2]]
    assert eet(submit, amounts, runtime, share) == [3, 4]
    assert eet(submit, amounts, runtime, share, exact_last=True) == [3, 3]


def test_users_do_not_share() -> None:
    assert eet([0, 0, 0], [[1]] * 3, [5] * 3, [[1], [2]], user=[0, 0, 1]) == [5, 10, 5]


def test_each_resource_by_itself_and_the_latest_wins() -> None:
    assert eet([0], [[1, 8]], [3], [[1, 2]]) == [12]
    assert eet([0], [[4, 1]], [3], [[1, 2]]) == [12]


def test_a_resource_that_is_not_asked_for_imposes_nothing() -> None:
    assert eet([0, 0], [[1, MISSING], [1, 0]], [3, 3], [[2, 1]]) == [3, 3]


def test_a_share_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one unit"):
        eet([0], [[1]], [1], [[0]])


def test_a_need_beyond_counting_is_named() -> None:
    with pytest.raises(InputError, match="too much"):
        eet([0], [[2**40]], [2**40], [[1]])


def test_no_jobs() -> None:
    empty = np.empty(0, np.int64)
    no_amounts = np.empty((0, 1), np.int64)
    assert len(expected_end_times(empty, empty, empty, no_amounts, np.ones((1, 1), np.int64))) == 0


@st.composite
def workloads(draw: st.DrawFn) -> tuple[list[naive.Job], list[list[int]]]:
    resources = draw(st.integers(1, 3))
    users = draw(st.integers(1, 3))
    number = st.integers(1, 9)
    capacity = [draw(st.lists(number, min_size=resources, max_size=resources)) for _ in range(users)]
    job = st.builds(
        naive.Job,
        user=st.integers(0, users - 1),
        submit=st.integers(0, 25),
        runtime=st.integers(1, 15),
        amounts=st.tuples(st.integers(1, 9), *[st.integers(-1, 9)] * (resources - 1)),
    )
    return sorted(draw(st.lists(job, max_size=25)), key=lambda job: job.submit), capacity


@settings(deadline=None, max_examples=150)
@given(workloads(), st.booleans())
def test_as_second_by_second(workload: tuple[list[naive.Job], list[list[int]]], exact_last: bool) -> None:
    jobs, capacity = workload
    result = expected_end_times(
        np.array([job.submit for job in jobs], np.int64),
        np.array([job.user for job in jobs], np.int64),
        np.array([job.runtime for job in jobs], np.int64),
        np.array([job.amounts for job in jobs], np.int64).reshape(-1, len(capacity[0])),
        np.array(capacity, np.int64),
        exact_last,
    )
    assert result.tolist() == naive.expected_end_times(jobs, capacity, exact_last)


@settings(deadline=None, max_examples=150)
@given(workloads(), st.integers(1, 40), st.booleans())
def test_recent_use_lowers_the_share_as_second_by_second(
    workload: tuple[list[naive.Job], list[list[int]]], half_life: int, exact_last: bool
) -> None:
    jobs, capacity = workload
    result = expected_end_times(
        np.array([job.submit for job in jobs], np.int64),
        np.array([job.user for job in jobs], np.int64),
        np.array([job.runtime for job in jobs], np.int64),
        np.array([job.amounts for job in jobs], np.int64).reshape(-1, len(capacity[0])),
        np.array(capacity, np.int64),
        exact_last,
        half_life,
    )
    assert result.tolist() == naive.decayed_end_times(jobs, capacity, half_life, exact_last)


def test_use_that_is_long_past_is_forgotten_and_use_that_is_recent_is_not() -> None:
    def ends(second: int, half_life: int | None) -> list[int]:
        share = np.array([[8]])
        submit, amounts = np.array([0, second]), np.array([[8], [8]])
        runtime = np.array([100, 100])
        user = np.zeros(2, np.int64)
        return expected_end_times(submit, user, runtime, amounts, share, half_life=half_life).tolist()

    assert ends(100, None) == [100, 200]
    # After 100 s with all of the share and a half-life of 1 s the share is all but halved.
    assert ends(100, 1) == [100, 100 + 200]
    # With one of 100 s half of it counts: 8 / 2^0.5 is 5.66, so 5, and 800 units take 160 s.
    assert ends(100, 100) == [100, 100 + 160]
    # Nothing is left of it after a thousand half-lives.
    assert ends(1100, 1) == [100, 1200]


def test_ram_that_is_not_limited_is_not_lowered() -> None:
    schedule = make_schedule(make_trace([0, 5], [10, 10], [2, 2], ram=[100, 100]), [0, 5])
    both = np.array([[2, UNLIMITED]])
    for half_life in (None, 5):
        alone = schedule_eet(schedule, both[:, :1], half_life=half_life)
        assert schedule_eet(schedule, both, half_life=half_life).tolist() == alone.tolist()


bags = st.lists(
    st.tuples(
        st.integers(0, 1), st.integers(0, 40), st.integers(1, 2), st.integers(1, 2), st.sampled_from([-1, 4])
    ),
    max_size=12,
)


@settings(deadline=None)
@given(bags, st.integers(0, 12), st.data())
def test_bags_of_tasks_end_together(
    rows: list[tuple[int, int, int, int, int]], gap: int, data: st.DataObject
) -> None:
    rows.sort(key=lambda row: row[1])
    user, submit, procs, walltime, ram = ([row[k] for row in rows] for k in range(5))
    trace = make_trace(submit, walltime, procs, user=user, ram=ram)
    ends = data.draw(st.lists(st.integers(0, 99), min_size=len(rows), max_size=len(rows)))
    expected = naive.bag_ends(user, [row[2:] for row in rows], submit, ends, gap)
    assert bag_ends(trace, np.array(ends, np.int64), gap).tolist() == expected


def test_a_job_that_was_not_run_is_in_no_bag() -> None:
    trace = make_trace([0, 60, 120, 180], [10] * 4, [2] * 4)
    capacity = np.array([[2]])
    assert schedule_eet(make_schedule(trace, trace.submit), capacity, gap=60).tolist() == [190] * 4
    assert schedule_eet(make_schedule(trace, trace.submit), capacity, gap=59).tolist() == [10, 70, 130, 190]
    partly = make_schedule(trace, [0, NOT_RUN, 120, 180])
    assert schedule_eet(partly, capacity, gap=60).tolist() == [10, MISSING, 190, 190]


def test_a_schedule_is_judged_by_what_it_ran() -> None:
    trace = make_trace([0, 0, 1], [4, 50, 1], [2, 3, 2], walltime=[9, 90, 9])
    schedule = make_schedule(trace, [0, NOT_RUN, 4])
    # The job that was not run takes nothing from the share: Table 1 again.
    assert schedule_eet(schedule, np.array([[3]])).tolist() == [4, MISSING, 3]


def test_a_recorded_schedule_is_judged_by_its_own_runtimes_and_processors() -> None:
    trace = make_trace([0], [3], [2], ram=[8])
    schedule = make_schedule(trace, [0], runtime=[5], procs=[4])
    assert schedule_eet(schedule, np.array([[2]])).tolist() == [10]
    assert schedule_eet(schedule, np.array([[2, 1]])).tolist() == [40]


@pytest.mark.parametrize(
    ("name", "resources", "violated"), [("wagap-eet-c64", 1, 8029), ("wagap-eet-c64-ram262144", 2, 7597)]
)
@needs(SHARED / "reference/wagap-eet-c64.csv.gz")
def test_reference_values(name: str, resources: int, violated: int) -> None:
    import pandas as pd

    table = pd.read_csv(SHARED / f"reference/{name}.csv.gz")
    column = {key: table[key].to_numpy() for key in table}
    runtime = column["end"] - column["start"]
    trace = make_trace(
        column["submit"], runtime, column["procs"], ram=column["ram_mb"], user=column["user"].tolist()
    )
    schedule = make_schedule(trace, column["start"])
    capacity = np.tile([64, 262144], (len(trace.user.names), 1))[:, :resources]
    result = schedule_eet(schedule, capacity)
    assert len(result) == 17_898
    np.testing.assert_array_equal(result, column["eet"])
    np.testing.assert_array_equal(np.maximum(schedule.end - result, 0), column["tardiness"])
    assert (schedule.end > result).sum() == violated
