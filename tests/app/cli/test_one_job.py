"""What commands print of a log of a single job on a single processor."""

import re
from pathlib import Path

import pytest

_PLURAL = re.compile(r"(?<![\w.,:/-])1 (jobs|users|processors|nodes|CPUs|lines|runs|queues|groups)\b")
_JOB = "; MaxProcs: 1\n; UnixStartTime: 1577880000\n1 0 0 60 1 -1 -1 1 60 -1 1 1 1 1 1 -1 -1 -1\n"


@pytest.fixture
def log(tmp_path: Path) -> str:
    """The log."""
    path = tmp_path / "one.swf"
    path.write_text(_JOB)
    return str(path)


@pytest.mark.parametrize(
    ("command", "holds"),
    [
        (("info",), "1c: 1 processor"),
        (("simulate", "-p", "easy"), "easy: 1 job run"),
        (("compare", "-p", "easy", "-p", "fcfs", "--by", "user"), "one on 1c, 1 job"),
        (("eet", "-p", "easy"), "0 of 1 job ended late"),
        (("queue", "-p", "easy", "--at", "30"), "1 running on 1 of 1 processor,"),
        (("difference", "-p", "easy", "-p", "fcfs"), "1 job starts"),
        (("explain", "-p", "easy", "--job", "1"), "Job 1 of user 1"),
        (("convert", "copy.swf"), "wrote 1 job to"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_one_is_no_plural(cli, log, tmp_path, monkeypatch, command, holds):
    monkeypatch.chdir(tmp_path)
    done = cli.done(command[0], log, *command[1:])
    output = done.out + done.err
    assert holds in output
    assert not _PLURAL.findall(output)
