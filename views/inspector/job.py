"""The page of one job."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from engine.arrays import Ints
from engine.quantities import QUANTITIES, Jobs, Missing
from engine.schedule.neighbours import on_processors, waiting_at_submission
from engine.schedule.reasons import describe_not_run
from engine.trace import MISSING, Names, Trace
from engine.trace.columns import SECONDS, TOLD_COLUMNS, USED_COLUMNS
from engine.trace.dependencies import NOBODY, predecessors
from views.data.results import Result
from views.inspector.html import (
    Html,
    exactly,
    facts,
    job_link,
    join,
    node_link,
    queue_link,
    run_name,
    section,
    table,
    text,
    title,
    unbroken,
    user_link,
)
from views.inspector.reasons import reasons
from views.inspector.subject import InspectorSubject
from views.text.counts import format_count, plural
from views.text.processors import format_allocation
from views.text.units import UNITS
from views.text.values import NOTHING, brief, duration, memory, number


def used_facts(trace: Trace, job: int) -> list[tuple[str, Html]]:
    """Label and value of each measured use of a job in the log: `at most 4 GiB, 50 %`."""
    jobs = Jobs(trace.take(np.array([job])))
    return list(_facts(jobs))


def _facts(jobs: Jobs) -> Iterator[tuple[str, Html]]:
    bound = jobs.trace.ram_used_bound is not None and bool(jobs.trace.ram_used_bound[0])
    for amount, column in USED_COLUMNS.items():
        shown = _formatted(jobs, amount, duration if column.unit == SECONDS else None)
        if not shown:
            continue
        share = _formatted(jobs, amount.removesuffix("_used") + "_efficiency")
        at_most = "at most " if bound and amount == "ram_used" else ""
        yield column.title, text(f"{at_most}{shown}{f', {share}' if share else ''}")


def _formatted(jobs: Jobs, name: str, show: Callable[[float], str] | None = None) -> str:
    """A quantity of the job as text, formatted by `show` or its unit; empty if there is no value."""
    quantity = QUANTITIES.get(name)
    values = None if quantity is None else quantity.values(jobs)
    if quantity is None or isinstance(values, Missing):
        return ""
    assert isinstance(values, np.ndarray)
    if np.isnan(values[0]):
        return ""
    return (show or UNITS[quantity.unit].show)(float(values[0]))


_MOST_LISTED = 4


def neighbours(subject: InspectorSubject, result: Result, job: int) -> list[tuple[str, Html]]:
    """The jobs before and after it on its processors, and the jobs already waiting when it was submitted."""
    pairs = []
    if result.boxes is not None:
        before, after = on_processors(result.schedule, result.boxes, job)
        pairs += [("Before it there", _links(subject, before)), ("After it there", _links(subject, after))]
    waiting = waiting_at_submission(result.schedule, job)
    if len(waiting):
        procs = int(subject.trace.procs[waiting].sum())
        count = text(f"{plural(len(waiting), 'job')} for {plural(procs, 'processor')}: ")
        pairs.append(("Queue at submit", Html(count + _links(subject, waiting))))
    else:
        pairs.append(("Queue at submit", text("empty")))
    return pairs


def _links(subject: InspectorSubject, jobs: Sequence[int] | np.ndarray) -> Html:
    if not len(jobs):
        return text("no job")
    more = f" and {format_count(len(jobs) - _MOST_LISTED)} more" if len(jobs) > _MOST_LISTED else ""
    return Html(join((job_link(subject.trace, job) for job in jobs[:_MOST_LISTED]), ", ") + text(more))


def job_page(subject: InspectorSubject, job: int) -> Html:
    """The request of a job, its outcome under each run, and the reasons of its wait."""
    parts = [title(text(f"Job {subject.trace.shown_id(job)}")), _request(subject, job)]
    if subject.results:
        parts.append(_comparison(subject, job))
    parts += [_under(subject, result, job) for result in subject.results]
    return join(parts)


def _request(subject: InspectorSubject, job: int) -> Html:
    trace = subject.trace
    ram = int(trace.ram[job])
    return facts(
        (
            ("User", user_link(trace, int(trace.user.codes[job]))),
            ("Queue", queue_link(trace, int(trace.queue.codes[job]))),
            ("Submitted", subject.when(trace.submit[job])),
            *_followed(subject, job),
            ("Processors", text(format_count(int(trace.procs[job])))),
            ("RAM", text(NOTHING if ram == MISSING else memory(ram))),
            *_of_some_logs(trace, job),
            ("Walltime", exactly(int(trace.walltime[job]))),
            ("Runtime", exactly(int(trace.runtime[job]))),
            *used_facts(trace, job),
        )
    )


def _of_some_logs(trace: Trace, job: int) -> list[tuple[str, Html]]:
    """Fields of a job that only some logs have, if this log has them."""
    columns: list[tuple[str, Names | Ints]] = [] if trace.gpus is None else [("GPUs", trace.gpus)]
    columns += ((TOLD_COLUMNS[name].title, column) for name, column in trace.told.items())
    shown = ((title, _entry(column, job)) for title, column in columns)
    return [(title, text(entry)) for title, entry in shown if entry]


def _entry(column: Names | Ints, job: int) -> str:
    """What a column has for a job; empty if nothing."""
    if isinstance(column, Names):
        return column.shown[int(column.codes[job])]
    return "" if column[job] == MISSING else format_count(int(column[job]))


def _followed(subject: InspectorSubject, job: int) -> list[tuple[str, Html]]:
    """The preceding job whose end it waited for before its submission, if the log names it."""
    trace = subject.trace
    ahead = int(predecessors(trace)[job]) if trace.preceding[job] > 0 else NOBODY
    if ahead == NOBODY:
        return []
    after = (
        f", {duration(think)} after its end" if (think := int(trace.think_time[job])) > 0 else ", at its end"
    )
    return [("Follows", Html(job_link(trace, ahead) + text(after)))]


def _comparison(subject: InspectorSubject, job: int) -> Html:
    heads = ("Run", "Wait", "Slowdown", "Late by")
    return Html(section(text("Under each run")) + table(heads, (_row(r, job) for r in subject.results)))


def _row(result: Result, job: int) -> tuple[Html, Html, Html, Html]:
    if not result.schedule.ran[job]:
        why = "given up" if result.schedule.given_up[job] else "refused"
        return run_name(result), text(why), text(NOTHING), text(NOTHING)
    wait = unbroken(brief(int(result.schedule.wait[job])))
    return run_name(result), wait, text(number(_bounded_slowdown(result, job))), _late(result, job, brief)


def _bounded_slowdown(result: Result, job: int) -> float:
    """max(1, F / max(D, 10 s)) of a job."""
    schedule = result.schedule
    response = int(schedule.end[job] - schedule.submit[job])
    return round(max(1.0, response / max(int(schedule.runtime[job]), 10)), 2)


def _late(result: Result, job: int, show: Callable[[float], str] = duration) -> Html:
    if result.violations is None:
        return text(NOTHING)
    late = int(result.violations.tardiness[job])
    return Html(f'<span class="bad">{unbroken(show(late))}</span>') if late else unbroken("in time")


def _under(subject: InspectorSubject, result: Result, job: int) -> Html:
    schedule = result.schedule
    if not schedule.ran[job]:
        return Html(section(run_name(result)) + text(describe_not_run(schedule, job)))
    pairs = [
        *([("Submitted", subject.when(schedule.submit[job]))] if schedule.came is not None else []),
        ("Started", subject.when(schedule.start[job])),
        ("Waited", exactly(int(schedule.wait[job]))),
        ("Ended", subject.when(schedule.end[job])),
        ("Bounded slowdown", text(number(_bounded_slowdown(result, job)))),
    ]
    if result.violations is not None:
        pairs += [("Expected end", subject.when(result.violations.eet[job])), ("Late by", _late(result, job))]
    pairs.append(("Ran on", Html(format_allocation(schedule, job, partial(node_link, result)))))
    pairs += neighbours(subject, result, job)
    return join([section(run_name(result)), reasons(subject, schedule, job), facts(pairs)])
