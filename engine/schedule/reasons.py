"""Reasons for waiting, in words that follow a length of time: `40 min` *short of processors ...*."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.schedule.names import format_mib, name_job
from engine.schedule.schedule import Decision, Limit, Schedule, Untried
from engine.schedule.scores import score_at
from engine.schedule.site_reasons import describe_site_reason, untried_by_site
from engine.words import format_count, listed, plural

Logged = Mapping[int, int]
"""The seconds of a kind of reason by its logged value, in order of time."""

_FIRST_BY = {
    "sjf": "estimate", "ljf": "estimate", "saf": "area", "laf": "area",
    "widest": "width", "narrowest": "width", "queues": "price", "auction": "bid",
}  # fmt: skip
"""By what jobs went first, where that is not the name of the order."""

_LIMIT_WORDS = {
    Limit.USER_JOBS: ("max_user_jobs", "job", "a user"),
    Limit.USER_CPUS: ("max_user_cpus", "processor", "a user"),
    Limit.QUEUE_CPUS: ("max_queue_cpus", "processor", "a queue"),
}


def describe_reason(schedule: Schedule, job: int, kind: Decision | None, logged: Logged, begin: int) -> str:
    """The reason for the wait of `job`, for a kind of reason; None is the time before the first pass.

    It was first logged at `begin`, s.
    """
    if kind is None:
        return "until the next scheduling pass"
    if kind is Decision.BEHIND and schedule.policy.order == "score":
        score = score_at(schedule, job, begin)
        known = f"score {score:.3g}, " if score is not None else ""
        return known.replace("-", "−") + _behind(schedule, job, logged)
    if kind in _WORDS:
        return _WORDS[kind](schedule, job, logged)
    return describe_site_reason(schedule, job, kind, logged, begin)


def describe_not_run(schedule: Schedule, job: int) -> str:
    """The reason why a job was not run, as a sentence."""
    if not schedule.given_up[job]:
        return "Not run: too large for this machine."
    if schedule.policy.on_failure == "lose":
        return "Lost: a node failed under it."
    times = int(schedule.times_stopped[job])
    again = schedule.policy.max_restarts
    return f"Given up: nodes failed under it {_times(times)}, and a job is started again {_times(again)}."


def _times(number: int) -> str:
    """`never`, `once`, `7 times`."""
    return ("never", "once")[number] if number < 2 else f"{format_count(number)} times"


def _cpus(schedule: Schedule, job: int, logged: Logged) -> str:
    own = format_count(int(schedule.trace.procs[job]))
    low, high = min(logged), max(logged)
    if low == high:
        return f"short of processors ({format_count(low)} of its {own} missing at first)"
    return f"short of processors ({format_count(low)} to {format_count(high)} of its {own} missing)"


def _ram(schedule: Schedule, job: int, logged: Logged) -> str:
    low, high = min(logged), max(logged)
    if low == high:
        return f"short of RAM ({format_mib(low)} missing at first)"
    return f"short of RAM ({format_mib(low)} to {format_mib(high)} missing)"


def _fragmented(schedule: Schedule, job: int, logged: Logged) -> str:
    return "while enough was free, but scattered over nodes where its tasks could not go"


def _reservation(schedule: Schedule, job: int, logged: Logged) -> str:
    most = max(logged, key=lambda other: logged[other])
    others = f" and {plural(len(logged) - 1, 'other job')}" if len(logged) > 1 else ""
    return f"kept free for {name_job(schedule, most)}{others}"


def _limit(schedule: Schedule, job: int, logged: Logged) -> str:
    named = []
    for limit in map(Limit, logged):
        key, noun, whose = _LIMIT_WORDS[limit]
        most = getattr(schedule.policy, key)
        if limit is Limit.QUEUE_CPUS:
            queue = schedule.trace.queue
            most = schedule.policy.queue_limit(queue.names[queue.codes[job]])
        named.append(f"{plural(most, noun) if most is not None else f'{noun}s'} {whose}")
    return f"held by the limit of {' and of '.join(named)}"


def _behind(schedule: Schedule, job: int, logged: Logged) -> str:
    most = max(logged)
    upto = "up to " if len(logged) > 1 else ""
    return f"behind {upto}{plural(most, 'job')} {_in_front(schedule)}"


def _untried(schedule: Schedule, job: int, logged: Logged) -> str:
    policy, named = schedule.policy, []
    if policy.site is not None:
        return untried_by_site(logged)
    if Untried.OF_PASS in logged:
        named.append(f"{plural(policy.test_limit or 0, 'job')}")
    if Untried.OF_USER in logged:
        named.append(f"{plural(policy.user_test_limit or 0, 'job')} of a user")
    return f"not tried, since a pass looks at {' and at '.join(named)} only"


def _stopped(schedule: Schedule, job: int, logged: Logged) -> str:
    nodes = listed([schedule.cluster.host_name(node) or str(node) for node in sorted(logged)])
    then = "the rest waits" if schedule.policy.on_failure == "continue" else "it had to begin again"
    return f"running, until node{'s' if len(logged) > 1 else ''} {nodes} failed: {then}"


def _preempted(schedule: Schedule, job: int, logged: Logged) -> str:
    most = max(logged, key=lambda other: logged[other])
    others = f" and {plural(len(logged) - 1, 'other job')}" if len(logged) > 1 else ""
    return f"running, until {name_job(schedule, most)}{others} preempted it: it had to begin again"


def _untold(schedule: Schedule, job: int, logged: Logged) -> str:
    return "not logged: the reasons changed more often than the log has room for"


def _in_front(schedule: Schedule) -> str:
    policy = schedule.policy
    if policy.backfill != "queue" or policy.threshold is not None:
        return "ahead in the queue"
    if policy.order == "fcfs":
        return "submitted earlier"
    if policy.order == "score":
        return "of higher score"
    return f"that go first by {_FIRST_BY.get(policy.order, policy.order)}"


_WORDS: dict[Decision, Callable[[Schedule, int, Logged], str]] = {
    Decision.CPUS: _cpus,
    Decision.RAM: _ram,
    Decision.FRAGMENTED: _fragmented,
    Decision.RESERVATION: _reservation,
    Decision.LIMIT: _limit,
    Decision.BEHIND: _behind,
    Decision.UNTRIED: _untried,
    Decision.STOPPED: _stopped,
    Decision.PREEMPTED: _preempted,
    Decision.UNTOLD: _untold,
}
