"""A waiting job of the queue as it is asked for differently, and when it would then be planned to start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.logs.queue.state import WAITING, QueuedJob
from engine.now.prediction import MANY, first_forecast, predict
from engine.now.what_if import Outcome
from engine.shown_text import shown_name
from engine.simulation.control import ENDED, Cancelled, Control
from engine.slurm.scheduler.refusals import takes_jobs
from engine.slurm.site.site import Site
from engine.words import format_count, format_seconds, plural

_ROUND = 300
"""Proposed time limits are multiples of this, s."""

_MOST_PARTITIONS = 3


def alternatives(
    site: Site, jobs: Sequence[QueuedJob], job: QueuedJob, control: Control | None = None
) -> tuple[Outcome, ...]:
    """Requests that may help a waiting job, one of `jobs`: each is planned with only this job changed.

    A half and a quarter of its time limit, half its processors for as long as the same work then takes, and
    the other partitions of the site. Deep queues are planned in coarse steps, before and after a change.
    Raises Cancelled, and InputError as `predict` does.
    """
    coarse = is_deep(jobs)
    before = planned_start(site, jobs, job, coarse)
    # Slurm's reason is that of the request as it is.
    changes = [(text, replace(changed, reason="")) for text, changed in _changes(site, job)]
    if control is not None:
        control.jobs, control.array[ENDED] = len(changes), 0  # replays may have been counted before
    outcomes = []
    for text, changed in changes:
        if control is not None and control.cancelled:
            raise Cancelled
        planned = planned_start(
            site, [changed if queued_job is job else queued_job for queued_job in jobs], changed, coarse
        )
        sooner = before - planned if before is not None and planned is not None else None
        outcomes.append(Outcome(text, planned, None, sooner, None, before or 0))
        if control is not None:
            control.array[ENDED] += 1
    return tuple(outcomes)


def is_deep(jobs: Sequence[QueuedJob]) -> bool:
    """Whether so many jobs wait that repeated plans are made in coarse steps."""
    return sum(job.state == WAITING for job in jobs) > MANY


def planned_start(site: Site, jobs: Sequence[QueuedJob], job: QueuedJob, coarse: bool = False) -> int | None:
    """The planned start of a job, s from now; None if it never starts, as far as is known.

    With `coarse` the plan is made faster, as `first_forecast` does.
    """
    forecast = first_forecast(site, jobs) if coarse else predict(site, jobs, replays=0)
    waiting = forecast.waiting
    return next((prediction.planned for prediction in waiting if prediction.job is job), None)


def _changes(site: Site, job: QueuedJob) -> list[tuple[str, QueuedJob]]:
    changes: list[tuple[str, QueuedJob]] = []
    for part in (2, 4) if job.limit is not None else ():
        assert job.limit is not None
        # Rounded up to a limit that a user would write; two changes may round to the same.
        limit = -(-job.limit // (part * _ROUND)) * _ROUND
        if limit < job.limit and all(limit != queued_job.limit for _, queued_job in changes):
            text = f"a time limit of {format_seconds(limit)} instead of {format_seconds(job.limit)}"
            changes.append((text, replace(job, limit=limit)))
    if job.cpus > 1:
        changes.append(_narrower(job))
    for name in _partitions(site, job):
        now = f" instead of {shown_name(job.partition)}" if job.partition else ""
        changes.append((f"partition {shown_name(name)}{now}", replace(job, partition=name)))
    return changes


def _narrower(job: QueuedJob) -> tuple[str, QueuedJob]:
    """The job with half its nodes, or half the processors of its only node, and twice the time limit."""
    nodes = -(-job.nodes // 2)
    cpus = max(job.cpus * nodes // job.nodes if job.nodes > 1 else -(-job.cpus // 2), 1)
    limit = None if job.limit is None else -(-job.limit * job.cpus // cpus)
    text = f"{plural(cpus, 'processor')} instead of {format_count(job.cpus)}, running longer in proportion"
    return text, replace(job, cpus=cpus, nodes=nodes, limit=limit)


def _partitions(site: Site, job: QueuedJob) -> list[str]:
    """Other partitions, in the order of the site's file."""
    partitions = set(job.partition.split(","))
    names = dict.fromkeys(
        partition.name
        for partition in site.conf.partitions
        if partition.name.upper() != "DEFAULT" and partition.starts_jobs and takes_jobs(partition)
    )
    return [name for name in names if name not in partitions][:_MOST_PARTITIONS]
