import numpy as np

from engine.fairness.violations import judge
from engine.metrics.users import per_user
from engine.quantities import Missing
from engine.schedule.schedule import NOT_RUN
from tests.traces import make_schedule, make_trace

TRACE = make_trace([0, 0, 0, 5], [10, 20, 10, 10], [2, 1, 4, 1], user=["ann", "bob", "ann", "eve"])
SCHEDULE = make_schedule(TRACE, [0, 30, 60, NOT_RUN])
VIOLATIONS = judge(SCHEDULE, np.full((3, 1), 2))  # EET 10, 20, 30


def test_every_user_has_an_entry() -> None:
    table = per_user(SCHEDULE, VIOLATIONS)
    assert table.jobs.tolist() == [2, 1, 0]
    assert table.active.tolist() == [True, True, False]
    np.testing.assert_array_equal(table["wait_mean"], [30.0, 30.0, np.nan])
    np.testing.assert_array_equal(table["bounded_slowdown_mean"], [4.0, 2.5, np.nan])
    assert table["area"].tolist() == [60, 20, 0]
    assert table["violated_jobs"].tolist() == [1, 1, 0]
    np.testing.assert_array_equal(table["veet"], [50.0, 100.0, np.nan])
    assert table["wt"].tolist() == [4 * 40, 30, 0]


def test_whole_schedule_agrees_with_its_violations() -> None:
    table = per_user(SCHEDULE, VIOLATIONS)
    np.testing.assert_array_equal(table.jobs, VIOLATIONS.jobs)
    np.testing.assert_array_equal(table["veet"], VIOLATIONS.veet)
    np.testing.assert_array_equal(table["wt"], VIOLATIONS.weighted_tardiness)


def test_only_the_chosen_jobs() -> None:
    table = per_user(SCHEDULE, VIOLATIONS, np.array([True, False, False, True]))
    assert table.jobs.tolist() == [1, 0, 0]
    np.testing.assert_array_equal(table["wait_mean"], [0.0, np.nan, np.nan])
    np.testing.assert_array_equal(table["veet"], [0.0, np.nan, np.nan])
    assert table["wt"].tolist() == [0, 0, 0]


def test_without_expected_ends() -> None:
    table = per_user(SCHEDULE)
    assert isinstance(table.column("veet"), Missing)
    assert isinstance(table.column("wt"), Missing)
    assert isinstance(table.column("violated_jobs"), Missing)
