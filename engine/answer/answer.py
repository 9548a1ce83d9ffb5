"""The answer to a user who asks why a job waited, for the command line, the window and Python."""

from __future__ import annotations

from dataclasses import dataclass

from engine.answer.inferred import Inference, infer_wait
from engine.answer.what_if import Outcome, changes_of, outcome_of
from engine.dates import date_of
from engine.schedule.accuracy import Accuracy, accuracy_of
from engine.schedule.explain import Explanation, explain
from engine.schedule.schedule import Schedule
from engine.simulation.control import Control
from engine.trace import MISSING, Trace
from engine.words import format_seconds, plural


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer about a job: its request, its wait, the reasons, and changes that would have helped.

    `inferred` is for schedules without recorded reasons. `outcomes` are the tried changes, in order.
    `accuracy` is that of the site, for the schedule of a site.
    """

    schedule: Schedule
    explanation: Explanation
    inferred: Inference | None
    outcomes: tuple[Outcome, ...]
    accuracy: Accuracy | None = None

    @property
    def job(self) -> int:
        """The job, an index into the trace."""
        return self.explanation.job

    @property
    def text(self) -> str:
        """Plain text for a mail or a ticket."""
        return "\n".join([*self._asked(), *self._why(), *self._helped(), *self._believed()])

    def __str__(self) -> str:
        return self.text

    def _asked(self) -> list[str]:
        trace, job, explained = self.schedule.trace, self.job, self.explanation
        asked = plural(int(trace.procs[job]), "processor")
        if trace.walltime[job] != MISSING:
            asked += f" for {format_seconds(int(trace.walltime[job]))}"
        first = (
            f"Job {trace.job_id[job]} asked for {asked}. It was submitted {_moment(trace, explained.submit)}"
        )
        if not self.schedule.ran[job]:
            return [f"{first} and was not run. {explained.note}".rstrip()]
        wait = explained.start - explained.submit
        if wait == 0:
            return [f"{first} and started at once."]
        return [f"{first}, waited {format_seconds(wait)} and started {_moment(trace, explained.start)}."]

    def _why(self) -> list[str]:
        if self.explanation.summary:
            return [
                "",
                f"Why it waited, under {self.schedule.policy}:",
                *(f"- {cause}" for cause in self.explanation.summary),
            ]
        return ["", *self.inferred.lines(self.schedule.trace)] if self.inferred is not None else []

    def _helped(self) -> list[str]:
        if not self.outcomes:
            return []
        wait = self.explanation.start - self.explanation.submit
        lines = ["", "What would have helped: the log was simulated again with this job alone changed."]
        for outcome in sorted(self.outcomes, key=lambda outcome: -outcome.done_sooner):
            lines.append(f"- {outcome.text}: {_effect(outcome, wait)}")
        if not any(outcome.helps for outcome in self.outcomes):
            lines.append("None of these would have had it done earlier.")
        return lines

    def _believed(self) -> list[str]:
        return ["", f"The site is simulated: {self.accuracy.verdict}."] if self.accuracy is not None else []


def answer(
    schedule: Schedule,
    job: int,
    *,
    what_if: bool = True,
    control: Control | None = None,
    accuracy: Accuracy | None = None,
) -> Answer:
    """The answer for `job`, an index into the trace of a schedule with a decision log.

    The effect of changes is measured by simulating the log again for each change (`what_if`), at most six
    times; not if the job did not wait, and not for schedules without a policy. `accuracy` is that of the
    site, if it is the schedule of a site: by default that of this schedule. Raises Cancelled.
    """
    explanation = explain(schedule, job)
    waited = bool(schedule.ran[job]) and explanation.start > explanation.submit
    if not schedule.policy.simulated:
        return Answer(schedule, explanation, infer_wait(schedule, job), ())
    outcomes = []
    if what_if and waited:
        for change in changes_of(schedule, job):
            outcome = outcome_of(schedule, job, change, control)
            if outcome is not None:
                outcomes.append(outcome)
    inferred = infer_wait(schedule, job) if schedule.policy.site is not None else None
    return Answer(schedule, explanation, inferred, tuple(outcomes), accuracy or accuracy_of(schedule))


def _effect(outcome: Outcome, wait: int) -> str:
    """The effect of a change, in words."""
    if outcome.sooner == 0:
        start = "it would have started at the same time"
    elif outcome.sooner > 0:
        waited = format_seconds(wait - outcome.sooner)
        start = f"it would have waited {waited}, {format_seconds(outcome.sooner)} less"
    else:
        start = f"it would have started {format_seconds(-outcome.sooner)} later"
    if outcome.done_sooner == outcome.sooner:
        return start
    if outcome.done_sooner == 0:
        return f"{start}, and ended at the same time"
    word = "earlier" if outcome.done_sooner > 0 else "later"
    return f"{start}, and ended {format_seconds(abs(outcome.done_sooner))} {word}"


def _moment(trace: Trace, seconds: int) -> str:
    moment = date_of(trace, seconds)
    return f"at {seconds:,} s" if moment is None else f"on {moment:%Y-%m-%d at %H:%M:%S %Z}"
