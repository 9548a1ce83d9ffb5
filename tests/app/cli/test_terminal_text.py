import io
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli.terminal import print_document
from app.cli.terminal_text import ShownStream
from engine.shown_text import terminal_text
from tests.app.cli.commands import Commands
from tests.paths import SHARED, needs

INJECTED = SHARED / "cases" / "broken" / "inj.csv"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\tb\r\nc\u202f1 é 太", "a\tb\r\nc\u202f1 é 太"),
        ("\x1b[31mred\x07\x7f\x9b2J", "\\x1b[31mred\\x07\\x7f\\x9b2J"),
        ("\u202eevil\u2066", "\\u202eevil\\u2066"),
        ("line\r\nname\rroot\r", "line\r\nname\\rroot\\r"),
    ],
)
def test_control_characters_are_escaped(text, expected):
    assert terminal_text(text) == expected
    data = io.BytesIO()
    stream = ShownStream(data, "utf-8", newline="")
    print(text, end="", file=stream, flush=True)
    assert data.getvalue().decode() == expected


def test_a_return_in_a_name_does_not_go_back_but_progress_does() -> None:
    data = io.BytesIO()
    stream = ShownStream(data, "utf-8", newline="")
    stream.write("user\r")
    stream.write("\n")
    stream.write_over("a\rb 50%")
    assert data.getvalue() == b"user\\r\n\ra\\rb 50%"


def test_thousands_stand_apart_by_commas_but_in_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    data = io.BytesIO()
    monkeypatch.setattr("sys.stdout", ShownStream(data, "utf-8", newline=""))
    text = "of 28\u202f467 jobs 2,389 start earlier; 1\u202f000\u202f000.5 MWh, 12\u202f34, +1\u202f240 %"
    print(text, flush=True)
    assert data.getvalue().decode() == (
        "of 28,467 jobs 2,389 start earlier; 1,000,000.5 MWh, 12\u202f34, +1,240 %\n"
    )
    print_document("17\u202f897 jobs")
    print(flush=True)
    assert data.getvalue().decode().splitlines()[1] == "17\u202f897 jobs"


def test_a_row_of_a_table_is_a_line_whatever_its_names_hold(cli: Commands, tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    names = ["first", "\x1b[31mred", "two\nlines", "ta\tb", "\u202eevil"]
    rows = [f'{k},{k},500,600,8,"{name}",q' for k, name in enumerate(names)]
    log.write_text("\n".join(["job_id,submit,runtime,walltime,procs,user,queue", *rows]), newline="")
    shown = ["\\x1b[31mred", "two\\nlines", "ta\\tb", "\\u202eevil"]
    _, title, *output = cli.done("queue", log, "--at", "300", "--cluster", "8c").out.splitlines()
    assert [line[title.index("user") : title.index("queue")].strip() for line in output[:4]] == shown
    groups = cli.done("compare", log, "-p", "easy", "--by", "user").out.split("by user, 5 jobs\n")[1]
    title, *output = groups.splitlines()
    width = len(title) - len(title.lstrip())
    assert [line[:width].strip() for line in output[:5]] == ["first", *shown]


@needs(INJECTED)
def test_names_of_a_log_never_reach_the_terminal_raw():
    code = (
        "from app.cli.terminal_text import show_streams; show_streams(); import csv, sys; "
        f"[print(row, *row) for row in csv.reader(open({str(INJECTED)!r}, encoding='utf-8'))]; "
        "print('\\x1b[2J', file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    assert b"\\x1b[31mred" in done.stdout
    assert b"\x1b" not in done.stdout + done.stderr
    assert "\u202e" not in done.stdout.decode()
