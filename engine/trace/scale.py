"""Traces under more load, or of wider jobs; and how parallel the jobs of a trace are.

Van den Bossche, Vanmechelen & Broeckhove 2011, sections 5.2, 6.1 and 6.2.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.spelling import spell_number
from engine.trace.trace import MISSING, Note, Pieces, Trace

Ints = NDArray[np.int64]

PARALLELISM = {"SDSC Blue Horizon": 0.0378, "SDSC SP2": 0.1075, "HPC2N": 0.0264}
"""phi of the logs of the paper (table 1)."""

ARCHIVE = (0.0284, 0.0594)
"""What phi is among all logs of the archive, in 95 % (section 5.2)."""


@dataclass(frozen=True)
class Scaling:
    """`theta` times all inter-arrival times, and `rho` times all processors in as much less time."""

    theta: float = 1.0
    rho: float = 1.0

    def __bool__(self) -> bool:
        """Whether it changes anything."""
        return self != Scaling()

    @property
    def spelling(self) -> str:
        """What `parse_scale` reads back: `theta=0.7,rho=4`, empty where it changes nothing."""
        return str(self).replace(" ", "=").replace(",=", ",")

    def __str__(self) -> str:
        said = (("theta", self.theta), ("rho", self.rho))
        return ", ".join(f"{name} {spell_number(factor)}" for name, factor in said if factor != 1)


def parse_scale(text: str) -> Scaling:
    """Read `theta=0.7,rho=4`, or one of the two, or nothing. Raises InputError that names what is wrong."""
    factors: dict[str, float] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, number = (word.strip() for word in part.partition("="))
        if name not in ("theta", "rho"):
            raise InputError(f"a trace is scaled by theta and rho, like theta=0.7,rho=4, not by {name!r}")
        if name in factors:
            raise InputError(f"{name} is given twice")
        if not re.fullmatch(r"\d{1,4}(\.\d{1,6})?|\.\d{1,6}", number) or not 0.001 <= float(number) <= 1000:
            raise InputError(f"{name} cannot be {number!r}: it is a number from 0.001 to 1000")
        factors[name] = float(number)
    return Scaling(**factors)


def scaled(trace: Trace, scale: Scaling) -> Trace:
    """The trace under this scale, with a note of what was changed; its name says so.

    Submissions become first + floor(theta (submit - first) + 0.5). Processors become min(R, rho p), at
    least 1, and runtimes and walltimes D p / p', both rounded half up, so that areas stay. Jobs of another
    width are as many tasks of one CPU, each with its part of the RAM. The log's own schedule is dropped.
    """
    if not scale or len(trace) == 0:
        return trace
    changed = _wider(_denser(trace, scale.theta), scale.rho)
    missing = np.full(len(trace), MISSING, np.int64)
    text = f"jobs scaled by {scale}: not as the log has them, and its own schedule is left out"
    return replace(
        changed,
        name=scaled_name(trace.name, scale),
        wait=missing,
        recorded_runtime=changed.runtime,
        recorded_procs=changed.procs,
        recorded_nodes=None,
    ).with_notes(Note("scaled", text, len(trace)))


def scaled_name(name: str, scale: Scaling) -> str:
    """What a trace of this name is called under this scale."""
    return f"{name}, {scale}" if scale else name


def parallelism(trace: Trace) -> float:
    """phi, the mean processors of a job over those of the log's machine."""
    return float(trace.procs.mean()) / max(trace.cluster.cpus, 1)


def _denser(trace: Trace, theta: float) -> Trace:
    first = trace.submit[0]
    submit = first + np.floor(theta * (trace.submit - first) + 0.5).astype(np.int64)
    return replace(trace, submit=submit)


def _wider(trace: Trace, rho: float) -> Trace:
    procs = np.clip(np.floor(rho * trace.procs + 0.5).astype(np.int64), 1, max(trace.cluster.cpus, 1))
    other = procs != trace.procs

    def shorter(time: Ints) -> Ints:
        halves: Ints = (2 * time * trace.procs + procs) // (2 * procs)  # half up, in whole numbers
        return np.maximum(1, halves)

    return replace(
        trace,
        procs=procs,
        runtime=np.where(other, shorter(trace.runtime), trace.runtime),
        walltime=np.where(other, shorter(trace.walltime), trace.walltime),
        tasks=_tasks(trace, procs, other),
    )


def _tasks(trace: Trace, procs: Ints, other: NDArray[np.bool_]) -> Pieces:
    """The task groups: one of single CPUs for each `other` job, shape (n,); the rest have their own."""
    own, jobs = trace.tasks, len(trace)
    single = dict.fromkeys(own.columns, np.zeros(jobs, np.int64))
    share = np.where(trace.ram > 0, -(-trace.ram // procs), 0)
    single |= {"count": procs, "cpus": np.ones(jobs, np.int64), "ram": share}
    both = Pieces(
        np.concatenate((own.offset[:-1], own.offset[-1] + np.arange(jobs + 1))),
        {name: np.concatenate((own[name], column)) for name, column in single.items()},
    )
    return both.take(np.arange(jobs) + np.where(other, jobs, 0))
