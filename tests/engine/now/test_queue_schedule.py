"""The queue as a schedule, by hand."""

from dataclasses import replace

from engine.logs.queue.state import HELD, RUNNING, WAITING, QueuedJob, QueueState
from engine.machine.cluster import parse_cluster
from engine.now.prediction import Forecast, Prediction
from engine.now.queue_arrays import NO_LIMIT
from engine.now.queue_schedule import queue_schedule
from engine.schedule.processors import assign_processors

JOB = QueuedJob("1", "ann", "x", "batch", WAITING, "Priority", 0, 50, 3600, 4, 2, 512, 0, False, "", "", 10.0)
ZERO, NOW = 1_000_000, 1_010_000


def test_jobs_run_since_they_started_and_wait_until_they_are_planned_to() -> None:
    runs = replace(JOB, job_id="r", state=RUNNING, elapsed=600, waited=900, user="bob")
    over = replace(JOB, job_id="o", state=RUNNING, elapsed=4000, waited=4000, limit=3600)
    free = replace(JOB, job_id="f", state=RUNNING, elapsed=20_000, waited=20_000, limit=None)
    held = replace(JOB, job_id="h", state=HELD, waited=10)
    waits = (Prediction(JOB, 120, None, None, None, ""), Prediction(held, None, None, None, None, ""))
    state = QueueState((held, JOB, runs, over, free), NOW, ())
    found = queue_schedule("q", state, Forecast(waits, 0), parse_cluster("4x8c"), ZERO)
    schedule, trace = found.schedule, found.schedule.trace
    assert found.now == 10_000
    assert [job.job_id for job in found.jobs] == trace.job_id.tolist() == ["f", "o", "r", "1", "h"]
    assert trace.submit.tolist() == [0, 6000, 9100, 9950, 9990]  # what began before the zero counts as then
    assert schedule.start.tolist() == [0, 6000, 9400, 10_120, -1]
    assert schedule.end.tolist() == [NO_LIMIT, 10_060, 13_000, 13_720, -1]
    assert trace.wait.tolist() == [0, 0, 300, -1, -1]
    assert trace.user.names[trace.user.codes[2]] == "bob"
    assert trace.tasks["cpus"].tolist() == [2] * 5
    assert schedule.cluster.pooled
    assert len(assign_processors(schedule).first) == 4
