"""Traces under more load, of wider jobs, or of smaller requests; and how parallel the jobs of a trace are.

Van den Bossche, Vanmechelen & Broeckhove 2011, sections 5.2, 6.1 and 6.2.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.errors import InputError
from engine.spelling import format_duration, format_number, parse_duration
from engine.trace.smaller_requests import REQUESTS, capped, right_sized
from engine.trace.trace import MISSING, Note, Pieces, Trace

PARALLELISM = {"SDSC Blue Horizon": 0.0378, "SDSC SP2": 0.1075, "HPC2N": 0.0264}
"""phi of the logs of the paper (table 1)."""

ARCHIVE = (0.0284, 0.0594)
"""The 95 % confidence interval of the mean phi of the archive's logs (section 5.2)."""

_FACTORS = ("theta", "rho")

SCALED_BY = (*_FACTORS, "walltime_cap", "rightsize")
"""The names that `parse_scale` reads."""

_WHAT_IF = ("scaled", "walltime_cap", "right_sized")
"""The rules of quality notes on what a what-if changes in the jobs of a log begin like this."""

LONGEST_CAP = 10 * 366 * 86_400
"""The greatest cap on walltimes, s."""


@dataclass(frozen=True)
class Scaling:
    """The changes of a trace before it is simulated.

    `theta` multiplies all inter-arrival times, and `rho` all processors, with runtimes divided by it.
    `walltime_cap` (s) bounds requested walltimes, in some queues those of `queue_caps` instead, and requests
    are cut to the quantile `rightsize` (0 to 1) of what the jobs of their user used; 0: neither. Which these
    are is `rightsized`, names in REQUESTS.
    """

    theta: float = 1.0
    rho: float = 1.0
    walltime_cap: int = 0
    rightsize: float = 0.0
    queue_caps: tuple[tuple[str, int], ...] = ()  # queues and their caps, s
    rightsized: tuple[str, ...] = tuple(REQUESTS)

    def __bool__(self) -> bool:
        """True if it changes anything."""
        return self != Scaling()

    @property
    def jobs(self) -> Scaling:
        """The changes that affect the jobs themselves, so that the log's own schedule no longer applies."""
        return Scaling(self.theta, self.rho)

    @property
    def caps(self) -> str:
        """The caps on walltimes as text: `12h;debug:30m`; empty if there are none."""
        whole = [format_duration(self.walltime_cap)] if self.walltime_cap else []
        return ";".join([*whole, *(f"{queue}:{format_duration(cap)}" for queue, cap in self.queue_caps)])

    @property
    def spelling(self) -> str:
        """The text that `parse_scale` reads back: `theta=0.7,rho=4`; empty if nothing is changed."""
        return ",".join(f"{name}={value}" for name, value in self._parts())

    def __str__(self) -> str:
        words = {"walltime_cap": "walltime cap", "rightsize": self._rightsized_words}
        return ", ".join(
            f"{words.get(name, name)} {value.partition(';')[0] if name == 'rightsize' else value}"
            for name, value in self._parts()
        )

    @property
    def _rightsized_words(self) -> str:
        """What is right-sized: requests, or some of these."""
        named = [REQUESTS[name] for name in self.rightsized]
        return f"{'requests' if len(named) == len(REQUESTS) else ' and '.join(named)} right-sized at"

    def _parts(self) -> list[tuple[str, str]]:
        """Names and values of what changes something."""
        lines = [(name, format_number(getattr(self, name))) for name in _FACTORS if getattr(self, name) != 1]
        if self.caps:
            lines.append(("walltime_cap", self.caps))
        if self.rightsize:
            requests = self.rightsized if len(self.rightsized) < len(REQUESTS) else ()
            lines.append(("rightsize", ";".join((format_number(self.rightsize), *requests))))
        return lines


def parse_scale(text: str) -> Scaling:
    """Read `theta=0.7,rho=4,walltime_cap=12h;debug:30m,rightsize=0.95;ram`, any of them, or nothing.

    Raises InputError that names what is wrong.
    """
    values: dict[str, float] = {}
    cap, of_queues = 0, dict[str, int]()
    named: set[str] = set()
    requests = tuple(REQUESTS)
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = (word.strip() for word in part.partition("="))
        if name not in SCALED_BY:
            raise InputError(f"a trace is scaled by theta and rho, like theta=0.7,rho=4, not by {name!r}")
        if name in named:
            raise InputError(f"{name} is given twice")
        named.add(name)
        # Caps and reduced requests have spellings of their own, with parts behind semicolons.
        if name == "walltime_cap":
            cap, of_queues = _read_caps(value)
        elif name == "rightsize":
            quantile, *words = (word.strip() for word in value.split(";"))
            values[name] = _read_number(name, quantile)
            requests = _read_requests(words) if words else requests
        else:
            values[name] = _read_number(name, value)
    caps = tuple(of_queues.items())
    return Scaling(**values, walltime_cap=cap, queue_caps=caps, rightsized=requests)


def _read_requests(names: Sequence[str]) -> tuple[str, ...]:
    for name in names:
        if name not in REQUESTS or names.count(name) > 1:
            raise InputError(f"rightsize: any of {', '.join(REQUESTS)}, each once, can follow, not {name!r}")
    return tuple(name for name in REQUESTS if name in names)


def _read_caps(text: str) -> tuple[int, dict[str, int]]:
    """The cap for all queues (0: none) and the caps of single queues, from a text like `12h;debug:30m`."""
    whole, of_queues = 0, dict[str, int]()
    for place, part in enumerate(text.split(";")):
        queue, colon, cap = (word.strip() for word in part.rpartition(":"))
        # Only the first part may be without a queue: it is the cap of all.
        if not colon and place:
            raise InputError(f"walltime_cap: {part!r} names no queue, like debug:30m")
        if queue in of_queues or (colon and not queue):
            raise InputError(f"walltime_cap: each queue is named once, not like {part!r}")
        if colon:
            of_queues[queue] = _read_cap(cap)
        else:
            whole = _read_cap(cap)
    return whole, of_queues


def _read_cap(text: str) -> int:
    try:
        cap = parse_duration(text)
    except InputError as error:
        raise InputError(f"walltime_cap: {error}") from None
    if not 1 <= cap <= LONGEST_CAP:
        raise InputError(f"walltime_cap cannot be {text!r}: it is a duration from 1 s to ten years")
    return cap


def _read_number(name: str, text: str) -> float:
    low, high = (0.01, 1) if name == "rightsize" else (0.001, 1000)
    if not re.fullmatch(r"\d{1,4}(\.\d{1,6})?|\.\d{1,6}", text) or not low <= float(text) <= high:
        raise InputError(f"{name} cannot be {text!r}: it is a number from {low} to {high}")
    return float(text)


def scaled(trace: Trace, scale: Scaling) -> Trace:
    """The changed trace, with notes on the changes, which its name includes.

    Submissions become first + floor(theta (submit - first) + 0.5). Processors become min(R, rho p), at least
    1, and runtimes and walltimes D p / p', both rounded half up, so that areas stay. Jobs with a new width
    consist of single-CPU tasks, each with its part of the RAM. These changes drop the log's own schedule;
    smaller requests, which are applied after them, do not.
    """
    if not scale or len(trace) == 0:
        return trace
    # Other jobs first: requests are then reduced as they are in the changed log.
    changed = _of_other_jobs(trace, scale.jobs) if scale.jobs else trace
    if scale.rightsize:
        changed = right_sized(changed, scale.rightsize, scale.rightsized)
    if scale.caps:
        changed = capped(changed, scale.walltime_cap, dict(scale.queue_caps))
    return replace(changed, name=scaled_name(trace.name, scale))


def _of_other_jobs(trace: Trace, scale: Scaling) -> Trace:
    changed = _wider(_denser(trace, scale.theta), scale.rho)
    # The log never ran these jobs: what it recorded of them says nothing.
    missing = np.full(len(trace), MISSING, np.int64)
    text = f"jobs scaled by {scale}: other jobs than the log's, whose own schedule is left out"
    return replace(
        changed,
        wait=missing,
        recorded_runtime=changed.runtime,
        recorded_procs=changed.procs,
        recorded_nodes=None,
    ).with_notes(Note("scaled", text, len(trace)))


def scaled_name(name: str, scale: Scaling) -> str:
    """The name of a trace after these changes."""
    return f"{name}, {scale}" if scale else name


def is_what_if(trace: Trace) -> bool:
    """True if jobs of the trace are not as its log has them."""
    return trace.logged is not None or any(note.rule.startswith(_WHAT_IF) for note in trace.notes)


def what_if_notes(trace: Trace) -> tuple[Note, ...]:
    """The notes on what a what-if of the whole trace changed, and on the jobs that then overrun."""
    return tuple(note for note in trace.as_logged.notes if note.rule.startswith((*_WHAT_IF, "overruns")))


def offered_load(trace: Trace, cpus: int) -> float | None:
    """Load: the share of processors that jobs need between first and last submission; may exceed 1."""
    span = int(trace.submit[-1] - trace.submit[0])
    return float((trace.procs * trace.runtime).sum(dtype=np.float64)) / (cpus * span) if span else None


def parallelism(trace: Trace) -> float:
    """phi, the mean processors of a job relative to the log's machine."""
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
    """The task groups: single CPUs for each `other` job, shape (n,); the rest keep their own."""
    tasks, jobs = trace.tasks, len(trace)
    single = dict.fromkeys(tasks.columns, np.zeros(jobs, np.int64))
    share = np.where(trace.ram > 0, -(-trace.ram // procs), 0)
    single |= {"count": procs, "cpus": np.ones(jobs, np.int64), "ram": share}
    # Row k of both tables, or row n + k, the single CPUs of job k.
    both = Pieces(
        np.concatenate((tasks.offset[:-1], tasks.offset[-1] + np.arange(jobs + 1))),
        {name: np.concatenate((tasks[name], column)) for name, column in single.items()},
    )
    return both.take(np.arange(jobs) + np.where(other, jobs, 0))
