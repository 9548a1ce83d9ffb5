"""A job of a schedule, as answers describe it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.answer.inferred_reasons import Inference, infer_wait
from engine.answer.wait_claims import inferred_lines, said_claims
from engine.claims.advice import TOO_LITTLE
from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Unit
from engine.claims.job_claims import LoggedRelation
from engine.claims.words import plain, render, sentence
from engine.dates import date_of
from engine.now.start_claims import StartTeller
from engine.now.what_if import Outcome, changes_of, outcome_of
from engine.schedule.explain import Explanation, explain
from engine.schedule.schedule import Schedule
from engine.simulation.control import Control
from engine.slurm.scheduler.verdicts import RunVerdict, site_verdicts
from engine.trace import MISSING, Trace
from engine.words import format_count, format_seconds


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

    @property
    def waiting(self) -> Claim:
        """Under which schedule it waited, and until when, or that it did not wait or was not run."""
        policy, explained = self.schedule.policy, self.explanation
        by = f"under {policy}" if policy.simulated else "by the log" if policy.recorded else "by its file"
        if self.waited is None:
            return self._claim(LoggedRelation.NOT_RUN, by=by)
        if self.waited == 0:
            return self._claim(LoggedRelation.AT_ONCE, by=by)
        until = _day(self.schedule.trace, explained.start)
        return self._claim(LoggedRelation.WAITED, [_seconds("waited", self.waited)], by=by, start_date=until)

    def when(self) -> str:
        """The run, the wait and the start, or that there was none."""
        text = plain(sentence(self.waiting))
        return text if self.waited is not None else f"{text} {self.explanation.note}".rstrip()

    def because(self) -> str:
        """What it waited for longest, or what the log or the starts of others tell; without a stop."""
        causes = self.explanation.summary
        if not causes:
            return self.inferences[0].rstrip(".") if self.inferences else ""
        longest = max(causes, key=lambda cause: cause.seconds)
        part = "All of that" if len(causes) == 1 else f"Longest, {format_seconds(longest.seconds)}"
        return f"{part}: {longest.text}"

    @property
    def request(self) -> tuple[Claim, Claim]:
        """What it asked for; and when it was submitted and started."""
        trace, job, explained = self.schedule.trace, self.job, self.explanation
        amounts, relation = (
            [ClaimQuantity("processors", int(trace.procs[job]), Unit.PROCESSORS)],
            LoggedRelation.ASKED,
        )
        if trace.walltime[job] != MISSING:
            amounts.append(_seconds("limit", int(trace.walltime[job])))
            relation = LoggedRelation.ASKED_FOR_TIME
        dates, waited = {"submit_date": _moment(trace, explained.submit)}, list[ClaimQuantity]()
        fate = LoggedRelation.SUBMITTED_NOT_RUN
        if self.waited is not None:
            fate = LoggedRelation.SUBMITTED_WAITED if self.waited else LoggedRelation.SUBMITTED_AT_ONCE
        if self.waited:
            waited = [_seconds("waited", self.waited)]
            dates["start_date"] = _moment(trace, explained.start)
        return self._claim(relation, amounts), self._claim(fate, waited, **dates)

    def asked(self) -> list[str]:
        """The request, the wait and the start."""
        text = " ".join(plain(sentence(claim)) for claim in self.request)
        return [text if self.waited is not None else f"{text} {self.explanation.note}".rstrip()]

    def why(self) -> list[str]:
        """The reasons of the decision log, else those that the schedule alone lets infer."""
        if self.explanation.summary:
            heading = f"Why it waited, under {self.schedule.policy}:"
            trace = self.schedule.trace
            said = said_claims(self.schedule, self.explanation, lambda time: _day(trace, int(time)))
            told = (plain(sentence(claim)) for claim in said)
            return [heading, *(f"- {cause}" for cause in self.explanation.summary), *told]
        if self.inferred is None and self.waited:
            return [self.explanation.note]
        return self.inferences

    @property
    def inferences(self) -> list[str]:
        """Sentences on what can be inferred of its wait; none where it has reasons."""
        return [] if self.inferred is None else inferred_lines(self.schedule, self.job, self.inferred)

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

    def change(self, outcome: Outcome) -> tuple[Claim, ...]:
        """How much earlier or later it would have started, and ended where that differs."""
        sooner, done_sooner = outcome.sooner or 0, outcome.done_sooner or 0
        if sooner > 0:
            less = [_seconds("waited", (self.waited or 0) - sooner), _seconds("less", sooner)]
            start = self._claim(LoggedRelation.SOONER, less)
        elif sooner < 0:
            start = self._claim(LoggedRelation.LATER, [_seconds("later", -sooner)])
        else:
            start = self._claim(LoggedRelation.SAME_START)
        # With the same runtime the end moves as the start does: nothing more to say.
        if done_sooner == sooner:
            return (start,)
        if done_sooner == 0:
            return start, self._claim(LoggedRelation.SAME_END)
        end = LoggedRelation.ENDED_SOONER if done_sooner > 0 else LoggedRelation.ENDED_LATER
        return start, self._claim(end, [_seconds("by", abs(done_sooner))])

    def effect(self, outcome: Outcome) -> str:
        """How much earlier or later it would have started and ended."""
        return ", ".join(plain(render(claim)) for claim in self.change(outcome))

    def _claim(
        self, relation: LoggedRelation, quantities: Sequence[ClaimQuantity] = (), **about: str
    ) -> Claim:
        """A claim about it; things that it names are seen in its row."""
        job, submit = ClaimPlace("jobs", self.job), self.explanation.submit
        opening = relation in (LoggedRelation.ASKED, LoggedRelation.ASKED_FOR_TIME)
        name = f"{'Job' if opening else 'job'} {self.schedule.trace.shown_id(self.job)}"
        named = tuple(NamedThing(role.replace("_", " "), text, job) for role, text in about.items())
        alone = Population(1, submit, submit)
        return Claim(NamedThing("subject", name, job), relation, tuple(quantities), named, alone, (job,))


def _seconds(name: str, value: int) -> ClaimQuantity:
    return ClaimQuantity(name, value, Unit.SECONDS)


def _day(trace: Trace, seconds: int) -> str:
    """A time to the minute, or in s where the log has no dates."""
    moment = date_of(trace, seconds)
    return f"{format_count(seconds)} s" if moment is None else f"{moment:%Y-%m-%d %H:%M}"


def _moment(trace: Trace, seconds: int) -> str:
    moment = date_of(trace, seconds)
    return f"at {format_count(seconds)} s" if moment is None else f"on {moment:%Y-%m-%d at %H:%M:%S %Z}"
