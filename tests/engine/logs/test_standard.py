"""Logs in the Standard Workload Format, told at once: no other reader takes one that is told so."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.logs.read import is_standard
from engine.logs.readers import format_of
from engine.logs.tables.table import is_odd_table

HEADER = b"; Version: 2.2\n; Computer: IBM SP2\n; MaxJobs: 3 | 4\n"
ROW = b"1 0 -1 10.5 1 -1 -1 2 60 -1 1 1 1 1 1 1 -1 -1\n"
BARS = "|".join(["7"] * 26)

LINES = st.one_of(
    st.text(";|,\t^: 0123456789-.jobidJOBIDsubmit=*{}\"'/T\r", max_size=80),
    st.lists(st.integers(-9, 10**10), min_size=10, max_size=45).map(lambda row: " ".join(map(str, row))),
    st.lists(st.integers(0, 10**9), min_size=20, max_size=50).map(lambda row: ";" + ":".join(map(str, row))),
    st.sampled_from(
        [
            "JobID|JobIDRaw|User|Submit|Start|End|State",
            "; JobId=1 UserId=a(1) Name=b",
            f";{BARS}",
            "01/02/2020 10:00:00;E;1.a;user=b",
            '"JOB_FINISH" "10.1" 1 2 3',
            "ClusterId = 5",
            '{"jobs": []}',
        ]
    ),
)


@given(st.lists(LINES, max_size=6), st.booleans())
@example([f";{BARS}"], True)
@example(["JobID|JobIDRaw|User|Submit|Start|End|State"], True)
def test_no_other_reader_takes_what_is_reported_at_once(lines: list[str], headed: bool) -> None:
    head = (HEADER if headed else b"") + "\n".join(lines).encode()
    if is_standard(head):
        assert format_of(head) is None
        assert not is_odd_table(head)


@pytest.mark.parametrize("tail", [b"", b";\r\n", b"2 0 -1", b"; Note: cut he"])
def test_logs_of_the_archive_are_reported_at_once(tail: bytes) -> None:
    assert is_standard(HEADER + ROW * 3 + tail)


@pytest.mark.parametrize(
    "line", [b"JobID|User\n", b"1 2 {3,4} q_1d\n", b";" + BARS.encode() + b"\n", b"\t\n"]
)
def test_what_may_be_another_format_is_looked_at(line: bytes) -> None:
    assert not is_standard(HEADER + line)
    assert not is_standard(line + ROW)
