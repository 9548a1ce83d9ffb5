"""Claims on what a log holds and asks of its machine: jobs, load, failures, how parallel the mean job is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engine.claims.claim import NOBODY, Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Sure, Unit
from engine.claims.logs import LogRelation
from engine.machine.cluster import Cluster
from engine.machine.outages import Outages
from engine.shown_text import is_named
from engine.trace import Trace
from engine.trace.scale import ARCHIVE, PARALLELISM, offered_load, parallelism

_LEVEL = 95.0
"""The confidence of the archive's interval, %."""


def count_queues(trace: Trace) -> int:
    """The queues that jobs were submitted to: those of no queue, as the log has it, are in none."""
    return sum(is_named("queue", trace.queue.names[code]) for code in np.unique(trace.queue.codes).tolist())


def jobs_claim(trace: Trace) -> Claim:
    """The jobs, users and queues of a log; jobs without a user's name are no user's."""
    jobs = np.bincount(trace.user.codes, minlength=len(trace.user.names))
    # Jobs without a user's name count as a user in the table, but nobody can be named for them.
    without = sum(count for name, count in zip(trace.user.names, jobs.tolist(), strict=True) if not name)
    quantities = [
        ClaimQuantity("jobs", len(trace), Unit.JOBS),
        ClaimQuantity("users", int(np.count_nonzero(jobs)) - bool(without), Unit.USERS),
    ]
    queues = count_queues(trace)
    if queues:
        quantities.append(ClaimQuantity("queues", queues, Unit.QUEUES))
    if not without:
        return _claim(trace, LogRelation.JOBS if queues else LogRelation.JOBS_WITHOUT_QUEUE, quantities)
    relation = LogRelation.JOBS_WITHOUT_USER if queues else LogRelation.JOBS_WITHOUT_BOTH
    return _claim(trace, relation, [*quantities, ClaimQuantity("nameless", without, Unit.JOBS)])


def submitted_claim(trace: Trace, moment: Callable[[int], str]) -> Claim:
    """The first submission and the last; `moment` shows a time, s from the trace's zero."""
    times = {"first": int(trace.submit[0]), "last": int(trace.submit[-1])}
    dates = [NamedThing(f"{name} date", moment(time), _subject(trace).place) for name, time in times.items()]
    seconds = [ClaimQuantity(name, time, Unit.SECONDS) for name, time in times.items()]
    return _claim(trace, LogRelation.SUBMITTED, seconds, dates)


def machine_claim(trace: Trace, cluster: Cluster) -> Claim:
    """The processors of a machine, and its nodes; a pool has none, and the word would say nothing."""
    machine = [NamedThing("machine", str(cluster), _subject(trace).place)]
    processors = ClaimQuantity("processors", cluster.cpus, Unit.PROCESSORS)
    if cluster.pooled:
        return _claim(trace, LogRelation.MACHINE, [processors], machine)
    nodes = ClaimQuantity("nodes", cluster.nodes, Unit.NODES)
    return _claim(trace, LogRelation.MACHINE_OF_NODES, [processors, nodes], machine)


def load_claim(trace: Trace, cluster: Cluster) -> Claim | None:
    """How much of the processors the jobs need; None where all were submitted in the same second."""
    load = offered_load(trace, cluster.cpus)
    if load is None:
        return None
    return _claim(trace, LogRelation.LOAD, [ClaimQuantity("load", 100 * load, Unit.TENTHS)])


def failures_claim(trace: Trace, cluster: Cluster, outages: Outages) -> Claim | None:
    """How many outages between the first submission and the last are of how many nodes; None without one."""
    if not len(outages):
        return None
    whole = cluster.cpus * int(trace.submit[-1] - trace.submit[0])
    down = 100 * float(outages.cpu_seconds(cluster.node_cpus())) / whole
    quantities = [
        ClaimQuantity("failures", len(outages), Unit.COUNT),
        ClaimQuantity("nodes", len(np.unique(outages.node)), Unit.NODES),
        ClaimQuantity("down", down, Unit.TENTHS),
    ]
    return _claim(trace, LogRelation.FAILURES, quantities)


def mean_job_claim(trace: Trace) -> Claim:
    """phi: the part of the log's machine that the mean job takes."""
    return _claim(
        trace, LogRelation.MEAN_JOB, [ClaimQuantity("phi", 100 * parallelism(trace), Unit.MEASURED)]
    )


def archive_claim(trace: Trace) -> Claim:
    """phi of known logs, and of the mean log, beside that of this log; its population is none of its jobs."""
    known = ", ".join(f"{name} {100 * phi:.2f}" for name, phi in PARALLELISM.items())
    low, high = (100 * bound for bound in ARCHIVE)
    quantities = [
        ClaimQuantity("low", low, Unit.MEASURED),
        ClaimQuantity("high", high, Unit.MEASURED),
        ClaimQuantity("level", _LEVEL, Unit.PERCENT),
    ]
    subject = _subject(trace)
    about = (NamedThing("known", known, subject.place),)
    evidence = (subject.place,)
    return Claim(subject, LogRelation.MEAN_OF_ARCHIVE, tuple(quantities), about, NOBODY, evidence)


def _subject(trace: Trace) -> NamedThing:
    return NamedThing("subject", trace.shown_name, ClaimPlace("runs", 0))


def _claim(
    trace: Trace, relation: LogRelation, quantities: Sequence[ClaimQuantity], about: Sequence[NamedThing] = ()
) -> Claim:
    subject = _subject(trace)
    people = Population(len(trace), int(trace.submit[0]), int(trace.submit[-1]))
    return Claim(subject, relation, tuple(quantities), tuple(about), people, (subject.place,), Sure.COUNTED)
