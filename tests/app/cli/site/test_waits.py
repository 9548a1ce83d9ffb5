"""What waits are made of, from the command line and in Python."""

from pathlib import Path

import pytest

import batchscope
from tests.app.cli.commands import Commands
from tests.engine.logs.lines import line, write_log


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """On four processors, one job of user 1 after another; user 2 has a single one."""
    rows = [(1, 0, 1), (2, 10, 1), (3, 20, 2)]
    jobs = [
        line(job=job, submit=submit, runtime=100, walltime=100, procs=4, user=user, queue=user)
        for job, submit, user in rows
    ]
    return write_log(tmp_path / "three.swf", "; MaxProcs: 4", *jobs)


def test_waits_by_user(cli: Commands, log: Path, tmp_path: Path) -> None:
    """Job 2 waits 90 s for processors; job 3 waits 90 s behind job 2, and then as long as that runs."""
    found = cli.done("waits", log, "-p", "easy", "--by", "user", "--json").document
    assert (found["by"], found["inferred"]) == (["user"], False)
    groups = {group["user"]: group for group in found["groups"]}
    assert {name: (group["jobs"], group["wait_s"]) for name, group in groups.items()} == {
        "1": (1, 90),
        "2": (1, 180),
    }
    assert all(sum(group["parts_s"].values()) == group["wait_s"] for group in groups.values())
    assert found["answer"].startswith("user 2 waits 3 min in all, 67 % of all waiting; ")
    lines = cli.done("waits", log, "-p", "easy", "--by", "user").out.splitlines()
    assert lines[0] == f"easy: {found['answer']}"
    assert [row.split()[:2] for row in lines[2:]] == [["user", "jobs"], ["2", "1"], ["1", "1"]]
    table = tmp_path / "waits.csv"
    cli.done("waits", log, "-p", "easy", "--by", "user,week", "-o", table)
    assert table.read_text().startswith("user,week,jobs,wait_s,resources_s,priority_s,limits_s,")
    waits = batchscope.waits(batchscope.read(log), "easy", by="user")
    assert waits.table.wait_s.tolist() == [180, 90]
    assert "none of account, partition, user, week" in cli("waits", log, "--by", "day").complaint


def test_nobody_waits_or_reasons_are_inferred(cli: Commands, log: Path) -> None:
    assert cli.done("waits", log, "-p", "easy", "--filter", "job = 1").out == "easy: no job waited.\n"
    assert cli.done("waits", log).out == "recorded: no job waited.\n"
