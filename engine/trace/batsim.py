"""Workloads of Batsim: JSON with `jobs` (`id subtime res walltime profile`) and `profiles`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from engine.limits import MAX_CPUS
from engine.machine.cluster import Cluster
from engine.trace.json_document import JsonDocument, below, number_of, text_of
from engine.trace.records import KEPT_LINES, Records
from engine.trace.rows import JobRow, records_of_rows
from engine.trace.status import COMPLETED, FAILED
from engine.trace.trace import MISSING, Note


def is_batsim(job: Mapping[str, Any]) -> bool:
    """Whether a job is one of Batsim."""
    return "subtime" in job


def read_batsim(document: JsonDocument, machine: Cluster | None) -> Records:
    """The jobs of a workload. Its machine is a pool of `nb_res` processors, where it names these.

    The runtime is that of the profile: `delay`, else `runtime`. Profiles that compute and communicate
    for as long as their platform takes have none. Of fractional times the submission rounds
    down, the runtime and the walltime up.
    """
    profiles = document.value("profiles")
    rows, unknown, fractional = [], [], []
    for line, job in document.jobs():
        profile = below(profiles, text_of(job.get("profile")))
        runtime = number_of(below(profile, "delay"))
        runtime = runtime if runtime > 0 else number_of(below(profile, "runtime"))
        submit, walltime = number_of(job.get("subtime")), number_of(job.get("walltime"))
        if runtime <= 0:
            unknown.append(line)
        if any(value % 1 for value in (submit, runtime, walltime)):
            fractional.append(line)
        procs = int(number_of(job.get("res")))
        rows.append(
            JobRow(
                line=line,
                job_id=text_of(job.get("id")),
                submit=math.floor(submit) if submit >= 0 else MISSING,
                runtime=math.ceil(runtime) if runtime > 0 else MISSING,
                walltime=math.ceil(walltime) if walltime > 0 else MISSING,
                procs=procs,
                status=FAILED if number_of(below(profile, "ret")) > 0 else COMPLETED,
                user=text_of(job.get("user")),
                executable=text_of(job.get("profile")),
            )
        )
    size = int(number_of(document.value("nb_res")))
    own = Cluster.pool(size) if 1 <= size <= MAX_CPUS else None
    rounded = "fractional numbers: runtimes and walltimes were rounded up, all others down"
    notes = (
        _note("unknown_profile", "profiles that name no runtime: only a platform can tell it", unknown),
        _note("fractional", rounded, fractional),
        Note("no_start_time", "no start time: dates are counted from 1970-01-01 00:00 UTC", 1),
    )
    return records_of_rows(document.path, rows, machine or own, notes, dated=False)


def _note(rule: str, text: str, lines: list[int]) -> Note:
    return Note(rule, text, len(lines), tuple(lines[:KEPT_LINES]))
