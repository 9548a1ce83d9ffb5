"""What one policy changes against another, from the command line."""

from pathlib import Path

import pytest

from tests.app.cli.commands import Commands
from tests.engine.logs.lines import line, write_log


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """On four processors; under `easy` the job of user 3 starts at 20, under `fcfs` at 150."""
    rows = [(1, 0, 100, 100, 2), (2, 10, 50, 60, 4), (3, 20, 60, 60, 2)]
    jobs = [
        line(job=job, submit=submit, runtime=runtime, walltime=walltime, procs=procs, user=job, queue=1)
        for job, submit, runtime, walltime, procs in rows
    ]
    return write_log(tmp_path / "three.swf", "; MaxProcs: 4", *jobs)


def test_who_waits_less(cli: Commands, log: Path) -> None:
    document = cli.done("difference", log, "-p", "fcfs", "-p", "easy", "--json").document
    assert (document["first"], document["second"]) == ("fcfs", "easy")
    assert (document["jobs"], document["earlier"], document["later"]) == (3, 1, 0)
    first = document["groups"][0]
    assert (first["name"], first["net_s"], first["saved_s"], first["added_s"]) == ("3", 130, 130, 0)
    assert [group["net_s"] for group in document["groups"]] == [130, 0, 0]


def test_as_text(cli: Commands, log: Path) -> None:
    lines = cli.done("difference", log, "-p", "easy", "-p", "fcfs", "--by", "queue").out.splitlines()
    assert lines[0] == "fcfs against easy"
    assert lines[1].startswith("Of 3 jobs none starts earlier, 1 later, 2 at the same time.")
    assert lines[3].split()[0] == "Queue"
    assert lines[4].split()[0] == "1"
    assert len(lines) == 5


def test_by_account_where_the_log_has_accounts(cli: Commands, tmp_path: Path) -> None:
    rows = [(1, 0, 100, 100, 2, 7), (2, 10, 50, 60, 4, 7), (3, 20, 60, 60, 2, -1), (4, 30, 60, 60, 2, 8)]
    jobs = [
        line(job=job, submit=submit, runtime=runtime, walltime=walltime, procs=procs, user=job, group=group)
        for job, submit, runtime, walltime, procs, group in rows
    ]
    found = write_log(tmp_path / "told.swf", "; MaxProcs: 4", *jobs)
    command = ("-p", "fcfs", "-p", "easy", "--by", "account")
    document = cli.done("difference", found, *command, "--json").document
    assert {group["name"]: group["jobs"] for group in document["groups"]} == {"-1": 1, "7": 2, "8": 1}
    lines = cli.done("difference", found, *command).out.splitlines()
    assert lines[3].split()[0] == "Account"
    assert any(text.startswith("no account") for text in lines[4:])
    untold = write_log(tmp_path / "untold.swf", "; MaxProcs: 4", line(job=1, user=1, group=-1))
    outcome = cli("difference", untold, *command)
    assert outcome.status == 2
    assert "untold names no account for any job" in outcome.complaint


@pytest.mark.parametrize("policies", [["easy"], ["easy", "fcfs", "just"]])
def test_two_policies_are_needed(cli: Commands, log: Path, policies: list[str]) -> None:
    outcome = cli("difference", log, *(word for policy in policies for word in ("-p", policy)))
    assert outcome.status == 2
    assert "difference takes two policies: -p FIRST -p SECOND" in outcome.complaint


def test_a_job_that_a_failure_loses_is_named_with_its_area(cli: Commands, tmp_path: Path) -> None:
    """Job 1 has run for 200 s on four processors when its node fails."""
    rows = [(1, 0, 400, 600, 4), (2, 10, 300, 600, 4), (4, 30, 100, 200, 16)]
    jobs = [
        line(job=job, submit=submit, runtime=runtime, walltime=walltime, procs=procs, user=job, queue=1)
        for job, submit, runtime, walltime, procs in rows
    ]
    log = write_log(tmp_path / "lost.swf", "; MaxProcs: 16", *jobs)
    log.with_name("lost.swf.machines").write_text("0 a 4 4 16 0\n")
    failures = tmp_path / "failures"
    failures.write_text("200 a 100 0 0\n")
    given = ("difference", log, "--failures", failures)
    text = cli.done(*given, "-p", "easy", "-p", "easy:on_failure=lose").out
    said = (
        "Job 1 of user 1 is given up by easy:on_failure=lose, and 800 processor-seconds of its runs are lost."
    )
    assert said in text
    assert text.splitlines()[-1].split() == ["job", "1", "of", "user", "1", "1", "800"]
    document = cli.done(*given, "-p", "easy:on_failure=lose", "-p", "easy", "--json").document
    assert document["given_up"] == [[{"job": "1", "runs_stopped": 1, "stopped_area": 800}], []]
    assert said in document["answer"]
