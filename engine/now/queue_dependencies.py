"""Dependencies in the present queue: after the end of which job another one may start."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.logs.queue.state import RUNNING, WAITING, QueuedJob
from engine.shown_text import shown_name
from engine.trace.dependencies import NOBODY

_ENDS = ("afterok", "afterany", "aftercorr", "")
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)
_STATUS = re.compile(r"\([a-z]*\)")


class Dependency(NamedTuple):
    """What a waiting job depends on: it comes after the end of `job`, a place in the queue.

    That is NOBODY where it gets no planned start, `why` says the reason.
    """

    job: int
    why: str


def dependencies_of(jobs: Sequence[QueuedJob]) -> dict[int, Dependency]:
    """The dependencies of the waiting jobs that have some, by place in the queue.

    Of several jobs, all of which have to end, the plan takes the one that is likely to end last: a waiting
    job rather than a running one, that of the least priority, or the longest time left.
    """
    places: dict[str, list[int]] = {}
    for place, job in enumerate(jobs):
        # A dependency may name a job, its array or the heterogeneous job that it is part of.
        for name in {job.job_id, job.array, job.together} - {""}:
            places.setdefault(name, []).append(place)
    named = _by_name(jobs)
    return {
        place: _resolved(jobs, place, places, named)
        for place, job in enumerate(jobs)
        if job.state == WAITING and job.dependency
    }


def _by_name(jobs: Sequence[QueuedJob]) -> dict[tuple[str, str], list[int]]:
    """The places of the jobs of each user and name, by number: a singleton waits for those of lower ones."""
    named: dict[tuple[str, str], list[int]] = {}
    numbers = [_NUMBER.match(job.job_id) for job in jobs]
    order = [int(match[0]) if match else 0 for match in numbers]
    for place in sorted(range(len(jobs)), key=order.__getitem__):
        named.setdefault((jobs[place].user, jobs[place].name), []).append(place)
    return named


def _resolved(
    jobs: Sequence[QueuedJob],
    place: int,
    places: dict[str, list[int]],
    named: dict[tuple[str, str], list[int]],
) -> Dependency:
    job = jobs[place]
    ends: list[list[int]] = []  # of each condition, the jobs that have to end
    for kind, name in _conditions(job):
        if kind == "singleton":
            same = named[job.user, job.name] if job.name else []
            # `singleton` waits for all jobs of the same user and name that stand in front of this job.
            ends.append(same[: same.index(place)] if place in same else [])
            if not job.name:
                return Dependency(NOBODY, "it waits for jobs of the same name, and the print has no names")
        elif kind in _ENDS:
            ends.append(places.get(name, []))
            if not ends[-1]:
                return Dependency(NOBODY, f"it waits for job {shown_name(name)}, which is not in the print")
        else:
            return Dependency(NOBODY, f"it waits for {shown_name(f'{kind}:{name}')}, which no plan can tell")
    # Of conditions that question marks separate a single condition is enough. Of an array the task that ends
    # last counts.
    likely = [max(tasks, key=lambda k: _lateness(jobs[k])) for tasks in ends if tasks]
    if not likely:
        return Dependency(NOBODY, "it waits for another job")
    choose = min if "?" in job.dependency else max
    last = choose(likely, key=lambda k: _lateness(jobs[k]))
    name = shown_name(jobs[last].job_id)
    if jobs[last].state not in (RUNNING, WAITING):
        return Dependency(NOBODY, f"it waits for job {name}, which is held")
    return Dependency(last, f"it waits for job {name} to end")


def _conditions(job: QueuedJob) -> Iterator[tuple[str, str]]:
    """The kinds of a job's conditions, each with the id of a job: afterok:54:55,singleton has three."""
    task = job.job_id.partition("_")[2]
    for part in re.split(r"[,?]", _STATUS.sub("", job.dependency)):
        kind, *names = part.strip().lower().split(":")
        for name in names or [""]:
            target = f"{name}_{task}" if kind == "aftercorr" and task and "_" not in name else name
            yield kind, target.removesuffix("_*")


def _lateness(job: QueuedJob) -> tuple[int, float]:
    """The order in which jobs are likely to end: held ones last, and running ones first."""
    if job.state == RUNNING:
        return 0, float(job.limit - job.elapsed) if job.limit is not None else float("inf")
    return (1 if job.state == WAITING else 2), -(job.priority or 0.0)
