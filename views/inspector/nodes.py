"""The page of nodes: what they do at the picked instant, who ran on them, and when."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from engine.schedule.nodes import NodeRuns, NodesAt, knows_nodes, logged_on, nodes_at, runs_on
from engine.schedule.schedule import Schedule
from engine.shown_text import shown_name
from views.data.results import Result
from views.inspector.html import (
    Html,
    facts,
    faint,
    job_link,
    join,
    node_link,
    paragraph,
    run_name,
    section,
    table,
    text,
    time_link,
    title,
    user_link,
)
from views.inspector.subject import InspectorSubject
from views.state.selection import Selection
from views.text.counts import format_count, plural
from views.text.processors import format_nodes
from views.text.values import duration, memory, percent

_MOST_RUNS = 12
"""Runs on a node that are listed; around an instant as many before as after it."""

_MOST_USERS = 5
_MOST_JOBS = 8


def nodes_page(subject: InspectorSubject, value: Selection) -> Html:
    """The picked nodes: of a single node its free resources, its users, and its jobs, under each run."""
    # Clusters of the runs may differ in size: only those that have the largest picked node are asked.
    lines = [result for result in subject.results if knows_nodes(result.schedule)]
    nodes = np.array(sorted(value.nodes), np.int64)
    there = [line for line in lines if nodes[-1] < line.schedule.cluster.nodes]
    if not there:
        return join(
            [
                title(text(plural(len(nodes), "node"))),
                paragraph(text("No run recorded the nodes of its jobs.")),
            ]
        )
    cluster = there[0].schedule.cluster
    if len(nodes) > 1:
        names = paragraph(Html(format_nodes(cluster, nodes, partial(node_link, there[0]))))
        return join([title(text(plural(len(nodes), "node"))), names])
    # The name begins a title; a node without a name of its own is called "node 3" and needs no further word.
    node = int(nodes[0])
    name = shown_name(cluster.node_name(node))
    words = name[0].upper() + name[1:] if name.startswith("node ") else f"Node {name}"
    return join(
        [
            title(text(words)),
            _by_log(subject, there, node),
            *(join(_under(subject, result, node, value)) for result in there),
        ]
    )


def _by_log(subject: InspectorSubject, there: list[Result], node: int) -> Html:
    """The number of jobs that ran on a node according to the log, if the log has nodes and no run shows
    it.
    """
    if any(result.schedule.policy.recorded for result in there):
        return Html("")
    jobs = logged_on(subject.trace, there[0].schedule.cluster, node)
    return (
        Html("")
        if jobs is None
        else paragraph(text(f"{plural(len(jobs), 'job')} ran here according to the log."))
    )


def _under(subject: InspectorSubject, result: Result, node: int, value: Selection) -> Iterator[Html]:
    """The description of a node under a run."""
    schedule = result.schedule
    yield section(run_name(result))
    if value.instant is not None:
        at = nodes_at(schedule, math.floor(value.instant))
        yield facts(_at_instant(subject, schedule, at, node))
    runs = runs_on(schedule, node)
    span = value.time_range or (float(schedule.first_submit), float(schedule.last_end))
    yield facts(_in_all(subject, schedule, runs, node, span))
    yield _listed(subject, runs, value)


def _at_instant(
    subject: InspectorSubject, schedule: Schedule, at: NodesAt, node: int
) -> Iterator[tuple[str, Html]]:
    yield "At", subject.when(at.time)
    if not at.up[node]:
        outages = schedule.outages
        here = (outages.node == node) & (outages.start <= at.time) & (at.time < outages.end)
        yield "State", Html(f"down until {subject.when(int(outages.end[here].max()))}")
        return
    free = [f"{format_count(int(at.free_cpus[node]))} of {plural(int(at.cpus[node]), 'processor')}"]
    if not np.isnan(at.free_ram[node]):
        free.append(memory(float(at.free_ram[node])))
    if not np.isnan(at.free_gpus[node]):
        free.append(plural(int(at.free_gpus[node]), "GPU"))
    yield "Free", text(", ".join(free))
    jobs = at.jobs_on(node)
    more = len(jobs) - _MOST_JOBS
    named = join((_with_user(subject, job) for job in jobs[:_MOST_JOBS].tolist()), ", ")
    rest = text(f" and {format_count(more)} more") if more > 0 else Html("")
    yield "Running", join([named, rest]) if len(jobs) else text("nothing")


def _with_user(subject: InspectorSubject, job: int) -> Html:
    user = user_link(subject.trace, int(subject.trace.user.codes[job]))
    return Html(f"{job_link(subject.trace, job)} ({user})")


def _in_all(
    subject: InspectorSubject, schedule: Schedule, runs: NodeRuns, node: int, span: tuple[float, float]
) -> Iterator[tuple[str, Html]]:
    """The number of jobs that ran within a time, in s, their users, and how busy the node was."""
    first, last = span
    time = np.maximum(np.minimum(runs.end, last) - np.maximum(runs.start, first), 0) * runs.cpus
    here = time > 0
    users = np.bincount(subject.trace.user.codes[runs.job], time, len(subject.trace.user.names))
    room = float(schedule.cluster.node_cpus()[node]) * max(last - first, 1.0)
    yield "Jobs run", text(f"{format_count(int(here.sum()))} ({plural(int((users > 0).sum()), 'user')})")
    yield "Busy", text(f"{percent(100 * float(time.sum()) / room)} of its processor time")
    if here.any():
        yield "Most used by", subject.top_users(users, _MOST_USERS, lambda used: percent(100 * used / room))


def _listed(subject: InspectorSubject, runs: NodeRuns, value: Selection) -> Html:
    """The jobs in the picked range, or around the picked instant, otherwise the first ones."""
    if not len(runs.job):
        return Html("")
    if value.time_range is not None:
        first, last = value.time_range
        chosen = np.flatnonzero((runs.start < last) & (runs.end > first))
    else:
        # As many jobs before the instant as after it; near the end of the log more before.
        after = int(np.searchsorted(runs.start, value.instant or 0.0, "right"))
        low = max(min(after - _MOST_RUNS // 2, len(runs.job) - _MOST_RUNS), 0)
        chosen = np.arange(low, len(runs.job))
    rows = [
        (
            job_link(subject.trace, int(runs.job[k])),
            user_link(subject.trace, int(subject.trace.user.codes[runs.job[k]])),
            time_link(subject.axis.format(float(runs.start[k])), float(runs.start[k])),
            text(duration(float(runs.end[k] - runs.start[k]))),
        )
        for k in chosen[:_MOST_RUNS].tolist()
    ]
    more = len(chosen) - len(rows)
    hint = f"{format_count(more)} later jobs: select a time to see the jobs around it" if more else ""
    return join([table(("Job", "User", "From", "For"), rows, words=3), paragraph(faint(text(hint)))])
