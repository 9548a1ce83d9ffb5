"""The command that prints the contents of a trace; it does not load the simulator."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from functools import partial

import numpy as np

from app.cli.loading import open_log
from engine.claims.words import plain, render
from engine.dates import date_of
from engine.machine.cluster import Cluster
from engine.machine.outages import Outages
from engine.simulation.quality_notes import by_effect, quality_notes
from engine.trace import Trace
from engine.trace.scale import offered_load, parallelism
from engine.verdict.log_claims import (
    archive_claim,
    count_queues,
    failures_claim,
    jobs_claim,
    load_claim,
    machine_claim,
    mean_job_claim,
    submitted_claim,
)
from engine.words import of_count


def info(options: argparse.Namespace) -> None:
    """Print the contents of a trace."""
    opened = open_log(options)
    trace, cluster = opened.trace, opened.cluster
    if options.json:
        from app.export.output import print_json

        print_json({"trace": trace_facts(trace, cluster), "cluster": cluster_facts(trace, cluster)})
        return
    outages = _outages(trace, cluster)  # refuses before anything is printed
    if trace.read_as:
        print(f"read as    {trace.read_as}")
    parts = (
        (f"{trace.shown_name}: ", jobs_claim(trace), ""),
        ("submitted  ", submitted_claim(trace, partial(_date, trace)), ""),
        ("machine    ", machine_claim(trace, cluster), ""),
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
        print(f"  {'count':>9}  note")  # a column: the count of a note is no part of its sentence
    for note in notes:
        lines = f" (lines {', '.join(map(str, note.lines))}{', ...' if note.count > len(note.lines) else ''})"
        print(f"  {note.count:>9,}  {of_count(note.count, note.text)}{lines if note.lines else ''}")


def trace_facts(trace: Trace, cluster: Cluster) -> dict[str, object]:
    """The facts of a trace on a machine, for JSON documents."""
    return {
        "name": trace.name,
        "jobs": len(trace),
        "users": len(np.unique(trace.user.codes)),
        "queues": count_queues(trace),
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
