"""A synthetic workload as a log file: a table, or the Standard Workload Format, of nodes as Alea has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from engine.atomic import write_atomically
from engine.machine.cluster import Cluster
from engine.trace.file_names import machines_path
from engine.trace.generate.generated_log import HOUR, GeneratedJobs, GeneratedLog
from engine.trace.packing import open_packed

QUEUES = {
    "q_2h": 2 * HOUR,
    "q_4h": 4 * HOUR,
    "q_1d": 24 * HOUR,
    "q_2d": 48 * HOUR,
    "q_4d": 96 * HOUR,
    "q_1w": 168 * HOUR,
    "q_2w": 336 * HOUR,
    "q_2w_plus": 720 * HOUR,
}
"""Queues and their longest walltimes in s; a job goes to the first queue that accepts it."""

_OPTIONS = csv.WriteOptions(include_header=False, delimiter=" ", quoting_style="none")


def write_log(log: GeneratedLog, path: Path, report: Callable[[float], None] = lambda _: None) -> None:
    """Write a log, compressed if its name ends in .gz, and the machines file beside it.

    A name that ends in .csv gives a table, which includes GPUs of jobs.

    The same jobs give the same bytes, whenever they are written; a file appears whole or not at all. `report`
    is called with the written part of jobs, 0 to 1. Raises OSError if a file cannot be written.
    """

    write = _write_table if is_table(path) else _write

    def fill(part: Path) -> None:
        with open_packed(part, path.suffix == ".gz") as file:
            write(log, file, report)

    write_atomically(path, fill)
    text = machines_text(log.cluster)
    write_atomically(
        machines_path(path), lambda part: part.write_text(text, "ascii", newline="\n"), own_name=True
    )


def is_table(path: Path) -> bool:
    """True if a log of this name is written as a table."""
    return path.name.lower().removesuffix(".gz").endswith(".csv")


def log_text(log: GeneratedLog) -> str:
    """The whole log. No machine ran these jobs: waits are missing, and the lists of nodes empty."""
    file = BytesIO()
    _write(log, file, lambda _: None)
    return file.getvalue().decode("ascii")


def machines_text(cluster: Cluster) -> str:
    """The machine, a line per node group: id, name, nodes, CPUs per node, speed, RAM in KB, others (8gpu)."""
    lines = []
    for number, group in enumerate(cluster.groups):
        further = (f"{amount}{name}" for name, amount in group.extra)
        name, ram = group.name or "node", (group.ram or 0) << 10
        lines.append("\t".join((f"{number}\t{name}\t{group.count}\t{group.cpus}\t1\t{ram}", *further)))
    return "".join(f"{line}\n" for line in lines)


def _write(log: GeneratedLog, file: IO[bytes], report: Callable[[float], None]) -> None:
    file.write("".join(f"{line}\n" for line in _header(log)).encode("ascii"))
    written = 0
    for jobs in log.parts:
        csv.write_csv(_table(jobs, written, log.cluster.pooled), file, _OPTIONS)
        written += len(jobs)
        report(written / log.jobs)


def _write_table(log: GeneratedLog, file: IO[bytes], report: Callable[[float], None]) -> None:
    written = 0
    for jobs in log.parts:
        options = csv.WriteOptions(include_header=not written)
        csv.write_csv(pa.table(_columns(jobs, written, log.zero)), file, options)
        written += len(jobs)
        report(written / log.jobs)


def _columns(jobs: GeneratedJobs, written: int, zero: int) -> dict[str, pa.Array]:
    """The columns of jobs after `written` others, by the names that readers of tables accept."""
    columns = {
        "job_id": np.arange(written + 1, written + 1 + len(jobs)),
        "submit": zero + jobs.submit,
        "runtime": jobs.runtime,
        "walltime": jobs.walltime,
        "procs": jobs.nodes * jobs.cpus,
        "nodes": jobs.nodes,
        "ram": jobs.ram * jobs.nodes,
        "gpus": jobs.gpus * jobs.nodes,
        "user": jobs.user,
    }
    # Each job goes to the queue with the shortest limit that it fits.
    queue = np.searchsorted(list(QUEUES.values())[:-1], jobs.walltime)
    names = pa.array(list(QUEUES)).take(pa.array(queue))
    return {**{name: pa.array(values) for name, values in columns.items()}, "queue": names}


def _header(log: GeneratedLog) -> Iterator[str]:
    yield "; Version: 2.2"
    yield "; Computer: none, this is a synthetic workload"
    yield "; Conversion: made by Batchscope"
    yield f"; MaxJobs: {log.jobs}"
    yield f"; MaxRecords: {log.jobs}"
    yield f"; UnixStartTime: {log.zero}"
    yield f"; TimeZoneString: {log.timezone}"
    yield f"; MaxNodes: {log.cluster.nodes}"
    yield f"; MaxProcs: {log.cluster.cpus}"
    if not log.cluster.pooled:
        yield "; Note: field 10 is KB a node; behind field 18: nodes used, queue, nodes requested"
    for number, (queue, longest) in enumerate(QUEUES.items(), 1):
        yield f"; Queue: {number} {queue} up to {longest // HOUR} h"


def _table(jobs: GeneratedJobs, written: int, pooled: bool) -> pa.Table:
    """The rows of jobs after `written` others, a column for each field."""
    missing = pa.array(np.full(len(jobs), -1))
    procs = jobs.nodes * jobs.cpus
    # The standard has KB a processor, Alea KB a node.
    kilobytes = np.where(jobs.ram > 0, -(-(jobs.ram << 10) // jobs.cpus), -1) if pooled else jobs.ram << 10
    queue = np.searchsorted(list(QUEUES.values())[:-1], jobs.walltime)
    fields = [
        np.arange(written + 1, written + 1 + len(jobs)),
        jobs.submit,
        missing,
        jobs.runtime,
        procs,
        missing,
        missing,
        procs,
        jobs.walltime,
        kilobytes,
        np.ones(len(jobs), np.int64),
        jobs.user,
        missing,
        missing,
        queue + 1,
        missing,
        missing,
        missing,
    ]
    if not pooled:
        nodes, cpus = (pc.cast(pa.array(column), pa.string()) for column in (jobs.nodes, jobs.cpus))
        names = pa.array(list(QUEUES)).take(pa.array(queue))
        fields += [
            pa.array(["{}"] * len(jobs)),
            names,
            pc.binary_join_element_wise(nodes, cpus, ":ppn="),
        ]
    return pa.table(fields, names=[str(number) for number in range(len(fields))])
