"""`-` is standard input for every command that reads a log."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.cli.main import COMMANDS, make_parser
from engine.input import STANDARD_INPUT
from tests.app.cli.commands import Commands

ARGUMENTS = {
    "anonymize": ["-", "-o", "out"],
    "audit": ["-", "recorded"],
    "change": ["-", "--at", "0", "--before", "a", "--after", "b"],
    "compare": ["-", "-p", "easy"],
    "convert": ["-", "out.swf"],
    "difference": ["-", "-p", "easy", "-p", "fcfs"],
    "explain": ["-", "--job", "1"],
    "figure": ["timeline", "-", "-p", "easy", "-o", "out.png"],
    "now": ["-", "--from-file", "queue"],
    "queue": ["-", "--at", "0"],
    "report": ["-", "-p", "easy", "-o", "out"],
    "rank": ["-", "-p", "easy", "-p", "fcfs"],
    "search": ["-"],
    "sweep": ["study.toml", "-", "-o", "out"],
}
"""Arguments of commands that need more than a log."""

NO_LOG = {"cite", "collect", "demo", "doctor", "fetch", "generate", "new", "paper", "policies", "window"}
"""Commands that read no log, or name it otherwise."""


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - NO_LOG))
def test_a_dash_is_standard_input(name: str) -> None:
    options = make_parser(name).parse_args([name, *ARGUMENTS.get(name, ["-"])])
    assert options.trace in (STANDARD_INPUT, [STANDARD_INPUT])


def test_other_options_that_name_logs_take_it_too() -> None:
    assert make_parser("window").parse_args(["window", "-"]).files == [STANDARD_INPUT]
    assert make_parser("generate").parse_args(["generate", "o.swf", "--like", "-"]).like == STANDARD_INPUT
    assert make_parser("now").parse_args(["now", "--from-file", "-"]).from_file == STANDARD_INPUT
    sweep = make_parser("sweep").parse_args(["sweep", "s.toml", "a", "-o", "out", "--log", "-"])
    assert sweep.log == [STANDARD_INPUT]


def test_what_reads_its_log_twice_holds_standard_input(
    cli: Commands, small: Path, tmp_path: Path, piped: Callable[[bytes], None]
) -> None:
    piped(small.read_bytes())
    cli.done("report", "-", "-p", "easy", "-o", tmp_path / "out", "--quiet")
    assert "wait" in (tmp_path / "out" / "index.html").read_text("utf-8")
    piped(small.read_bytes())  # a report repeats what is given to it again
    cli.done("report", "--again", tmp_path / "out", "--quiet")


def test_other_commands_read_it_once(cli: Commands, small: Path, piped: Callable[[bytes], None]) -> None:
    piped(small.read_bytes())
    assert "12 jobs" in cli.done("info", "-").out


@pytest.fixture
def piped() -> Iterator[Callable[[bytes], None]]:
    """Puts bytes into a pipe that is standard input until the end of the test."""
    before = os.dup(0)

    def pipe(data: bytes) -> None:
        reader, writer = os.pipe()  # which holds 64 KiB without a reader
        os.write(writer, data)
        os.close(writer)
        os.dup2(reader, 0)
        os.close(reader)

    yield pipe
    os.dup2(before, 0)
    os.close(before)


def test_a_file_of_that_name_is_read_by_its_path(cli: Commands, small: Path, tmp_path: Path) -> None:
    (tmp_path / "-").write_bytes(small.read_bytes())
    assert "12 jobs" in cli.done("info", tmp_path / "-").out
