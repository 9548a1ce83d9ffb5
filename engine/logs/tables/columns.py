"""The roles of table columns: by usual column names, or by a mapping."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.errors import InputError
from engine.input import read_text
from engine.limits import MAX_MAPPING_BYTES
from engine.spelling import nearest
from engine.trace import columns as trace_columns
from engine.words import clip

NAMES: Mapping[str, tuple[str, ...]] = {
    "job_id": ("job_id", "jobid", "id", "job_number", "job"),
    "submit": (
        *("submit", "submission_time", "submit_time", "submitted", "subtime", "ctime", "qtime"),
        *("creation_time", "created_at", "submitted_at", "submission", "arrival_time"),
    ),
    "eligible": ("eligible", "eligible_time", "etime"),
    "start": (
        *("start", "starting_time", "start_time", "started", "begin", "begin_time"),
        *("scheduled_time", "started_at"),
    ),
    "end": (
        *("end", "finish_time", "completion_time", "end_time", "finish", "ended"),
        *("deletion_time", "ended_at", "finished_at", "completed_at"),
    ),
    "wait": ("wait", "waiting_time", "wait_time"),
    "runtime": (
        *("runtime", "run_time", "execution_time", "duration", "elapsed", "elapsed_time", "wall_clock_time"),
    ),
    "walltime": (
        *("walltime", "requested_time", "requested_walltime", "timelimit", "time_limit", "wall_time"),
        *("wall_limit", "walltime_limit", "wallclock_req", "requested_wallclock"),
    ),
    "procs": (
        *("procs", "nprocs", "requested_number_of_resources", "requested_number_of_processors"),
        *("requested_processors", "reqcpus", "ncpus", "cpus", "cores", "processors", "slots", "res"),
        *("num_cpus", "cpu_num", "num_cores", "ncores", "num_procs", "num_cpu", "n_cores"),
    ),
    "allocated": ("allocated", "allocated_processors", "alloccpus"),
    "nodes": ("nodes", "nnodes", "num_nodes", "node_num"),
    "tasks": ("tasks", "ntasks", "num_tasks"),
    "ram": ("ram", "memory", "mem", "requested_memory", "req_mem", "mem_req"),
    "gpus": ("gpus", "ngpus", "gpu", "num_gpus", "num_gpu", "gpu_num"),
    "status": ("status", "success", "state", "job_state"),
    "user": ("user", "user_id", "username", "owner", "user_name"),
    "group": ("group", "account", "project"),
    "queue": ("queue", "partition"),
    "executable": ("executable", "application", "job_name", "jobname", "profile"),
    **{name: (name,) for name in trace_columns.USED},  # of other names the units are not certain
}
"""Accepted names of the column of each role; the first in this order is used."""

SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
SERIAL = "serial"
"""The unit of dates in spreadsheets: days since the end of 1899, with the time of day as a fraction."""
MOMENTS = ("submit", "eligible", "start", "end")
MIB = {"b": 2.0**-20, "kb": 2.0**-10, "mb": 1.0, "gb": 2.0**10, "tb": 2.0**20}
JOULES = {"j": 1.0, "kj": 1e3, "mj": 1e6, "wh": 3600.0, "kwh": 3.6e6}
IDS = "ids"
"""The unit of counts that are given by lists of ids: a single number is one id."""
COUNTS = {"count": 1.0, "milli": 0.001, "percent": 0.01, IDS: 1.0}
_UNITS = {
    trace_columns.MOMENT: {**SECONDS, SERIAL: 86_400.0},
    trace_columns.SECONDS: SECONDS,
    trace_columns.MEBIBYTES: MIB,
    trace_columns.JOULES: JOULES,
    trace_columns.COUNT: COUNTS,
}
UNITS: Mapping[str, Mapping[str, float]] = {
    **dict.fromkeys(MOMENTS, _UNITS[trace_columns.MOMENT]),
    **{
        name: _UNITS[column.unit]
        for name, column in trace_columns.COLUMNS.items()
        if name in NAMES and column.unit in _UNITS
    },
    "allocated": COUNTS,
    "nodes": {"count": 1.0, IDS: 1.0},
}
"""Units of columns. By default times are in seconds, RAM in MiB, energy in J, and
processors, nodes and GPUs are counts."""

WITHOUT_COLUMNS = ("submit", "wait", "runtime", "walltime", "ram")
"""Roles whose unit can be said of a log of numbers that names no columns."""

UNIT_WORDS: Mapping[str, str] = {
    **dict.fromkeys(("ms", "msec", "milliseconds"), "ms"),
    **dict.fromkeys(("s", "sec", "secs", "seconds"), "s"),
    **dict.fromkeys(("min", "mins", "minutes"), "min"),
    **dict.fromkeys(("h", "hrs", "hours"), "h"),
    **dict.fromkeys(("d", "days"), "d"),
    **{unit: unit for unit in ("kb", "mb", "gb", "tb")},
    **{f"{unit[0]}ib": unit for unit in ("kb", "mb", "gb", "tb")},
    **dict.fromkeys(("b", "bytes"), "b"),
    **dict.fromkeys(("milli", "millicores", "millicpus"), "milli"),
    **{unit: unit for unit in ("kj", "wh", "kwh")},
    **dict.fromkeys(("j", "joules"), "j"),
}
"""Units by the words for them in names of columns, as in `mem_gb` and `ran (min)`."""

DATES = {"dmy": "day, month, year", "mdy": "month, day, year", "ymd": "year, month, day"}
"""The orders that dates of three numbers may have."""

_UNIT_IN_NAME = re.compile(r"(.+?)[_./(\[]+([a-z]+)[)\]]?")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WITH_UNIT = {"procs": ("cpu",)}  # names of a role if a unit follows


class ColumnsError(InputError):
    """The columns of a table do not describe jobs: the user has to choose their meanings."""


@dataclass(frozen=True)
class ColumnMap:
    """The column of a file for each role, by name, and the unit if it is not the default.

    Without any column, the names in the file are used. `dates` is the order of day, month and year in dates
    of three numbers, `decimal` the decimal separator, `.` or `,`; empty: derived from the columns.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    dates: str = ""
    decimal: str = ""

    @property
    def dates_alone(self) -> bool:
        """True if it contains only the order of dates, and no columns."""
        return bool(self.dates) and not (self.columns or self.units or self.decimal)

    @property
    def units_alone(self) -> bool:
        """True if it contains only units: any log of numbers has such."""
        return bool(self.units) and not (self.columns or self.dates or self.decimal)

    def factor(self, role: str) -> float:
        """The factor on numbers of this role: to seconds, MiB, J, or counts."""
        return UNITS[role][self.units[role]] if role in self.units else 1.0

    def of_header(self, header: Sequence[str]) -> ColumnMap:
        """The map for a table with this header: if no column is named, columns with accepted names."""
        if self.columns:
            return self
        guess = guess_columns(header)
        return replace(guess, units={**guess.units, **self.units}, dates=self.dates, decimal=self.decimal)


def guess_columns(header: Sequence[str]) -> ColumnMap:
    """The roles of columns with a usual name, possibly followed by a unit: `mem_gb`, `runtime (min)`."""
    # Of names that are alike once they are normal the first wins; names as they are written go before those
    # that are parted at capitals.
    known = {normal(_CAMEL.sub("_", name)): name for name in reversed(header)}
    known |= {normal(name): name for name in reversed(header)}
    with_unit: dict[str, list[tuple[str, str]]] = {}
    for name in header:
        match = _UNIT_IN_NAME.fullmatch(normal(name)[:200])
        if match is not None and (unit := UNIT_WORDS.get(match[2])):
            with_unit.setdefault(match[1].rstrip("_"), []).append((name, unit))
    columns, units = {}, {}
    for role, names in NAMES.items():
        # A name without a unit goes before a name that ends in a unit.
        plain = next((known[name] for name in names if name in known), None)
        if plain is not None:
            columns[role] = plain
            continue
        names = (*names, *_WITH_UNIT.get(role, ()))
        found = (
            column for name in names for column in with_unit.get(name, ()) if column[1] in UNITS.get(role, ())
        )
        if (first := next(found, None)) is not None:
            columns[role], units[role] = first
    return ColumnMap(columns, units)


def normal(name: str) -> str:
    """A name in the way in which NAMES are written."""
    return re.sub(r"[\s-]+", "_", name.strip().lower())


def read_mapping(path: Path) -> ColumnMap:
    """Read the file of a mapping. Raises InputError."""
    return parse_mapping(read_text(path, MAX_MAPPING_BYTES), path)


def parse_mapping(text: str, path: Path | str) -> ColumnMap:
    """The column map of a TOML text with lines `role = "column"`, and units below `[units]`.

    Raises InputError, which names the `path`.
    """
    try:
        entries = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: also of an integer of thousands of digits
        raise InputError(f"{path}: this is no TOML: {error}") from error
    units = entries.pop("units", {})
    dates, decimal = entries.pop("dates", ""), entries.pop("decimal", "")
    if not isinstance(units, dict):
        raise InputError(f"{path}: units is a table: [units], and below it lines like runtime = 'min'")
    for role, name in entries.items():
        if role not in NAMES:
            raise InputError(f"{path}: jobs have no {clip(role)!r}{nearest(role, NAMES)}")
        if not isinstance(name, str) or not name:
            raise InputError(f"{path}: {role} is the name of a column, in quotes")
    for role, unit in units.items():
        if wrong := _wrong_unit(role, unit):
            raise InputError(f"{path}: {wrong}")
    if not isinstance(dates, str) or (dates and dates not in DATES):
        orders = ", ".join(f"'{order}' ({words})" for order, words in DATES.items())
        raise InputError(f"{path}: dates is one of {orders}")
    if decimal not in ("", ".", ","):
        raise InputError(f"{path}: decimal is '.' or ','")
    return ColumnMap(entries, units, dates, decimal)


def parse_units(text: str) -> dict[str, str]:
    """The units by role of a text like `walltime=min,ram=gb`. Raises InputError."""
    units: dict[str, str] = {}
    for word in filter(None, (word.strip() for word in text.split(","))):
        role, sign, unit = (part.strip() for part in word.partition("="))
        if not sign:
            raise InputError(f"{clip(word)}: expected NAME=UNIT, such as walltime=min")
        if wrong := _wrong_unit(role, unit):
            raise InputError(wrong)
        units[role] = unit
    return units


def _wrong_unit(role: str, unit: object) -> str:
    """What is wrong with the unit of a role; empty where nothing is."""
    if role not in UNITS:
        return f"{clip(role)!r} has no unit{nearest(role, UNITS)}"
    if not isinstance(unit, str) or unit not in UNITS[role]:
        return f"the unit of {role} is one of {', '.join(UNITS[role])}"
    return ""


def format_mapping(mapping: ColumnMap) -> str:
    """The TOML that `read_mapping` reads."""
    lines = [f"{role} = {_quoted(name)}" for role, name in mapping.columns.items()]
    lines += [f"{key} = {_quoted(text)}" for key in ("dates", "decimal") if (text := getattr(mapping, key))]
    if mapping.units:
        lines += ["", "[units]", *(f"{role} = {_quoted(unit)}" for role, unit in mapping.units.items())]
    return "".join(f"{line}\n" for line in lines)


def check_columns(where: str, mapping: ColumnMap, header: Sequence[str]) -> None:
    """Raise InputError if columns are missing, ColumnsError if they do not describe jobs.

    `where` is the file, and the line of its header if known.
    """
    shown = clip(", ".join(name.strip() for name in header[:40]), 300) or "none"
    for role, name in mapping.columns.items():
        if name not in header:
            raise InputError(f"{where}: there is no column {clip(name)!r} for {role}; there are: {shown}")
    roles = set(mapping.columns)
    missing = [] if "submit" in roles else ["submit"]
    if not {"procs", "allocated"} & roles:
        missing.append("procs")
    # A runtime may also follow from two times.
    if not ("runtime" in roles or {"start", "end"} <= roles or {"wait", "end"} <= roles):
        missing.append("runtime")
    if missing:
        raise ColumnsError(
            f"{where}: no column holds {', '.join(missing)} of jobs; there are: {shown}; "
            "name columns with --columns FILE.toml"
        )


def _quoted(text: str) -> str:
    escaped = "".join(f"\\u{ord(c):04x}" if ord(c) < 32 or c in '"\\\x7f' else c for c in text)
    return f'"{escaped}"'
