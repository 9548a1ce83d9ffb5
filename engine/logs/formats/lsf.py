"""LSF's accounting, `lsb.acct`: `"JOB_FINISH" "9.11" 1389683139 404717 ...`, a record a line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.limits import MAX_DURATION, MAX_NODES, MAX_TASK_RAM
from engine.logs.files.content import Progress
from engine.logs.rows import WHOLE_BY_TASKS, JobRow, format_hosts, records_of_rows, text_lines
from engine.machine.cluster import Cluster
from engine.trace.records import KEPT_LINES, Records
from engine.trace.status import CANCELLED, COMPLETED, FAILED
from engine.trace.trace import MISSING, Note

FINISH = '"JOB_FINISH"'
_LOOKED_AT = 50  # first lines, among which has to be a record
_WORD = re.compile(r'"([^"]*(?:""[^"]*)*)"|(\S+)')
_WHOLE = re.compile(r"-?\d{1,18}", re.ASCII)
_REAL = re.compile(r"\d{1,15}(?:\.\d{1,9})?", re.ASCII)
_EVENT = re.compile(r'\s*"[A-Z_]{3,40}" "[\d.]{1,20}" \d', re.ASCII)

_DONE = 64
_EXCLUSIVE = 0x40  # of the options of a job (lsbatch.h): `bsub -x`
_TELLS_CAUSE = 6  # the first version whose records have the cause of a job's end
_STOPPED_BY_PEOPLE = (8, 9, 13, 14)
"""Causes of a job's end by its owner or an administrator."""

USAGE = 19  # numbers of what a job used
MEMORY = re.compile(r"rusage\[[^\]]*?\bmem\s*=\s*(\d{1,15}(?:\.\d{1,9})?)\s*([KMGT]?)B?", re.ASCII)
GPUS = re.compile(r"rusage\[[^\]]*?\bngpus(?:_\w{1,20})?\s*=\s*(\d{1,9})", re.ASCII)
_MIB = {"K": 2.0**-10, "": 1.0, "M": 1.0, "G": 2.0**10, "T": 2.0**20}
LIMIT = re.compile(r"#BSUB\s+-W\s+(?:(\d{1,6}):)?(\d{1,8})\b", re.ASCII)


def is_lsf(head: bytes) -> bool:
    """True if a file that begins like this is LSF's accounting."""
    return any(_EVENT.match(line) for line in head.decode("utf-8", "replace").split("\n")[:_LOOKED_AT])


def read_lsf(
    path: Path, text: NDArray[np.uint8], machine: Cluster | None, progress: Progress | None = None
) -> Records:
    """The jobs of such a file; `machine` has its nodes, otherwise it is derived.

    Records of versions 5 to 10 are read; each version adds fields at the end, such as why the job ended (6)
    and its walltime (8). Events other than the end of a job are skipped. RAM is the request on each host
    (`rusage[mem=...]`, by default in MB), of the job or otherwise of its queue, otherwise the maximum used.
    """
    rows, bad = [], []
    for number, line in text_lines(text, progress):
        if line.lstrip().startswith(FINISH):
            try:
                rows.append(job_of(number, RecordWords(line)))
            except ValueError:
                bad.append(number)
        elif not _EVENT.match(line) and not line.startswith("#"):
            bad.append(number)
    first = tuple(bad[:KEPT_LINES])
    note = Note("unreadable_line", "lines left out: no whole records", len(bad), first)
    return records_of_rows(path, rows, machine, (note,))


class RecordWords:
    """The words of a record, in sequence; quotes within quotes are doubled."""

    def __init__(self, line: str) -> None:
        self._found = _WORD.finditer(line)

    def text(self) -> str:
        """The next word. Raises ValueError at the end, as all these do."""
        match = next(self._found, None)
        if match is None:
            raise ValueError("the record ends")
        return match[2] if match[1] is None else match[1].replace('""', '"')

    def rest(self) -> Iterator[str]:
        """All further words, those in quotes with them."""
        return (match[0] for match in self._found)

    def whole(self) -> int:
        """The next word as a whole number."""
        word = self.text()
        if not _WHOLE.fullmatch(word):  # int() takes more: 1_000
            raise ValueError("this is no whole number")
        return int(word)

    def real(self) -> float:
        """The next word as a finite number, or MISSING."""
        word = self.text()
        return float(word) if _REAL.fullmatch(word) else MISSING

    def skip(self, count: int) -> None:
        """Skip `count` words."""
        for _ in range(count):
            self.text()

    def several(self) -> Iterator[str]:
        """The words of a list: the next word is their number."""
        count = self.whole()
        if not 0 <= count <= MAX_NODES:
            raise ValueError("no such number of words")
        return iter([self.text() for _ in range(count)])


def job_of(line: int, words: RecordWords) -> JobRow:
    """The job of a record. Raises ValueError if it is not a record of a job."""
    # The fields of a JOB_FINISH record have no names: they are read in their order.
    words.skip(1)
    version = words.text()
    end, number, _, options, procs, submit, begin, _, start = (words.whole() for _ in range(9))
    user, queue, asked = words.text(), words.text(), words.text()
    words.skip(8)
    list(words.several())
    hosts = _hosts(words.several())
    done = words.whole() == _DONE
    words.skip(1)
    name, command = words.text(), words.text()
    cpu = (words.real(), words.real())  # of user and system, s
    words.skip(USAGE - len(cpu) + 1)
    group = words.text()
    words.skip(4)
    index, used = words.whole(), words.whole()
    cause = _cause(words) if _major(version) >= _TELLS_CAUSE else 0
    limit, effective = _limit_and_requirements(words)
    share, memory = _mebibytes(asked) or _mebibytes(effective), -(-max(used, 0) // 1024)
    gpus = GPUS.search(asked) or GPUS.search(effective)
    return JobRow(
        line=line,
        # A job of an array has the index in brackets, as bjobs prints it.
        job_id=f"{number}[{index}]" if index > 0 else str(number),
        submit=submit,
        eligible=begin if begin > 0 else submit,
        start=start if start > 0 else MISSING,
        runtime=end - start if 0 < start <= end else MISSING,
        walltime=limit or _requested_limit(command) or MISSING,
        procs=procs,
        allocated=sum(hosts.values()) or MISSING,
        nodes=len(hosts) or MISSING,
        ram=share * max(len(hosts), 1) or memory or MISSING,
        gpus=int(gpus[1]) * max(len(hosts), 1) if gpus else 0,
        whole=(len(hosts) or WHOLE_BY_TASKS) if options & _EXCLUSIVE else 0,
        status=COMPLETED if done else CANCELLED if cause in _STOPPED_BY_PEOPLE else FAILED,
        user=user,
        group=group,
        queue=queue,
        executable=name,
        hosts=format_hosts(hosts),
        used={
            "cpu_used": sum(cpu) if min(cpu) >= 0 else MISSING,
            "ram_used": memory or MISSING,
            "ram_of_use": not share,
        },
    )


def _hosts(names: Iterator[str]) -> dict[str, int]:
    """CPUs on each host of `16*c1 c2 c2`."""
    cpus: Counter[str] = Counter()
    for name in names:
        count, star, host = name.partition("*")
        if star and count.isascii() and count.isdigit() and len(count) < 10:
            cpus[host] += int(count)
        else:
            cpus[name] += 1
    return dict(cpus)


def _major(version: str) -> int:
    """5 of version 5.1; 0 where there is no number."""
    first = version.partition(".")[0]
    return int(first) if first.isascii() and first.isdigit() and len(first) < 5 else 0


def _cause(words: RecordWords) -> int:
    """The cause of the job's end. Raises ValueError if the record is too short."""
    words.skip(7)
    return words.whole()


def _limit_and_requirements(words: RecordWords) -> tuple[int, str]:
    """Seconds of the walltime, and the effective requirements, after the usage of each host.

    0 and an empty text for older versions.
    """
    try:
        # The fields behind have no names: their places follow from counts in front of them.
        words.skip(14)
        # Counts come from the file: they are bounded before anything is skipped by them.
        words.skip(2 * min(max(words.whole(), 0), MAX_NODES))
        for _ in range(min(max(words.whole(), 0), MAX_NODES)):
            words.skip(5)
            words.skip(2 * min(max(words.whole(), 0), MAX_NODES))
        limit = words.whole()
    # Older versions of LSF end here, which is no fault.
    except ValueError:
        return 0, ""
    limit = limit if 0 < limit <= MAX_DURATION else 0
    # The limit may be there without the requirements.
    try:
        words.skip(2)
        return limit, words.text()
    except ValueError:
        return limit, ""


def _requested_limit(command: str) -> int:
    """Seconds of the walltime requested in the job's own script (`#BSUB -W 12:00`), otherwise 0."""
    match = LIMIT.search(command)
    return 60 * (60 * int(match[1] or 0) + int(match[2])) if match else 0


def _mebibytes(asked: str) -> int:
    """The MiB of RAM that resource requirements reserve on each host, rounded up; 0 if none."""
    match = MEMORY.search(asked)
    return min(-int(-float(match[1]) * _MIB[match[2]] // 1), MAX_TASK_RAM) if match else 0
