"""Array tasks and heterogeneous jobs of a printed queue: what a line of several jobs stands for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.words import plural

MOST_TASKS = 5_000
"""Waiting tasks of an array, at most; the first are taken."""

_TASKS = re.compile(r"(.+?)(_?)\[([\d,:.-]+)(?:%(\d{1,9}))?\]", re.ASCII)  # 100_[1-50%5], of PBS 100[1-50%5]
_TASK = re.compile(r"(.+)_\d{1,9}|(.+)\[\d{1,9}\]", re.ASCII)
_HET = re.compile(r"(\d+)\+\d+", re.ASCII)
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9})(?::(\d{1,9}))?)?", re.ASCII)


class JobPart(NamedTuple):
    """A job of a line of a queue: the number of the line, and what `QueuedJob` has of its id and array."""

    line: int
    job_id: str
    array: str = ""
    at_once: int = 0
    together: str = ""


def job_parts(lines: Sequence[tuple[str, bool]], most: int) -> tuple[list[JobPart], list[str]]:
    """A job for each waiting task of an array, and for each other line, and notes on what is left out.

    There are `most` in all, if no more lines. A line has an id, and whether its tasks are told apart.
    Arrays are known by the ids of their jobs, as `squeue` prints them: 100_[1-50%5] waits with fifty tasks,
    and five may run at once with those that run already, such as 100_0. The parts of a heterogeneous job
    (200+0, 200+1) have its id as `together`.
    """
    room, found, notes = most - len(lines), list[JobPart](), list[str]()
    at_once: dict[str, int] = {}
    for line, (job_id, apart) in enumerate(lines):
        match = _TASKS.fullmatch(job_id)
        # The line is that of a single job, or of a part of a job.
        if match is None:
            array, het = _part_of(job_id)
            found.append(JobPart(line, job_id, array, together=het))
            continue
        array, mark, text, most_running = match.groups()
        # squeue prints the bound behind % only at the tasks that wait; it holds for the array's running
        # tasks, too.
        if most_running is not None:
            at_once[array] = int(most_running)
        # Where tasks need not be told apart, the line stays a single job.
        if not apart:
            found.append(JobPart(line, job_id, array))
            continue
        # The number of jobs is bounded in all, so that no single line can take all the room.
        tasks, cut = _tasks(text, min(MOST_TASKS, room + 1))
        room -= len(tasks) - 1
        ids = [f"{array}_{task}" if mark else f"{array}[{task}]" for task in tasks] or [job_id]
        found += [JobPart(line, own, array) for own in ids]
        if cut:
            notes.append(f"array {array}: only its first {plural(len(ids), 'waiting task')} are taken")
    return [part._replace(at_once=at_once.get(part.array, 0)) for part in found], notes


def _part_of(job_id: str) -> tuple[str, str]:
    """The array and the heterogeneous job of which a job is a part; empty where there is none."""
    if match := _HET.fullmatch(job_id):
        return "", match[1]
    match = _TASK.fullmatch(job_id)
    return "" if match is None else match[1] or match[2], ""


def _tasks(text: str, most: int) -> tuple[list[int], bool]:
    """The first tasks of `1,3,7-9,0-10:2`, and whether there are more, as Slurm says by dots at the end."""
    found: list[int] = []
    for task in _numbers(text):
        if task is None or len(found) >= most:
            return found, True
        found.append(task)
    return found, False


def _numbers(text: str) -> Iterator[int | None]:
    """The numbers one by one; None for what is no number."""
    for part in text.split(","):
        match = _RANGE.fullmatch(part)
        if match is None:
            yield None
            return
        first, last, step = match.groups()
        yield from range(int(first), int(last or first) + 1, max(int(step or 1), 1))
