"""Search of a study by a few typed letters: runs, users, queues, jobs, nodes and times."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np

from engine.machine.cluster import Cluster
from engine.schedule.nodes import logged_on
from engine.shown_text import format_name, shown_name, with_kind
from engine.study import Study
from engine.trace import Names, Trace
from views.text.counts import plural
from views.text.ticks import axis_of
from views.text.typed_times import Bounds, TypedTime, typed_times
from views.text.values import duration

FoundKind = Literal["run", "user", "queue", "job", "node", "time"]

MOST = 8
"""The maximum number of offered matches of a kind."""

KINDS: tuple[FoundKind, ...] = ("run", "user", "queue", "job", "node", "time")
_EXACT, _BEGINS, _INSIDE = range(3)
_LONGEST_NUMBER = 18  # digits that fit into the numbers of jobs
_LONGEST = 80  # characters that are read


@dataclass(frozen=True)
class Found:
    """Something that was found, in words; `value` is the id of a run, the code of a user or queue, the
    index of a job in the trace, the number of a node of the study's machine, or a time."""

    kind: FoundKind
    value: int | TypedTime
    name: str
    about: str


Fits = Iterator[tuple[int, Found]]
"""The quality of a match, smaller is better."""


def find(typed: str, study: Study, bounds: Bounds, kinds: Iterable[FoundKind] = KINDS) -> list[Found]:
    """The matches of the letters, exact names first, then beginnings, then parts; at most MOST of each kind.

    A kind may be typed before a name: `user 12`. `bounds` go from the first submission to the last end, in s.
    Case is ignored. It takes a few milliseconds for 300,000 jobs.
    """
    text = " ".join(typed[:_LONGEST].split()).lower()
    first, _, rest = text.partition(" ")
    matches: list[tuple[int, Found]] = []
    # A kind that was typed first restricts the search to it, and is no part of the name.
    for kind in kinds if text else ():
        named = first in (kind, f"{kind}s")
        if text == kind or (first in KINDS and not named):
            continue
        fits = _FINDERS[kind](rest if named else text, study, bounds)
        # Each kind has its best matches, so that no kind crowds out another.
        matches += islice(sorted(fits, key=lambda fit: fit[0]), MOST)
    return [match for _, match in sorted(matches, key=lambda match: match[0])]


def _fit(text: str, name: str) -> int | None:
    """The quality of a match with a name; None: no match."""
    lower = name.lower()
    if lower == text:
        return _EXACT
    return _BEGINS if lower.startswith(text) else _INSIDE if text in lower else None


def _runs(text: str, study: Study, bounds: Bounds) -> Fits:
    for run in study.runs:
        name, spelling = study.name(run), run.policy.spelling
        fits = [fit for title in (name, spelling) if (fit := _fit(text, title)) is not None]
        if fits:
            about = f"run of {spelling} on {run.cluster}" if run.title else f"run on {run.cluster}"
            yield min(fits), Found("run", run.id, name, about)


def _users(text: str, study: Study, bounds: Bounds) -> Fits:
    return _named("user", text, study.trace.user)


def _queues(text: str, study: Study, bounds: Bounds) -> Fits:
    return _named("queue", text, study.trace.queue)


def _named(kind: Literal["user", "queue"], text: str, names: Names) -> Fits:
    fits = ((_fit(text, format_name(kind, name)), code) for code, name in enumerate(names.names))
    best = sorted((fit, code) for fit, code in fits if fit is not None)[:MOST]
    for fit, code in best:
        jobs = int(np.count_nonzero(names.codes == code))
        yield fit, Found(kind, code, with_kind(kind, names.names[code]), plural(jobs, "job"))


def _jobs(text: str, study: Study, bounds: Bounds) -> Fits:
    trace, axis = study.trace, axis_of(study.trace)
    for fit, job in _numbered(text, trace):
        user, submit = trace.user.names[trace.user.codes[job]], axis.format(float(trace.submit[job]))
        size = plural(int(trace.procs[job]), "processor")
        about = f"{size}, {duration(int(trace.runtime[job]))}, {with_kind('user', user)}, submitted {submit}"
        yield fit, Found("job", job, f"job {trace.shown_id(job)}", about)


def _numbered(text: str, trace: Trace) -> Iterator[tuple[int, int]]:
    """Jobs whose number begins with the digits, an exact match first."""
    ids = trace.job_id
    if ids.dtype.kind != "i":
        lower = np.strings.lower(ids)
        # Numbers such as `17_3` or `12.server` are texts, and compared as such.
        exact, begins = np.flatnonzero(lower == text), np.flatnonzero(np.strings.startswith(lower, text))
    elif not re.fullmatch(rf"[1-9]\d{{0,{_LONGEST_NUMBER - 1}}}|0", text):
        return
    else:
        number = int(text)
        exact, begins = np.flatnonzero(ids == number), np.empty(0, np.int64)
        # Integers that begin with the digits lie in ranges: 12 begins 120 to 129, 1200 to 1299, and so on. To
        # compare numbers takes a hundredth of the time of writing all of them as text.
        most, low, high = int(ids.max(initial=0)), number * 10, number * 10 + 9
        while 0 < low <= most and len(begins) < MOST:
            further = np.flatnonzero((ids >= low) & (ids <= high))
            begins = np.concatenate((begins, further))
            low, high = low * 10, high * 10 + 9
    for job in exact[:MOST].tolist():
        yield _EXACT, job
    # A match more than are shown is taken, as an exact match may be among them.
    for job in begins[: MOST + 1].tolist():
        if job not in exact[:MOST]:
            yield _BEGINS, job


def _nodes(text: str, study: Study, bounds: Bounds) -> Fits:
    """Nodes by their host names; else by the name of their group and their number in it; else by number."""
    if study.cluster.pooled:
        return
    for fit, node in islice(_hosts(text, study.cluster), MOST):
        name = shown_name(study.cluster.node_name(node))
        yield fit, Found("node", node, name, _about_host(node, study))
    yield from _numbered_nodes(text, study.cluster)


def _hosts(text: str, cluster: Cluster) -> Iterator[tuple[int, int]]:
    """Nodes whose host names fit, the best first: at most MOST of each fit. There may be many thousands."""
    first = 0
    hosts: dict[int, int] = {}
    for group in cluster.groups:
        # All names form a text that is searched by `str.find`: to ask each of many thousand names takes
        # longer than a key press may. Line breaks mark where a name begins and ends.
        names = "\n".join(("", *group.names, "")).lower()
        for fit, wanted in ((_EXACT, f"\n{text}\n"), (_BEGINS, f"\n{text}"), (_INSIDE, text)):
            at = names.find(wanted)
            for _ in range(2 * MOST):  # a name may hold the text several times
                if at < 0:
                    break
                # The number of breaks before a hit is the number of the node; better matches come first and
                # stay.
                hosts.setdefault(first + names.count("\n", 0, at + 1) - 1, fit)
                at = names.find(wanted, at + 1)
        first += group.count
    yield from sorted((fit, node) for node, fit in hosts.items())


def _about_host(node: int, study: Study) -> str:
    """The number of jobs that ran on a node according to the log, if known, and the resources of the node."""
    ends = np.cumsum([group.count for group in study.cluster.groups])
    group = study.cluster.groups[int(np.searchsorted(ends, node, "right"))]
    kind = f"node of {shown_name(group.name or group.spelling)}"
    jobs = logged_on(study.trace, study.cluster, node)
    return kind if jobs is None else f"{plural(len(jobs), 'job')} in the log, {kind}"


def _numbered_nodes(text: str, cluster: Cluster) -> Fits:
    """Nodes without host names, as `zewura 3` or `zewura3`; where groups have no names by number."""
    match = re.fullmatch(r"(.*?) ?(\d{1,9})?", text)
    if match is None:
        return
    first = 0  # node of the group
    for group in cluster.groups:
        name, shift = (group.name, 0) if group.name else ("node", first)
        fit = _fit(match[1], name) if match[1] else _BEGINS if group.name else _EXACT
        # Nodes with host names were found by these, and are left out here.
        wanted = range(len(group.names), group.count)
        if match[2]:
            number = int(match[2]) - shift
            wanted = range(max(number, len(group.names)), min(number + 1, group.count))
        if fit in (_EXACT, _BEGINS):
            for node in wanted[:MOST]:
                one_node = Found(
                    "node", first + node, f"{shown_name(name)} {node + shift}", f"node of {group.spelling}"
                )
                yield fit if match[2] else _BEGINS, one_node
        first += group.count


def _times(text: str, study: Study, bounds: Bounds) -> Fits:
    axis = axis_of(study.trace)
    for time in typed_times(text, study.trace, bounds):
        about = "time" if time.is_instant else f"{duration(time.end - time.start)} of time"
        yield _EXACT, Found("time", time, time.format(axis), about)


_FINDERS = {
    "run": _runs,
    "user": _users,
    "queue": _queues,
    "job": _jobs,
    "node": _nodes,
    "time": _times,
}
