from dataclasses import replace

import numpy as np
import pytest

from engine.errors import InputError
from engine.fairness.violations import judge
from engine.machine.cluster import Cluster, parse_cluster
from engine.metrics.catalog import METRICS
from engine.metrics.evaluation import evaluate, summaries_of
from engine.policy.policy import parse_policy
from engine.policy.share import parse_share
from engine.schedule.schedule import NOT_RUN, Schedule
from engine.simulation.control import Cancelled, Control
from engine.simulation.run import reference_schedule, simulate
from engine.trace import Trace
from tests.traces import make_schedule, make_trace, with_stopped


def logged() -> Trace:
    """Three users, and a log that says when their jobs started."""
    return make_trace(
        [0, 5, 10, 20], [50, 40, 30, 20], [60, 50, 100, 10], user=["a", "b", "a", "c"], wait=[1, 2, 300, 400]
    )


def unlogged() -> Trace:
    return make_trace([0, 5, 10, 20], [50, 40, 30, 20], [60, 50, 100, 10], user=["a", "b", "a", "c"])


def run(trace: Trace, policy: str) -> Schedule:
    return simulate(trace, trace.cluster, parse_policy(policy))


def test_the_reference_is_the_recorded_schedule_else_easy() -> None:
    trace = logged()
    reference = reference_schedule(trace, trace.cluster)
    assert reference.policy.recorded
    assert reference.start.tolist() == [1, 7, 310, 420]
    trace = unlogged()
    reference = reference_schedule(trace, trace.cluster)
    assert reference.policy == parse_policy("easy")
    assert reference.start.tolist() == run(trace, "easy").start.tolist()


def test_a_reference_that_is_known_is_not_simulated_again() -> None:
    trace = unlogged()
    fcfs, easy = run(trace, "fcfs"), run(trace, "easy")
    assert reference_schedule(trace, trace.cluster, [fcfs, easy]) is easy


def test_a_schedule_of_something_else_is_no_reference() -> None:
    trace = unlogged()
    elsewhere = simulate(trace, Cluster.pool(200), parse_policy("easy"))
    part = run(trace.take(np.arange(2)), "easy")
    variant = run(trace, "easy:estimate=actual")
    reference = reference_schedule(trace, trace.cluster, [elsewhere, part, variant])
    assert all(reference is not other for other in (elsewhere, part, variant))
    assert reference.cluster == trace.cluster


def test_a_reference_can_be_cancelled() -> None:
    control = Control()
    control.cancel()
    trace = unlogged()
    with pytest.raises(Cancelled):
        reference_schedule(trace, trace.cluster, control=control)


def test_all_are_measured_on_the_jobs_that_all_ran() -> None:
    trace = unlogged()
    runs = [make_schedule(trace, starts) for starts in ([0, 50, NOT_RUN, 20], [0, 5, 90, 20])]
    first, second = evaluate(runs, parse_share("10c"), runs[0])
    assert first.summary["jobs"] == second.summary["jobs"] == 3
    assert (first.summary["ran"], second.summary["ran"]) == (3, 4)
    assert (first.summary["refused"], second.summary["refused"]) == (1, 0)
    assert second.summary["wait_max"] == 0, "the wait of the job that the other refused does not count"
    assert second.users.jobs.tolist() == [1, 1, 1]
    assert second.violations.jobs.tolist() == [2, 1, 1], "but what is violated is told of all jobs"


def test_measured_jobs_change_metrics_and_not_what_users_may_expect() -> None:
    trace = unlogged()
    runs = [run(trace, "fcfs")]
    (whole,) = evaluate(runs, parse_share("fair"), runs[0])
    (part,) = evaluate(runs, parse_share("fair"), runs[0], np.array([False, True, True, False]))
    assert whole.summary["jobs"] == 4
    assert part.summary["jobs"] == 2
    assert part.summary["ran"] == 4
    assert part.violations.eet.tolist() == whole.violations.eet.tolist()
    assert part.users.jobs.tolist() == [1, 1, 0]


def test_the_share_is_the_same_for_all_and_comes_from_the_reference() -> None:
    trace = logged()
    reference = reference_schedule(trace, trace.cluster)
    runs = [run(trace, name) for name in ("fcfs", "easy")]
    fair = parse_share("fair").capacity(trace, trace.cluster, reference)
    own = parse_share("fair").capacity(trace, trace.cluster, runs[0])
    assert fair.tolist() != own.tolist()
    for evaluation in evaluate(runs, parse_share("fair"), reference):
        alone = evaluate([evaluation.schedule], parse_share("fair"), reference)[0]
        assert evaluation.violations.eet.tolist() == alone.violations.eet.tolist()


def test_the_share_says_how_expectations_come_about() -> None:
    trace = unlogged()
    runs = [run(trace, "fcfs")]
    for text, half_life, gap in (("30c:share_decay=10", 10, None), ("30c:batches=10", None, 10)):
        (evaluation,) = evaluate(runs, parse_share(text), runs[0])
        capacity = parse_share("30c").capacity(trace, trace.cluster, runs[0])
        assert evaluation.violations.eet.tolist() == judge(runs[0], capacity, half_life, gap).eet.tolist()


def test_more_metrics_come_last_and_are_those_of_the_measured_jobs() -> None:
    trace = unlogged()
    runs = [run(trace, "fcfs")]
    measure = np.array([False, True, True, False])
    (evaluation,) = evaluate(runs, parse_share("fair"), runs[0], measure, ["psf:alpha=2"])
    assert list(evaluation.summary) == [*METRICS, "psf:alpha=2"]
    assert evaluation.summary["psf:alpha=2"] == evaluation.summary["psf2"]
    assert evaluation.jobs.tolist() == measure.tolist()


def test_every_metric_is_there_and_none_is_nan() -> None:
    trace = logged()
    runs = [run(trace, name) for name in ("recorded", "easy")]
    for evaluation in evaluate(runs, parse_share("1/2"), runs[0]):
        assert list(evaluation.summary) == list(METRICS)
        numbers = [value for value in evaluation.summary.values() if value is not None]
        assert np.isfinite(np.array(numbers, float)).all()


def test_nothing_to_evaluate() -> None:
    trace = logged()
    assert evaluate([], parse_share("fair"), reference_schedule(trace, trace.cluster)) == []


def test_what_was_judged_before_is_kept_where_it_still_holds() -> None:
    trace, share = unlogged(), parse_share("fair")
    fcfs, easy, other = run(trace, "fcfs"), run(trace, "easy"), run(trace, "easy:order=sjf")
    before = evaluate([fcfs, easy], share, easy)
    after = evaluate([fcfs, other], share, easy, known=before)
    assert after[0] is before[0]
    assert after[1].schedule is other
    fewer = evaluate([fcfs, other], share, easy, np.array([True, True, True, False]), known=before)
    assert fewer[0].violations is before[0].violations
    assert fewer[0].summary["jobs"] == 3


def test_jobs_that_one_run_gave_up_count_among_what_it_lost() -> None:
    """A job is lost under one policy and restarted under the other: it is measured under neither."""
    trace = make_trace([0, 0], [100, 20], [2, 1], user=["a", "b"], cluster=parse_cluster("4x2c"))
    lost = with_stopped(make_schedule(trace, [NOT_RUN, 0]), (0, 0, 50, 1))
    lost = replace(lost, policy=parse_policy("easy:on_failure=lose"))
    again = with_stopped(make_schedule(trace, [60, 0]), (0, 0, 50, 1))
    both = evaluate([lost, again], parse_share("fair"), again)
    assert [one.summary["jobs"] for one in both] == [1, 1]
    assert [one.summary["runs_stopped"] for one in both] == [1, 1]
    assert [one.summary["stopped_area"] for one in both] == [100, 100]
    of_b = evaluate([lost, again], parse_share("fair"), again, measure=np.array([False, True]))
    assert [one.summary["stopped_area"] for one in of_b] == [0, 0]


def test_runs_that_are_measured_on_all_cores_have_the_metrics_of_each_alone() -> None:
    trace = unlogged()
    schedules = [run(trace, policy) for policy in ("fcfs", "easy", "easy:order=sjf", "fairshare-easy")]
    alone, share = evaluate(schedules, parse_share("fair"), schedules[1]), parse_share("fair")
    together = evaluate(schedules, share, schedules[1], threads=3, known=alone[2:3])
    assert [each.schedule for each in together] == schedules
    expected = [each.summary for each in alone]
    assert summaries_of(together) == expected
    assert [each.summary for each in together] == expected
    assert all(each.has_summary for each in together)
    assert len({str(values) for values in expected}) > 1


def test_an_error_of_a_metric_is_raised_from_all_cores() -> None:
    trace = unlogged()
    schedules = [run(trace, policy) for policy in ("fcfs", "easy")]
    evaluations = evaluate(schedules, parse_share("fair"), schedules[1], extra=["no_such_metric"])
    with pytest.raises(InputError):
        summaries_of(evaluations)
    assert not any(each.has_summary for each in evaluations)
