"""Small logs, written line by line."""

import gzip
from pathlib import Path

from engine.logs.read import read_trace
from engine.trace import Note, Trace

FIELDS = (
    *("job", "submit", "wait", "runtime", "allocated", "cpu_time", "used_ram", "procs", "walltime", "ram"),
    *("status", "user", "group", "executable", "queue", "partition", "preceding", "think_time"),
)


def line(extra: str = "", **values: object) -> str:
    """One record: job 1 of user 1, a processor for 10 of 20 seconds from 0 on; `-1` for all else."""
    record: dict[str, object] = dict.fromkeys(FIELDS, -1)
    record |= {"job": 1, "submit": 0, "wait": 0, "runtime": 10, "allocated": 1, "procs": 1}
    record |= {"walltime": 20, "status": 1, "user": 1} | values
    assert len(record) == len(FIELDS), "no such field"
    return " ".join(str(value) for value in record.values()) + (f" {extra}" if extra else "")


def write_log(path: Path, *lines: str) -> Path:
    """A log of these lines, packed where the name says so."""
    data = "".join(f"{text}\n" for text in lines).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def read_lines(folder: Path, *lines: str, **options: object) -> Trace:
    """The trace of these lines."""
    return read_trace(write_log(folder / "log.swf", *lines), **options)  # type: ignore[arg-type]


def where(trace: Trace, rule: str) -> tuple[int, tuple[int, ...]]:
    """How often a rule applied, and the first few lines."""
    found = _note(trace, rule)
    return found.count, found.lines


def text_of(trace: Trace, rule: str) -> str:
    """What the note of a rule says."""
    return _note(trace, rule).text


def counts(trace: Trace) -> dict[str, int]:
    """How often each rule applied."""
    return {entry.rule: entry.count for entry in trace.notes}


def _note(trace: Trace, rule: str) -> Note:
    (found,) = (entry for entry in trace.notes if entry.rule == rule)
    return found
