"""The pages of many jobs: of a user, of queues, of whatever is picked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from views.format import NOTHING, duration, number, percent
from views.inspector.html import (
    Html,
    facts,
    job_link,
    join,
    queue_link,
    run_name,
    section,
    table,
    text,
    title,
    user_link,
)
from views.inspector.subject import Subject
from views.results import Result
from views.selection import Selection
from views.words import plural, spell_count

Mask = NDArray[np.bool_]
Ints = NDArray[np.int64]

MOST_DELAYED = 8
_MOST_LISTED = 12


def user_page(subject: Subject, user: int, picked: Mask) -> Html:
    """How much a user asks for, how the user fares under each run, and the most delayed jobs."""
    parts = [
        title(text(f"User {subject.trace.user.names[user]}")),
        _amounts(subject, picked),
        _user_runs(subject, user),
        _most_delayed(subject, picked),
    ]
    return join([*parts, subject.zone])


def group_page(subject: Subject, selection: Selection, picked: Mask) -> Html:
    """Several users, queues or jobs: how many, how much, and how they fare under each run."""
    trace = subject.trace
    listed: list[Html]
    if selection.jobs:
        words, listed = (
            plural(len(selection.jobs), "job"),
            [job_link(trace, j) for j in sorted(selection.jobs)],
        )
    elif selection.users:
        words, listed = (
            plural(len(selection.users), "user"),
            [user_link(trace, u) for u in sorted(selection.users)],
        )
    else:
        queues = sorted(selection.queues)
        words = f"Queue {trace.queue.names[queues[0]]}" if len(queues) == 1 else plural(len(queues), "queue")
        listed = [queue_link(trace, q) for q in queues] if len(queues) > 1 else []
    more = f" and {spell_count(len(listed) - _MOST_LISTED)} more" if len(listed) > _MOST_LISTED else ""
    parts = [
        title(text(words)),
        join(listed[:_MOST_LISTED], ", "),
        text(more),
        _amounts(subject, picked),
        _group_runs(subject, picked),
        _most_delayed(subject, picked),
    ]
    return join([*parts, subject.zone])


def _amounts(subject: Subject, picked: Mask) -> Html:
    """Jobs and area of the picked ones."""
    trace = subject.trace
    area = trace.procs * trace.runtime
    own, whole = float(area[picked].sum()), max(float(area.sum()), 1.0)
    jobs = int(picked.sum())
    pairs = [
        ("Jobs", text(f"{spell_count(jobs)}, {percent(100 * jobs / max(len(trace), 1))} of all")),
        ("Area", text(f"{duration(own)} of processor time, {percent(100 * own / whole)} of all")),
    ]
    if subject.results:
        schedule = subject.results[0].schedule
        room = schedule.cluster.cpus * max(schedule.last_end - schedule.first_submit, 1)
        pairs.append(("Share of the machine", text(percent(100 * own / room))))
    return facts(pairs)


def _user_runs(subject: Subject, user: int) -> Html:
    rows = []
    for result in subject.results:
        users = result.users
        veet = None if users.veet is None else float(users.veet[user])
        wt = None if users.wt is None else float(users.wt[user])
        wait = float(users.wait_mean[user])
        rows.append((run_name(result), text(percent(veet)), text(duration(wt)), text(duration(wait))))
    if not rows:
        return Html("")
    heads = ("Run", "VEET", "WT", "Mean wait")
    return Html(section(text("Under each run")) + table(heads, rows))


def _group_runs(subject: Subject, picked: Mask) -> Html:
    rows = [(run_name(result), *_group_row(result, picked)) for result in subject.results]
    if not rows:
        return Html("")
    heads = ("Run", "Late jobs", "Mean wait", "Longest wait")
    return Html(section(text("Under each run")) + table(heads, rows))


def _group_row(result: Result, picked: Mask) -> tuple[Html, Html, Html]:
    ran = picked & result.schedule.ran
    late = None if result.violations is None else int(result.violations.violated[ran].sum())
    wait = result.schedule.wait[ran]
    if len(wait) == 0:
        return text(number(late)), text(NOTHING), text(NOTHING)
    return text(number(late)), text(duration(float(wait.mean()))), text(duration(int(wait.max())))


def _most_delayed(subject: Subject, picked: Mask) -> Html:
    """The jobs that are late by most under any run; where no ends are expected, that wait longest."""
    if not subject.results:
        return Html("")
    jobs = np.flatnonzero(picked)
    judged = [r for r in subject.results if r.violations is not None]
    delays = [r.violations.tardiness[jobs] for r in judged if r.violations is not None]
    if not delays:
        judged, delays = (
            list(subject.results),
            [np.maximum(r.schedule.wait[jobs], 0) for r in subject.results],
        )
    rows = list(_delay_rows(subject, judged, jobs, np.stack(delays)))
    if not rows:
        return Html("")
    late = subject.results[0].violations is not None
    heads = ("Job", "Under", "Late by" if late else "Waited")
    return Html(section(text("Most delayed jobs")) + table(heads, rows, words=2))


def _delay_rows(
    subject: Subject, judged: Sequence[Result], jobs: Ints, delays: NDArray[np.int64]
) -> Iterator[tuple[Html, Html, Html]]:
    worst = delays.max(axis=0)
    for place in np.argsort(-worst, kind="stable")[:MOST_DELAYED]:
        if worst[place] > 0:
            run = judged[int(delays[:, place].argmax())]
            yield job_link(subject.trace, jobs[place]), run_name(run), text(duration(int(worst[place])))
