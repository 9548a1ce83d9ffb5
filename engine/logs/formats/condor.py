"""HTCondor's history: job ads as `condor_history -l` and `-json` print them, and as its files hold them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.logs.files.content import Progress
from engine.logs.formats.condor_job import Ad, job_of
from engine.logs.rows import JobRow, records_of_rows, text_lines
from engine.logs.text.json_document import JsonText, number_of, text_of
from engine.machine.cluster import Cluster
from engine.trace.records import KEPT_LINES, Records
from engine.trace.trace import MISSING, Note

_NOT_OF_THE_POOL = (7, 9, 12)  # values of JobUniverse: scheduler (DAGMan), grid, local
_ATTRIBUTE = re.compile(r"\s*([A-Za-z_][\w.]{0,100}) = (.*)", re.DOTALL)
_KEY = re.compile(rb"^\s*(?:ClusterId|QDate|GlobalJobId|JobStatus) = ", re.IGNORECASE | re.MULTILINE)
_FIRST = re.compile(rb"\*\*\* |-- |[A-Za-z_]\w{0,100} = ")
_WANTED = re.compile(
    r"clusterid|procid|globaljobid|owner|user|acctgroup|accountinggroup|qdate|job\w*startdate|completiondate|"
    r"enteredcurrentstatus|\w*remotewallclocktime|(?:last)?jobstatus|jobuniverse|exit\w+|request\w+|cmd|"
    r"\w+provisioned|machineattrcpus0|\w*remotehosts?|max\w+|num(?:job|shadow)starts|residentsetsize|"
    r"allowed\w+|batchruntime|\w+whole\w+"
)
_BETWEEN = ("***", "--", "#")  # banners of history files, headings, comments


def is_condor(head: bytes) -> bool:
    """True if a file that begins like this contains job ads, an attribute on each line."""
    return _FIRST.match(head.lstrip()) is not None and _KEY.search(head) is not None


def is_condor_job(job: Mapping[str, Any]) -> bool:
    """True if this is a job ad as JSON."""
    names = {name.lower() for name in job}
    return "clusterid" in names and bool(names & {"procid", "qdate", "jobstatus", "owner"})


def read_condor(
    path: Path, text: NDArray[np.uint8], machine: Cluster | None, progress: Progress | None = None
) -> Records:
    """The jobs of ads in a text, an attribute on each line. The machine is derived from their hosts.

    Jobs of the scheduler, local and grid universes did not run in the pool, and are left out.
    """
    history = _History()
    history.add(_ads(text_lines(text, progress), history.bad))
    return history.records(path, machine)


def read_condor_json(text: JsonText, machine: Cluster | None) -> Records:
    """The jobs of ads that are JSON, in the same way."""
    history = _History()
    history.add((line, {name.lower(): value for name, value in job.items()}) for line, job in text.jobs())
    return history.records(text.path, machine)


def _ads(lines: Iterable[tuple[int, str]], bad: list[int]) -> Iterator[tuple[int, Ad]]:
    """The line on which each ad begins, and the ad. An empty line ends it, or a banner of a history file."""
    ad: dict[str, Any] = {}
    first = last = 0
    for number, line in lines:
        match = _ATTRIBUTE.match(line)
        # Empty lines are not handed over: an ad ends where the numbers of lines have a gap.
        if ad and (number > last + 1 or (match is None and line.startswith(_BETWEEN))):
            yield first, ad
            ad = {}
        last = number
        if match is not None:
            first = first if ad else number
            name = match[1].lower()
            # Values of attributes that nobody asks for are not read, but the attribute still makes the ad.
            ad[name] = _value(match[2]) if _WANTED.fullmatch(name) else None
        elif not line.startswith(_BETWEEN):
            bad.append(number)
    if ad:
        yield first, ad


def _value(text: str) -> Any:
    """A text, a number or a truth value; None of an expression, which only HTCondor can evaluate."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1].replace('\\"', '"')
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    number = number_of(text)
    return None if number == MISSING and not text.startswith("-") else number


@dataclass
class _History:
    """Jobs, each once, and lines of what is to be noted of them."""

    jobs: dict[str, tuple[str, JobRow]] = field(default_factory=dict)  # where each was submitted, and the job
    bad: list[int] = field(default_factory=list)
    elsewhere: list[int] = field(default_factory=list)
    repeated: list[int] = field(default_factory=list)
    restarted: dict[str, int] = field(default_factory=dict)

    def add(self, ads: Iterable[tuple[int, Ad]]) -> None:
        """Add ads. Of several ads of a job the last counts, or the last with its end."""
        for line, ad in ads:
            cluster, proc = (math.floor(number_of(ad.get(name))) for name in ("clusterid", "procid"))
            if cluster < 0:
                self.bad.append(line)
            elif math.floor(number_of(ad.get("jobuniverse"))) in _NOT_OF_THE_POOL:
                self.elsewhere.append(line)
            else:
                self._add(line, f"{cluster}.{max(proc, 0)}", ad)

    def _add(self, line: int, job_id: str, ad: Ad) -> None:
        row, restarted = job_of(line, job_id, ad)
        name = text_of(ad.get("globaljobid"))
        key = name or f"{job_id} {row.submit}"
        _, known = self.jobs.get(key, ("", None))
        if known is not None:
            self.repeated.append(line)
            if known.status != MISSING and row.status == MISSING:
                return
        self.jobs[key] = (name.partition("#")[0], row)
        if restarted:
            self.restarted[key] = line

    def records(self, path: Path, machine: Cluster | None) -> Records:
        """The records of all jobs; jobs of several hosts with equal ids are named `host#12.0`."""
        # Ids count by themselves on each host: only ids that are there twice need the host's name.
        count = Counter(row.job_id for _, row in self.jobs.values())
        rows = [
            replace(row, job_id=f"{host}#{row.job_id}") if host and count[row.job_id] > 1 else row
            for host, row in self.jobs.values()
        ]
        elsewhere = "jobs of the scheduler, local and grid universes, not of the pool"
        repeated = "further ads of the same job: the last with its end counts"
        notes = (
            _note("unreadable_line", "lines left out: no attributes of jobs", self.bad),
            _note("elsewhere", elsewhere, self.elsewhere),
            _note("repeated", repeated, self.repeated),
            _note(
                "requeued", "jobs that ran more than once: the last run counts", list(self.restarted.values())
            ),
        )
        return records_of_rows(path, rows, machine, notes)


def _note(rule: str, text: str, lines: list[int]) -> Note:
    return Note(rule, text, len(lines), tuple(sorted(lines)[:KEPT_LINES]))
