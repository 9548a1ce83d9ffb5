"""Accounting of Open Cluster Scheduler and Gridware: `accounting.jsonl`, a job in a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from engine.logs.formats.sge import read_sge
from engine.logs.text.json_document import JsonText
from engine.machine.cluster import Cluster
from engine.trace.records import Records

_HEAD = ["qname", "hostname", "group", "owner", "job_name", "job_number", "account", "priority"]
_NAMES = ["project", "department", "granted_pe", "slots", "task_number"]
_USAGE = 18  # fields of an accounting line from ru_wallclock to ru_nivcsw, which are not read
_MICROSECONDS, _MILLISECONDS = 100_000_000_000_000, 100_000_000_000
"""Times beyond these count microseconds, or milliseconds, since 1970."""


def is_ocs(job: Mapping[str, Any]) -> bool:
    """True if an object is a record of such a file."""
    return {"job_number", "submission_time", "qname", "slots"} <= set(job)


def read_ocs(document: JsonText, machine: Cluster | None) -> Records:
    """The jobs of such a file, as Grid Engine's own accounting: each record has the fields of such a line."""
    lines: list[str] = []
    for number, job in document.jobs():
        lines += [""] * (number - 1 - len(lines))  # so that notes name the lines of the file
        lines.append(":".join(_fields(job)))
    text = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
    return read_sge(document.path, np.frombuffer(text, np.uint8), machine)


def _fields(job: Mapping[str, Any]) -> Iterator[str]:
    """The fields of a line of `accounting`, in its order."""
    # The JSON has the usage nested in a usage; other versions have none.
    usage = job.get("usage")
    used: Mapping[str, Any] = usage.get("usage", {}) if isinstance(usage, dict) else {}
    used = used if isinstance(used, dict) else {}
    yield from (_text(job, name) for name in _HEAD)
    yield from (_time(job.get(name)) for name in ("submission_time", "start_time", "end_time"))
    yield from (_number(job.get(name)) for name in ("failed", "exit_status"))
    # Fields of the line that the JSON does not have are filled, so that the same reader reads both.
    yield from ("0" for _ in range(_USAGE))
    yield from (_text(job, name) for name in _NAMES)
    yield from (_number(used.get(name)) for name in ("cpu", "mem", "io"))
    yield str(job.get("category") or "NONE").replace("\n", " ")
    yield _number(used.get("iow"))
    yield _text(job, "pe_taskid")
    yield _number(used.get("maxvmem"))
    yield from ("0", "0", "NONE", "NONE", _number(used.get("maxrss")), "0")


def _text(job: Mapping[str, Any], name: str) -> str:
    """A value as an accounting line has it: colons would part it."""
    value = job.get(name)
    if value is None or isinstance(value, dict | list):
        return "NONE"
    return str(value).replace(":", "_").replace("\n", " ") or "NONE"


def _number(value: Any) -> str:
    """A number without an exponent, 0 for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e15:
        return "0"
    return f"{value:.6f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _time(value: Any) -> str:
    """A time in s from 1970."""
    if isinstance(value, bool) or not isinstance(value, int):
        return "0"
    if value >= _MICROSECONDS:
        value //= 1_000_000
    elif value >= _MILLISECONDS:
        value //= 1000
    return str(max(value, 0))
