"""Workloads of Batsim: JSON with `jobs` (`id subtime res walltime profile`) and `profiles`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from engine.limits import MAX_CPUS
from engine.logs.rows import JobRow, records_of_rows
from engine.logs.text.json_document import JsonDocument, JsonText, below, number_of, text_of
from engine.machine.cluster import Cluster
from engine.trace.records import KEPT_LINES, Records
from engine.trace.status import COMPLETED, FAILED
from engine.trace.trace import MISSING, Note

_OF_WORKLOAD = "!"  # separates the name of a workload and the number of a job


def is_batsim(job: Mapping[str, Any]) -> bool:
    """True if the object is a job of Batsim."""
    return "subtime" in job


def read_batsim(text: JsonText, machine: Cluster | None) -> Records:
    """The jobs of all workloads of a text. Their machine is a pool of `nb_res` processors, if given.

    The runtime is that of the profile in the job's own workload: `delay`, otherwise `runtime`. Profiles whose
    duration depends on the simulated platform have none. Fractional submissions are rounded down, runtimes
    and walltimes up. Raises InputError if workloads are for machines of different sizes and no machine is
    given.
    """
    jobs = _Jobs()
    size = 0
    for number, document in enumerate(text.documents()):
        jobs.add(number, document)
        # Several workloads form a log only for machines of the same size, or if the user names a machine.
        found = int(number_of(document.values.get("nb_res")))
        if 1 <= found <= MAX_CPUS:
            if size not in (0, found) and machine is None:
                raise text.error(
                    document.begin,
                    f"this workload is for {found:,} processors, one before for {size:,}: "
                    "together they are not one log, unless --cluster names a machine for both",
                )
            size = found
    own = Cluster.pool(size) if size else None
    rows = jobs.of_all_workloads()
    return records_of_rows(text.path, rows, machine or own, jobs.notes(), dated=False)


@dataclass
class _Jobs:
    """The jobs of workloads, and lines of what is to be noted of them."""

    rows: list[JobRow] = field(default_factory=list)
    workload: list[int] = field(default_factory=list)  # of each job, from 0
    unknown: list[int] = field(default_factory=list)
    fractional: list[int] = field(default_factory=list)
    repeated: list[int] = field(default_factory=list)
    renamed: list[int] = field(default_factory=list)

    def add(self, number: int, document: JsonDocument) -> None:
        """Add the jobs of a workload. Its profiles may follow after them."""
        found = list(document.jobs())
        profiles = document.values.get("profiles")
        for line, job in found:
            self.rows.append(self._job(line, job, below(profiles, text_of(job.get("profile")))))
            self.workload.append(number)

    def _job(self, line: int, job: Mapping[str, Any], profile: Any) -> JobRow:
        runtime = number_of(below(profile, "delay"))
        # A profile of kind delay tells its time; of others only some have a measured runtime.
        runtime = runtime if runtime > 0 else number_of(below(profile, "runtime"))
        submit, walltime = number_of(job.get("subtime")), number_of(job.get("walltime"))
        if runtime <= 0:
            self.unknown.append(line)
        # The simulation counts whole seconds.
        if any(value % 1 for value in (submit, runtime, walltime)):
            self.fractional.append(line)
        return JobRow(
            line=line,
            job_id=text_of(job.get("id")),
            submit=math.floor(submit) if submit >= 0 else MISSING,
            runtime=math.ceil(runtime) if runtime > 0 else MISSING,
            walltime=math.ceil(walltime) if walltime > 0 else MISSING,
            procs=int(number_of(job.get("res"))),
            status=FAILED if number_of(below(profile, "ret")) > 0 else COMPLETED,
            user=text_of(job.get("user")),
            executable=text_of(job.get("profile")),
        )

    def of_all_workloads(self) -> list[JobRow]:
        """The jobs of all workloads, without repetitions.

        An identical job in a further workload counts once. Different jobs with the same id are named as in
        Batsim: `w0!3` is job 3 of the first workload, `w1!3` that of the second.
        """
        if not self.workload or self.workload[-1] == self.workload[0]:
            return self.rows
        same_id: dict[str, list[int]] = {}
        for position, row in enumerate(self.rows):
            same_id.setdefault(row.job_id, []).append(position)
        left_out: set[int] = set()
        for positions in same_id.values():
            if len({self.workload[position] for position in positions}) > 1:
                left_out |= self._settle(positions)
        return [row for position, row in enumerate(self.rows) if position not in left_out]

    def _settle(self, positions: list[int]) -> set[int]:
        """Give different jobs with the same id different ids; returns the positions of repeated ids."""
        different: list[JobRow] = []
        left_out = set()
        # Equal but for the line: the same job is in several workloads.
        for position in positions:
            row = replace(self.rows[position], line=0)
            if row in different:
                left_out.add(position)
                self.repeated.append(self.rows[position].line)
            else:
                different.append(row)
        # Really different jobs with the same id get the number of their workload in front.
        if len(different) > 1:
            for position in positions:
                row = self.rows[position]
                if _OF_WORKLOAD not in row.job_id:
                    row.job_id = f"w{self.workload[position]}{_OF_WORKLOAD}{row.job_id}"
                    self.renamed.append(row.line)
        return left_out

    def notes(self) -> tuple[Note, ...]:
        """Notes on odd properties of the jobs."""
        rounded = "fractional numbers: runtimes and walltimes were rounded up, all others down"
        return (
            _note(
                "unknown_profile", "profiles that name no runtime: only a platform can give it", self.unknown
            ),
            _note("fractional", rounded, self.fractional),
            _note("repeated", "jobs that an earlier workload has, too: each counts once", self.repeated),
            _note(
                "renamed",
                "jobs of several workloads with the same id: each is named w0!1, w1!1, by its workload",
                self.renamed,
            ),
            Note("no_start_time", "no start time: dates are counted from 1970-01-01 00:00 UTC", 1),
        )


def _note(rule: str, text: str, lines: list[int]) -> Note:
    return Note(rule, text, len(lines), tuple(sorted(lines)[:KEPT_LINES]))
