"""Dependencies of Slurm's jobs, from the command lines by which they were submitted (`SubmitLine`).

Accounting has no separate field for them. A job that waits for the end of others (`afterany`, `afterok`,
`afternotok`, `aftercorr`, `singleton`) is treated as following the last of them to end in the log, or if any
of them suffices (`?`) the first, because fields 17 and 18 of the Standard Workload Format name only a single
job. Other dependencies are counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.arrays import Ints
from engine.trace.dependencies import job_number
from engine.trace.names import Names
from engine.trace.records import note_lines
from engine.trace.trace import MISSING, Note

if TYPE_CHECKING:
    import pyarrow as pa


_OPTION = re.compile(r"""\s(?:--dependency[=\s]\s*|-d\s*)["']?((?:after|singleton|expand)[\w:+,?]*)""")
_ENDS = ("afterany", "afterok", "afternotok")
_JOB = re.compile(r"\d{1,10}(_\d{1,9})?", re.ASCII)
_MOST_JOBS = 1000  # the most jobs that a job may follow

_STARTS, _UNKNOWN, _OTHER, _SEVERAL = (
    "wait for others to start (after), which is not kept: jobs follow ends alone",
    "wait for jobs that the log does not have, or not the end of, which is not kept",
    "have dependencies of another kind than ends, starts and singleton, which are not kept",
    "wait for several jobs: they follow only the one of them whose end let them go",
)


class Wait(NamedTuple):
    """A clause of a dependency: `after` (a start), `end`, `same` (the same task), `singleton` or `other`.

    `jobs` are the named jobs, all of which have to end: `12`, for an array all its tasks, or `12_7`.
    """

    kind: str
    jobs: tuple[str, ...] = ()


class End(NamedTuple):
    """The end of a job, s, its number, and the number of jobs of which it is the last to end."""

    time: int
    number: int
    jobs: int = 1


@dataclass(frozen=True, eq=False)
class Submitted:
    """The data for finding dependencies, of n jobs."""

    ids: pa.BinaryArray  # 12, 12_7, 12+1
    lines: Names  # the command lines
    name: Names | None
    user: Names
    submit: Ints  # s
    end: Ints  # s, MISSING where a job has not ended or run
    line: Ints  # of the log


def followed(jobs: Submitted) -> tuple[Ints, Ints, tuple[Note, ...]]:
    """The number (`job_number`) of the preceding job of each job, and the s from its end to the submission.

    Both have shape (n,) and are MISSING for jobs without a preceding job; the time is 0 if the job was
    submitted before the other's end. The notes count dropped dependencies.
    """
    n = len(jobs.end)
    preceding, think = np.full(n, MISSING, np.int64), np.full(n, MISSING, np.int64)
    lost = {text: np.zeros(n, np.bool_) for text in (_STARTS, _UNKNOWN, _OTHER, _SEVERAL)}
    # Submission lines repeat: each distinct text is parsed once.
    wanted = {code: asked for code, text in enumerate(jobs.lines.names) if (asked := dependency_of(text))[0]}
    if wanted:
        clauses = [wait for waits, _ in wanted.values() for wait in waits]
        ends = _ends(jobs, {job.partition("_")[0] for wait in clauses for job in wait.jobs})
        alone = [code for code, (waits, _) in wanted.items() if Wait("singleton") in waits]
        earlier = _earlier_ends(jobs, np.flatnonzero(np.isin(jobs.lines.codes, alone)))
        asking = np.flatnonzero(np.isin(jobs.lines.codes, np.fromiter(wanted, np.int64, len(wanted))))
        for index, job in zip(asking.tolist(), jobs.ids.take(asking).to_pylist(), strict=True):
            waits, any_does = wanted[int(jobs.lines.codes[index])]
            found: list[End] = []
            # Of each clause the last job counts, since all of them have to end.
            for wait in waits:
                if wait.kind in ("end", "same"):
                    named = set(_named(wait, job.decode("utf-8", "replace")))
                    there = [ends[name] for name in named if name in ends]
                    found += [_last(there)] if there else []
                    lost[_UNKNOWN][index] |= len(there) < len(named)
                elif wait.kind == "singleton" and jobs.name is not None:
                    found += [earlier[index]] if index in earlier else []
                else:
                    lost[_STARTS if wait.kind == "after" else _OTHER][index] = True
            if found:
                # Between clauses a comma asks for all of them, a question mark for any.
                end = min(found) if any_does else _last(found)
                preceding[index] = end.number
                think[index] = max(int(jobs.submit[index]) - end.time, 0) if jobs.submit[index] > 0 else 0
                lost[_SEVERAL][index] = end.jobs > 1 or len({other.number for other in found}) > 1
    notes = (note_lines("dependencies", f"jobs that {text}", mask, jobs.line) for text, mask in lost.items())
    return preceding, think, tuple(notes)


def dependency_of(text: str) -> tuple[tuple[Wait, ...], bool]:
    """The jobs that a command line waits for, and True if any of them suffices; empty if it waits for
    none.
    """
    match = _OPTION.search(text)
    if match is None:
        return (), False
    waits: list[Wait] = []
    # Commas join clauses that must all hold; of clauses between question marks a single clause suffices.
    for part in re.split(r"[,?]", match[1])[:_MOST_JOBS]:
        kind, *jobs = part.split(":")
        is_known = bool(jobs) and all(_JOB.fullmatch(job) for job in jobs)
        if kind == "singleton" and not jobs:
            waits.append(Wait("singleton"))
        # `after` waits for a start, all others for an end.
        elif kind == "after" and jobs:
            waits.append(Wait("after"))
        elif is_known and kind in _ENDS:
            waits.append(Wait("end", tuple(jobs[:_MOST_JOBS])))
        elif is_known and kind == "aftercorr":
            waits.append(Wait("same", tuple(jobs[:_MOST_JOBS])))
        elif part:
            waits.append(Wait("other"))
    return tuple(waits), "?" in match[1]


def _named(wait: Wait, job: str) -> Iterable[str]:
    """The jobs that a clause of this job names: by `aftercorr` those with its own number in their arrays."""
    task = job.partition("_")[2]
    if wait.kind == "same" and task.isdecimal():
        return (f"{of}_{task}" if "_" not in of else of for of in wait.jobs)
    return wait.jobs


def _last(ends: list[End]) -> End:
    """The last of these ends, standing for all jobs of all of them."""
    return max(ends)._replace(jobs=sum(end.jobs for end in ends))


def _ends(jobs: Submitted, wanted: set[str]) -> Mapping[str, End]:
    """The end of each of these jobs, by id: for arrays also of all tasks, and the whole under its number.

    Parts of a heterogeneous job are a single job. Jobs without such an id or end are left out.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    # Ids are compared without their task or part, as whole columns: logs have many millions of rows.
    own = pc.replace_substring_regex(jobs.ids, rb"[_+].*", b"")
    there = pc.is_in(own, value_set=pa.array([text.encode() for text in sorted(wanted)], pa.binary()))
    rows = np.flatnonzero(np.asarray(there.to_numpy(zero_copy_only=False), np.bool_) & (jobs.end > 0))
    ends: dict[str, End] = {}
    for text, time in zip(jobs.ids.take(rows).to_pylist(), jobs.end[rows].tolist(), strict=True):
        job = text.decode("utf-8", "replace").partition("+")[0]
        end = End(time, job_number(job))
        if end.number > 0:
            # Of parts of a heterogeneous job, and of runs after a requeue, the last end counts.
            ends[job] = max(ends.get(job, end), end)
    arrays: dict[str, list[End]] = {}
    for job, end in ends.items():
        if "_" in job:
            arrays.setdefault(job.partition("_")[0], []).append(end)
    # An array as a whole ends with its last task.
    return {array: _last(tasks) for array, tasks in arrays.items()} | ends


def _earlier_ends(jobs: Submitted, asking: Ints) -> Mapping[int, End]:
    """The last end among the jobs of the same name and user that were submitted before each of these jobs.

    It represents those of them that had not ended when the job was submitted. By row; jobs without any are
    left out.
    """
    if jobs.name is None or not len(asking):
        return {}
    # Jobs of the same user and name make a group, in order of submission.
    key = jobs.user.codes.astype(np.int64) * len(jobs.name.names) + jobs.name.codes
    # Groups in which nobody asks for it are left out at once.
    rows = np.flatnonzero(np.isin(key, key[asking]))
    rows = rows[np.lexsort((rows, jobs.submit[rows], key[rows]))]
    ids = [text.decode("utf-8", "replace").partition("+")[0] for text in jobs.ids.take(rows).to_pylist()]
    wanted, found = set(asking.tolist()), {}
    last: End | None = None
    of, running = -1, list[int]()  # a heap of ends
    for row, job in zip(rows.tolist(), ids, strict=True):
        if key[row] != of:
            of, last, running = key[row], None, []
        if row in wanted and last is not None:
            # Jobs that had ended before this submission no longer held it back.
            while running and running[0] <= jobs.submit[row]:
                heappop(running)
            found[row] = last._replace(jobs=max(len(running), 1))
            running.clear()  # jobs that wait for this job wait for these, too
        number = job_number(job)
        if jobs.end[row] > 0 and number > 0:
            end = End(int(jobs.end[row]), number)
            last = end if last is None else max(last, end)
            heappush(running, end.time)
    return found
