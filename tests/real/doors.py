"""What the readers make of each way in which Slurm printed a session, beside what its database says."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.reading.options import Reading
from engine.reading.read import records_as
from engine.trace.records import Records
from engine.trace.wall_clock import in_zone
from tests.real.database import MISSING, Run, jobs
from tests.real.session import FIELDS
from tests.real.site import USERS

USAGE = ("cpu", "max_rss", "total_ram")
UNNAMED = ("priority", *USAGE)
"""Fields that FIELDS does not name."""

_COMPARED = (
    *("submit", "eligible", "start", "runtime", "walltime", "asked", "allocated", "nodes", "ram", "gpus"),
    *("status", "user", "account", "partition", "name", "qos", "priority", "hosts", *USAGE),
)
_OF_RUNS = frozenset(("start", "allocated", "nodes", "hosts", *USAGE))
"""Values that a job has which ran; of others it does not matter what is printed."""

_ROUNDED = {"cpu": 0.01, "max_rss": 1, "total_ram": 1}
"""Values that are printed less exactly than the database holds them, and by how much."""


_PLAIN = Reading()


@dataclass(frozen=True)
class Door:
    """A file with all jobs: what it does not tell, and how it is read."""

    lacks: tuple[str, ...] = ()
    every_run: bool = False
    reading: Reading = _PLAIN
    table: bool = False  # the database's own, with rows that sacct never prints, and numbers for names


DOORS: Mapping[str, Door] = {
    "all.txt": Door(),
    "all_runs.txt": Door(every_run=True),
    "jobs.txt": Door(UNNAMED),
    "steps.txt": Door(UNNAMED),
    "no_head.txt": Door(UNNAMED, reading=Reading(fields=FIELDS)),
    "ended.txt": Door(UNNAMED),
    "mebibytes.txt": Door(),
    "comma.txt": Door(UNNAMED),
    "semicolon.txt": Door(UNNAMED),
    "tab.txt": Door(UNNAMED),
    "caret.txt": Door(UNNAMED),
    "wide.txt": Door((*UNNAMED, "name")),
    "unix.txt": Door(),
    "prague.txt": Door(reading=Reading(timezone="Europe/Prague")),
    "all.json": Door(every_run=True),
    "all_runs.json": Door(every_run=True),
    "job_table.parquet": Door((*USAGE, "gpus"), every_run=True, table=True),
    "job_table.csv": Door((*USAGE, "gpus"), every_run=True, table=True),
}


def differences(folder: Path, name: str) -> list[str]:
    """The differences between what is read from a file and the database, in words."""
    door = DOORS[name]
    records = records_as(folder / name, door.reading)
    if door.reading.timezone:
        records = in_zone(records, door.reading.timezone)
    expected = jobs(folder, door.every_run, all_rows=door.table)
    found = {str(job): k for k, job in enumerate(records.job_id.tolist())}
    lines = [f"{job}: left out" for job in expected if job not in found]
    lines += [f"{job}: no such job" for job in found if job not in expected]
    for job, run in expected.items():
        if job in found:
            lines += _of_job(records, found[job], _as_ids(run) if door.table else run, door)
    return lines


def _of_job(records: Records, k: int, run: Run, door: Door) -> list[str]:
    received = []
    for name in _COMPARED:
        if name in door.lacks or (name in _OF_RUNS and not run.ran):
            continue
        right, found = getattr(run, name), _value(records, k, name)
        if name == "name":
            if door.table and right in ("NULL", "None"):
                continue  # as SQL and pandas print that there is none
            right, found = _shown(right), _shown(found)
        if right != found and not _alike(name, right, found):
            received.append(f"{run.job_id}: {name} {found!r}, not {right!r}")
    return received


def _value(records: Records, k: int, name: str) -> Any:
    own = {
        "asked": "procs", "account": "group", "partition": "queue", "name": "executable", "cpu": "cpu_used",
        "max_rss": "task_ram", "total_ram": "ram_used",
    }.get(name, name)  # fmt: skip
    if name == "start":
        return int(records.submit[k] + records.wait[k]) if records.wait[k] >= 0 else MISSING
    if name == "hosts":
        pieces, machine = records.recorded_nodes, records.machine
        assert pieces is not None
        assert machine is not None
        nodes = pieces["node"][pieces.offset[k] : pieces.offset[k + 1]].tolist()
        return tuple(sorted(str(machine.host_name(node)) for node in nodes))
    column = getattr(records, own)
    if column is None:
        return MISSING
    return column.names[column.codes[k]] if hasattr(column, "codes") else column[k].item()


def _alike(name: str, right: Any, found: Any) -> bool:
    """Whether two values mean the same: none, or one that is printed less exactly."""
    if right in (MISSING, 0) and found in (MISSING, 0):
        return True
    return name in _ROUNDED and abs(right - found) <= _ROUNDED[name]


def _shown(name: str) -> str:
    return name.rstrip("\n ").replace("\r\n", "\n").replace("\r", " ")


def _as_ids(run: Run) -> Run:
    """As the job table tells it: by the number of its user."""
    return replace(run, user=str(USERS[run.user]), qos=run.qos_id)
