"""A job in a few words, for the tooltip, and a chart in a sentence, for those who do not see it."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from engine.schedule.nodes import knows_nodes
from engine.schedule.schedule import Schedule
from engine.shown_text import with_kind
from engine.words import in_sentence
from views.data.changes import format_change
from views.data.gantt.colours import COLOUR_NAMES, ColourMode
from views.data.gantt.rows import NODE_ROWS, ROW_NAMES, RowKind, rows_of
from views.data.other_run import OtherRun
from views.text.counts import format_seconds, plural
from views.text.processors import format_allocation
from views.text.ticks import TimeAxis


def describe_job(
    schedule: Schedule,
    job: int,
    tardiness: NDArray[np.int64] | None,
    baseline: OtherRun | None,
    axis: TimeAxis,
) -> str:
    """Lines about job `job` (an index into the trace); the last line compares it with a `baseline`."""
    trace = schedule.trace
    user, queue = trace.user.shown[trace.user.codes[job]], trace.queue.names[trace.queue.codes[job]]
    ran = int(schedule.end[job] - schedule.start[job])
    lines = [
        f"job {trace.shown_id(job)} · user {user} · {with_kind('queue', queue)}",
        f"{plural(int(schedule.procs[job]), 'processor')} for {format_seconds(ran)}",
        *([f"on {format_allocation(schedule, job)}"] if knows_nodes(schedule) else []),
        f"submitted {axis.format(float(trace.submit[job]))}",
        f"started {axis.format(float(schedule.start[job]))} after {format_seconds(int(schedule.wait[job]))}",
        f"ended {axis.format(float(schedule.end[job]))}",
    ]
    if tardiness is not None and tardiness[job] > 0:
        lines.append(f"{format_seconds(int(tardiness[job]))} later than its user may expect")
    if baseline is not None and baseline.schedule is not schedule and baseline.schedule.ran[job]:
        change = int(schedule.start[job] - baseline.schedule.start[job])
        lines.append(f"{format_change(change)} {'than' if change else 'as'} under {baseline.name}")
    return "\n".join(lines)


def describe_chart(schedule: Schedule, folded: Collection[str], kind: RowKind, mode: ColourMode) -> str:
    """The numbers of jobs and processors, the meaning of rows and colours, and the folded groups."""
    jobs, processors = plural(int(schedule.ran.sum()), "job"), plural(schedule.cluster.cpus, "processor")
    names = rows_of(schedule.cluster, kind, folded).folded if kind in NODE_ROWS else ()
    low = f" (folded: {', '.join(names)})" if names else ""
    colours = in_sentence(COLOUR_NAMES[mode])
    return f"{jobs} on {processors}, rows: {ROW_NAMES[kind].lower()}{low}, colours: {colours}"
