"""A job that waits at an instant of a schedule, as answers describe it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.claims.advice import TOO_LITTLE
from engine.claims.claim import Claim
from engine.claims.words import plain, render, sentence
from engine.now.instant_changes import instant_alternatives
from engine.now.instant_queue import InstantQueue
from engine.now.start_claims import ExpectedSpan, StartTeller
from engine.now.what_if import Outcome
from engine.schedule.explain import explain, reason_so_far
from engine.shown_values import rough_duration
from engine.simulation.control import Control
from engine.trace import MISSING


@dataclass(frozen=True, eq=False)
class InstantJob:
    """A job, an index into the trace, that waits at the instant of a queue.

    `moment` spells a time of the trace, s.
    """

    queue: InstantQueue
    job: int
    moment: Callable[[int], str]

    no_help = f"None of these helps: each saves less than {TOO_LITTLE}."
    no_change = "There is no other request to try for this job."

    @property
    def help_heading(self) -> str:
        """What was done to measure what would help."""
        site = self.queue.schedule.policy.site
        how = "alone changed" if site is not None else "changed and submitted anew, behind all that wait"
        return f"What would help: the queue was planned again by all walltimes, with this job {how}."

    @property
    def name(self) -> str:
        """The job in words, to begin a sentence."""
        return f"Job {self.queue.trace.shown_id(self.job)}"

    @property
    def waited(self) -> int:
        """How long it has waited so far, s."""
        return self.queue.instant.time - int(self.queue.schedule.submit[self.job])

    def asked(self) -> list[str]:
        """The request, and how long it has waited."""
        trace, job = self.queue.trace, self.job
        limit = None if trace.walltime[job] == MISSING else int(trace.walltime[job])
        asks = self.teller.asks(f"user {trace.user.shown[trace.user.codes[job]]}")
        request = ", ".join(plain(render(each)) for each in self.teller.request(int(trace.procs[job]), limit))
        return [f"{plain(render(asks))} {request}.", plain(sentence(self.teller.has_waited(self.waited)))]

    def why(self) -> list[str]:
        """Its start, by the plan and in the replays, why it waits, and what these times are."""
        planned, spread = self.queue.planned.get(self.job), (self.queue.spreads or {}).get(self.job)
        span = None if spread is None else ExpectedSpan(spread.early, spread.middle, spread.late)
        claims = self.teller.start_at(planned, span, self.moment)
        return [*(plain(sentence(claim)) for claim in claims), "", f"{self.because()}.", "", self.queue.note]

    def believed(self) -> list[str]:
        """Nothing: what the times are stands beside them."""
        return []

    def tried(self, control: Control | None = None) -> tuple[Outcome, ...] | None:
        """The queue of the instant planned again with each change of this job; None for schedules that were
        read. Raises Cancelled.
        """
        return instant_alternatives(self.queue, self.job, control)

    def effect(self, outcome: Outcome) -> str:
        """Its planned start, and how much earlier or later that is."""
        moment = None if outcome.start is None else self.moment(self.queue.instant.time + outcome.start)
        return plain(render(self.teller.effect(outcome, moment)))

    @property
    def teller(self) -> StartTeller:
        """What makes claims about it."""
        return StartTeller.of(self.name, self.job, int(self.queue.schedule.submit[self.job]))

    def when(self) -> str:
        """The sentence of its start."""
        return plain(sentence(self.started))

    @property
    def started(self) -> Claim:
        """When it starts, counted from the instant, and how sure that is."""
        queue, now = self.queue, self.queue.instant.time
        planned, spread = queue.planned.get(self.job), (queue.spreads or {}).get(self.job)
        # A plan may be late: its job then starts as soon as there is room.
        ahead = None if planned is None else max(planned - now, 0)
        span = None if spread is None else ExpectedSpan(*(max(start - now, 0) for start in spread))
        share = queue.learned.share if queue.learned.by is not None else None
        return self.teller.start(ahead, span, share)

    def because(self) -> str:
        """The reason that the policy logged last by the instant, or why there is none."""
        now = self.queue.instant.time
        reason = reason_so_far(self.queue.schedule, self.job, now)
        if reason is None:
            return explain(self.queue.schedule, self.job).note.rstrip(".")
        return f"Reason, for {rough_duration(now - reason.begin)} so far: {reason.text}"
