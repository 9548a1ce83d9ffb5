"""What a user was told first, and how it came true: of jobs that are moved as they arrive."""

import numpy as np
import pytest

from engine.machine.cluster import Cluster
from engine.metrics.summary import summary
from engine.policy.policy import parse_policy
from engine.schedule.predictions import prediction_errors
from engine.simulation.run import simulate
from tests.traces import make_trace

SHARES = ("prediction_early", "prediction_on_time", "prediction_late")


@pytest.mark.parametrize("policy", ["plan", "conservative"])
def test_a_job_that_starts_in_the_second_in_which_it_was_planned_anew_counts_by_its_promise(
    policy: str,
) -> None:
    """Job 1 arrives as job 0 ends, long before its limit: planned at 1000, it is moved and starts at once."""
    trace = make_trace([0, 50], [50, 10], 4, walltime=[1000, 100])
    schedule = simulate(trace, Cluster.pool(4), parse_policy(policy), log=True)
    assert schedule.start.tolist() == [0, 50]
    assert prediction_errors(schedule).tolist() == [0, -950]
    values = summary(schedule)
    assert [values[name] for name in SHARES] == [50.0, 50.0, 0.0]
    assert schedule.log.promises.of_job(1).tolist() == [1000, 50]
    assert schedule.log.promises.known_at(np.array([1]), 50).tolist() == [50]


def test_a_job_that_was_planned_to_start_as_it_arrives_is_on_time() -> None:
    trace = make_trace([0, 50], [50, 10], 2, walltime=[1000, 100])
    schedule = simulate(trace, Cluster.pool(4), parse_policy("plan"), log=True)
    assert prediction_errors(schedule).tolist() == [0, 0]


def test_a_search_in_the_second_of_an_arrival_does_not_change_what_was_reported() -> None:
    """At 300 the search puts job 3, which is short, before job 2; job 2 then comes later than it was told."""
    trace = make_trace([0, 10, 20, 300], [400, 4000, 4000, 10], 4, walltime=[400, 4000, 4000, 10])
    policy = parse_policy("plan-search:search=random,trials=200,seed=1")
    schedule = simulate(trace, Cluster.pool(4), policy, log=True)
    values = {job: schedule.log.promises.of_job(job).tolist() for job in range(4)}
    assert values[3][0] == 8400, "behind all others, as it arrives"
    assert schedule.start[3] < 8400
    assert prediction_errors(schedule)[3] == schedule.start[3] - 8400
