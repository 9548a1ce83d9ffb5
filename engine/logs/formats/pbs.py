"""Accounting logs of PBS, TORQUE and OpenPBS: `01/26/2016 00:00:37;E;2994.pbs;user=ann queue=batch ...`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.logs.files.content import Progress
from engine.logs.formats.pbs_job import access_policy, allocated_cpus, job_of, with_size
from engine.logs.rows import records_of_rows, text_lines
from engine.machine.cluster import Cluster
from engine.trace.records import KEPT_LINES, Records
from engine.trace.trace import Note

LINE = re.compile(r"(\d\d/\d\d/\d{4} \d\d:\d\d:\d\d);([A-Za-z]);([^;\s]{1,200});(.*)", re.ASCII | re.DOTALL)
_LOOKED_AT = 50  # first lines, among which has to be a record

_ENDED, _STARTED, _QUEUED, _RERUN = "E", "ST", "Q", "R"
_SIZED = "ue"  # the end of a size of a running job, which gives back nodes, and of its last size
_CLOCK = "%m/%d/%Y %H:%M:%S"
_START = re.compile(r"(?:^|\s)start=(\d{1,18})(?=\s|$)", re.ASCII)
_END = re.compile(r"(?:^|\s)end=(\d{1,18})(?=\s|$)", re.ASCII)
_GONE = "DA"  # deleted, aborted
OF_JOBS = _ENDED + _STARTED + _QUEUED + _RERUN + _SIZED + _GONE
"""The kinds of records that are read."""

_SOME_SHARE = ("singleuser", "uniqueuser", "singleaccount", "singlegroup", "singleqos", "singletask")
_WHOLE_ARRAY = "[]"  # in an id, before the server: its tasks have records of their own


def is_pbs(head: bytes) -> bool:
    """True if a file that begins like this is an accounting log."""
    lines = head.decode("utf-8", "replace").split("\n")[:_LOOKED_AT]
    return any(LINE.match(line) for line in lines)


def read_pbs(
    path: Path, text: NDArray[np.uint8], machine: Cluster | None, progress: Progress | None = None
) -> Records:
    """The jobs of such a log; `machine` has its nodes, otherwise it is derived.

    A job is read from the record of its end, the last if it ran several times. A job that went back to the
    queue and was deleted there is read from the run that it had. A job that gave back nodes while it ran has
    its largest size all the time. Jobs without such a record are still running
    or waiting, or were deleted before they ran.
    """
    log = _Log()
    for number, line in text_lines(text, progress):
        match = LINE.match(line)
        if match is not None:
            log.add(_Record(number, match[1], match[2], match[4]), match[3])
        elif not line.lstrip().startswith((";", "#")):
            log.bad.append(number)
    # Sizes are settled at the end, when all records of a job are known, in whatever order they came.
    for job in log.jobs.values():
        job.keep_its_run()
        if job.ended and job.sizes:
            log.resized.append(job.line)
            # The simulator knows a single size of a job: the largest is what must have fitted.
            widest = max((*job.sizes, job.text), key=allocated_cpus)
            if (times := _times(widest)) is not None:
                log.largest[job.line] = times
            job.text = with_size(job.text, widest)
    rows = [
        job_of(job.line, job_id, job.text, ended=job.ended, gone=job.gone) for job_id, job in log.jobs.items()
    ]
    return records_of_rows(path, rows, machine, log.notes(), at_largest=log.largest)


class _Record(NamedTuple):
    """A record of a job: its line, its time as the clock showed it, its kind and its words."""

    line: int
    clock: str
    kind: str
    text: str


@dataclass(slots=True)
class _Job:
    """The most informative record of a job: its last end, otherwise the last record before its removal."""

    line: int = 0
    text: str = ""
    ended: bool = False
    gone: bool = False
    started: _Record | None = None  # start of the current run
    run: tuple[int, str] | None = None  # line and words of the run before it went back
    sizes: list[str] = field(default_factory=list)  # words of the records of each size of the current run

    def went_back(self, record: _Record) -> None:
        """Note the run that a record of its return to the queue ends."""
        if self.started is not None:
            self.run = self.started.line, f"{self.started.text}{_end_of(self.started, record)}"
        self.started = None
        self.sizes.clear()

    def keep_its_run(self) -> None:
        """Take the run before its return to the queue for the job, if it was deleted there."""
        if self.gone and not self.ended and self.started is None and self.run is not None:
            (self.line, self.text), self.ended = self.run, True


def _times(text: str) -> tuple[int, int] | None:
    """The start and the end that a record says, s; None where it does not say both."""
    start, end = _START.search(text), _END.search(text)
    return (int(start[1]), int(end[1])) if start and end else None


def _end_of(started: _Record, back: _Record) -> str:
    """The word for the end of a run: the start, and as much later as the records are apart."""
    start = _START.search(started.text)
    if start is None:
        return ""
    try:
        ran = datetime.strptime(back.clock, _CLOCK) - datetime.strptime(started.clock, _CLOCK)
    except ValueError:
        return ""
    return f" end={int(start[1]) + max(int(ran.total_seconds()), 0)}"


@dataclass
class _Log:
    """All jobs by their ids, in the order in which they first occur; the lines that are no records."""

    jobs: dict[str, _Job] = field(default_factory=dict)
    bad: list[int] = field(default_factory=list)
    rerun: list[int] = field(default_factory=list)
    resized: list[int] = field(default_factory=list)
    largest: dict[int, tuple[int, int]] = field(default_factory=dict)  # by line: when a job was largest, s
    shared: list[int] = field(default_factory=list)  # lines of jobs that share nodes with some jobs only

    def add(self, record: _Record, job_id: str) -> None:
        """Add a record; records of other kinds (reservations, licences) are not about jobs."""
        number, kind, text = record.line, record.kind, record.text
        if kind == _RERUN:
            self.rerun.append(number)
            if job_id in self.jobs:
                self.jobs[job_id].went_back(record)
        # A record of a whole array is about none of its tasks.
        if _WHOLE_ARRAY in job_id.partition(".")[0]:
            return
        # Records of changed sizes count only up to the end.
        if kind in _SIZED and not self.jobs.setdefault(job_id, _Job(number, text)).ended:
            self.jobs[job_id].sizes.append(text)
        if kind not in _ENDED + _STARTED + _QUEUED + _GONE:
            return
        job = self.jobs.setdefault(job_id, _Job())
        if kind in _GONE:
            job.gone = True
        if kind in _STARTED:
            job.started = record
        if kind == _ENDED and access_policy(text) in _SOME_SHARE:
            self.shared.append(number)
        if kind == _ENDED and job.ended:
            self.rerun.append(job.line)
        # The record of an end is kept against all others, but for the end of a later run.
        if kind == _ENDED or not (job.ended or (kind in _GONE and job.text)):
            job.line, job.text, job.ended = number, text, kind == _ENDED

    def notes(self) -> tuple[Note, ...]:
        """Notes on invalid lines, and on jobs that went back to the queue."""
        return (
            Note(
                "unreadable_line",
                "lines left out: no records",
                len(self.bad),
                self._first(self.bad),
            ),
            Note(
                "resized",
                "jobs that gave back nodes before the end: each has its largest size all the time",
                len(self.resized),
                self._first(self.resized),
            ),
            Note(
                "access_policy",
                "jobs that ask that only some others share the nodes, such as those of the same user "
                "(naccesspolicy): that is not obeyed, and any job may",
                len(self.shared),
                self._first(self.shared),
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
