"""The question `queue`: who waits at an instant of a schedule, and when each job is planned to start."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from engine.claims.claim import Claim, ClaimQuantity, Unit
from engine.claims.spans import SpanRelation
from engine.claims.words import plain, sentence
from engine.now.log_spans import LogSpans
from engine.now.queue_forecast import Replaying
from engine.now.schedule_spans import calibrated_spreads, learn_schedule_spans, planned_instant
from engine.now.span_claims import coming_claim, span_claim, text_of
from engine.now.start_spread import Draws, StartSpread, start_spreads, weeks_of_arrivals
from engine.schedule.instant import Instant
from engine.schedule.predictions import TOLERANCE
from engine.schedule.schedule import Schedule
from engine.schedule.track_record import LikeJobs, track_record_of
from engine.trace import MISSING
from engine.trace.trace import Trace
from engine.words import plural

if TYPE_CHECKING:
    from pandas import DataFrame

Fact = int | str | None | LikeJobs

SPREAD = ("early_start", "median_start", "late_start")
"""The facts of a job that replays give."""

_NO_SPANS = LogSpans(None, ())
ON_TIME = span_claim(SpanRelation.ON_TIME, [ClaimQuantity("tolerance", TOLERANCE, Unit.SECONDS)])
"""What is on time of planned starts."""


@dataclass(frozen=True, eq=False)
class InstantQueue:
    """The queue at an instant: everything that is shown of it; times in s from the trace's zero.

    `spreads` are the starts of jobs in the `replays`, `learned` is what earlier instants say of their spans.
    Further jobs came in these as in so many `weeks` before the instant; 0: none came.
    """

    schedule: Schedule
    instant: Instant
    replays: int = 0
    spreads: dict[int, StartSpread] | None = None
    learned: LogSpans = _NO_SPANS
    weeks: int = 0

    @property
    def trace(self) -> Trace:
        """The log that the schedule is of."""
        return self.schedule.trace

    @cached_property
    def planned(self) -> dict[int, int]:
        """The planned starts of waiting jobs that have one, s, the earliest first."""
        return dict(zip(self.instant.planned.tolist(), self.instant.promised.tolist(), strict=True))

    def waiting_job(self, job_id: str) -> int | None:
        """The waiting job with this id in the log, an index into the trace; None if none waits."""
        ids = ((job, str(self.trace.job_id[job])) for job in self.instant.waiting.tolist())
        return next((job for job, number in ids if number == job_id), None)

    @cached_property
    def rows(self) -> tuple[dict[str, Fact], ...]:
        """The facts of each waiting job by planned start, those without one last; None: not known.

        The planned start is the policy's latest plan by then, the planned end adds the runtime estimated at
        submission. `like_jobs` is the accuracy of the first planned starts of similar jobs, as far as known
        by then.
        """
        schedule, instant = self.schedule, self.instant
        start = self.planned
        record = track_record_of(schedule).of(instant.planned, instant.time)
        so_far = dict(zip(start, record, strict=True))
        # Jobs without a planned start stand behind all others.
        jobs = [*start, *(job for job in instant.waiting.tolist() if job not in start)]
        return tuple(
            {**self._asked(job), **self._planned(job, start.get(job)), "like_jobs": so_far.get(job)}
            for job in jobs
        )

    def __repr__(self) -> str:
        waiting = plural(len(self.instant.waiting), "job")
        return f"<queue of {self.trace.name} at {self.instant.time} s: {waiting} waiting>"

    def _asked(self, job: int) -> dict[str, Fact]:
        trace, name = self.trace, self.trace.job_id[job]
        submit = int(self.schedule.submit[job])
        return {
            "job_id": name.item() if hasattr(name, "item") else name,
            "user": trace.user.names[trace.user.codes[job]],
            "queue": trace.queue.names[trace.queue.codes[job]],
            "procs": int(trace.procs[job]),
            "ram_mib": int(trace.ram[job]) if trace.ram[job] != MISSING else None,
            "submit": submit,
            "waited": self.instant.time - submit,
        }

    def _planned(self, job: int, planned: int | None) -> dict[str, Fact]:
        estimate = self.schedule.estimate
        length = MISSING if estimate is None else int(estimate[job])
        end = None if planned is None or length == MISSING else planned + length
        facts: dict[str, Fact] = {"planned_start": planned, "planned_end": end}
        if self.spreads is not None:
            facts.update(zip(SPREAD, self.spreads.get(job, (None,) * 3), strict=True))
        return facts

    @property
    def note(self) -> str:
        """What the times of the table are, in words."""
        so_far = f"Planned starts go by requested walltimes. {plain(sentence(ON_TIME))}"
        # Without replays there are no spans that could be calibrated.
        if not self.replays:
            return so_far
        spread = plain(sentence(self.spread_claim))[:-1]
        text = f"{so_far} {spread}, and {text_of([coming_claim(self.weeks)])}"
        if self.learned.by is not None:
            return f"{text}; they are calibrated {self.learned.words}."
        why = f" ({self.learned.words})" if self.learned.words else ""
        return (
            f"{text}. In most of the replays in which a job starts, it starts between from and to. These "
            f"times are not calibrated, so how many real starts come between them is not known{why}."
        )

    @property
    def spread_claim(self) -> Claim:
        """Of how many replays the spans of the table are."""
        replays = [ClaimQuantity("replays", self.replays, Unit.REPLAYS)]
        return span_claim(SpanRelation.SPREAD_OF_REPLAYS, replays)

    def facts(self) -> dict[str, object]:
        """The queue for programs."""
        trace, instant, learned = self.trace, self.instant, self.learned
        # Facts about spans are left out where there are none.
        spans = {
            "replays": self.replays,
            "weeks": self.weeks,
            "calibrated": learned.by is not None,
            "cover": learned.share if learned.by is not None else None,
            "evidence": learned.words,
        }
        return {
            "trace": trace.name,
            "policy": self.schedule.policy.spelling,
            "at": instant.time,
            "timezone": trace.timezone,
            "zero": trace.zero,
            "running": len(instant.running),
            "free_procs": instant.free,
            **(spans if self.replays else {}),
            "waiting": [{name: _plain(value) for name, value in row.items()} for row in self.rows],
        }

    @property
    def waiting(self) -> DataFrame:
        """A row for each waiting job, in the order of planned starts."""
        import pandas as pd

        frame = pd.DataFrame(self.rows)
        times = [name for name in ("ram_mib", "planned_start", "planned_end", *SPREAD) if name in frame]
        return frame.astype(dict.fromkeys(times, "Int64"))


def queue_at(schedule: Schedule, time: int, how: Replaying) -> InstantQueue:
    """The queue of a schedule at `time`, s, with as many replays as are asked for; these take their time.

    Raises InputError.
    """
    instant = planned_instant(schedule, time)
    if not how.replays:
        return InstantQueue(schedule, instant)
    draws = Draws(how.replays, how.cover, how.seed, how.arrivals)
    spreads, learned = start_spreads(schedule, instant, draws), _NO_SPANS
    weeks = weeks_of_arrivals(schedule, time) if how.arrivals else 0
    if how.instants != 0 and spreads:
        learned = learn_schedule_spans(schedule, time, draws, how.calibrating)
        if learned.by is not None:
            spreads = calibrated_spreads(spreads, schedule, instant, learned.by)
    return InstantQueue(schedule, instant, how.replays, spreads, learned, weeks)


def _plain(value: Fact) -> Any:
    return {"count": value.count, **value.accuracy._asdict()} if isinstance(value, LikeJobs) else value
