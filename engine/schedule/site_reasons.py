"""Reasons of waits in the schedule of a site's Slurm, in words that follow a length of time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from engine.arrays import Ints
from engine.dates import date_of
from engine.schedule.names import name_job
from engine.schedule.schedule import Decision, Schedule, Untried
from engine.schedule.site_limits import HeldBy
from engine.shown_text import shown_name
from engine.shown_values import format_mib
from engine.words import format_count, format_seconds, listed, plural

Logged = Mapping[int, int]


class HeldSpans(NamedTuple):
    """The parts of a wait with one kind of reason, by what holds the job: `seconds` of each value, in order
    of time, and `since` when, s, it first held the job. What was so then is told of it.
    """

    seconds: Mapping[int, int]
    since: Mapping[int, int]


_OPTIONS = {
    Untried.DEPTH: "a short pass of the main scheduler tries (default_queue_depth)",
    Untried.PART_DEPTH: "a pass of the main scheduler tries of a partition (partition_job_depth)",
    Untried.MAIN_STARTS: "a pass of the main scheduler starts (sched_max_job_start)",
    Untried.TESTS: "the backfiller tries (bf_max_job_test)",
    Untried.USER_TESTS: "the backfiller tries of a user (bf_max_job_user)",
    Untried.PART_TESTS: "the backfiller tries of a partition (bf_max_job_part)",
    Untried.ASSOC_TESTS: "the backfiller tries of an association (bf_max_job_assoc)",
    Untried.USER_PART_TESTS: "the backfiller tries of a user in a partition (bf_max_job_user_part)",
    Untried.CYCLE_STARTS: "the backfiller starts in a cycle (bf_max_job_start)",
}


def describe_site_reason(schedule: Schedule, job: int, kind: Decision, spans: HeldSpans) -> str:
    """The reason for which `job` waited in these spans, of a kind that only a site's Slurm gives."""
    return _WORDS[kind](schedule, job, spans)


def untried_by_site(logged: Logged) -> str:
    """Why the schedulers of a site did not reach a job."""
    texts = [f"as many jobs went first as {_OPTIONS[limit]}" for limit in _OPTIONS if limit in logged]
    if Untried.WINDOW in logged:
        texts.append("it would start later than plans may begin (bf_window)")
    return f"not reached: {listed(texts)}"


def _priority(schedule: Schedule, job: int, spans: HeldSpans) -> str:
    most = max(spans.seconds, key=lambda other: spans.seconds[other])
    others = f", and {plural(len(spans.seconds) - 1, 'other job')}" if len(spans.seconds) > 1 else ""
    # The other jobs may have gone first before this job was submitted.
    return f"behind {name_job(schedule, most)}{_compared(schedule, job, most, spans.since[most])}{others}"


def _compared(schedule: Schedule, job: int, other: int, time: int) -> str:
    """The priorities of two jobs, and the factors that differ: ` by priority (1,520 against 1,204: age 20
    against 4)`; or that the other one goes first, where that is by its partition or its submission.
    """
    if schedule.priorities is None:
        return ", which goes first"
    of_other, of_job = schedule.priorities.factors(schedule, time, (other, job))
    # Only factors that differ explain the order.
    texts = [
        f"{name} {format_count(round(of_other[name]))} against {format_count(round(of_job[name]))}"
        for name in of_job
        if round(of_other[name]) != round(of_job[name])
    ]
    total, behind = (format_count(int(sum(factors.values()))) for factors in (of_other, of_job))
    # Rounded to what is shown, the other job is not ahead: its priority explains nothing.
    if int(sum(of_other.values())) <= int(sum(of_job.values())):
        return ", which goes first"
    return f" by priority ({total} against {behind}{': ' if texts else ''}{', '.join(texts)})"


def _nodes(schedule: Schedule, job: int, spans: HeldSpans) -> str:
    return f"short of nodes with enough free on each ({format_count(max(spans.seconds))} missing)"


def _cleaning(schedule: Schedule, job: int, spans: HeldSpans) -> str:
    return "while nodes were still cleaned up after other jobs"


def _closed(schedule: Schedule, job: int, spans: HeldSpans) -> str:
    names = [schedule.closed_by[number] for number in spans.seconds if number != schedule.failed_nodes]
    # A reservation that recurs closes nodes more than once.
    kept = list(dict.fromkeys(name for name in names if name))
    texts = [f"nodes were kept for the {_reservations(kept)}"] if kept else []
    if not all(names):
        texts.append("nodes were away")
    if schedule.failed_nodes in spans.seconds:
        texts.append("nodes had failed, and too few were left")
    return f"because {listed(texts)}"


def _outside(schedule: Schedule, job: int, spans: HeldSpans) -> str:
    """The words for a job that waited for its reservations to begin, which are named."""
    names = list(dict.fromkeys(schedule.closed_by[number] for number in spans.seconds))
    return f"for the time of its {_reservations(names)}"


def _reservations(names: Sequence[str]) -> str:
    """`reservation course`, `reservations course and tutorial`."""
    return f"reservation{'s' if len(names) > 1 else ''} {listed(names)}"


def _limit(schedule: Schedule, job: int, spans: HeldSpans) -> str:
    limits = schedule.site_limits
    if limits is None:
        return "held by a limit of the site"
    # Values may differ in more than the limit: each limit is told once, from when it held first.
    since: dict[HeldBy, int] = {}
    for value, begin in spans.since.items():
        since.setdefault(limits.held_by(value), begin)
    texts = [_used(schedule, job, held, begin) for held, begin in since.items()]
    return f"held by {'a limit' if len(texts) == 1 else 'limits'}: {listed(texts)}"


def _used(schedule: Schedule, job: int, held: HeldBy, time: int) -> str:
    """`account astro uses 38 of 40 CPUs, and it asks for 4`; where it uses more than is allowed, the jobs are
    named that this limit let pass.
    """
    limits = schedule.site_limits
    assert limits is not None
    if held.sort in ("spent", "ahead"):
        most = _amount(held.resource, held.most, False)
        verb = "has used up its" if held.sort == "spent" else "may still take its"
        return f"{held.owner} {verb} {most} {minutes_of(held.resource)}"
    taken, asked = _taken(schedule, held, time), int(limits.amounts(held)[job])
    used, others = limits.used(held, taken), ""
    if used > held.most and (passed := limits.passed(held, taken))[1]:
        count = format_count(passed[0]) if held.sort == "jobs" else _amount(held.resource, passed[0], False)
        by_jobs = "" if held.sort == "jobs" else " by jobs"
        quality = qualities_in_words(passed[1])
        others = f", including {count}{by_jobs} to which a limit of {quality} applies instead"
    if held.sort == "jobs":
        return f"{held.owner} runs {format_count(used)} of {plural(held.most, 'job')}{others}"
    first = _amount(held.resource, used, False)
    text = f"{held.owner} uses {first} of {_amount(held.resource, held.most)}{others}"
    if used >= held.most:
        return text
    if used + asked <= held.most:  # tasks may lie on more nodes than a job asks for
        return f"{text}, and it would have taken more than are left"
    return f"{text}, and it asks for {_amount(held.resource, asked, False)}"


def _taken(schedule: Schedule, held: HeldBy, time: int) -> Ints:
    """What each job, (n,), takes of a limit at a time, s, from the decision to start it on."""
    limits, stopped, site = schedule.site_limits, schedule.stopped, schedule.policy.site
    assert limits is not None
    launch = 0 if site is None else site.launch
    # Limits are held from the decision on, which is earlier than the start by the launch.
    running = schedule.ran & (schedule.start - launch <= time) & (time < schedule.end)
    # Runs that were cut short took from the limit, too.
    again = np.flatnonzero((stopped.start - launch <= time) & (time < stopped.end))
    amounts = limits.amounts(held)
    # A limit of nodes counts nodes that differ, which only the places of the run tell.
    if held.resource == "node":
        amounts = np.zeros(len(running), np.int64)
        for pieces, rows, jobs in (
            (schedule.pieces, np.flatnonzero(running), np.flatnonzero(running)),
            (stopped.pieces, again, stopped.job[again]),
        ):
            for row, job in zip(rows.tolist(), jobs.tolist(), strict=True):
                amounts[job] = len(np.unique(pieces["node"][slice(*pieces.offset[row : row + 2].tolist())]))
    running[stopped.job[again]] = True
    return np.asarray(amounts * running, np.int64)


def qualities_in_words(names: Sequence[str]) -> str:
    """Any of these qualities of service: `QOS high or scav`."""
    return f"QOS {' or '.join(map(shown_name, names))}"


def _amount(resource: str, amount: int, unit: bool = True) -> str:
    """`40 CPUs`, `1.5 GiB of RAM`, `2 GPUs`; without its unit where the same amount follows with it."""
    number = format_mib(amount) if resource == "ram" else format_count(amount)
    return f"{number} {resource_of(resource, amount)}" if unit else number


_NOUNS = {
    "cpus": ("CPU", "CPUs"),
    "gpu": ("GPU", "GPUs"),
    "billing": ("unit of billing", "units of billing"),
}


def resource_of(resource: str, amount: int) -> str:
    """What follows so much of a resource of a site's limits: `CPUs`, `of RAM`, `unit of billing`."""
    if resource == "ram":
        return "of RAM"
    one, more = _NOUNS.get(resource, (resource, f"{resource}s"))
    return one if amount == 1 else more


def minutes_of(resource: str) -> str:
    """What follows so much of a resource times minutes: `CPU minutes`, `minutes of run time`."""
    if resource == "wall":
        return "minutes of run time"
    if resource == "ram":
        return "of RAM times minutes"
    return "billing minutes" if resource == "billing" else f"{resource_of(resource, 1)} minutes"


def _dependency(schedule: Schedule, job: int, spans: HeldSpans) -> str:
    names = [
        name_job(schedule, other) if other >= 0 else "a job that is not in the log" for other in spans.seconds
    ]
    return f"until {listed(names)} ended, on which it depends"


def _begin(schedule: Schedule, job: int, spans: HeldSpans) -> str:
    stopped, last = schedule.stopped, max(spans.seconds)
    # A job that ran before waits for its next run.
    if len(ended := np.flatnonzero((stopped.job == job) & (stopped.end <= spans.since[last]))):
        why = "was preempted" if stopped.preempted[ended[-1]] else "was stopped by a failure of its node"
        return f"until it might start again after it {why}"
    at_once = schedule.trace.at_once
    of_array = at_once is not None and at_once[job] > 0
    why = "a begin time, a hold or the limit of its array" if of_array else "a begin time or a hold"
    return f"not eligible before {_when(schedule, last)}: {why}"


def _held(schedule: Schedule, job: int, spans: HeldSpans) -> str:
    until = max(spans.seconds)
    return "held by its user or an admin" + (f", until {_when(schedule, until)}" if until >= 0 else "")


def _when(schedule: Schedule, time: int) -> str:
    date = date_of(schedule.trace, time)
    return format_seconds(time) if date is None else f"{date:%Y-%m-%d %H:%M:%S}"


_WORDS: dict[Decision, Callable[[Schedule, int, HeldSpans], str]] = {
    Decision.PRIORITY: _priority,
    Decision.NODES: _nodes,
    Decision.CLEANING: _cleaning,
    Decision.CLOSED: _closed,
    Decision.OUTSIDE: _outside,
    Decision.SITE_LIMIT: _limit,
    Decision.DEPENDENCY: _dependency,
    Decision.BEGIN: _begin,
    Decision.HELD: _held,
}
