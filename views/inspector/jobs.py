"""The page of many jobs: of a user, of a queue, of whatever is picked."""

from __future__ import annotations

import numpy as np

from engine.arrays import Mask
from engine.metrics.available_capacity import processor_seconds
from engine.shown_text import with_kind
from views.data.results import Result
from views.inspector.html import (
    Html,
    explained,
    facts,
    job_link,
    join,
    paragraph,
    queue_link,
    run_name,
    section,
    table,
    text,
    title,
    unbroken,
    user_link,
)
from views.inspector.subject import InspectorSubject
from views.state.selection import Selection
from views.text.counts import format_count, plural
from views.text.values import NOTHING, brief, duration, percent, processor_time

MOST_DELAYED = MOST_MOVED = 8
_MOST_LISTED = 12
_MOST_USERS = 5


def group_page(subject: InspectorSubject, selection: Selection, picked: Mask) -> Html:
    """The requests of users, queues or jobs, their outcome under each run, and the most delayed jobs.

    Beside a difference the jobs that moved most between its two runs come first.
    `picked` are their jobs, shape (n,).
    """
    words, members = _members(subject, selection)
    more = len(members) - _MOST_LISTED
    parts = [
        title(text(words)),
        join(members[:_MOST_LISTED], ", ") if len(members) > 1 else Html(""),
        text(f" and {format_count(more)} more" if more > 0 else ""),
        _amounts(subject, picked, alone=len(selection.users) == 1),
        _runs(subject, picked),
        _hurt(subject, picked),
        Html("") if subject.pair is None else _most_moved(subject, picked, subject.pair),
        _most_delayed(subject, picked),
    ]
    return join(parts)


def _members(subject: InspectorSubject, selection: Selection) -> tuple[str, list[Html]]:
    """The name of the group, and links to its members."""
    trace = subject.trace
    if selection.jobs:
        return plural(len(selection.jobs), "job"), [job_link(trace, j) for j in sorted(selection.jobs)]
    users, queues = sorted(selection.users), sorted(selection.queues)
    if not users:
        queue = with_kind("queue", trace.queue.names[queues[0]])
        name = queue[0].upper() + queue[1:]
        return name if len(queues) == 1 else plural(len(queues), "queue"), [
            queue_link(trace, q) for q in queues
        ]
    name = f"User {trace.user.shown[users[0]]}" if len(users) == 1 else plural(len(users), "user")
    if queues:
        queue = with_kind("queue", trace.queue.names[queues[0]])
        name += " in " + (queue if len(queues) == 1 else "some queues")
    return name, [user_link(trace, u) for u in users]


def _amounts(subject: InspectorSubject, picked: Mask, alone: bool) -> Html:
    """The number of picked jobs and their area; of several users those with the largest area."""
    trace = subject.trace
    area = trace.procs * trace.runtime
    picked_area, whole = float(area[picked].sum()), max(float(area.sum()), 1.0)
    jobs = int(picked.sum())
    pairs = [
        ("Jobs", text(f"{format_count(jobs)}, {percent(100 * jobs / max(len(trace), 1))} of all")),
        ("Area", text(f"{processor_time(picked_area)}, {percent(100 * picked_area / whole)} of all")),
    ]
    if subject.results:
        schedule = subject.results[0].schedule
        begin, end = schedule.first_submit, schedule.last_end
        # The share of the machine is of the processors that were up from the first submission to the last
        # end.
        room = processor_seconds(schedule.cluster, schedule.outages, begin, end)
        if room > 0:
            pairs.append(("Share of the machine", text(percent(100 * picked_area / room))))
    # Of a single user the largest would be that user.
    if not alone and picked_area > 0:
        areas = np.bincount(trace.user.codes[picked], area[picked], len(trace.user.names))
        named = subject.top_users(areas, _MOST_USERS, lambda value: percent(100 * value / picked_area))
        pairs.append(("Most area by", named))
    return facts(pairs)


def _runs(subject: InspectorSubject, picked: Mask) -> Html:
    rows = [(run_name(result), *_row(result, picked)) for result in subject.results]
    if not rows:
        return Html("")
    heads = ("Run", "Late", "Mean wait", "Median")
    return Html(section(text("Under each run")) + table(heads, rows))


def _row(result: Result, picked: Mask) -> tuple[Html, Html, Html]:
    ran = picked & result.schedule.ran
    wait = result.schedule.wait[ran]
    if len(wait) == 0:
        return text(NOTHING), text(NOTHING), text(NOTHING)
    late = None if result.violations is None else 100 * float(result.violations.violated[ran].mean())
    return (
        text(percent(late)),
        unbroken(brief(float(wait.mean()))),
        unbroken(brief(float(np.median(wait)))),
    )


def _hurt(subject: InspectorSubject, picked: Mask) -> Html:
    """Under which run they fare worst, in words: by weighted tardiness, else by their mean wait."""
    tardiness = [weighted_tardiness(result, picked) for result in subject.results]
    judged = [value for value in tardiness if value is not None]
    by_tardiness = len(judged) == len(tardiness) and any(judged)
    costs = [float(v) for v in judged] if by_tardiness else [_mean_wait(r, picked) for r in subject.results]
    if len(costs) < 2 or not max(costs) > min(costs):
        return Html("")
    worst, best = int(np.argmax(costs)), int(np.argmin(costs))
    what = explained("weighted tardiness") if by_tardiness else "mean wait"
    show = processor_time if by_tardiness else duration
    return paragraph(
        Html(
            f"Worst under {run_name(subject.results[worst])}: {unbroken(show(costs[worst]))} of {what}. "
            f"Best under {run_name(subject.results[best])}: {unbroken(show(costs[best]))}."
        )
    )


def weighted_tardiness(result: Result, picked: Mask) -> int | None:
    """The sum of processors times tardiness of these jobs, in processor-seconds; None where not judged."""
    if result.violations is None:
        return None
    late = picked & result.violations.violated
    return int((result.schedule.procs[late] * result.violations.tardiness[late].astype(np.float64)).sum())


def _mean_wait(result: Result, picked: Mask) -> float:
    wait = result.schedule.wait[picked & result.schedule.ran]
    return float(wait.mean()) if len(wait) else 0.0


def _most_delayed(subject: InspectorSubject, picked: Mask) -> Html:
    """The jobs latest under the run that is looked at; where it is not judged, those that wait longest."""
    run = subject.chosen
    if run is None:
        return Html("")
    jobs = np.flatnonzero(picked & run.schedule.ran)
    judged = run.violations is not None
    delays = run.schedule.wait[jobs] if run.violations is None else run.violations.tardiness[jobs]
    order = np.argsort(-delays, kind="stable")[:MOST_DELAYED]
    rows = [
        (job_link(subject.trace, jobs[k]), text(duration(int(delays[k])))) for k in order if delays[k] > 0
    ]
    heading = section(Html(f"Most delayed jobs under {run_name(run)}"))
    if not rows:
        return Html(heading + paragraph(text("No job is late." if judged else "No job waited.")))
    return Html(heading + table(("Job", "Late by" if judged else "Waited"), rows))


def _most_moved(subject: InspectorSubject, picked: Mask, pair: tuple[Result, Result]) -> Html:
    """The jobs whose start differs most between two runs, or whose wait, where their submissions differ."""
    from engine.metrics.difference import start_change  # it loads the compiler

    first, second = pair
    change = start_change(first.schedule, second.schedule)
    jobs = np.flatnonzero(picked & (change != 0))
    order = np.argsort(-np.abs(change[jobs]), kind="stable")[:MOST_MOVED]
    heading = section(Html(f"Moved most under {run_name(second)} against {run_name(first)}"))
    if not len(jobs):
        return Html(heading + paragraph(text("No job that ran under both starts at another time.")))
    rows = [
        (job_link(subject.trace, job), unbroken(_moved(pair, job, int(change[job])))) for job in jobs[order]
    ]
    return Html(heading + table(("Job", "Start"), rows))


def _moved(pair: tuple[Result, Result], job: int, change: int) -> str:
    """By how much, in s, a job moved from the first run to the second, in words."""
    at_once = pair[0].schedule.submit[job] == pair[1].schedule.submit[job]
    words = ("earlier", "later") if at_once else ("less wait", "more wait")
    return f"{duration(abs(change))} {words[change > 0]}"
