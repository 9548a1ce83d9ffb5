"""Accounting logs of PBS, TORQUE and OpenPBS: `01/26/2016 00:00:37;E;2994.pbs;user=ann queue=batch ...`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.machine.cluster import Cluster
from engine.trace.files import Progress
from engine.trace.pbs_words import job_of
from engine.trace.records import KEPT_LINES, Records
from engine.trace.rows import records_of_rows, text_lines
from engine.trace.trace import Note

_LINE = re.compile(r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;([A-Za-z]);([^;\s]{1,200});(.*)", re.ASCII | re.DOTALL)
_LOOKED_AT = 50  # lines of which one has to be a record

_ENDED, _STARTED, _QUEUED, _RERUN = "E", "ST", "Q", "R"
_GONE = "DA"  # deleted, aborted
_WHOLE_ARRAY = "[]"  # in an id: its tasks have records of their own


def is_pbs(head: bytes) -> bool:
    """True if a file that begins like this is an accounting log."""
    lines = head.decode("utf-8", "replace").split("\n")[:_LOOKED_AT]
    return any(_LINE.match(line) for line in lines)


def read_pbs(
    path: Path, text: NDArray[np.uint8], machine: Cluster | None, progress: Progress | None = None
) -> Records:
    """The jobs of such a log; `machine` has its nodes, otherwise it is derived.

    A job is read from the record of its end, the last if it ran several times. Jobs without such a record are
    still running or waiting, or were deleted before they ran.
    """
    log = _Log()
    for number, line in text_lines(text, progress):
        match = _LINE.match(line)
        if match is not None:
            log.add(number, match[1].upper(), match[2], match[3])
        elif not line.lstrip().startswith((";", "#")):
            log.bad.append(number)
    rows = [
        job_of(job.line, job_id, job.text, ended=job.ended, gone=job.gone) for job_id, job in log.jobs.items()
    ]
    return records_of_rows(path, rows, machine, log.notes())


@dataclass(slots=True)
class _Job:
    """The most informative record of a job: its last end, otherwise the last record before its removal."""

    line: int = 0
    text: str = ""
    ended: bool = False
    gone: bool = False


@dataclass
class _Log:
    """All jobs by their ids, in the order in which they first occur; the lines that are no records."""

    jobs: dict[str, _Job] = field(default_factory=dict)
    bad: list[int] = field(default_factory=list)
    rerun: list[int] = field(default_factory=list)

    def add(self, number: int, kind: str, job_id: str, text: str) -> None:
        """Add a record; records of other kinds (reservations, licences) are not about jobs."""
        if kind == _RERUN:
            self.rerun.append(number)
        if kind not in _ENDED + _STARTED + _QUEUED + _GONE or _WHOLE_ARRAY in job_id:
            return
        job = self.jobs.setdefault(job_id, _Job())
        if kind in _GONE:
            job.gone = True
        if kind == _ENDED and job.ended:
            self.rerun.append(job.line)
        if kind == _ENDED or not (job.ended or (kind in _GONE and job.text)):
            job.line, job.text, job.ended = number, text, kind == _ENDED

    def notes(self) -> tuple[Note, ...]:
        """Notes on invalid lines, and on jobs that went back to the queue."""
        return (
            Note(
                "unreadable_line", "lines left out: they are no records", len(self.bad), self._first(self.bad)
            ),
            Note(
                "requeued",
                "runs after which a job went back to the queue: the last run counts",
                len(self.rerun),
                self._first(self.rerun),
            ),
        )

    @staticmethod
    def _first(lines: list[int]) -> tuple[int, ...]:
        return tuple(lines[:KEPT_LINES])
