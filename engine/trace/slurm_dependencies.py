"""Dependencies of Slurm's jobs, from the command lines by which they were submitted (`SubmitLine`).

Accounting keeps no field of its own for them. A job that waits for the end of others (`afterany`, `afterok`,
`afternotok`, `aftercorr`) is taken for one that follows the last of them to end, or where any of them
is enough (`?`) the first, as the log has it: one job is all that the fields 17 and 18 of the Standard
Workload Format name.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.trace.records import note_lines
from engine.trace.trace import MISSING, Names, Note

Ints = NDArray[np.int64]

_OPTION = re.compile(r"""\s(?:--dependency[=\s]\s*|-d\s*)["']?((?:after|singleton|expand)[\w:+,?]*)""")
_ENDS = ("afterany", "afterok", "afternotok", "aftercorr")
_MOST_JOBS = 1000  # that one job follows
_NOT_TOLD = -1  # in place of a number: something that is not the end of a job


def followed(
    lines: Names, job_id: NDArray[Any], end: Ints, submit: Ints, line: Ints
) -> tuple[Ints, Ints, Note]:
    """The number of the job that each job follows, and the seconds from its end to the submission.

    Both have shape (n,) and are MISSING where a job follows none; a job that was submitted before the other's
    end takes no time after it. `end` and `submit` are s, `line` the lines of the log. The note tells of
    dependencies that are not followed: on starts, names, or jobs that the log does not have.
    """
    preceding, think = np.full(len(end), MISSING, np.int64), np.full(len(end), MISSING, np.int64)
    wanted = {code: found for code, text in enumerate(lines.names) if (found := dependency_of(text))}
    lost = np.zeros(len(end), np.bool_)
    if wanted:
        asking = np.flatnonzero(np.isin(lines.codes, np.fromiter(wanted, np.int64, len(wanted))))
        known = _ends(job_id, end, {number for numbers, _ in wanted.values() for number in numbers})
        for index in asking.tolist():
            numbers, any_does = wanted[int(lines.codes[index])]
            ends = [(known[number], number) for number in numbers if number in known]
            lost[index] = len(ends) < len(numbers)
            if ends:
                last, preceding[index] = min(ends) if any_does else max(ends)
                think[index] = max(int(submit[index]) - last, 0) if submit[index] > 0 else 0
    text = "dependencies on starts, names, arrays or jobs that are not in the log: not followed"
    return preceding, think, note_lines("dependencies", text, lost, line)


def dependency_of(text: str) -> tuple[tuple[int, ...], bool] | None:
    """The numbers of the jobs whose end a command line waits for, and whether any of them is enough.

    -1 stands for something else that it waits for; None where it waits for nothing.
    """
    match = _OPTION.search(text)
    if match is None:
        return None
    numbers: list[int] = []
    for part in re.split(r"[,?]", match[1]):
        kind, *jobs = part.split(":")
        told = kind in _ENDS and jobs and all(re.fullmatch(r"\d{1,15}", job, re.ASCII) for job in jobs)
        numbers += map(int, jobs) if told else [_NOT_TOLD]
    return tuple(numbers[:_MOST_JOBS]), "?" in match[1]


def _ends(job_id: NDArray[Any], end: Ints, numbers: set[int]) -> dict[int, int]:
    """When each of these jobs ended, s, by its number; those that have no such number or end are left out."""
    wanted = np.array(sorted(numbers), np.int64)
    if job_id.dtype.kind == "U":
        there = np.isin(job_id, wanted.astype(np.str_))
    else:
        there = np.isin(job_id, wanted)
    there &= end > 0
    return {int(job_id[index]): int(end[index]) for index in np.flatnonzero(there)}
