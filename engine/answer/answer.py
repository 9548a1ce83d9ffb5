"""The answer to a user who asks why a job waited or waits, for the command line, the window and Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, overload

from engine.answer.logged_job import LoggedJob
from engine.logs.queue.state import QueuedJob
from engine.now.queued_job import QueueNow, WaitingJob
from engine.now.what_if import Outcome
from engine.schedule.schedule import Schedule
from engine.simulation.control import Control
from engine.slurm.scheduler.verdicts import RunVerdict


class AnswerSubject(Protocol):
    """The job that an answer is about: of a schedule, or of the queue as it is."""

    @property
    def help_heading(self) -> str:
        """The line above the changes that were tried."""

    @property
    def no_help(self) -> str:
        """The line where none of them helps."""

    @property
    def no_change(self) -> str:
        """The line where there is none to try; may be empty."""

    @property
    def waited(self) -> int | None:
        """How long it waited, or has waited so far, s; None where it was not run."""

    def asked(self) -> Sequence[str]:
        """Lines: the request, and the wait."""

    def why(self) -> Sequence[str]:
        """Lines: the reasons of the wait, and when it ends."""

    def believed(self) -> Sequence[str]:
        """Lines: how far the answer can be relied on; none where it was measured."""

    def tried(self, control: Control | None) -> tuple[Outcome, ...] | None:
        """Other requests, each simulated with this job alone changed; None where nothing is to be tried.

        Raises Cancelled.
        """

    def effect(self, outcome: Outcome) -> str:
        """The effect of a change, in words."""


S = TypeVar("S", bound=AnswerSubject, covariant=True)


@dataclass(frozen=True, eq=False, repr=False)
class Answer(Generic[S]):
    """The answer about a job: its request, its wait, the reasons, and changes that help or would have helped.

    `of` is the job in its schedule or queue. `outcomes` are the tried changes, in order; None: none was to be
    tried.
    """

    of: S
    outcomes: tuple[Outcome, ...] | None

    @property
    def waited(self) -> int | None:
        """How long the job waited, or has waited so far, s; None where it was not run."""
        return self.of.waited

    @property
    def text(self) -> str:
        """Plain text for a mail or a ticket."""
        parts = (self.of.asked(), self.of.why(), self._helped(), self.of.believed())
        return "\n\n".join("\n".join(lines) for lines in parts if lines)

    def __repr__(self) -> str:  # which notebooks show
        return self.text

    def _helped(self) -> Sequence[str]:
        """Lines: what the changes do, the best first."""
        job, outcomes = self.of, self.outcomes
        if not outcomes:
            return [job.no_change] if job.no_change and outcomes is not None else []
        lines = [job.help_heading]
        for outcome in sorted(outcomes, key=_gain, reverse=True):
            lines.append(f"- {outcome.text}: {job.effect(outcome)}")
        if not any(outcome.helps for outcome in outcomes):
            lines.append(job.no_help)
        return lines


@overload
def answer(
    of: Schedule,
    job: int,
    *,
    what_if: bool = True,
    control: Control | None = None,
    verdict: RunVerdict | None = None,
) -> Answer[LoggedJob]: ...


@overload
def answer(
    of: QueueNow, job: QueuedJob, *, what_if: bool = True, control: Control | None = None
) -> Answer[WaitingJob]: ...


def answer(
    of: Schedule | QueueNow,
    job: int | QueuedJob,
    *,
    what_if: bool = True,
    control: Control | None = None,
    verdict: RunVerdict | None = None,
) -> Answer[LoggedJob] | Answer[WaitingJob]:
    """The answer for a job of a schedule with a decision log, by its index, or of the queue as it is.

    The effect of other requests is measured by simulating the log, or planning the queue, again for each of
    them (`what_if`), at most six times; not if the job did not wait or runs, and not for schedules without a
    policy. `verdict` says how far the schedule of a site is to be believed: by default what it is by itself.
    Raises Cancelled.
    """
    if isinstance(of, QueueNow):
        assert isinstance(job, QueuedJob)
        waiting = WaitingJob(of, job)
        return Answer(waiting, waiting.tried(control) if what_if else None)
    assert isinstance(job, int)
    logged = LoggedJob.of(of, job, verdict)
    return Answer(logged, logged.tried(control) if what_if else None)


def _gain(outcome: Outcome) -> float:
    """What outcomes are sorted by; those of a job that has no planned start as it is go by their own."""
    if outcome.gain is None:
        return -float("inf") if outcome.start is None else -outcome.start
    return outcome.gain
