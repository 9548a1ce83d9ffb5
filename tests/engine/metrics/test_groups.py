import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.fairness.violations import judge
from engine.metrics.groups import GROUPINGS, RUNTIMES, job_classes, per_group
from engine.metrics.users import per_user
from engine.schedule.schedule import NOT_RUN
from tests.traces import make_schedule, make_trace

TRACE = make_trace(
    [0, 0, 0, 5],
    [10, 80, 10, 10],
    [2, 1, 4, 1],
    user=["ann", "bob", "ann", "eve"],
    queue=["short", "long", "short", "short"],
)
SCHEDULE = make_schedule(TRACE, [0, 30, 60, NOT_RUN])
VIOLATIONS = judge(SCHEDULE, np.full((3, 1), 2))  # EET 10, 80, 30


def test_queues() -> None:
    table = per_group(SCHEDULE, GROUPINGS["queue"](TRACE), VIOLATIONS)
    assert table.names == ("short", "long")
    assert table.jobs.tolist() == [2, 1]
    assert table["wait_mean"].tolist() == [30.0, 30.0]
    assert table["area"].tolist() == [60, 80]
    assert table["veet"].tolist() == [50.0, 100.0]
    assert table["wt"].tolist() == [160, 30]


def test_users_are_one_kind_of_group() -> None:
    first, second = per_user(SCHEDULE, VIOLATIONS), per_group(SCHEDULE, GROUPINGS["user"](TRACE), VIOLATIONS)
    assert first.names == second.names == ("ann", "bob", "eve")
    np.testing.assert_array_equal(first["wait_mean"], second["wait_mean"])
    assert first.active.tolist() == [True, True, False]


def test_classes_by_hand() -> None:
    trace = make_trace(
        list(range(8)),
        [59, 60, 599, 600, 3599, 3600, 86_399, 86_400],
        [1, 2, 8, 9, 64, 65, 512, 513],
    )
    classes = job_classes(trace)
    assert [classes.names[code] for code in classes.codes] == [
        "1 processor, under 1 min",
        "2-8 processors, 1 to 10 min",
        "2-8 processors, 1 to 10 min",
        "9-64 processors, 10 min to 1 h",
        "9-64 processors, 10 min to 1 h",
        "65-512 processors, 1 h to 1 d",
        "65-512 processors, 1 h to 1 d",
        "513-4096 processors, 1 d or longer",
    ]
    assert len(classes.names) == 5 * len(RUNTIMES)


def test_a_class_is_the_same_whatever_the_log_ran() -> None:
    trace = make_trace([0], [50], [3], recorded_runtime=[500], recorded_procs=[30])
    (name,) = (job_classes(trace).names[code] for code in job_classes(trace).codes)
    assert name == "2-8 processors, under 1 min"


@given(st.lists(st.tuples(st.integers(1, 200_000), st.integers(1, 5000)), max_size=30))
def test_classes_as_one_by_one(rows: list[tuple[int, int]]) -> None:
    trace = make_trace([0] * len(rows), [d for d, _ in rows], [r for _, r in rows])
    classes = job_classes(trace)
    for (runtime, procs), code in zip(rows, classes.codes, strict=True):
        power = 1
        while power < procs:
            power *= 8
        size = "1 processor" if procs == 1 else f"{power // 8 + 1}-{power} processors"
        span = next(name for limit, name in RUNTIMES if limit is None or runtime < limit)
        assert classes.names[code] == f"{size}, {span}"


@pytest.mark.parametrize("by", list(GROUPINGS))
def test_no_jobs_no_entries(by: str) -> None:
    empty = make_trace([], [])
    table = per_group(make_schedule(empty, []), GROUPINGS[by](empty))
    assert not table.active.any()
