"""A synthetic workload as a log file: the Standard Workload Format with the columns of Alea."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from pathlib import Path

from engine.errors import InputError
from engine.trace.generate.jobs import WALLTIMES, GeneratedJobs
from engine.trace.generate.model import EXAMPLE, HOUR, Model
from engine.trace.read import machines_path

QUEUES = {
    "q_2h": 2 * HOUR,
    "q_4h": 4 * HOUR,
    "q_1d": 24 * HOUR,
    "q_2d": 48 * HOUR,
    "q_4d": 96 * HOUR,
    "q_1w": 168 * HOUR,
    "q_2w": 336 * HOUR,
    "q_2w_plus": WALLTIMES[-1],
}
"""Queues and their longest walltimes in seconds; a job goes to the first one that takes it."""


def write_log(jobs: GeneratedJobs, path: Path, model: Model = EXAMPLE) -> None:
    """Write a log, packed where its name ends in .gz, and beside it the machines file.

    The same jobs give the same bytes, whenever they are written. Raises InputError where a
    file cannot be written.
    """
    data = log_text(jobs, model).encode("ascii")
    try:
        path.write_bytes(_gzip(data) if path.suffix == ".gz" else data)
        machines_path(path).write_text(machines_text(model), "ascii", newline="\n")
    except OSError as error:
        raise InputError(f"{path}: cannot write this log: {error.strerror or error}") from error


def log_text(jobs: GeneratedJobs, model: Model = EXAMPLE) -> str:
    """The whole log. No machine ran these jobs: waits are missing, and the lists of nodes empty."""
    return "".join(f"{line}\n" for line in (*_header(jobs, model), *_lines(jobs)))


def machines_text(model: Model = EXAMPLE) -> str:
    """The machine, a line a group of nodes: id, name, nodes, CPUs a node, speed, RAM a node in KB."""
    return "".join(
        f"{number}\t{group.name or 'node'}\t{group.count}\t{group.cpus}\t1\t{(group.ram or 0) << 10}\n"
        for number, group in enumerate(model.cluster.groups)
    )


def _header(jobs: GeneratedJobs, model: Model) -> Iterator[str]:
    yield "; Version: 2.2"
    yield "; Computer: none, this is a synthetic workload"
    yield "; Conversion: made by Batchscope"
    yield f"; MaxJobs: {len(jobs)}"
    yield f"; MaxRecords: {len(jobs)}"
    yield f"; UnixStartTime: {model.zero}"
    yield f"; TimeZoneString: {model.timezone}"
    yield f"; MaxNodes: {model.cluster.nodes}"
    yield f"; MaxProcs: {model.cluster.cpus}"
    yield "; Note: field 10 is KB a node; behind field 18: nodes used, queue, nodes requested"
    for number, (queue, longest) in enumerate(QUEUES.items(), 1):
        yield f"; Queue: {number} {queue} up to {longest // HOUR} h"


def _lines(jobs: GeneratedJobs) -> Iterator[str]:
    columns = (jobs.submit, jobs.runtime, jobs.walltime, jobs.nodes, jobs.cpus, jobs.ram, jobs.user)
    for job, row in enumerate(zip(*(column.tolist() for column in columns), strict=True), 1):
        submit, runtime, walltime, nodes, cpus, ram, user = row
        procs = nodes * cpus
        number, queue = _queue(walltime)
        yield (
            f"{job} {submit} -1 {runtime} {procs} -1 -1 {procs} {walltime} {ram << 10} "
            f"1 {user} -1 -1 {number} -1 -1 -1 {{}} {queue} {nodes}:ppn={cpus}"
        )


def _queue(walltime: int) -> tuple[int, str]:
    """Number and name of the first queue that takes this walltime."""
    return next((n, name) for n, (name, longest) in enumerate(QUEUES.items(), 1) if walltime <= longest)


def _gzip(data: bytes) -> bytes:
    """Packed, without a file name and the time of packing."""
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as file:
        file.write(data)
    return packed.getvalue()
