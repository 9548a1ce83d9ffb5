"""What became of a command: what it printed and wrote, and what is wrong with that."""

import io
import json
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pandas as pd

from app.cli.main import main

DONE, FAILED, WRONG_USAGE = 0, 1, 2


class Ended(NamedTuple):
    """How a command ended: the traceback of what it raised (empty: nothing), its status, what it printed."""

    trace: str
    status: int
    out: str
    err: str


def carried_out(arguments: Sequence[object]) -> Ended:
    """Run a command in this process; its warnings count as errors."""
    words = [str(argument) for argument in arguments]
    out, err, status, trace = io.StringIO(), io.StringIO(), DONE, ""
    with redirect_stdout(out), redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            status = main(words)
        except SystemExit as leaving:  # as argparse does
            status = leaving.code if isinstance(leaving.code, int) else FAILED
        except Exception:
            trace = traceback.format_exc()
    return Ended(trace, status, out.getvalue(), err.getvalue())


class Judged(NamedTuple):
    """Whether a command or an export was refused in a line, and what is wrong; empty: nothing."""

    refused: bool
    fault: str


def judged(arguments: Sequence[object]) -> Judged:
    """Run a command, and say what is wrong with how it ended."""
    ended = carried_out(arguments)
    return Judged(ended.status != DONE, _fault_of(ended, [str(argument) for argument in arguments]))


def _fault_of(ended: Ended, words: list[str]) -> str:
    if ended.trace:
        return ended.trace
    if "Traceback" in ended.err or "Warning: " in ended.err:
        return ended.err
    if ended.status not in (DONE, FAILED, WRONG_USAGE):
        return f"status {ended.status}"
    if ended.status != DONE and not ended.out:
        # Notes may stand before it; why nothing came of the command is one line, the last.
        said = [text for text in ended.err.splitlines() if text.startswith("batchscope")]
        if len(said) != 1 or not ended.err.endswith(f"{said[0]}\n"):
            return f"status {ended.status}, and not one line says why:\n{ended.err}"
    if ended.status == WRONG_USAGE and ended.out:
        return f"wrong usage, after this was printed:\n{ended.out}"
    return _fault_of_output(words, ended.out) if ended.status == DONE else ""


def _fault_of_output(words: list[str], out: str) -> str:
    """What is wrong with the output of a command that says that it was successful."""
    if "--json" in words or "json" in words:
        try:
            json.loads(out, parse_constant=_refuse)
        except ValueError as error:
            return f"standard output is not JSON: {error}\n{out[:500]}"
    for option in ("-o", "--data", "--map", "--figure"):
        if option in words and (fault := fault_of_file(Path(words[words.index(option) + 1]))):
            return fault
    return ""


def _refuse(word: str) -> float:
    raise ValueError(f"{word} is no JSON")


def _as_svg(path: Path) -> None:
    ElementTree.parse(path)


def _as_json(path: Path) -> None:
    json.loads(path.read_text("utf-8"), parse_constant=_refuse)


def _beginning(*begins: bytes) -> Callable[[Path], None]:
    def check(path: Path) -> None:
        if not path.read_bytes().startswith(begins):
            raise ValueError("it begins with other bytes")

    return check


_READERS: dict[str, Callable[[Path], object]] = {
    ".csv": pd.read_csv,
    ".parquet": pd.read_parquet,
    ".json": _as_json,
    ".svg": _as_svg,
    ".png": _beginning(b"\x89PNG"),
    ".pdf": _beginning(b"%PDF"),
    ".html": _beginning(b"<!doctype html>", b"<!DOCTYPE html>"),
    ".swf": _beginning(b";", b" ", *(str(digit).encode() for digit in range(10))),
}
"""What reads a file back, by its suffix."""


def fault_of_file(path: Path) -> str:
    """Why a written file cannot be read back; empty: it can."""
    if path.is_dir():
        return "" if any(path.iterdir()) else f"{path}: nothing is in it"
    try:
        _READERS.get(path.suffix, Path.stat)(path)
    except (OSError, ValueError, ElementTree.ParseError) as error:
        return f"{path} cannot be read back: {error!r}"
    return ""
