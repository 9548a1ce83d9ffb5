from __future__ import annotations

import io
import subprocess
import sys

import pytest

from app.cli.shown import ShownStream, shown
from tests.paths import SHARED, needs

INJECTED = SHARED / "cases" / "broken" / "inj.csv"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\tb\r\nc\u202f1 é 太", "a\tb\r\nc\u202f1 é 太"),
        ("\x1b[31mred\x07\x7f\x9b2J", "\\x1b[31mred\\x07\\x7f\\x9b2J"),
        ("\u202eevil\u2066", "\\u202eevil\\u2066"),
    ],
)
def test_control_characters_are_escaped(text, expected):
    assert shown(text) == expected
    data = io.BytesIO()
    stream = ShownStream(data, "utf-8", newline="")
    print(text, end="", file=stream, flush=True)
    assert data.getvalue().decode() == expected


@needs(INJECTED)
def test_names_of_a_log_never_reach_the_terminal_raw():
    code = (
        "from app.cli.shown import show_streams; show_streams(); import csv, sys; "
        f"[print(row, *row) for row in csv.reader(open({str(INJECTED)!r}, encoding='utf-8'))]; "
        "print('\\x1b[2J', file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    assert b"\\x1b[31mred" in done.stdout
    assert b"\x1b" not in done.stdout + done.stderr
    assert "\u202e" not in done.stdout.decode()
