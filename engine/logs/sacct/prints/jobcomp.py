"""Slurm's log of completed jobs, as the plugin jobcomp/filetxt writes it: `JobId=7 UserId=ann(1000) ...`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.logs.files.content import Progress
from engine.logs.rows import text_lines
from engine.logs.sacct.rows import SlurmRows, records_of_rows, rows_of_texts
from engine.machine.cluster import Cluster
from engine.trace.records import KEPT_LINES, Records
from engine.trace.sentinels import NO_VALUE_TEXTS
from engine.trace.trace import Note

_LOOKED_AT = 20  # first lines, among which has to be a record
_BEGIN = re.compile(
    r"JobId=(\d{1,12}) UserId=(.{0,200}?)\(\d{1,12}\) (?:GroupId=(.{0,200}?)\(\d{1,12}\) )?Name="
)
_MIDDLE = re.compile(
    r" JobState=(?P<State>\S*) Partition=(?P<Partition>\S*) TimeLimit=(?P<Timelimit>\S*) "
    r"StartTime=(?P<Start>\S*) EndTime=(?P<End>\S*) NodeList=(?P<NodeList>\S*)"
    r"(?: NodeCnt=(?P<NNodes>\d+))?(?: ProcCnt=(?P<NCPUS>\d+))?(?= |$)"
)
_WORD = re.compile(r"([A-Za-z]{1,30})=(.*)")
_BEHIND = {
    "ReservationName": "Reservation",
    "Tres": "ReqTRES",
    "Gres": "ReqGRES",
    "Account": "Account",
    "QOS": "QOS",
    "Cluster": "Cluster",
    "SubmitTime": "Submit",
    "EligibleTime": "Eligible",
}
"""Fields after WorkDir, which may contain anything, and their names in sacct."""


def is_jobcomp(head: bytes) -> bool:
    """True if a file that begins like this is such a log."""
    lines = head.decode("utf-8", "replace").split("\n")[:_LOOKED_AT]
    return any(_BEGIN.match(line) for line in lines)


_NO_IDS = ("", "0")
_NO_TASKS = frozenset(("", *(text.decode() for text in NO_VALUE_TEXTS)))


def read_jobcomp(
    path: Path, text: NDArray[np.uint8], machine: Cluster | None, progress: Progress | None = None
) -> Records:
    """The jobs of such a log, by the rules of `sacct`; without a machine, it is derived from their nodes.

    Processors are those requested (`cpu` of Tres), otherwise those allocated (ProcCnt). Raises InputError if
    no record has a submission, as in old versions.
    """
    log = _Log.read(path, text, progress)
    return records_of_rows(path, log.blocks(), machine, notes=log.notes)


def jobcomp_rows(path: Path, text: NDArray[np.uint8]) -> Iterator[SlurmRows]:
    """The rows of such a log, a job each, as `sacct` would print them. Raises InputError."""
    return _Log.read(path, text).blocks()


def _fields(line: str) -> dict[str, str] | None:
    """The fields of a record by their names in sacct; None if it is not a record, or two in one line.

    Names of jobs and working directories may contain anything, even text like further fields.
    """
    begin = _BEGIN.match(line)
    # The fields in the middle of the line end the name of the job. Where they are found twice, the name may
    # hold the first of them, or the line two records: then nothing is sure.
    middles = list(_MIDDLE.finditer(line, begin.end() - 1)) if begin else []
    if begin is None or len(middles) != 1:
        return None
    middle = middles[0]
    found = {name: value or "" for name, value in middle.groupdict().items()}
    found |= {"JobID": begin[1], "User": begin[2], "Group": begin[3] or ""}
    found["JobName"] = line[begin.end() : middle.start()]
    ids = {}
    # Read from the end up to the job's folder, which may hold blanks and words like `Name=value`.
    for word in reversed(line[middle.end() :].split()):
        match = _WORD.fullmatch(word)
        if match is None or match[1] == "WorkDir":
            break
        name = _BEHIND.get(match[1], "")
        if name and name not in found:
            found[name] = match[2]
        ids[match[1]] = match[2]
    array, task = ids.get("ArrayJobId", ""), ids.get("ArrayTaskId", "")
    # The id of a task or a part is put together as sacct prints it.
    if array not in _NO_IDS and task not in _NO_TASKS:
        found["JobID"] = f"{array}_{task}"
    else:
        for kind in ("HetJob", "PackJob"):
            if ids.get(f"{kind}Id", "0") != "0":
                found["JobID"] = f"{ids[f'{kind}Id']}+{ids.get(f'{kind}Offset', '0')}"
    if found["NNodes"] == "0":
        found["Start"] = ""  # cancelled in the queue: Slurm writes when
    return found


@dataclass
class _Log:
    """The records of a log, with those of a resized job merged."""

    rows: list[dict[str, str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    bad: list[int] = field(default_factory=list)
    resized: list[int] = field(default_factory=list)
    _running: dict[str, tuple[int, dict[str, str]]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, text: NDArray[np.uint8], progress: Progress | None = None) -> _Log:
        """The records of a text. Raises InputError if no record has a submission."""
        # Each record has all of its names in the line, so that no head is needed.
        log = cls()
        for number, line in text_lines(text, progress):
            found = _fields(line)
            if found is None:
                log.bad.append(number)
            else:
                log.add(number, found)
        log.end()
        # Without any submission nothing can be said of waits.
        if log.lines and not any(row.get("Submit") for row in log.rows):
            raise InputError(
                f"{path}:{log.lines[0]}: these records of jobcomp do not say when jobs were submitted; print "
                "the accounting with sacct --allusers --parsable2"
            )
        return log

    def add(self, number: int, found: dict[str, str]) -> None:
        """Add a record. A resized job has a record for each size, of which the first ends last."""
        _, before = self._running.pop(found["JobID"], (0, found))
        found["Start"] = before["Start"]
        if found["State"] == "RESIZING":
            self._running[found["JobID"]] = (number, found)
            self.resized.append(number)
        else:
            self._keep(number, found)

    def end(self) -> None:
        """Add the resized jobs that still ran at the end of the log."""
        for number, found in self._running.values():
            found["End"] = ""
            self._keep(number, found)
        self._running.clear()

    def _keep(self, number: int, found: dict[str, str]) -> None:
        self.rows.append(found)
        self.lines.append(number)

    def blocks(self) -> Iterator[SlurmRows]:
        """The rows of all jobs, with the fields that any record has."""
        texts = [{name: value for name, value in row.items() if value} for row in self.rows]
        if texts:
            yield rows_of_texts(texts, self.lines)

    def notes(self) -> tuple[Note, ...]:
        """Notes on odd lines and jobs."""
        unreadable = "lines left out: no records, or with two ways to read each"
        resized = "changes of the size of a running job: the last size counts"
        return (
            _note("unreadable_line", unreadable, self.bad),
            _note("resized", resized, self.resized),
        )


def _note(rule: str, text: str, lines: list[int]) -> Note:
    return Note(rule, text, len(lines), tuple(lines[:KEPT_LINES]))
