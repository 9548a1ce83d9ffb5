"""A kill leaves whole files; `python -m tests.fuzz kills` kills more commands, at more moments."""

import random
import re
from pathlib import Path

import pytest

from tests.fuzz import kills

COMMAND = kills.COMMANDS["sweep"]
WHOLE = {"rows/results.parquet": b"PAR1...PAR1", "rows/runs/1.json": b'{"a": 1}'}
BEFORE = {"notes.txt": b"mine"}


def test_a_command_that_is_killed_leaves_whole_files_and_does_its_work_the_next_time(tmp_path: Path) -> None:
    assert kills.kill("collect", random.Random(3), tmp_path).startswith("collect, ")


@pytest.mark.parametrize(
    ("left", "fault"),
    [
        ({}, "notes.txt is gone"),
        ({"notes.txt": b""}, "notes.txt was changed"),
        (BEFORE | {"rows/results.parquet": b"PAR1.."}, "results.parquet is not whole"),
        (BEFORE | {"rows/results.parquet.tmp": b""}, "results.parquet.tmp is no output"),
        (BEFORE | WHOLE, None),
        (BEFORE | {"rows/.results-batchscope-0123abcd-77-5-0123abcd.parquet": b"PAR1.."}, None),
    ],
)
def test_what_a_kill_must_not_leave_is_found(left: kills.Files, fault: str | None) -> None:
    if fault is None:
        kills.check(COMMAND, WHOLE, BEFORE, left)
        return
    with pytest.raises(AssertionError, match=re.escape(fault)):
        kills.check(COMMAND, WHOLE, BEFORE, left)
