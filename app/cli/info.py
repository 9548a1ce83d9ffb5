"""The command that prints the contents of a trace; it does not load the simulator."""

from __future__ import annotations

import argparse
from dataclasses import asdict

import numpy as np

from app.cli.loading import open_log
from engine.claims.words import plain, render
from engine.dates import date_of
from engine.machine.cluster import Cluster
from engine.machine.outages import Outages
from engine.simulation.quality_notes import by_effect, quality_notes
from engine.trace import Trace
from engine.trace.scale import offered_load, parallelism
from engine.verdict.log_claims import archive_claim, failures_claim, load_claim, mean_job_claim
from engine.words import counted


def info(options: argparse.Namespace) -> None:
    """Print the contents of a trace."""
    opened = open_log(options)
    trace, cluster = opened.trace, opened.cluster
    if options.json:
        from app.export.output import print_json

        print_json({"trace": trace_facts(trace, cluster), "cluster": cluster_facts(trace, cluster)})
        return
    queues = len(np.unique(trace.queue.codes))
    outages = _outages(trace, cluster)  # refuses before anything is printed
    jobs = counted(len(trace), "job")
    if trace.read_as:
        print(f"read as    {trace.read_as}")
    print(f"{trace.shown_name}: {jobs} of {_users(trace)} in {counted(queues, 'queue')}")
    print(f"submitted  {_date(trace, trace.submit[0])} to {_date(trace, trace.submit[-1])}")
    where = "" if cluster.pooled else f" on {counted(cluster.nodes, 'node')}"  # without any information
    print(f"machine    {cluster}: {counted(cluster.cpus, 'processor')}{where}")
    parts = (
        ("failures   ", failures_claim(trace, cluster, outages), ""),
        ("load       ", load_claim(trace, cluster), ""),
        ("parallel   ", mean_job_claim(trace), ""),
        ("           (", archive_claim(trace), ")"),
    )
    for label, claim, end in parts:
        if claim is not None:
            print(f"{label}{plain(render(claim))}{end}")
    print(f"recorded   {'schedule available' if trace.has_recorded_schedule else 'no waits in the log'}")
    notes = by_effect(quality_notes(trace, cluster))
    if notes:
        print("quality notes")
    for note in notes:
        lines = f" (lines {', '.join(map(str, note.lines))}{', ...' if note.count > len(note.lines) else ''})"
        print(f"  {note.count:>9,}  {note.text}{lines if note.lines else ''}")


def _users(trace: Trace) -> str:
    """The number of users; jobs without a user's name are no user's."""
    counts = np.bincount(trace.user.codes, minlength=len(trace.user.names))
    without = sum(count for name, count in zip(trace.user.names, counts.tolist(), strict=True) if not name)
    named = int(np.count_nonzero(counts)) - bool(without)
    return counted(named, "user") + (f" ({counted(without, 'job')} without a name)" if without else "")


def trace_facts(trace: Trace, cluster: Cluster) -> dict[str, object]:
    """The facts of a trace on a machine, for JSON documents."""
    return {
        "name": trace.name,
        "jobs": len(trace),
        "users": len(np.unique(trace.user.codes)),
        "queues": len(np.unique(trace.queue.codes)),
        "first_submit": int(trace.submit[0]),
        "last_submit": int(trace.submit[-1]),
        "zero": trace.zero,
        "timezone": trace.timezone,
        "load": offered_load(trace, cluster.cpus),
        "parallelism": parallelism(trace),
        "recorded": trace.has_recorded_schedule,
        "read_as": trace.read_as,
        "notes": [asdict(note) for note in quality_notes(trace, cluster)],
    }


def cluster_facts(trace: Trace, cluster: Cluster) -> dict[str, object]:
    """The facts of a machine and its outages during a trace, for JSON documents."""
    return {
        "spelling": str(cluster),
        "nodes": cluster.nodes,
        "cpus": cluster.cpus,
        "ram_mib": cluster.ram,
        "outages": len(_outages(trace, cluster)),
    }


def _outages(trace: Trace, cluster: Cluster) -> Outages:
    """Outages between the first submission and the last."""
    return cluster.outages(trace.submit).clipped(int(trace.submit[0]), int(trace.submit[-1]))


def _date(trace: Trace, seconds: int) -> str:
    moment = date_of(trace, seconds)
    return f"{seconds:,} s" if moment is None else f"{moment:%Y-%m-%d %H:%M %Z}"
