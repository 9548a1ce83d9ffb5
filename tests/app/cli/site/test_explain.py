"""Why a job waited, from the command line."""

from itertools import pairwise
from pathlib import Path

import pytest

from tests.app.cli.commands import Commands
from tests.engine.logs.lines import line, write_log


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """On four processors job 1 runs from 0 to 100; job 2 needs all four; job 3 goes past it at 20."""
    rows = [(1, 0, 100, 100, 2), (2, 10, 50, 60, 4), (3, 20, 60, 60, 2), (4, 200, 10, 10, 1)]
    jobs = [
        line(job=job, submit=submit, runtime=runtime, walltime=walltime, procs=procs, user=job, queue=1)
        for job, submit, runtime, walltime, procs in rows
    ]
    return write_log(tmp_path / "four.swf", "; MaxProcs: 4", "; UnixStartTime: 1000000000", *jobs)


def test_reasons_add_up_to_the_wait(cli: Commands, log: Path) -> None:
    document = cli.done("explain", log, "--job", "2", "--json").document
    assert document["policy"] == "easy"
    job = document["job"]
    assert (job["job_id"], job["submit"], job["start"], job["wait"], job["walltime"]) == (2, 10, 100, 90, 60)
    assert sum(reason["seconds"] for reason in document["reasons"]) == 90
    assert {reason["reason"] for reason in document["reasons"]} == {"cpus"}
    intervals = document["intervals"]
    assert intervals[0]["begin"] == 10
    assert intervals[-1]["end"] == 100
    assert all(before["end"] == after["begin"] for before, after in pairwise(intervals))
    assert document["reservations"][0] == {"made": 10, "start": 100}
    assert (document["went_past_it"], document["it_went_past"]) == ([3], [])


def test_as_text(cli: Commands, log: Path) -> None:
    text = cli.done("explain", log, "--job", "2").out
    assert text.startswith(
        "Job 2 of user 2, queue 1, under easy\nRequested 4 processors for 1 min; submitted "
    )
    assert "Started 2001-09-09 01:48:20, after a wait of 1 min 30 s." in text
    assert "100 %  short of processors" in text
    assert "First reserved at 2001-09-09 01:46:50: to start by 2001-09-09 01:48:20." in text
    assert "1 job of 1 user went past it: 3." in text


def test_who_was_backfilled_names_whom(cli: Commands, log: Path) -> None:
    assert cli.done("explain", log, "--job", "3", "--json").document["it_went_past"] == [2]


def test_a_job_that_did_not_wait(cli: Commands, log: Path) -> None:
    assert cli.done("explain", log, "--job", "4").out.endswith("It started at its submission.\n")


def test_the_logs_own_schedule_tells_no_reasons(cli: Commands, tmp_path: Path) -> None:
    jobs = [line(job=1, submit=0, wait=5, runtime=10, procs=1, user=1)]
    log = write_log(tmp_path / "own.swf", "; MaxProcs: 4", *jobs)
    text = cli.done("explain", log, "-p", "recorded", "--job", "1").out
    assert "it does not record why jobs waited" in text
    assert "Inferred, since no reasons were recorded: for 5 s enough seems to have been idle" in text


def test_the_answer_for_a_user(cli: Commands, log: Path) -> None:
    brief, more = cli.done("explain", log, "--job", "2", "--answer").out.splitlines()
    assert brief == (
        "Under easy, job 2 waited 1 min 30 s, until 2001-09-09 01:48. All of that: short of processors. "
        "No change that was tried helps."
    )
    assert more == "How this is worked out: --method."
    text = cli.done("explain", log, "--job", "2", "--answer", "--method").out
    assert text.startswith(
        "Job 2 asked for 4 processors for 1 min. It was submitted on 2001-09-09 at 01:46:50"
    )
    assert "- 2 processors instead of 4, running longer in proportion: it would have waited 0 s" in text
    what_if = cli.done("explain", log, "--job", "2", "--answer", "--json").document["what_if"]
    assert what_if[0]["sooner"] == 90
    assert cli.done("explain", log, "--job", "2", "--json").document["what_if"] == []


def test_a_method_is_that_of_an_answer(cli: Commands, log: Path) -> None:
    outcome = cli("explain", log, "--job", "2", "--method")
    assert outcome.status == 2
    assert "--method is the method of --answer" in outcome.err


def test_a_job_that_is_not_there_is_named(cli: Commands, log: Path) -> None:
    outcome = cli("explain", log, "--job", "99")
    assert outcome.status == 2
    assert "--job: four has no job 99; its job ids look like 1" in outcome.err


def test_what_a_log_does_not_name_is_not_told(cli: Commands, tmp_path: Path) -> None:
    log = tmp_path / "t.csv"
    log.write_text("job_id,submit,runtime,procs,user\n1,0,60,1,ann\n2,0,60,1,\n")
    told = [cli.done("explain", log, "--job", job, "-p", "easy").out for job in ("1", "2")]
    assert told[0].startswith("Job 1 of user ann, under easy\n")
    assert told[1].startswith("Job 2, under easy\n")
