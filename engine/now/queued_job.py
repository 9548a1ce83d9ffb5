"""A job of the queue as it is, as answers describe it: its wait goes on to its planned start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.claims.advice import TOO_LITTLE
from engine.claims.claim import Claim
from engine.claims.starts import StartRelation
from engine.claims.words import plain, render, sentence
from engine.logs.queue.state import NEW, RUNNING, WAITING, QueuedJob
from engine.now.start_claims import ExpectedSpan, OfNodes, StartTeller
from engine.now.what_if import Outcome
from engine.shown_text import shown_name
from engine.simulation.control import Control

if TYPE_CHECKING:
    from engine.now.prediction import Prediction
    from engine.now.queue_forecast import QueueForecast


@dataclass(frozen=True, eq=False)
class QueueNow:
    """The queue as it is and its forecast, to be answered about.

    `moment` spells a moment that is so many s from now, None where it is not known. `spans` says what the
    spans of the forecast mean.
    """

    answer: QueueForecast
    moment: Callable[[int | None], str]
    spans: str

    def prediction(self, job: QueuedJob) -> Prediction | None:
        """The prediction of a waiting or held job; None for a running job, whose start is known."""
        return self.answer.prediction(job)

    def job(self, job_id: str) -> QueuedJob | None:
        """The job of that id; of an array, or of a heterogeneous job, the first that waits."""
        tasks = [job for job in self.answer.jobs if job_id in (job.job_id, job.array, job.together)]
        return min(tasks, key=lambda job: (job.job_id != job_id, job.state != WAITING), default=None)


@dataclass(frozen=True, eq=False)
class WaitingJob:
    """A job of the queue, which waits, is held or runs."""

    queue: QueueNow
    job: QueuedJob

    no_help = f"None of these helps: each saves less than {TOO_LITTLE}."
    no_change = "There is no other request to try for this job."

    @property
    def help_heading(self) -> str:
        """What was done to measure what would help."""
        coarse = self.queue.answer.forecast.coarse
        steps = " in coarse steps, whose starts differ from the planned ones above," if coarse else ""
        return f"What would help: the queue was planned again{steps} with this job alone changed."

    @property
    def waited(self) -> int | None:
        """How long it has waited so far, or waited until it started, s; None where the queue does not say."""
        return self.job.waited

    def asked(self) -> list[str]:
        """The request, and how long it has waited or run."""
        job = self.job
        names = ", ".join(
            f"{field} {shown_name(name)}"
            for field in ("user", "account", "partition")
            if (name := getattr(job, field))
        )
        lines = [f"{plain(render(self.teller.asks(names)))} {request_words(job)}."]
        so_far = self.so_far
        return lines if so_far is None else [*lines, plain(sentence(so_far))]

    @property
    def so_far(self) -> Claim | None:
        """How long it has waited or run; None where it has not waited, or the queue does not say."""
        job = self.job
        if job.state == RUNNING:
            return self.teller.has_run(job.elapsed, job.limit)
        return self.teller.has_waited(job.waited) if job.waited else None

    def why(self) -> list[str]:
        """Its start, by the plan and in the replays, and why it waits."""
        prediction = self.queue.prediction(self.job)
        if prediction is None:
            return []
        claims = self.teller.start_at(prediction.planned, expected_span(prediction), self.queue.moment)
        lines = [plain(sentence(claim)) for claim in claims]
        if claims[-1].relation is StartRelation.SPAN:
            lines[-1] = f"{lines[-1].removesuffix('.')}: {self.queue.spans}"
        return [*lines, "", f"Why it waits: {prediction.why}."]

    @property
    def teller(self) -> StartTeller:
        """What makes claims about it, submitted before now."""
        job = self.job
        name = "The new job" if job.job_id == NEW else f"Job {shown_name(job.job_id)}"
        jobs = self.queue.answer.jobs
        place = next((place for place, each in enumerate(jobs) if each is job), len(jobs))
        return StartTeller.of(name, place, -(job.waited or 0))

    @property
    def started(self) -> Claim:
        """When it starts, by the replays if there are any, and how sure that is."""
        job, teller = self.job, self.teller
        if job.state == RUNNING:
            return teller.runs()
        prediction = self.queue.prediction(job)
        if prediction is None or prediction.planned is None:
            return teller.start(None, None, None)
        return teller.start(prediction.planned, expected_span(prediction), self.queue.answer.forecast.share)

    def when(self) -> str:
        """The sentence of its start."""
        return plain(sentence(self.started))

    def because(self) -> str:
        """The reason by the plan, where there is one, else that of the queue."""
        prediction = self.queue.prediction(self.job)
        if prediction is None:
            return ""
        return prediction.why if prediction.reason is None else prediction.reason.text

    def believed(self) -> list[str]:
        """Nothing: what spans mean stands beside them."""
        return []

    def tried(self, control: Control | None = None) -> tuple[Outcome, ...] | None:
        """The queue planned again with each change of this job; None where it does not wait.

        Raises Cancelled.
        """
        from engine.now.waiting import alternatives

        queue, job = self.queue, self.job
        if job.state != WAITING:
            return None
        return alternatives(queue.answer.queue.site, queue.answer.jobs, job, control)

    def effect(self, outcome: Outcome) -> str:
        """Its planned start, and how much earlier or later that is."""
        moment = None if outcome.start is None else self.queue.moment(outcome.start)
        return plain(render(self.teller.effect(outcome, moment)))


def request_claims(job: QueuedJob) -> tuple[Claim, ...]:
    """What a job of a queue asks for, a claim each."""
    of_nodes = OfNodes(job.nodes, job.ram, job.gpus)
    return StartTeller.of("Job", 0, -(job.waited or 0)).request(job.cpus, job.limit, of_nodes)


def request_words(job: QueuedJob) -> str:
    """The text of a job's request."""
    return ", ".join(plain(render(claim)) for claim in request_claims(job))


def expected_span(prediction: Prediction) -> ExpectedSpan | None:
    """The expected start and its span; None without replays, or for a job that starts in none."""
    early, expected, late = prediction.early, prediction.expected, prediction.late
    if early is None or expected is None or late is None:
        return None
    return ExpectedSpan(early, expected, late)
