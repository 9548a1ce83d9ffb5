"""The page of an instant."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from engine.schedule.instant import FreeNodes, Instant, at_instant
from engine.schedule.schedule import Schedule
from views.data.changes import describe_outcomes
from views.data.results import Result
from views.inspector.html import (
    Html,
    bullets,
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
)
from views.inspector.subject import InspectorSubject
from views.text.counts import format_count, plural
from views.text.processors import format_nodes
from views.text.values import duration, memory, percent

_MOST_LISTED = 5
_MOST_PLANNED = 10


def instant_page(subject: InspectorSubject, time: float) -> Html:
    """Running and waiting jobs and free resources at a time, in seconds from the trace's zero, under each
    run.
    """
    second = math.floor(time)
    seen = [(result, at_instant(result.schedule, second)) for result in subject.results]
    parts = [title(text("Instant")), paragraph(subject.when(second))]
    if seen:
        heads = ("Run", "Running", "Waiting", "Free")
        parts.append(table(heads, (_row(result, instant) for result, instant in seen)))
        parts.append(paragraph(faint(text("Running, waiting: jobs. Free: processors."))))
    parts += [join(_details(subject, result, instant)) for result, instant in seen]
    return join(parts)


def _row(result: Result, instant: Instant) -> tuple[Html, ...]:
    amounts = (len(instant.running), len(instant.waiting), instant.free)
    return run_name(result), *(text(format_count(amount)) for amount in amounts)


def _details(subject: InspectorSubject, result: Result, instant: Instant) -> list[Html]:
    schedule = result.schedule
    lost = int(schedule.cluster.node_cpus()[schedule.outages.down_at(instant.time)].sum())
    # Processors of failed nodes are not free, so shares are of those that are up.
    whole = schedule.cluster.cpus - lost
    share = percent(100 * instant.used / max(whole, 1))
    up = " that are up" if lost else ""
    used = f"{plural(instant.used, 'processor')} of {format_count(whole)}{up}, {share}"
    asked = int(subject.trace.procs[instant.waiting].sum())
    waiting = f"{plural(len(instant.waiting), 'job')} for {plural(asked, 'processor')}"
    pairs = [
        ("Running", text(f"{plural(len(instant.running), 'job')} on {used}")),
        ("Most used by", _top_users(subject, result, instant)),
        ("Waiting", text(waiting)),
        ("Free", text(_describe_free(instant))),
        *_down(subject, result, instant.time),
    ]
    # Nobody runs: there is no largest user.
    if not len(instant.running):
        del pairs[1]
    return [
        section(run_name(result)),
        facts(pairs),
        _longest_waiting(subject, schedule, instant),
        _planned(subject, result, instant),
    ]


def _down(subject: InspectorSubject, result: Result, second: int) -> list[tuple[str, Html]]:
    """The nodes that are down, and when the next of them is up again; nothing where none is."""
    schedule = result.schedule
    outages = schedule.outages
    there = np.flatnonzero((outages.start <= second) & (second < outages.end))
    if not len(there):
        return []
    nodes = np.sort(outages.node[there])
    lost = plural(int(schedule.cluster.node_cpus()[nodes].sum()), "processor")
    until = int(outages.end[there].min())
    first = "" if len(there) == 1 else " the first"
    named = Html(format_nodes(schedule.cluster, nodes, partial(node_link, result)))
    return [("Down", join([named, text(f" ({lost}),{first} until "), subject.when(until)]))]


def _top_users(subject: InspectorSubject, result: Result, instant: Instant) -> Html:
    trace = subject.trace
    user = trace.user.codes[instant.running]
    used = np.bincount(user, result.schedule.procs[instant.running], len(trace.user.names))
    return subject.top_users(used, _MOST_LISTED, lambda procs: format_count(procs))


def _describe_free(instant: Instant) -> str:
    lines = [plural(instant.free, "processor")]
    if instant.nodes is not None and instant.free:
        lines += _format_nodes(instant, instant.nodes)
    return "; ".join(lines)


def _format_nodes(instant: Instant, nodes: FreeNodes) -> list[str]:
    """The largest task that fits on a single node, and the resources that no waiting job can use."""
    lines = []
    if nodes.cpus < instant.free:
        ram = "" if nodes.ram is None else f" and {memory(nodes.ram)}"
        lines.append(f"at most {format_count(nodes.cpus)}{ram} on one node")
    if len(instant.waiting) and nodes.unusable:
        lines.append(f"{format_count(nodes.unusable)} of use to no waiting job")
    return lines


def _longest_waiting(subject: InspectorSubject, schedule: Schedule, instant: Instant) -> Html:
    if not len(instant.waiting):
        return Html("")
    lines = []
    for job in instant.waiting[:_MOST_LISTED]:
        waited = duration(instant.time - int(schedule.submit[job]))
        procs = plural(int(subject.trace.procs[job]), "processor")
        lines.append(Html(f"{job_link(subject.trace, job)}: {text(f'{waited}, {procs}')}"))
    return join([paragraph(faint(text("Waiting longest"))), bullets(lines)])


def _planned(subject: InspectorSubject, result: Result, instant: Instant) -> Html:
    """The starts planned by then, and the actual starts."""
    if result.schedule.policy.site is not None and len(instant.waiting):
        # A site's plans change with each cycle of its backfiller: the decision log does not keep them.
        how = "Planned starts of a site are not kept: batchscope queue with --at plans those of an instant."
        return paragraph(faint(text(how)))
    if not len(instant.planned):
        return Html("")
    real = result.schedule.start[instant.planned]
    change = real - instant.promised
    count = plural(len(change), "planned start")
    body = paragraph(faint(text(f"{count}; actual starts: {describe_outcomes(change)}")))
    heads = ("Job", "Planned in", "Started in", "Change")
    rows = [
        (
            job_link(subject.trace, job),
            _ahead(instant, start),
            _ahead(instant, began),
            text(_format_value(moved)),
        )
        for job, start, began, moved in zip(
            instant.planned[:_MOST_PLANNED], instant.promised, real, change.tolist(), strict=False
        )
    ]
    more = len(change) - len(rows)
    rest = paragraph(faint(text(f"and {format_count(more)} more"))) if more else Html("")
    return join([body, table(heads, rows), rest])


def _ahead(instant: Instant, time: int) -> Html:
    """The time after the instant; a click moves to that time."""
    return time_link(duration(time - instant.time), time)


def _format_value(change: int) -> str:
    """`−2 h 5 min` where a job started earlier than planned."""
    return f"{'−' if change < 0 else '+' if change else ''}{duration(abs(change))}"
