"""The power of the log's machine: from a file, or learned from the energy of the log's jobs.

A file is TOML: a table `[[nodes]]` for each group of nodes, and tables `[price]`, `[carbon]` and `[cap]`,
each with a number, 24 or 168 numbers (by hour of the day, or of the week from Monday), or the name of a CSV
file of rows `time,value`.
"""

from __future__ import annotations

import csv
import io
import math
import tomllib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.dates import parse_time, zone_of
from engine.errors import InputError
from engine.input import read_text
from engine.limits import MAX_MAPPING_BYTES, MAX_TIME
from engine.machine.cluster import Cluster
from engine.machine.power import SWITCHED, EnergyMeans, NodePower, PowerModel, Rates
from engine.spelling import format_number, nearest
from engine.trace import MISSING, Trace
from engine.trace.trace import Note
from engine.words import clip, counted

Floats = NDArray[np.float64]

LEARNED = "log"
"""The text for power that is learned from the energy of the log's jobs."""

_LEAST_JOBS = 10
"""Jobs with energy that figures are learned from, at least."""

_MEANS: dict[str, EnergyMeans] = {"nodes": "nodes", "above-idle": "above-idle", "ignored": "ignored"}

_WATTS = ("idle_w", "core_w", "gpu_w", "off_w")
_BOOT = ("boot_s", "boot_w")
_MOST_WATTS = 10_000_000.0
_MOST_RATE = 1e9
_MOST_BYTES = 1 << 24  # of a file of rates: ten years of quarters of an hour are 9 MB

_HOUR, _DAY = 3600, 86_400


def read_power(text: str, trace: Trace, cluster: Cluster) -> tuple[PowerModel, tuple[Note, ...]]:
    """The power of a log's machine: that of a file, or learned from the log where the text is `log`.

    A file may tell of groups of nodes of the log's own machine, or of the `cluster` of the runs. Also notes
    on what was learned, and on what is not used. Raises InputError.
    """
    if text == LEARNED:
        return _learned(trace)
    path = Path(text)
    try:
        entries = tomllib.loads(read_text(path, MAX_MAPPING_BYTES))
    except (ValueError, RecursionError) as error:  # ValueError: also of an integer of thousands of digits
        raise InputError(f"{path}: this is no TOML: {error}") from None
    try:
        return _model(entries, path, trace, cluster)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _model(
    entries: Mapping[str, Any], path: Path, trace: Trace, cluster: Cluster
) -> tuple[PowerModel, tuple[Note, ...]]:
    _refuse_others(entries, ("nodes", "energy", "price", "carbon", "cap"), "the file")
    tables = entries.get("nodes", [])
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise InputError("there is no table [[nodes]] with lines like idle_w = 120")
    groups = tuple(_nodes(table, (cluster, trace.cluster)) for table in tables)
    names = [entry.group for entry in groups]
    # Two tables of the same group would contradict each other.
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(
            f"two tables [[nodes]] are about {f'group {clip(twice)!r}' if twice else 'all nodes'}"
        )
    means = entries.get("energy", "nodes")
    if not isinstance(means, str) or means not in _MEANS:
        raise InputError(f"energy is one of {', '.join(_MEANS)}, not {clip(str(means))!r}")
    price = _rates(entries, "price", "per_kwh", path, trace)
    carbon = _rates(entries, "carbon", "g_per_kwh", path, trace)
    cap = _rates(entries, "cap", "kw", path, trace)
    model = PowerModel(groups, _MEANS[means], price, carbon, cap)
    return model, ()


def _nodes(table: Mapping[str, Any], machines: Sequence[Cluster]) -> NodePower:
    """The power of a group from its table. Raises InputError."""
    _refuse_others(table, ("group", *_WATTS, *_BOOT), "a table [[nodes]]")
    group, of_machines = table.get("group", ""), [each for machine in machines for each in machine.groups]
    known = [name for each in of_machines for name in (each.name, each.spelling) if name]
    if not isinstance(group, str) or (group and group not in known):
        hint = nearest(group, known) if isinstance(group, str) else ""
        raise InputError(f"the machine {machines[0]} has no group {clip(str(group))!r}{hint}")
    if "idle_w" not in table and "core_w" not in table:
        raise InputError("a table [[nodes]] needs idle_w or core_w")
    amounts = {name: _amount(table, name) for name in (*_WATTS, *_BOOT) if name in table}
    # Boots are counted in whole seconds, as all of a simulation is.
    boot_s = math.ceil(amounts.pop("boot_s", 0.0))
    unknown = tuple(name for name in SWITCHED if name not in table)
    return NodePower(**amounts, group=group, boot_s=boot_s, unknown=unknown)


def _amount(table: Mapping[str, Any], name: str) -> float:
    value = table[name]
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= _MOST_WATTS:
        unit = "s" if name == "boot_s" else "W"
        raise InputError(f"{name} is a number of {unit} from 0 to {_MOST_WATTS:,.0f}, not {clip(str(value))}")
    return float(value)


def _rates(entries: Mapping[str, Any], name: str, key: str, path: Path, trace: Trace) -> Rates | None:
    """The series of a table [price], [carbon] or [cap]; None without such a table. Raises InputError."""
    table = entries.get(name)
    if table is None:
        return None
    if not isinstance(table, dict):
        raise InputError(f"{name} is a table: [{name}], and below it a line like {key} = 0.21")
    _refuse_others(table, (key,), f"[{name}]")
    if key not in table:
        raise InputError(f"[{name}] needs {key}: a number, 24 or 168 numbers, or the name of a file")
    value = table[key]
    if isinstance(value, str):
        return _read_rows(path.parent / value, trace)
    values = value if isinstance(value, list) else [value]
    if len(values) not in (1, 24, 168):
        raise InputError(
            f"[{name}] {key} has {len(values):,} numbers: give one, 24 by hour of the day, or 168 by "
            "hour of the week from Monday"
        )
    for each in values:
        if not isinstance(each, int | float) or isinstance(each, bool) or not abs(each) <= _MOST_RATE:
            raise InputError(f"[{name}] {key}: {clip(str(each))} is not a usable number")
    # A number, the hours of a day, or those of a week: all become the hours of a week.
    numbers = np.array(values, np.float64)
    return weekly(np.tile(numbers, 168 // len(numbers)), trace)


def weekly(profile: Floats, trace: Trace) -> Rates:
    """The rates of a profile by hour of the week, shape (168,), from Monday, in the trace's time zone.

    They reach from a day before the first submission to three times the log's span and a year after it, and
    are not known beyond.
    """
    first = int(trace.submit[0]) - _DAY
    last = int(trace.submit[-1])
    until = last + 2 * (last - first) + 366 * _DAY
    if bool((profile == profile[0]).all()):
        return Rates(np.array([first, until]), np.array([profile[0], np.nan]))
    zone = zone_of(trace)

    def local(moment: int) -> datetime:
        return datetime.fromtimestamp(moment, UTC).astimezone(zone)

    begin = trace.zero + first
    clock = local(begin)
    begin -= clock.minute * 60 + clock.second  # a whole hour there; clocks change by whole hours
    moments = np.arange(begin, trace.zero + until, _HOUR)
    hours = [(clock := local(moment)).weekday() * 24 + clock.hour for moment in moments.tolist()]
    values = profile[hours]
    rows = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    times = np.append(moments[rows] - trace.zero, until)
    return Rates(times, np.append(values[rows], np.nan))


def _read_rows(path: Path, trace: Trace) -> Rates:
    """The rates of a CSV file of rows `time,value`; a row without a value begins a gap. Raises InputError."""
    times: list[int] = []
    values: list[float] = []
    rows = csv.reader(io.StringIO(read_text(path, _MOST_BYTES), newline=""))
    try:
        header = [cell.strip().lower() for cell in next(rows, [])]
        if header != ["time", "value"]:
            raise InputError(f"{path}:1: expected the columns time,value")
        for row in rows:
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            where = f"{path}:{rows.line_num}"
            if len(cells) != 2:
                raise InputError(f"{where}: expected time,value")
            try:
                time = parse_time(cells[0], trace)
                value = float(cells[1]) if cells[1] else math.nan
            except ValueError:  # `parse_time` raises InputError, which is a ValueError
                raise InputError(f"{where}: cannot read the row {clip(','.join(cells))!r}") from None
            if cells[1] and not abs(value) <= _MOST_RATE:
                raise InputError(f"{where}: {clip(cells[1])} is not a usable number")
            if abs(time) > MAX_TIME:
                raise InputError(f"{where}: no log lasts until {clip(cells[0])}")
            if times and time <= times[-1]:
                raise InputError(f"{where}: times ascend; this is not after the row before")
            times.append(time)
            values.append(value)
    except csv.Error as error:
        raise InputError(f"{path}:{rows.line_num}: this is not a table: {error}") from error
    if not times:
        raise InputError(f"{path}: there is no row below the header")
    return Rates(np.array(times, np.int64), np.array(values, np.float64))


def _learned(trace: Trace) -> tuple[PowerModel, tuple[Note, ...]]:
    """The power of nodes, cores and GPUs that fits the energy of the log's jobs best. Raises InputError."""
    if trace.energy is None:
        raise InputError("log: the log does not tell the energy of its jobs; give a file")
    energy, runtime = trace.energy, trace.recorded_runtime
    jobs = np.flatnonzero((energy != MISSING) & (runtime > 0))
    if len(jobs) < _LEAST_JOBS:
        raise InputError(
            f"log: the log tells the energy of {counted(len(jobs), 'job')} that ran; power is learned from "
            f"at least {_LEAST_JOBS}"
        )
    nodes, told = _nodes_held(trace)
    held = np.stack((nodes, trace.recorded_procs, np.maximum(_gpus(trace), 0)), axis=1)[jobs]
    amounts, total = held * runtime[jobs, None].astype(np.float64), energy[jobs].astype(np.float64)
    there = np.flatnonzero(amounts.any(axis=0))  # most logs have no GPUs
    if np.linalg.matrix_rank(amounts[:, there] / amounts[:, there].max(axis=0)) < len(there):
        raise InputError(
            "log: its jobs do not tell the power of idle nodes from that of busy cores, as all have the same "
            "part of their nodes; give a file"
        )
    watts = least_squares(amounts, total)
    idle, core, gpu = (float(value) for value in watts)
    named = zip(_WATTS, (idle, core, gpu), strict=False)
    figures = ", ".join(f"{name} {format_number(round(value, 2))}" for name, value in named)
    fit = format_number(round(determination(amounts, total, watts), 3))
    text = f"jobs that tell an energy; by least squares {figures} (R² {fit})"
    if not told:
        text += ", with as few nodes a job as hold its processors, as the log does not tell its nodes"
    return PowerModel((NodePower(idle, core, gpu, unknown=SWITCHED),)), (Note("power", text, len(jobs)),)


def _nodes_held(trace: Trace) -> tuple[Floats, bool]:
    """How many nodes each job had in the log, shape (n,), and whether the log tells them.

    Each processor of a pool is a node. Where nodes are not told, as few as hold the job's processors on nodes
    of the machine's mean size.
    """
    cluster = trace.cluster
    procs = trace.recorded_procs.astype(np.float64)
    if cluster.pooled:
        return procs, True
    if trace.recorded_nodes is not None:
        places = trace.recorded_nodes
        job = np.repeat(np.arange(len(trace)), np.diff(places.offset))
        # Each node of a job counts once, whatever pieces the job has on it.
        pairs = np.unique(job * cluster.nodes + places["node"])
        return np.bincount(pairs // cluster.nodes, minlength=len(trace)).astype(np.float64), True
    return np.ceil(procs * cluster.nodes / cluster.cpus), False


def _gpus(trace: Trace) -> NDArray[np.int64]:
    return np.zeros(len(trace), np.int64) if trace.gpus is None else trace.gpus


def least_squares(amounts: Floats, total: Floats) -> Floats:
    """The coefficients of at least 0, shape (k,), of columns (m, k) whose sum is nearest to `total`, (m,).

    The best of the plain solutions for each set of columns, of those without a negative coefficient: exact,
    and short for three columns (Lawson & Hanson 1974, chapter 23).
    """
    columns = amounts.shape[1]
    scale = np.maximum(np.abs(amounts).max(axis=0, initial=0.0), 1.0)  # seconds of cores reach 1e12
    best, least = np.zeros(columns), float((total**2).sum())
    for size in range(1, columns + 1):
        for chosen in combinations(range(columns), size):
            part = amounts[:, chosen] / scale[list(chosen)]
            coefficients, _, rank, _ = np.linalg.lstsq(part, total, rcond=None)
            if rank < size or (coefficients < 0).any():
                continue
            rest = float(((total - part @ coefficients) ** 2).sum())
            if rest < least * (1 - 1e-12):
                best, least = np.zeros(columns), rest
                best[list(chosen)] = coefficients / scale[list(chosen)]
    return best


def determination(amounts: Floats, total: Floats, coefficients: Floats) -> float:
    """R², 1 - the squares that are left over those around the mean, 0 where all totals are equal."""
    rest = float(((total - amounts @ coefficients) ** 2).sum())
    around = float(((total - total.mean()) ** 2).sum())
    return 1.0 - rest / around if around > 0 else 0.0


def _refuse_others(table: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
    for name in table:
        if name not in known:
            raise InputError(f"{what} has no {clip(name)!r}{nearest(name, known)}")
