"""Every way in which Slurm prints its accounting, read, beside its database."""

from pathlib import Path

import pytest

from engine.errors import InputError
from engine.logs.read import read_records
from tests.real.database import MISSING, jobs, runs
from tests.real.doors import DOORS, differences
from tests.real.workload import FEW


@pytest.mark.parametrize("name", DOORS)
def test_each_value_is_that_of_the_database(session: Path, name: str) -> None:
    assert differences(session / "out", name) == []


def test_jobs_of_all_kinds_were_there(session: Path) -> None:
    rows = runs(session / "out")
    states = {run.state for run in rows}
    assert {"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "REQUEUED"} <= states
    assert len(jobs(session / "out", every_run=True)) >= len(FEW)
    assert any(run.gpus for run in rows)
    assert any(run.job_id.endswith("+1") for run in rows)
    assert any("_" in run.job_id for run in rows)
    assert any(len(run.hosts) > 2 for run in rows)
    assert any(run.allocated > run.asked for run in rows)
    assert any(run.ran and run.runtime < run.end - run.start for run in rows)  # one was suspended


def test_text_and_json_in_mid_run_tell_of_the_same_jobs(session: Path) -> None:
    text = read_records(session / "mid" / "sacct_now.txt")
    document = read_records(session / "mid" / "sacct_now.json")
    assert {job for job in text.job_id.tolist() if "[" not in job} <= set(document.job_id.tolist())
    assert (text.status == MISSING).any()
    assert (document.status == MISSING).any()


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("squeue.json", "squeue"),
        ("squeue.txt", "squeue"),
        ("squeue_long.txt", "squeue"),
        ("squeue_all.txt", "squeue"),
        ("scontrol_job.txt", "scontrol show job"),
        ("scontrol_job_long.txt", "scontrol show job"),
        ("scontrol_config.txt", "scontrol show config"),
        ("scontrol_node.txt", "scontrol show node"),
        ("scontrol_node_lines.txt", "scontrol show node"),
        ("scontrol_partition.txt", "scontrol show partition"),
    ],
)
def test_what_is_no_log_is_named(session: Path, name: str, word: str) -> None:
    with pytest.raises(InputError, match=word):
        read_records(session / "mid2" / name)
