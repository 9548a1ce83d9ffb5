"""Names of a log that are no UTF-8: told apart, filtered by, and written so that they are read again."""

import os
from pathlib import Path

import pytest

from engine.filter import parse_filter
from engine.filter.expression import Compare
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.trace.trace import Trace

LOGS = {
    "sacct": b"JobID|User|State|NCPUS|Submit|Start|End\n"
    + b"".join(
        b"%d|caf%c|COMPLETED|1|2021-07-01T12:00:00|2021-07-01T12:10:00|2021-07-01T13:00:00\n" % (k, 0xE7 + k)
        for k in (1, 2, 3)
    ),
}


def users(trace: Trace) -> list[str]:
    return [trace.user.names[code] for code in trace.user.codes.tolist()]


@pytest.mark.parametrize("kind", LOGS)
def test_users_stay_distinct_and_can_be_asked_for(tmp_path: Path, kind: str) -> None:
    log = tmp_path / "log"
    log.write_bytes(LOGS[kind])
    assert users(read_log_as(log, Reading()).trace) == ["caf\\xe8", "caf\\xe9", "caf\\xea"]
    for asked in ("caf\\xe9", os.fsdecode(b"caf\xe9")):
        assert users(read_log_as(log, Reading(users=asked)).trace) == ["caf\\xe9"]
        expression = parse_filter(f'user = "{asked}"')
        assert isinstance(expression, Compare)
        assert expression.values == ("caf\\xe9",)
