"""Answers in forty words, by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.answer.answer import answer
from engine.answer.brief import MOST_WORDS, brief_answer
from engine.now.queue_forecast import Replaying, forecast_queue
from engine.now.queued import QueueNow
from engine.now.site_queue import queue_at_site
from engine.slurm.site.folder import read_site_at
from engine.trace.queue_state import HELD, RUNNING, WAITING, QueuedJob, QueueState

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
    state = QueueState((RUNS, JOB, held, odd), 1000, ())
    found = forecast_queue(queue_at_site(read_site_at(folder), state), Replaying(replays=0))
    return QueueNow(found, str, "")


@pytest.mark.parametrize(
    ("job_id", "begin"),
    [
        ("1", "Job 1 runs."),
        ("2", "Job 2 starts in 30 min if all jobs use their time limits. It asks for 4 CPUs, and 4 of them"),
        ("3", "Job 3 has no planned start. It is held by its user."),
        ("4", "Job 4 has no planned start. "),
    ],
)
def test_answers_have_forty_words(queue: QueueNow, job_id: str, begin: str) -> None:
    job = queue.job(job_id)
    assert job is not None
    text = brief_answer(answer(queue, job))
    assert text.startswith(begin)
    assert len(text.split()) <= MOST_WORDS
