"""Answers in forty words, by hand."""

import gzip
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings

from engine.answer.answer import Answer, answer
from engine.answer.brief import MOST_WORDS, brief_answer
from engine.logs.queue.state import HELD, NEW, RUNNING, WAITING, QueuedJob, QueueState
from engine.now.queue_forecast import Replaying, forecast_queue
from engine.now.queued_job import QueueNow, WaitingJob
from engine.now.site_queue import queue_at_site
from engine.now.what_if import Outcome
from engine.simulation.run import simulate
from engine.slurm.site.folder import read_site_at
from tests.engine.logs.queue.prints import one_queue
from tests.engine.simulation.workloads import Case, cases
from tests.paths import SHARED, needs

TIERS = SHARED / "reference" / "slurm" / "tiers" / "base"

JOB = QueuedJob("2", "ann", "", "batch", WAITING, "Resources", 0, 0, 3600, 4, 1, 0, 0, False, "", "", 10.0)
RUNS = replace(JOB, job_id="1", state=RUNNING, elapsed=1800, node_list="a1")


@pytest.fixture(scope="module")
def queue(tmp_path_factory: pytest.TempPathFactory) -> QueueNow:
    """A node of four CPUs, taken for half an hour: a job waits for it, one is held, one never fits."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "slurm.conf").write_text(
        "NodeName=a1 CPUs=4\nPartitionName=batch Nodes=a1\nSchedulerParameters=bf_interval=30\n"
    )
    held = replace(JOB, job_id="3", state=HELD, reason="JobHeldUser")
    odd = replace(JOB, job_id="4", cpus=64, reason=" ".join(["word"] * 60))
    long = replace(held, job_id="5", reason=" ".join(["word"] * 60))
    state = QueueState((RUNS, JOB, held, odd, long), 1000, ())
    found = forecast_queue(queue_at_site(read_site_at(folder), state), Replaying(replays=0))
    return QueueNow(found, str, "")


@pytest.mark.parametrize(
    ("job_id", "begin"),
    [
        ("1", "Job 1 runs."),
        ("2", "Job 2 starts in 30 min if all jobs use their time limits. It asks for 4 CPUs, and 4 of them"),
        ("3", "Job 3 has no planned start. It is held by its user."),
        ("4", "Job 4 has no planned start. "),
        ("5", "Job 5 has no planned start. "),
    ],
)
def test_answers_have_forty_words(queue: QueueNow, job_id: str, begin: str) -> None:
    job = queue.job(job_id)
    assert job is not None
    text = brief_answer(answer(queue, job))
    assert text.startswith(begin)
    assert len(text.split()) <= MOST_WORDS


def test_a_long_reason_leaves_room_for_the_change(queue: QueueNow) -> None:
    job = queue.job("4")
    assert job is not None
    helps = Outcome("2 processors instead of 1,024, running longer in proportion", 0, None, None, None)
    text = brief_answer(replace(answer(queue, job, what_if=False), outcomes=(helps,)))
    kept = "Job 4 has no planned start. No node of partition batch has 64 CPUs."
    assert text == f"{kept} It starts now with 2 processors, running longer in proportion."


def test_a_job_that_is_not_submitted_is_called_new(queue: QueueNow) -> None:
    new = replace(JOB, job_id=NEW)
    found = forecast_queue(queue.answer.queue, Replaying(replays=0), asked=new)
    job = QueueNow(found, str, "").job(NEW)
    assert job is not None
    assert brief_answer(answer(QueueNow(found, str, ""), job)).startswith("The new job starts in ")


@needs(TIERS)
@pytest.mark.parametrize("moment", ["0210", "0690", "0870"])
def test_all_jobs_of_a_real_queue_are_answered_in_forty_words(moment: str) -> None:
    text = gzip.decompress((TIERS / "dumps" / moment / "squeue.json.gz").read_bytes()).decode()
    found = forecast_queue(
        queue_at_site(read_site_at(TIERS / "site"), one_queue(text, 1_795_887_010)), Replaying(replays=0)
    )
    queue = QueueNow(found, str, "")
    assert len(found.jobs) > 12
    for job in found.jobs:
        assert_brief(brief_answer(answer(queue, job, what_if=False)))


@pytest.mark.parametrize("seed", range(4))
def test_all_jobs_of_generated_queues_are_answered_in_forty_words(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    (tmp_path / "slurm.conf").write_text(
        "NodeName=a[1-3] CPUs=4\nPartitionName=batch Nodes=a[1-2] Default=YES\nPartitionName=night Nodes=a3\n"
        "SchedulerParameters=bf_interval=30,default_queue_depth=3\n"
    )
    runs = [replace(RUNS, limit=draw.randrange(1800, 90_000)), replace(RUNS, job_id="9", node_list="a3")]
    waits = [
        replace(
            JOB,
            job_id=str(100 + k),
            user=draw.choice(["ann", "bob of the long name"]),
            partition=draw.choice(["batch", "night", "gone"]),
            state=draw.choice([WAITING, WAITING, WAITING, HELD]),
            reason=draw.choice(["", "Priority", "AssocGrpCpuLimit", "BeginTime"]),
            limit=draw.randrange(60, 200_000),
            cpus=draw.choice([1, 4, 8, 64]),
            nodes=draw.choice([1, 2]),
            priority=float(draw.randrange(1, 9_999_999)),
        )
        for k in range(8)
    ]
    state = QueueState((*runs, *waits), 1000, ())
    found = forecast_queue(queue_at_site(read_site_at(tmp_path), state), Replaying(replays=2))
    queue = QueueNow(found, str, "")
    replies: list[Answer[WaitingJob]] = [answer(queue, job) for job in found.jobs]
    assert len(replies) == 10
    for reply in replies:
        assert_brief(brief_answer(reply))


@settings(max_examples=25, phases=(Phase.generate,))
@given(cases())
def test_all_jobs_of_random_schedules_are_answered_in_forty_words(case: Case) -> None:
    schedule = simulate(*case, log=True)
    for job in range(len(schedule.start)):
        text = brief_answer(answer(schedule, job, what_if=False))
        assert text.startswith(f"Under {schedule.policy}, job ")
        assert len(text.split()) <= MOST_WORDS, text


def assert_brief(text: str) -> None:
    """At most forty words, in sentences."""
    assert text.startswith("Job ")
    assert text.endswith((".", "…"))
    assert len(text.split()) <= MOST_WORDS, text
