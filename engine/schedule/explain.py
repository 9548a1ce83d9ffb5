"""Explanation of a job's wait from the decision log: intervals of time that add up to the wait."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.claims.claim import Claim
from engine.claims.words import TextSpan, plain
from engine.schedule.own_reasons import SaidReason
from engine.schedule.reasons import UNNAMED, WaitPart, describe_not_run
from engine.schedule.schedule import NO_LOG, Decision, Schedule
from engine.words import format_seconds

_NAMED = (
    *(Decision.RESERVATION, Decision.LIMIT, Decision.STOPPED, Decision.PREEMPTED),
    *(Decision.CLOSED, Decision.OUTSIDE, Decision.SITE_LIMIT, Decision.DEPENDENCY),
)
"""Kinds whose value identifies what held the job: a change of the value begins a new interval."""


@dataclass(frozen=True)
class ReasonInterval:
    """A part of the wait with a single reason, from `begin` to `end` (s).

    `kind` is None before the first pass that considered the job. `value` depends on the kind, as first
    logged. `words` follow a length of time: `short of processors (...)`; they say the `claims`.
    """

    begin: int
    end: int
    kind: Decision | None
    value: int
    words: tuple[TextSpan, ...]
    claims: tuple[Claim, ...] = ()

    @property
    def text(self) -> str:
        """Its words as text."""
        return plain(self.words)

    @property
    def seconds(self) -> int:
        """Its length."""
        return self.end - self.begin


@dataclass(frozen=True)
class Cause:
    """All intervals of a kind together; `words` follow a length of time, and say the `claims`."""

    kind: Decision | None
    seconds: int
    words: tuple[TextSpan, ...]
    claims: tuple[Claim, ...] = ()

    @property
    def text(self) -> str:
        """Its words as text."""
        return plain(self.words)

    def __str__(self) -> str:
        return f"{format_seconds(self.seconds)} {self.text}"


@dataclass(frozen=True)
class Promise:
    """A reservation of a job: at time `made` (s) it was planned to start by `start` (s)."""

    made: int
    start: int


@dataclass(frozen=True)
class Explanation:
    """The reasons for the wait of `job` from `submit` to `start` (s; NOT_RUN if it was refused or given up).

    `intervals`, in order of time, tile [submit, start) exactly. `note` explains missing intervals.
    `overtaken` are the jobs that overtook it by backfilling, `overtook` those that it overtook (of several
    the first in the queue), each in order of time. `said` are the reasons that a scheduler of a user's own
    gave, in its words, which are untrusted.
    """

    job: int
    submit: int
    start: int
    intervals: tuple[ReasonInterval, ...] = ()
    summary: tuple[Cause, ...] = ()
    promises: tuple[Promise, ...] = ()
    overtaken: tuple[int, ...] = ()
    overtook: tuple[int, ...] = ()
    said: tuple[SaidReason, ...] = ()
    note: str = ""

    def __str__(self) -> str:
        return "; ".join(map(str, self.summary)) or self.note


def explain(schedule: Schedule, job: int) -> Explanation:
    """Explain the wait of `job`, an index into the trace, as intervals of time.

    Each reason in the log holds until the next one, or the start. Runs that a failure or a preemption cut
    short are intervals of the wait. The time is linear in the number
    of the job's own log rows; the first call on a log sorts it once.
    """
    submit, start = int(schedule.submit[job]), int(schedule.start[job])
    # The plainest answers first: it never ran, nobody recorded why, or no log was kept.
    if not schedule.ran[job]:
        return Explanation(job, submit, start, note=describe_not_run(schedule, job))
    if not schedule.policy.simulated and start > submit:
        whose = "the log's own schedule" if schedule.policy.recorded else "the schedule of a file"
        note = f"This is {whose}: it does not record why jobs waited."
        return Explanation(job, submit, start, note=note)
    log = schedule.log
    if log is NO_LOG and start > submit:
        return Explanation(job, submit, start, note="No decisions were kept for this run.")
    # From here on the log of decisions tells the wait.
    rows = _rows(schedule, job)
    pieces = _pieces_of_wait(schedule, job, rows)
    return Explanation(
        job,
        submit,
        start,
        intervals=_intervals(schedule, job, pieces),
        summary=_summary(schedule, job, pieces),
        promises=tuple(Promise(made, value) for made, kind, value in rows if kind == Decision.RESERVED),
        overtaken=tuple(log.past_job(job, start, schedule.turn).job.tolist()),
        overtook=tuple(value for _, kind, value in rows if kind == Decision.BACKFILLED),
        said=() if schedule.said is None else schedule.said.of_job(job),
        note="" if start > submit else "It started at its submission.",
    )


def reason_so_far(schedule: Schedule, job: int, time: int) -> ReasonInterval | None:
    """The reason that holds at a time, s, as what happened until then tells it; None where none is known."""
    if not schedule.ran[job] or not schedule.policy.simulated or schedule.log is NO_LOG:
        return None
    pieces = _pieces_of_wait(schedule, job, _rows(schedule, job))
    # What is missing or waits later is not known yet.
    past = [(begin, min(end, time + 1), kind, value) for begin, end, kind, value in pieces if begin <= time]
    return _intervals(schedule, job, past)[-1] if past else None


_Row = tuple[int, int, int]  # time, kind, value
_Piece = tuple[int, int, Decision | None, int]  # begin, end, kind, value


def _rows(schedule: Schedule, job: int) -> list[_Row]:
    entries = schedule.log.of_job(job)
    return list(zip(entries.time.tolist(), entries.kind.tolist(), entries.value.tolist(), strict=True))


def _pieces_of_wait(schedule: Schedule, job: int, rows: list[_Row]) -> list[_Piece]:
    """The pieces of a wait in order of time, with their reasons by the log and the schedule."""
    stopped = _with_stopped_runs(schedule, job, rows)
    return list(_while_named_wait(schedule, job, _with_heads(schedule, job, stopped)))


def _with_stopped_runs(schedule: Schedule, job: int, rows: list[_Row]) -> Iterator[_Piece]:
    """The waits of a job in order of time, with the runs in between that were cut short."""
    stopped, begin = schedule.stopped, int(schedule.submit[job])
    for run in np.flatnonzero(stopped.job == job).tolist():
        since, until = int(stopped.start[run]), int(stopped.end[run])
        # Up to the run the job waited as before; behind it only later reasons hold.
        yield from _pieces(rows, begin, since)
        if stopped.by[run] >= 0:
            yield since, until, Decision.PREEMPTED, int(stopped.by[run])
        else:
            yield since, until, Decision.STOPPED, schedule.failed_node(run)
        begin, rows = until, [row for row in rows if row[0] >= until]
    yield from _pieces(rows, begin, int(schedule.start[job]))


def _with_heads(schedule: Schedule, job: int, pieces: Iterator[_Piece]) -> Iterator[_Piece]:
    """The pieces, where those of a job that is behind others are split by which job that is.

    A row of PRIORITY names the first of them; HEAD rows of its partition tell of the further ones.
    """
    heads = schedule.log.heads(int(schedule.trace.queue.codes[job]))
    for begin, end, kind, value in pieces:
        if kind is not Decision.PRIORITY:
            yield begin, end, kind, value
            continue
        first, last = np.searchsorted(heads.time, (begin, end), "right")
        for row in range(int(first), int(last)):
            time, head = int(heads.time[row]), int(heads.job[row])
            # Another job became the head: the piece ends here, and the next piece names that job.
            if time > begin and time < end and head not in (value, job):
                yield begin, time, kind, value
                begin, value = time, head
        yield begin, end, kind, value


def _pieces(rows: list[_Row], submit: int, start: int) -> Iterator[_Piece]:
    """The validity of each reason row, until the next row; of several rows at the same second the last
    counts.
    """
    begin = submit
    kind: Decision | None = None
    value = 0
    for time, code, stated in rows:
        if not Decision(code).is_reason or time >= start:
            continue
        # Rows of the same second replace each other before anything is told.
        if time > begin:
            yield begin, time, kind, value
            begin = time
        kind, value = Decision(code), stated
    if begin < start:
        yield begin, start, kind, value


def _while_named_wait(schedule: Schedule, job: int, pieces: Iterator[_Piece]) -> Iterator[_Piece]:
    """The pieces, where those beside a reservation name a job for as long as this waits, and then another.

    The log names the first only: a reason is logged when it is new.
    """
    for begin, end, kind, value in pieces:
        if kind is Decision.RESERVATION:
            # If the named job starts earlier than this job, the next job with a reservation is in the way.
            while value not in (job, UNNAMED) and (until := _waits_until(schedule, value, begin)) < end:
                if until > begin:
                    yield begin, until, kind, value
                begin = max(begin, until)
                value = _next_reserved(schedule, job, begin)
        yield begin, end, kind, value


def _waits_until(schedule: Schedule, job: int, time: int) -> int:
    """When a job that waits at a time begins to run, s, also if that run is cut short; `time`, or earlier,
    where it does not wait.
    """
    stopped, start = schedule.stopped, int(schedule.start[job])
    if not len(stopped):
        return start
    of_job = stopped.job == job
    if (of_job & (stopped.start <= time) & (stopped.end > time)).any():
        return time
    # A job that is given up has no start, and waits until its last run.
    begins = stopped.start[of_job & (stopped.start > time)].tolist()
    return int(min([*begins, start] if start >= 0 else begins, default=time))


def _next_reserved(schedule: Schedule, job: int, time: int) -> int:
    """The other job with the earliest reservation among those that wait at a time, s, as conservative
    backfilling gives each of them one; UNNAMED where there is none, or not all have theirs.
    """
    if schedule.policy.depth != "kept":
        return UNNAMED
    waits = schedule.ran & (schedule.submit <= time) & (schedule.start > time)
    waits[job] = False
    stopped = schedule.stopped
    waits[stopped.job[(stopped.start <= time) & (stopped.end > time)]] = False  # they run until then
    others = np.flatnonzero(waits)
    planned = schedule.log.promises.known_at(others, time)
    others, planned = others[planned > time], planned[planned > time]
    return int(others[planned.argmin()]) if len(others) else UNNAMED


def _intervals(schedule: Schedule, job: int, pieces: list[_Piece]) -> tuple[ReasonInterval, ...]:
    """Neighbouring pieces with the same reason, merged into intervals."""
    groups: list[list[_Piece]] = []
    for piece in pieces:
        _, _, kind, value = piece
        last = groups[-1][0] if groups else None
        # Some reasons are only the same if they name the same thing.
        if last is None or last[2] != kind or (kind in _NAMED and last[3] != value):
            groups.append([])
        groups[-1].append(piece)
    parts = [_part(schedule, job, group) for group in groups]
    return tuple(
        ReasonInterval(part.spans[0][0], part.spans[-1][1], part.kind, part.first, part.words, part.claims)
        for part in parts
    )


def _summary(schedule: Schedule, job: int, pieces: list[_Piece]) -> tuple[Cause, ...]:
    """The pieces by kind, in order of first appearance."""
    groups: dict[Decision | None, list[_Piece]] = {}
    for piece in pieces:
        groups.setdefault(piece[2], []).append(piece)
    parts = [_part(schedule, job, group) for group in groups.values()]
    return tuple(Cause(part.kind, sum(part.logged.values()), part.words, part.claims) for part in parts)


def _part(schedule: Schedule, job: int, group: list[_Piece]) -> WaitPart:
    """Pieces of one kind."""
    return WaitPart(schedule, job, group[0][2], [(begin, end, value) for begin, end, _, value in group])
