"""Jobs of Flux, as `flux jobs --json` prints them, or `flux job list`, a job a line."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from engine.errors import InputError
from engine.limits import MAX_CPUS, MAX_DURATION
from engine.logs.rows import WHOLE_BY_TASKS, JobRow, format_hosts, records_of_rows
from engine.logs.text.json_document import JsonText, below, number_of, text_of
from engine.machine.cluster import Cluster
from engine.slurm.values.host_list import expand_hosts
from engine.trace.records import KEPT_LINES, Records
from engine.trace.status import CANCELLED, COMPLETED, FAILED
from engine.trace.trace import MISSING, Note

_RESULTS: Mapping[str, int] = {
    **{"COMPLETED": COMPLETED, "FAILED": FAILED, "TIMEOUT": FAILED},
    **{"CANCELED": CANCELLED, "CANCELLED": CANCELLED},
    **{"1": COMPLETED, "2": FAILED, "4": CANCELLED, "8": FAILED},
}
"""The status of a job by the name of its result, or by the number that `flux job list` prints."""

_SET = r"(?:\[[\d,-]{1,10000}\]|\d{1,9})"
_RESOURCES = re.compile(rf"rank({_SET})/([a-z]+{_SET}(?:,[a-z]+{_SET})*)", re.ASCII)
_OF_RANK = re.compile(rf"([a-z]+)({_SET})", re.ASCII)
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)


def is_flux(job: Mapping[str, Any]) -> bool:
    """True if the object is a job of Flux."""
    return "id" in job and "t_submit" in job


def read_flux(text: JsonText, machine: Cluster | None) -> Records:
    """The jobs of all documents; without a machine, it is derived from their lists of nodes.

    A job runs from `t_run` to `t_cleanup`. Processors are its cores, if their number is given directly or by
    its resources, otherwise its tasks. Of fractional times those of starts and submissions round down, the
    runtime and the walltime up. Of a job that comes again the last state counts.
    """
    jobs: dict[str, JobRow] = {}
    repeated, tasks_alone, fractional = [], [], []
    for line, job in text.jobs():
        row, by_tasks = _job(line, job)
        if row.job_id in jobs:
            repeated.append(line)
            # A job that has ended is not replaced by an earlier state that is printed later.
            if jobs[row.job_id].status != MISSING and row.status == MISSING:
                continue
        jobs[row.job_id] = row
        if by_tasks:
            tasks_alone.append(line)
        if any(_time(job, name) % 1 for name in ("t_submit", "t_run", "t_cleanup", "duration")):
            fractional.append(line)
    notes = (
        _note("repeated", "jobs that come again: the last state counts", repeated),
        _note("tasks_alone", "no number of cores: a task is taken for one", tasks_alone),
        _note(
            "fractional",
            "fractional numbers: runtimes and walltimes were rounded up, all others down",
            fractional,
        ),
    )
    return records_of_rows(text.path, list(jobs.values()), machine, notes)


def _job(line: int, job: Mapping[str, Any]) -> tuple[JobRow, bool]:
    """The job, and True if its processors are known only by its number of tasks."""
    submit, start, end = (_time(job, name) for name in ("t_submit", "t_run", "t_cleanup"))
    resources = text_of(below(job, "annotations", "sched", "resource_summary"))
    cores, gpus = (_amount(resources, kind) for kind in ("core", "gpu"))
    asked, tasks = _whole(job, "ncores"), _whole(job, "ntasks")
    # The cores that were requested, else those that the job got, else a core for each task: this is a guess,
    # which the caller counts.
    procs = next((value for value in (asked, cores, tasks) if value > 0), MISSING)
    limit = max(number_of(job.get("duration")), 0.0)
    # Without a duration the limit is the time from the start to the expiration of the job's resources.
    if not limit and start > 0:
        limit = max(number_of(job.get("expiration")) - start, 0.0)
    nodes = _whole(job, "nnodes")
    row = JobRow(
        line=line,
        job_id=text_of(job.get("id")),
        submit=math.floor(submit),
        start=math.floor(start) if start > 0 else MISSING,
        runtime=math.ceil(end - start) if 0 < start <= end else MISSING,
        walltime=math.ceil(limit) if 0 < limit <= MAX_DURATION else MISSING,
        procs=procs,
        allocated=cores or MISSING,
        nodes=nodes,
        gpus=gpus,
        whole=max(nodes, 0) or WHOLE_BY_TASKS if _is_exclusive(job) else 0,
        status=_status(job),
        user=text_of(job.get("username")) or text_of(job.get("userid")),
        group=text_of(job.get("bank")) or text_of(job.get("project")),
        queue=text_of(job.get("queue")),
        executable=text_of(job.get("name")),
        hosts=_hosts(text_of(job.get("nodelist")), procs if procs > 0 else 1),
    )
    return row, asked <= 0 >= cores and tasks > 0


def _is_exclusive(job: Mapping[str, Any]) -> bool:
    """True if the job has its nodes for itself: by a field, or anywhere in its jobspec, if that is there."""
    exclusive = job.get("exclusive") is True
    open_parts = [below(job, "jobspec", "resources")]
    while open_parts and not exclusive:
        part = open_parts.pop()
        if isinstance(part, list):
            open_parts.extend(part)
        elif isinstance(part, dict):
            exclusive = part.get("exclusive") is True
            open_parts.append(part.get("with"))
    return exclusive


def _status(job: Mapping[str, Any]) -> int:
    """The status of a job; MISSING for a job that has not ended."""
    known = _RESULTS.get(text_of(job.get("result")).upper())
    if known is not None:
        return known
    success = job.get("success")
    return (COMPLETED if success else FAILED) if isinstance(success, bool) else MISSING


@lru_cache(maxsize=1 << 12)
def _hosts(nodes: str, most: int) -> str:
    """The nodes of a list like `c[1-4]`, with even shares of processors; empty for lists over `most`."""
    try:
        return format_hosts(dict.fromkeys(expand_hosts(nodes, most), 0)) if nodes else ""
    except InputError:
        return ""


def _amount(resources: str, kind: str) -> int:
    """The number of cores or GPUs in `rank[0-1]/core[0-3],gpu0 rank2/core0`."""
    total = 0
    for ranks, each in _RESOURCES.findall(resources):
        total += _size(ranks) * sum(_size(ids) for name, ids in _OF_RANK.findall(each) if name == kind)
    return min(total, MAX_CPUS)


def _size(ids: str) -> int:
    """The number of integers in `[0-3,7]` or `5`."""
    return sum(max(int(last or first) - int(first) + 1, 0) for first, last in _RANGE.findall(ids))


def _time(job: Mapping[str, Any], name: str) -> float:
    return number_of(job.get(name))


def _whole(job: Mapping[str, Any], name: str) -> int:
    """The count under a name; MISSING if there is none."""
    return math.floor(number_of(job.get(name)))


def _note(rule: str, text: str, lines: list[int]) -> Note:
    return Note(rule, text, len(lines), tuple(lines[:KEPT_LINES]))
