"""A trace in the formats of other programs, and what of it each format cannot hold."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

import numpy as np

from engine.arrays import Ints
from engine.atomic import write_atomically
from engine.trace.columns import MARK, TOLD_COLUMNS, USED_COLUMNS
from engine.trace.packing import open_packed
from engine.trace.status import COMPLETED, FAILED
from engine.trace.swf_text import are_numbers, swf_header, swf_lines
from engine.trace.trace import MISSING, Trace
from engine.words import in_sentence, plural

SWF, TABLE, BATSIM = "swf", "table", "batsim"
FORMATS = {".swf": SWF, ".csv": TABLE, ".parquet": TABLE, ".json": BATSIM}
"""Formats of written files by suffix; `.swf` and `.json` may be followed by `.gz`."""


def write_swf(trace: Trace, path: Path) -> None:
    """Write a trace in the Standard Workload Format, with its own waits, runtimes and processors.

    Packed where the name ends in `.gz`. The file appears whole or not at all. Raises OSError.
    """

    def fill(file: IO[str]) -> None:
        file.writelines(swf_header(trace, trace.cluster, f"converted from {trace.shown_name}"))
        file.writelines(
            swf_lines(
                trace,
                wait=trace.wait,
                runtime=trace.recorded_runtime,
                allocated=trace.recorded_procs,
                status=trace.status,
            )
        )

    _write(path, fill)


def write_batsim(trace: Trace, path: Path) -> None:
    """Write a trace as a workload of Batsim, with a profile for each runtime of jobs that failed or did not.

    The first job is submitted at second 0. Packed where the name ends in `.gz`. Raises OSError.
    """

    def fill(file: IO[str]) -> None:
        file.write(f'{{\n"description": {json.dumps(trace.name)},\n')
        file.write(f'"nb_res": {trace.cluster.cpus},\n"jobs": [\n')
        file.writelines(_batsim_jobs(trace))
        # The exit code `ret` belongs to a profile, so a failed job cannot share that of a completed job.
        kinds = sorted(set(zip(trace.recorded_runtime.tolist(), _failed(trace), strict=True)))
        profiles = (
            f'"{_profile(seconds, failed)}": '
            + json.dumps({"type": "delay", "delay": seconds} | ({"ret": 1} if failed else {}))
            for seconds, failed in kinds
        )
        file.write('],\n"profiles": {\n' + ",\n".join(profiles) + "\n}\n}\n")

    _write(path, fill)


def trace_table(trace: Trace) -> Sequence[tuple[str, Any]]:
    """The columns of a trace by the names that tables of jobs are read by; masked where values are missing.

    Submissions are s since 1970, or since the log's zero where that is not known.
    """
    table: list[tuple[str, Any]] = [("job_id", trace.job_id)]
    for name, column in (
        ("user", trace.user),
        ("group", trace.group),
        ("queue", trace.queue),
        ("executable", trace.executable),
    ):
        table.append((name, np.array(column.names, object)[column.codes].tolist()))
    numbers: dict[str, Any] = {
        "submit": trace.submit + trace.zero,
        "wait": trace.wait,
        "runtime": trace.recorded_runtime,
        "walltime": trace.walltime,
        "procs": trace.procs,
        "allocated": trace.recorded_procs,
        "nodes": _nodes(trace),
        "tasks": _tasks_alike(trace),
        "ram": trace.ram,
        "status": trace.status,
    }
    if trace.gpus is not None:
        numbers["gpus"] = trace.gpus
    # A mark is true or false, and missing where it is below 0.
    for name, used in trace.used.items():
        numbers[name] = used.astype(np.int64) if USED_COLUMNS[name].unit == MARK else used
    return table + [(name, np.ma.array(values, mask=values < 0)) for name, values in numbers.items()]


def left_out(trace: Trace, kind: str) -> tuple[str, ...]:
    """The contents of a trace that a format cannot hold, in words."""
    return tuple(text for text, kinds in _parts(trace) if kind in kinds)


def _parts(trace: Trace) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The contents of a trace that some formats cannot hold."""
    # Each line is a fact that a trace may hold, with the formats that cannot hold it.
    everywhere = (SWF, TABLE, BATSIM)
    if trace.job_id.dtype.kind != "i":
        yield "job ids that are not numbers: jobs are numbered from 1", (SWF,)
    if not all(map(are_numbers, (trace.user, trace.group, trace.queue, trace.executable))):
        yield "names, other than in the header: records have their numbers", (SWF,)
    yield "users, groups, queues and executables", (BATSIM,)
    if trace.has_recorded_schedule:
        yield "waits, so the recorded schedule", (BATSIM,)
    neither = int(np.count_nonzero(~np.isin(trace.status, (FAILED, COMPLETED))))
    if neither:
        what = "cancelled, or of unknown status: they are written as completed"
        yield f"the status of {plural(neither, 'job')}, {what}", (BATSIM,)
    if trace.zero + int(trace.submit[0]):
        yield "when the first job was submitted: that is second 0", (BATSIM,)
    if trace.zero or trace.timezone != "UTC":
        yield "its time zone", (TABLE, BATSIM)
    if trace.has_ram:
        yield "RAM", (BATSIM,)
        if ((trace.ram > 0) & (trace.ram % np.maximum(trace.procs, 1) > 0)).any():
            yield "RAM to the MiB: that of a processor is rounded up", (SWF,)
    uneven = np.count_nonzero(_tasks_alike(trace) < 0)
    if uneven:
        yield f"task groups of {plural(int(uneven), 'job')}", (TABLE,)
    if (trace.tasks["cpus"] != 1).any():
        yield "task groups: what has to fit inside one node", (SWF, BATSIM)
    if trace.constraints:
        yield "which nodes jobs ask for", everywhere
    if "whole" in trace.tasks.columns:
        yield "that jobs take whole nodes", everywhere
    if trace.features:
        yield "which features of nodes jobs ask for", everywhere
    if trace.recorded_nodes is not None:
        yield "on which nodes jobs ran", everywhere
    if trace.gpus is not None and (trace.gpus > 0).any():
        yield "GPUs", (SWF, BATSIM)
    if trace.used:
        titles = (in_sentence(USED_COLUMNS[name].title) for name in trace.used)
        yield f"what jobs used: {', '.join(filter(None, titles))}", (SWF, BATSIM)
    for name in trace.told:
        yield TOLD_COLUMNS[name].of_jobs, everywhere
    if (trace.preceding >= 0).any():
        yield "which jobs depend on others", (TABLE, BATSIM)
    if not trace.cluster.pooled:
        yield f"the nodes of its machine, {trace.cluster}", everywhere
    elif trace.cluster.cpus:
        yield f"the processors of its machine: read the table with --cluster {trace.cluster}", (TABLE,)


def _nodes(trace: Trace) -> Ints:
    """The number of nodes of each job, (n,), by the log's lists, or else by its tasks of several CPUs."""
    tasks = _tasks_alike(trace)
    known = np.where((tasks > 0) & ((tasks < trace.procs) | (trace.procs == 1)), tasks, MISSING)
    if trace.recorded_nodes is None:
        return known
    listed = np.diff(trace.recorded_nodes.offset)
    return np.where(listed > 0, listed, known)


def _tasks_alike(trace: Trace) -> Ints:
    """The number of equal tasks of each job, shape (n,); MISSING if it is split unevenly.

    Tasks count as equal if they differ by at most a CPU or a MiB.
    """
    tasks, first = trace.tasks, trace.tasks.offset[:-1]
    if not len(first):
        return np.zeros(0, np.int64)
    count = np.add.reduceat(tasks["count"], first)
    ram = np.maximum(tasks["ram"], 0)
    # Where an amount cannot be divided evenly, the tasks' amounts differ by 1, and still count as equal.
    share, more = np.divmod(np.maximum(trace.ram, 0), np.maximum(count, 1))
    even = np.maximum.reduceat(tasks["cpus"], first) - np.minimum.reduceat(tasks["cpus"], first) <= 1
    even &= np.add.reduceat(tasks["count"] * tasks["cpus"], first) == trace.procs
    even &= (np.minimum.reduceat(ram, first) >= share) & (
        np.maximum.reduceat(ram, first) <= share + (more > 0)
    )
    return np.where(even, count, MISSING)


def _batsim_jobs(trace: Trace) -> Iterator[str]:
    ids = [json.dumps(job) for job in trace.job_id.tolist()]
    # Batsim counts from the first submission.
    columns = (trace.submit - trace.submit[0], trace.recorded_runtime, trace.walltime, trace.procs)
    rows = zip(ids, *(column.tolist() for column in columns), _failed(trace), strict=True)
    last = len(trace) - 1
    for k, (job, submit, runtime, walltime, procs, failed) in enumerate(rows):
        yield (
            f'{{"id": {job}, "subtime": {submit}, "walltime": {walltime}, "res": {procs}, '
            f'"profile": "{_profile(runtime, failed)}"}}{"" if k == last else ","}\n'
        )


def _failed(trace: Trace) -> list[bool]:
    """Whether each job failed."""
    return [status == FAILED for status in trace.status.tolist()]


def _profile(runtime: int, failed: bool) -> str:
    """The name of the profile of jobs with a runtime in s."""
    return f"{runtime}-failed" if failed else str(runtime)


def _write(path: Path, fill: Callable[[IO[str]], None]) -> None:
    """Write a text file, compressed if its name says so."""

    def write(part: Path) -> None:
        with (
            open_packed(part, path.suffix == ".gz") as file,
            io.TextIOWrapper(
                cast("BinaryIO", file), "utf-8", errors="backslashreplace", newline="\n"
            ) as text,
        ):
            fill(text)

    write_atomically(path, write)
