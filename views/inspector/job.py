"""The page of one job."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from engine.schedule.reasons import spell_not_run
from engine.trace import MISSING, Trace
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
from views.inspector.neighbours import neighbours
from views.inspector.reasons import reasons
from views.inspector.subject import Subject
from views.inspector.used import used_facts
from views.text.counts import spell_count
from views.text.processors import spell_allocation
from views.text.values import NOTHING, brief, duration, memory, number


def job_page(subject: Subject, job: int) -> Html:
    """What the job asked for, how each run treated it, and why."""
    parts = [title(text(f"Job {subject.trace.job_id[job]}")), _request(subject, job)]
    if subject.results:
        parts.append(_comparison(subject, job))
    parts += [_under(subject, result, job) for result in subject.results]
    return join(parts)


def _request(subject: Subject, job: int) -> Html:
    trace = subject.trace
    ram = int(trace.ram[job])
    return facts(
        (
            ("User", user_link(trace, int(trace.user.codes[job]))),
            ("Queue", queue_link(trace, int(trace.queue.codes[job]))),
            ("Submitted", subject.when(trace.submit[job])),
            *_followed(subject, job),
            ("Processors", text(spell_count(int(trace.procs[job])))),
            ("RAM", text(NOTHING if ram == MISSING else memory(ram))),
            *_of_some_logs(trace, job),
            ("Walltime", exactly(int(trace.walltime[job]))),
            ("Runtime", exactly(int(trace.runtime[job]))),
            *used_facts(trace, job),
        )
    )


def _of_some_logs(trace: Trace, job: int) -> list[tuple[str, Html]]:
    """What only some logs tell of a job, where this one does."""
    names = (("QOS", trace.qos), ("Reservation", trace.reservation), ("Reason", trace.reason))
    numbers = (("GPUs", trace.gpus), ("Priority", trace.priority))
    counted = [(label, column[job]) for label, column in numbers if column is not None]
    named = [(label, column.names[column.codes[job]]) for label, column in names if column is not None]
    return [
        *((label, text(spell_count(int(value)))) for label, value in counted if value != MISSING),
        *((label, text(name)) for label, name in named if name),
    ]


def _followed(subject: Subject, job: int) -> list[tuple[str, Html]]:
    """The job whose end it waited for before it came, where the log tells of one."""
    trace = subject.trace
    ahead = int(predecessors(trace)[job]) if trace.preceding[job] > 0 else NOBODY
    if ahead == NOBODY:
        return []
    after = (
        f", {duration(think)} after its end" if (think := int(trace.think_time[job])) > 0 else ", at its end"
    )
    return [("Follows", Html(job_link(trace, ahead) + text(after)))]


def _comparison(subject: Subject, job: int) -> Html:
    heads = ("Run", "Wait", "Slowdown", "Late by")
    return Html(section(text("Under each run")) + table(heads, (_row(r, job) for r in subject.results)))


def _row(result: Result, job: int) -> tuple[Html, Html, Html, Html]:
    if not result.schedule.ran[job]:
        why = "given up" if result.schedule.given_up[job] else "refused"
        return run_name(result), text(why), text(NOTHING), text(NOTHING)
    wait = unbroken(brief(int(result.schedule.wait[job])))
    return run_name(result), wait, text(number(_bounded_slowdown(result, job))), _late(result, job, brief)


def _bounded_slowdown(result: Result, job: int) -> float:
    """max(1, F / max(D, 10 s)) of one job."""
    schedule = result.schedule
    response = int(schedule.end[job] - schedule.submit[job])
    return round(max(1.0, response / max(int(schedule.runtime[job]), 10)), 2)


def _late(result: Result, job: int, spell: Callable[[float], str] = duration) -> Html:
    if result.violations is None:
        return text(NOTHING)
    late = int(result.violations.tardiness[job])
    return Html(f'<span class="bad">{unbroken(spell(late))}</span>') if late else unbroken("in time")


def _under(subject: Subject, result: Result, job: int) -> Html:
    schedule = result.schedule
    if not schedule.ran[job]:
        return Html(section(run_name(result)) + text(spell_not_run(schedule, job)))
    pairs = [
        *([("Submitted", subject.when(schedule.submit[job]))] if schedule.came is not None else []),
        ("Started", subject.when(schedule.start[job])),
        ("Waited", exactly(int(schedule.wait[job]))),
        ("Ended", subject.when(schedule.end[job])),
        ("Bounded slowdown", text(number(_bounded_slowdown(result, job)))),
    ]
    if result.violations is not None:
        pairs += [("Expected end", subject.when(result.violations.eet[job])), ("Late by", _late(result, job))]
    pairs.append(("Ran on", Html(spell_allocation(schedule, job, partial(node_link, result)))))
    pairs += neighbours(subject, result, job)
    return join([section(run_name(result)), reasons(subject, schedule, job), facts(pairs)])
