"""Reasons of waits in the schedule of a site's Slurm, in words that follow a length of time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from engine.dates import date_of
from engine.schedule.names import name_job
from engine.schedule.schedule import Decision, Schedule, Untried
from engine.schedule.site_limits import HeldBy
from engine.shown_values import format_mib
from engine.words import format_count, format_seconds, listed, plural

Logged = Mapping[int, int]

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


def describe_site_reason(schedule: Schedule, job: int, kind: Decision, logged: Logged, begin: int) -> str:
    """The reason for the wait of `job` from `begin`, s, on; of a kind that only a site's Slurm gives."""
    return _WORDS[kind](schedule, job, logged, begin)


def untried_by_site(logged: Logged) -> str:
    """Why the schedulers of a site did not reach a job."""
    texts = [f"as many jobs went first as {_OPTIONS[limit]}" for limit in _OPTIONS if limit in logged]
    if Untried.WINDOW in logged:
        texts.append("it would start later than plans may begin (bf_window)")
    return f"not reached: {listed(texts)}"


def _priority(schedule: Schedule, job: int, logged: Logged, begin: int) -> str:
    most = max(logged, key=lambda other: logged[other])
    others = f", and {plural(len(logged) - 1, 'other job')}" if len(logged) > 1 else ""
    return f"behind {name_job(schedule, most)}{_compared(schedule, job, most, begin)}{others}"


def _compared(schedule: Schedule, job: int, other: int, time: int) -> str:
    """The priorities of two jobs, and the factors that differ: ` by priority (1,520 against 1,204: age 20
    against 4)`; or that the other one goes first, where that is by its partition or its submission.
    """
    if schedule.priorities is None:
        return ", which goes first"
    of_other, own = schedule.priorities.factors(schedule, time, (other, job))
    texts = [
        f"{name} {format_count(round(of_other[name]))} against {format_count(round(own[name]))}"
        for name in own
        if round(of_other[name]) != round(own[name])
    ]
    total, behind = (format_count(int(sum(factors.values()))) for factors in (of_other, own))
    if int(sum(of_other.values())) <= int(sum(own.values())):
        return ", which goes first"
    return f" by priority ({total} against {behind}{': ' if texts else ''}{', '.join(texts)})"


def _nodes(schedule: Schedule, job: int, logged: Logged, begin: int) -> str:
    return f"short of nodes with enough free on each ({format_count(max(logged))} missing)"


def _cleaning(schedule: Schedule, job: int, logged: Logged, begin: int) -> str:
    return "while nodes were still cleaned up after other jobs"


def _closed(schedule: Schedule, job: int, logged: Logged, begin: int) -> str:
    names = [schedule.closed_by[number] for number in logged if number != schedule.failed_nodes]
    # A reservation that recurs closes nodes more than once.
    kept = list(dict.fromkeys(name for name in names if name))
    texts = [f"nodes were kept for the {_reservations(kept)}"] if kept else []
    if not all(names):
        texts.append("nodes were away")
    if schedule.failed_nodes in logged:
        texts.append("nodes had failed, and too few were left")
    return f"because {listed(texts)}"


def _outside(schedule: Schedule, job: int, logged: Logged, begin: int) -> str:
    names = list(dict.fromkeys(schedule.closed_by[number] for number in logged))
    return f"for the time of its {_reservations(names)}"


def _reservations(names: Sequence[str]) -> str:
    """`reservation course`, `reservations course and tutorial`."""
    return f"reservation{'s' if len(names) > 1 else ''} {listed(names)}"


def _limit(schedule: Schedule, job: int, logged: Logged, begin: int) -> str:
    limits = schedule.site_limits
    if limits is None:
        return "held by a limit of the site"
    held = [limits.held_by(value) for value in logged]
    texts = [_used(schedule, job, each, begin) for each in dict.fromkeys(held)]
    return f"held by {'a limit' if len(texts) == 1 else 'limits'}: {listed(texts)}"


def _used(schedule: Schedule, job: int, held: HeldBy, time: int) -> str:
    """`account astro uses 38 of 40 CPUs, and it asks for 4`."""
    limits = schedule.site_limits
    assert limits is not None
    if held.sort in ("spent", "ahead"):
        minutes = f"{_amount(held.resource, held.most)} times minutes"
        if held.resource == "wall":
            minutes = f"{format_count(held.most)} minutes of run time"
        verb = "has used up its" if held.sort == "spent" else "may still take its"
        return f"{held.owner} {verb} {minutes}"
    used = limits.used(held, schedule.running_at(time))
    if held.sort == "jobs":
        return f"{held.owner} runs {format_count(used)} of {plural(held.most, 'job')}"
    first = _amount(held.resource, used, False)
    text = f"{held.owner} uses {first} of {_amount(held.resource, held.most)}"
    own = limits.asked(held, job)
    return text if used >= held.most else f"{text}, and it asks for {_amount(held.resource, own, False)}"


def _amount(resource: str, amount: int, unit: bool = True) -> str:
    """`40 CPUs`, `1.5 GiB of RAM`, `2 gpus`; without its unit where the same amount follows with it."""
    if resource == "ram":
        return f"{format_mib(amount)} of RAM" if unit else format_mib(amount)
    if not unit:
        return format_count(amount)
    return plural(amount, _UNITS.get(resource, resource))


_UNITS = {"cpus": "CPU", "gpu": "GPU", "billing": "unit of billing"}


def _dependency(schedule: Schedule, job: int, logged: Logged, begin: int) -> str:
    names = [name_job(schedule, other) if other >= 0 else "a job that is not in the log" for other in logged]
    return f"until {listed(names)} ended, on which it depends"


def _begin(schedule: Schedule, job: int, logged: Logged, begin: int) -> str:
    stopped = schedule.stopped
    if len(ended := np.flatnonzero((stopped.job == job) & (stopped.end <= begin))):
        why = "was preempted" if stopped.preempted[ended[-1]] else "was stopped by a failure of its node"
        return f"until it might start again after it {why}"
    at_once = schedule.trace.at_once
    of_array = at_once is not None and at_once[job] > 0
    why = "a begin time, a hold or the limit of its array" if of_array else "a begin time or a hold"
    return f"not eligible before {_when(schedule, max(logged))}: {why}"


def _held(schedule: Schedule, job: int, logged: Logged, begin: int) -> str:
    until = max(logged)
    return "held by its user or an admin" + (f", until {_when(schedule, until)}" if until >= 0 else "")


def _when(schedule: Schedule, time: int) -> str:
    date = date_of(schedule.trace, time)
    return format_seconds(time) if date is None else f"{date:%Y-%m-%d %H:%M:%S}"


_WORDS: dict[Decision, Callable[[Schedule, int, Logged, int], str]] = {
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
