"""A job of a schedule, as answers describe it."""

from __future__ import annotations

from dataclasses import dataclass

from engine.answer.inferred import Inference, infer_wait
from engine.claims.advice import TOO_LITTLE
from engine.dates import date_of
from engine.now.start_claims import StartTeller
from engine.now.what_if import Outcome, changes_of, outcome_of
from engine.schedule.explain import Explanation, explain
from engine.schedule.schedule import Schedule
from engine.simulation.control import Control
from engine.slurm.scheduler.verdicts import RunVerdict, site_verdicts
from engine.trace import MISSING, Trace
from engine.words import format_seconds, plural


@dataclass(frozen=True, eq=False)
class LoggedJob:
    """A job that a schedule ran, or did not run.

    `inferred` is for schedules that the program did not make. `verdict` says how far the schedule of
    a site is to be believed.
    """

    schedule: Schedule
    explanation: Explanation
    inferred: Inference | None
    verdict: RunVerdict | None = None

    help_heading = "What would have helped: the log was simulated again with this job alone changed."
    no_help = f"None of these would have helped: each saves less than {TOO_LITTLE}."
    no_change = ""

    @classmethod
    def of(cls, schedule: Schedule, job: int, verdict: RunVerdict | None = None) -> LoggedJob:
        """The job, an index into the trace; `verdict` is by default that of the schedule by itself."""
        explanation = explain(schedule, job)
        if not schedule.policy.simulated:
            return cls(schedule, explanation, infer_wait(schedule, job))
        if verdict is None:
            (verdict,) = site_verdicts([schedule.policy.spelling], [schedule], {}).runs
        return cls(schedule, explanation, None, verdict)

    @property
    def job(self) -> int:
        """The job, an index into the trace."""
        return self.explanation.job

    @property
    def waited(self) -> int | None:
        """How long it waited, s; None where it was not run."""
        ran = self.schedule.ran[self.job]
        return self.explanation.start - self.explanation.submit if ran else None

    @property
    def teller(self) -> StartTeller:
        """What makes claims about it."""
        name = f"Job {self.schedule.trace.shown_id(self.job)}"
        return StartTeller.of(name, self.job, self.explanation.submit)

    def when(self) -> str:
        """The run, the wait and the start, or that there was none."""
        trace, policy, explained = self.schedule.trace, self.schedule.policy, self.explanation
        name = f"job {trace.shown_id(self.job)}"
        run = f"Under {policy}," if policy.simulated else "By the log," if policy.recorded else "By its file,"
        if self.waited is None:
            return f"{run} {name} was not run. {explained.note}".rstrip()
        if self.waited == 0:
            return f"{run} {name} started at once."
        return f"{run} {name} waited {format_seconds(self.waited)}, until {_day(trace, explained.start)}."

    def because(self) -> str:
        """What it waited for longest, or what the log or the starts of others tell; without a stop."""
        causes = self.explanation.summary
        if not causes:
            return self.inferred.causes[0].rstrip(".") if self.inferred is not None else ""
        longest = max(causes, key=lambda cause: cause.seconds)
        part = "All of that" if len(causes) == 1 else f"Longest, {format_seconds(longest.seconds)}"
        return f"{part}: {longest.text}"

    def asked(self) -> list[str]:
        """The request, the wait and the start."""
        trace, job, explained = self.schedule.trace, self.job, self.explanation
        asked = plural(int(trace.procs[job]), "processor")
        if trace.walltime[job] != MISSING:
            asked += f" for {format_seconds(int(trace.walltime[job]))}"
        submitted = _moment(trace, explained.submit)
        first = f"Job {trace.shown_id(job)} asked for {asked}. It was submitted {submitted}"
        if self.waited is None:
            return [f"{first} and was not run. {explained.note}".rstrip()]
        if self.waited == 0:
            return [f"{first} and started at once."]
        started = _moment(trace, explained.start)
        return [f"{first}, waited {format_seconds(self.waited)} and started {started}."]

    def why(self) -> list[str]:
        """The reasons of the decision log, else those that the schedule alone lets infer."""
        if self.explanation.summary:
            heading = f"Why it waited, under {self.schedule.policy}:"
            return [heading, *(f"- {cause}" for cause in self.explanation.summary)]
        if self.inferred is None and self.waited:
            return [self.explanation.note]
        return self.inferred.lines(self.schedule.trace) if self.inferred is not None else []

    def believed(self) -> list[str]:
        """How closely a site's simulation matches its log."""
        sentence = "" if self.verdict is None else self.verdict.sentence
        return [f"The site is simulated: {sentence}."] if sentence else []

    def tried(self, control: Control | None = None) -> tuple[Outcome, ...]:
        """The log simulated again with each change of this job. Raises Cancelled."""
        if not self.schedule.policy.simulated or not self.waited:
            return ()
        outcomes = (
            outcome_of(self.schedule, self.job, change, control)
            for change in changes_of(self.schedule, self.job)
        )
        return tuple(outcome for outcome in outcomes if outcome is not None)

    def effect(self, outcome: Outcome) -> str:
        """How much earlier or later it would have started and ended."""
        sooner, done_sooner = outcome.sooner or 0, outcome.done_sooner or 0
        if sooner == 0:
            start = "it would have started at the same time"
        elif sooner > 0:
            waited = format_seconds((self.waited or 0) - sooner)
            start = f"it would have waited {waited}, {format_seconds(sooner)} less"
        else:
            start = f"it would have started {format_seconds(-sooner)} later"
        if done_sooner == sooner:
            return start
        if done_sooner == 0:
            return f"{start}, and ended at the same time"
        word = "earlier" if done_sooner > 0 else "later"
        return f"{start}, and ended {format_seconds(abs(done_sooner))} {word}"


def _day(trace: Trace, seconds: int) -> str:
    """A time to the minute, or in s where the log has no dates."""
    moment = date_of(trace, seconds)
    return f"{seconds:,} s" if moment is None else f"{moment:%Y-%m-%d %H:%M}"


def _moment(trace: Trace, seconds: int) -> str:
    moment = date_of(trace, seconds)
    return f"at {seconds:,} s" if moment is None else f"on {moment:%Y-%m-%d at %H:%M:%S %Z}"
