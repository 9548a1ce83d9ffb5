"""What came in the weeks before a time of a log."""

import numpy as np

from engine.machine.cluster import parse_cluster
from engine.now.log_arrivals import AHEAD_S, MOST_COMING, WEEKS, LogArrivals
from tests.traces import make_trace

WEEK = 7 * 86_400


def test_jobs_of_the_same_hours_of_earlier_weeks_come() -> None:
    """Three weeks of a log; in each a job comes on Monday at noon, and another one on Friday."""
    noon = 43_200
    submit = np.array([week * WEEK + day * 86_400 + noon for week in range(3) for day in (0, 4)])
    trace = make_trace(submit, np.arange(6) + 10, [1, 2, 3, 4, 5, 6], user=list("abcdef"))
    arrivals = LogArrivals(parse_cluster("8c"), trace)
    latest, earlier = arrivals.before(3 * WEEK)[:2]  # the second Monday at 0:00 is a week before, and so on
    assert [job.user for job in latest.jobs] == ["e"]  # the Friday is more than three days ahead
    assert (latest.submit.tolist(), latest.runtime.tolist()) == ([noon], [14])
    assert [job.cpus for job in earlier.jobs] == [3]
    # Of the first week, only what came before the time is there to be taken.
    (week,) = arrivals.before(int(submit[0]) + WEEK + 1)
    assert [job.user for job in week.jobs] == []
    (week,) = arrivals.before(int(submit[0]) + WEEK)
    assert [job.user for job in week.jobs] == ["a"]
    assert arrivals.before(WEEK) == ()


def test_no_more_are_taken_than_a_replay_can_hold() -> None:
    submit = np.concatenate((np.arange(0, 20 * WEEK, WEEK), np.full(2 * MOST_COMING, 19 * WEEK + 60)))
    trace = make_trace(submit, np.ones(len(submit), np.int64), np.ones(len(submit), np.int64))
    weeks = LogArrivals(parse_cluster("8c"), trace).before(20 * WEEK)
    assert len(weeks) == WEEKS
    assert len(weeks[0].jobs) == MOST_COMING
    assert all((week.submit < AHEAD_S).all() for week in weeks)
