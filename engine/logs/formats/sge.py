"""Accounting files of Grid Engine and Univa Grid Engine: `queue:host:group:owner:name:number:...`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.limits import MAX_EXTRA, MAX_TASK_RAM
from engine.logs.files.content import Progress
from engine.logs.rows import WHOLE_BY_TASKS, JobRow, records_of_rows, text_lines
from engine.logs.text.lengths import seconds_of
from engine.machine.cluster import Cluster
from engine.trace.records import KEPT_LINES, Records
from engine.trace.status import COMPLETED, FAILED
from engine.trace.trace import MISSING, Note

_QUEUE, _, _GROUP, _OWNER, _NAME, _NUMBER = range(6)
_SUBMITTED, _STARTED, _ENDED, FAILURE, _EXIT = range(8, 13)
_SLOTS, _TASK = 34, 35
_CPU, CATEGORY, PE_TASK, _VIRTUAL, _RESIDENT = 36, 39, 41, 42, 47
_FIELDS = 42
"""A line needs those up to the number of a parallel task; there may be more of them."""

_LOOKED_AT = 50  # first lines, among which has to be a record
_MILLISECONDS = 100_000_000_000
"""Times beyond this count milliseconds, as those of Univa Grid Engine: seconds reach it in the year 5138."""

_WALLTIMES = ("h_rt", "s_rt")
_MEMORIES = ("m_mem_free", "mem_free", "h_vmem", "s_vmem")
_ALONE = ("exclusive", "excl")  # usual names of a complex with the relation EXCL
_TRUE = ("true", "1", "yes", "t")
_GPUS = ("gpu", "gpus", "ngpus")
ASKED = frozenset((*_WALLTIMES, *_MEMORIES, *_ALONE, *_GPUS))
"""What is read of a request."""

_ROUNDING = 1e-6
"""GPUs that fractions like 0.3333 of 3 slots may be off."""
_PER_SLOT = (
    "jobs of several slots with GPUs: those of the request count for each slot, as memory does; where the "
    "site counts them by job (consumable JOB), the jobs took fewer"
)
_REAL = re.compile(r"[\d.e+-]{1,30}", re.ASCII)
_PLAIN = re.compile(r"\d{1,15}(?:\.\d{1,9})?", re.ASCII)
_MAX_COLONS = 50
_AMOUNT = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)([kKmMgGtT]?)", re.ASCII)
_BYTES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BYTES |= {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def is_sge(head: bytes) -> bool:
    """True if a file that begins like this is such an accounting file."""
    lines = head.decode("utf-8", "replace").split("\n")[:_LOOKED_AT]
    return any(is_record(fields_of(line)) for line in lines)


def read_sge(
    path: Path, text: NDArray[np.uint8], machine: Cluster | None, progress: Progress | None = None
) -> Records:
    """The jobs of such a file. It does not contain the nodes of parallel jobs.

    Tasks of a parallel job with their own records are part of it, and their usage is added: the maximum
    resident memory, if Univa Grid Engine has it, otherwise virtual memory, which is a bound. The walltime is
    the requested `h_rt`, otherwise `s_rt`; the RAM is that of a slot, by the first requested of `m_mem_free`,
    `mem_free`, `h_vmem` and `s_vmem`. GPUs (`gpu`, `gpus`, `ngpus`) are those of a slot, too, as consumable
    resources are by default (`complex(5)`); the log does not show whether a site counts them by job. A
    rescheduled job has a record of each run; its last run counts. A job that asks for `exclusive` or `excl`
    has its nodes for itself.
    """
    rows, bad, parts = [], [], 0
    used: dict[tuple[str, str], list[_Used]] = {}  # by tasks of jobs that have not ended yet
    for number, line in text_lines(text, progress):
        fields = fields_of(line)
        if line.startswith("#"):
            continue
        if not is_record(fields):
            bad.append(number)
        # Tasks of a parallel job come before the record of the job: their use is added to it.
        elif fields[PE_TASK] not in ("NONE", ""):
            parts += 1
            used.setdefault((fields[_NUMBER], fields[_TASK]), []).append(_used(fields))
        else:
            row = _job(number, fields)
            _take_use(row, [_used(fields), *used.pop((fields[_NUMBER], fields[_TASK]), ())])
            rows.append(row)
    # Only all records together show which run was the last.
    rows, earlier, twice = _last_runs(rows)
    rescheduled = "runs after which a job was rescheduled: the last run counts"
    notes = (
        _note("unreadable_line", "lines left out: no records of a job", bad),
        Note("steps", "tasks of parallel jobs, which are part of these", parts),
        _note("requeued", rescheduled, earlier),
        _note("gpus_per_slot", _PER_SLOT, [row.line for row in rows if row.gpus > 0 and row.procs > 1]),
        _note("repeated", "records that stand there twice: each counts as a job", twice),
    )
    return records_of_rows(path, rows, machine, notes)


def _last_runs(rows: list[JobRow]) -> tuple[list[JobRow], list[int], list[int]]:
    """The last run of each job; lines of earlier runs, and of repeated records.

    Job numbers are reused after some millions: records belong to the same job if number, owner and submission
    are equal. The last run is the one that started last, even if the job was deleted later, in the queue.
    """
    # Number, owner and submission together name a job: numbers are used again after some millions.
    runs: dict[tuple[str, str, int], list[JobRow]] = {}
    for row in rows:
        runs.setdefault((row.job_id, row.user, row.submit), []).append(row)
    # The usual case: each record is a job of its own.
    if len(runs) == len(rows):
        return rows, [], []
    earlier, twice = [], []
    for same in runs.values():
        last = max(same, key=lambda row: (row.start, row.line))
        # The same run in two records is a repetition; another run of the job came before it.
        again = [row.line for row in same if (row.start, row.runtime) == (last.start, last.runtime)]
        twice += again[1:]
        earlier += [row.line for row in same if row.line not in again]
    left_out = set(earlier)
    return [row for row in rows if row.line not in left_out], sorted(earlier), sorted(twice)


def _note(rule: str, text: str, lines: list[int]) -> Note:
    return Note(rule, text, len(lines), tuple(lines[:KEPT_LINES]))


def fields_of(line: str) -> list[str]:
    """The fields of a line; only the request, as `h_rt=0:05:00`, may contain colons itself.

    After it follow a number, the number of a parallel task, and another number.
    """
    fields = line.split(":")
    for k in range(CATEGORY + 1, min(len(fields) - 2, CATEGORY + _MAX_COLONS)):
        if _REAL.fullmatch(fields[k]) and _REAL.fullmatch(fields[k + 2]):
            between = fields[k + 1]
            if not _REAL.fullmatch(between) and " " not in between:
                return [*fields[:CATEGORY], ":".join(fields[CATEGORY:k]), *fields[k:]]
    return fields


def is_record(fields: list[str]) -> bool:
    """True if the fields of a record are numbers where numbers are required."""
    return len(fields) >= _FIELDS and all(
        _whole(fields[k]) >= 0 for k in (_NUMBER, _SUBMITTED, _STARTED, _ENDED, _SLOTS, _TASK)
    )


def _job(line: int, fields: list[str]) -> JobRow:
    asked = asked_of(fields[CATEGORY])
    submit, start, end = (_seconds(fields[k]) for k in (_SUBMITTED, _STARTED, _ENDED))
    slots, task = _whole(fields[_SLOTS]), _whole(fields[_TASK])
    limits = (seconds_of(asked[name], alone=1) for name in _WALLTIMES if name in asked)
    shares = (_mebibytes(asked[name]) for name in _MEMORIES if name in asked)
    gpus = (_number(asked[name]) for name in _GPUS if name in asked)
    # The field `failed` has a code and words; exit_status is of the job's own command.
    fine = fields[FAILURE].split(" ")[0] == "0" and fields[_EXIT] == "0"
    return JobRow(
        line=line,
        # A task of an array is named by the array and its number; 0 stands for no array.
        job_id=f"{fields[_NUMBER]}.{task}" if task > 0 else fields[_NUMBER],
        submit=submit,
        start=start if start > 0 else MISSING,
        runtime=end - start if 0 < start <= end else MISSING,
        walltime=next(limits, None) or MISSING,
        procs=slots,
        allocated=slots,
        ram=next(shares, 0) * slots or MISSING,
        # Requests are for each slot; a fraction that adds up to whole GPUs may miss a GPU by rounding.
        gpus=min(ceil(max(next(gpus, 0.0), 0.0) * max(slots, 1) - _ROUNDING), MAX_EXTRA + 1),
        whole=WHOLE_BY_TASKS if any(asked.get(name, "").lower() in _TRUE for name in _ALONE) else 0,
        status=COMPLETED if fine else FAILED,
        user=fields[_OWNER],
        group=fields[_GROUP],
        queue=fields[_QUEUE],
        executable=fields[_NAME],
    )


@dataclass(frozen=True, slots=True)
class _Used:
    """The usage in a record: s of CPU time and bytes, MISSING if absent."""

    cpu: float
    virtual: int
    resident: int


def _used(fields: list[str]) -> _Used:
    virtual = fields[_VIRTUAL] if len(fields) > _VIRTUAL else ""
    resident = fields[_RESIDENT] if len(fields) > _RESIDENT + 1 else ""
    return _Used(_number(fields[_CPU]), int(_number(virtual)), _whole(resident))


def _take_use(row: JobRow, records: list[_Used]) -> None:
    """Sums over the records of a job, its own and those of its tasks."""
    used: dict[str, float] = {}
    if all(record.cpu >= 0 for record in records):
        used["cpu_used"] = sum(record.cpu for record in records)
    resident = all(record.resident > 0 for record in records)
    amounts = [record.resident if resident else record.virtual for record in records]
    if all(amount > 0 for amount in amounts):
        used |= {"ram_used": -(-sum(amounts) // (1 << 20)), "ram_used_bound": not resident}
    row.used = used


def _number(text: str) -> float:
    """A number of at most 15 digits before the point, or MISSING."""
    return float(text) if _PLAIN.fullmatch(text) else MISSING


def asked_of(category: str) -> dict[str, str]:
    """The request after `-l`: `h_rt=36000,mem_free=1.000T`, without wishes, those from `-soft` to `-hard`."""
    words = category.split()
    lists, wished = [], False
    for word, value in pairwise(words):
        # A job runs also where its wishes are not met: they say nothing of what it took.
        wished = word == "-soft" or (wished and word != "-hard")
        if word == "-l" and not wished:
            lists.append(value)
    parts = (part.partition("=") for text in lists for part in text.split(","))
    return {name: value for name, equals, value in parts if equals}


def _whole(text: str) -> int:
    """A plain whole number of at most 15 digits, or MISSING."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else MISSING


def _seconds(text: str) -> int:
    time = _whole(text)
    return time // 1000 if time >= _MILLISECONDS else time


def _mebibytes(text: str) -> int:
    """MiB of `1.000T`, rounded up; `k m g t` are powers of 1000, `K M G T` of 1024."""
    match = _AMOUNT.fullmatch(text)
    if match is None:
        return 0
    return min(-int(-float(match[1]) * _BYTES[match[2]] // (1 << 20)), MAX_TASK_RAM)
