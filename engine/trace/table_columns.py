"""Which column of a table says what of jobs: by the names that columns usually have, or by a mapping."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.errors import InputError
from engine.input import read_text
from engine.limits import MAX_MAPPING_BYTES
from engine.spelling import nearest
from engine.trace.records import USED
from engine.words import clip

NAMES: Mapping[str, tuple[str, ...]] = {
    "job_id": ("job_id", "jobid", "id", "job_number", "job"),
    "submit": ("submit", "submission_time", "submit_time", "submitted", "subtime", "ctime", "qtime"),
    "eligible": ("eligible", "eligible_time", "etime"),
    "start": ("start", "starting_time", "start_time", "started", "begin", "begin_time"),
    "end": ("end", "finish_time", "completion_time", "end_time", "finish", "ended"),
    "wait": ("wait", "waiting_time", "wait_time"),
    "runtime": ("runtime", "run_time", "execution_time", "duration", "elapsed"),
    "walltime": ("walltime", "requested_time", "requested_walltime", "timelimit", "time_limit", "wall_time"),
    "procs": (
        *("procs", "nprocs", "requested_number_of_resources", "requested_number_of_processors"),
        *("requested_processors", "reqcpus", "ncpus", "cpus", "cores", "processors", "slots", "res"),
    ),
    "allocated": ("allocated", "allocated_processors", "alloccpus"),
    "nodes": ("nodes", "nnodes", "num_nodes"),
    "tasks": ("tasks", "ntasks", "num_tasks"),
    "ram": ("ram", "memory", "mem", "requested_memory"),
    "gpus": ("gpus", "ngpus", "gpu"),
    "status": ("status", "success"),
    "user": ("user", "user_id", "username", "owner"),
    "group": ("group", "account", "project"),
    "queue": ("queue", "partition"),
    "executable": ("executable", "application", "job_name", "jobname", "profile"),
    **{name: (name,) for name in USED},  # of other names the units are not certain
}
"""What the column of each role may be called; of several the first in this order counts."""

SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
MIB = {"b": 2.0**-20, "kb": 2.0**-10, "mb": 1.0, "gb": 2.0**10, "tb": 2.0**20}
JOULES = {"j": 1.0, "kj": 1e3, "mj": 1e6, "wh": 3600.0, "kwh": 3.6e6}
UNITS: Mapping[str, Mapping[str, float]] = {
    **dict.fromkeys(
        ("submit", "eligible", "start", "end", "wait", "runtime", "walltime", "cpu_used"), SECONDS
    ),
    **dict.fromkeys(("ram", "ram_used", "task_ram", "task_ram_mean", "gpu_ram_used"), MIB),
    "energy": JOULES,
}
"""The units that columns may be in: where nothing else is said times are seconds, RAM is MiB, energy J."""


class ColumnsError(InputError):
    """The columns of a table do not tell of jobs: a person has to say which means what."""


@dataclass(frozen=True)
class ColumnMap:
    """The column of a file that has each role, by its name, and the unit of those that have another."""

    columns: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)

    def factor(self, role: str) -> float:
        """What numbers of this role are multiplied by: to seconds, MiB, or J."""
        return UNITS[role][self.units[role]] if role in self.units else 1.0


def guess_columns(header: Sequence[str]) -> ColumnMap:
    """The roles of columns that have one of the usual names."""
    known = {normal(name): name for name in reversed(header)}
    found = {role: next((known[n] for n in names if n in known), None) for role, names in NAMES.items()}
    return ColumnMap({role: name for role, name in found.items() if name is not None})


def normal(name: str) -> str:
    """A name in the way in which NAMES are written."""
    return re.sub(r"[\s-]+", "_", name.strip().lower())


def read_mapping(path: Path) -> ColumnMap:
    """Read the file of a mapping. Raises InputError."""
    return parse_mapping(read_text(path, MAX_MAPPING_BYTES), path)


def parse_mapping(text: str, path: Path | str) -> ColumnMap:
    """A mapping: TOML, a line `role = "column"` each, and units below `[units]`.

    Raises InputError, which names the `path`.
    """
    try:
        said = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{path}: this is no TOML: {error}") from error
    units = said.pop("units", {})
    if not isinstance(units, dict):
        raise InputError(f"{path}: units is a table: [units], and below it lines like runtime = 'min'")
    for role, name in said.items():
        if role not in NAMES:
            raise InputError(f"{path}: jobs have no {clip(role)!r}{nearest(role, NAMES)}")
        if not isinstance(name, str) or not name:
            raise InputError(f"{path}: {role} is the name of a column, in quotes")
    for role, unit in units.items():
        if role not in UNITS:
            raise InputError(f"{path}: {clip(role)!r} has no unit{nearest(role, UNITS)}")
        if unit not in UNITS[role]:
            raise InputError(f"{path}: the unit of {role} is one of {', '.join(UNITS[role])}")
    return ColumnMap(said, units)


def spell_mapping(mapping: ColumnMap) -> str:
    """The TOML that `read_mapping` reads."""
    lines = [f"{role} = {_quoted(name)}" for role, name in mapping.columns.items()]
    if mapping.units:
        lines += ["", "[units]", *(f"{role} = {_quoted(unit)}" for role, unit in mapping.units.items())]
    return "".join(f"{line}\n" for line in lines)


def check_columns(path: Path, mapping: ColumnMap, header: Sequence[str]) -> None:
    """Raise InputError where columns are not there, ColumnsError where they do not tell of jobs."""
    shown = clip(", ".join(name.strip() for name in header[:40]), 300) or "none"
    for role, name in mapping.columns.items():
        if name not in header:
            raise InputError(f"{path}: there is no column {clip(name)!r} for {role}; there are: {shown}")
    roles = set(mapping.columns)
    missing = [] if "submit" in roles else ["submit"]
    if not {"procs", "allocated"} & roles:
        missing.append("procs")
    if not ("runtime" in roles or {"start", "end"} <= roles or {"wait", "end"} <= roles):
        missing.append("runtime")
    if missing:
        raise ColumnsError(
            f"{path}: no column tells {', '.join(missing)} of jobs; there are: {shown}; "
            "name columns with --columns FILE.toml"
        )


def _quoted(text: str) -> str:
    escaped = "".join(f"\\u{ord(c):04x}" if ord(c) < 32 or c in '"\\\x7f' else c for c in text)
    return f'"{escaped}"'
