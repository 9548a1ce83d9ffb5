"""Planned starts at an instant of a site's own Slurm, whose plan is made again there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.answer.calibration import queued_job
from engine.schedule.instant import Instant
from engine.schedule.schedule import Schedule
from engine.simulation.now import predict
from engine.site.site import Site
from engine.trace.queue_state import QueuedJob


def planned_by_site(site: Site, schedule: Schedule, instant: Instant) -> Instant:
    """The instant with planned starts: running jobs end at their limits, and no further job comes.

    Jobs without a planned start are in none of its lists. Raises InputError.
    """
    jobs = queue_of(site, schedule, instant)
    found = [
        prediction for prediction in predict(site, jobs, replays=0).waiting if prediction.planned is not None
    ]
    planned = np.array([int(prediction.job.job_id) for prediction in found], np.int64)
    promised = np.array([instant.time + (prediction.planned or 0) for prediction in found], np.int64)
    return replace(instant, planned=planned, promised=promised)


def queue_of(site: Site, schedule: Schedule, instant: Instant) -> list[QueuedJob]:
    """The queue at the instant: running jobs on their nodes, and waiting ones, by their indices.

    Waiting jobs go by submission, or, where the site has priorities, in the order in which they start.
    """
    trace, machine, names = schedule.trace, site.conf.machine, schedule.cluster.node_names()
    jobs: list[QueuedJob] = []
    for job in instant.running.tolist():
        if schedule.start[job] > instant.time:
            continue  # a run that will be cut short: it waits soon
        rows = slice(*schedule.pieces.offset[job : job + 2].tolist())
        nodes = ",".join(names[node] for node in schedule.pieces["node"][rows].tolist())
        own = queued_job(trace, machine, job, instant.time, int(schedule.start[job]))
        jobs.append(replace(own, node_list=nodes))
    rank = np.argsort(np.argsort(schedule.start[instant.waiting], kind="stable"))
    for job, place in zip(instant.waiting.tolist(), rank.tolist(), strict=True):
        own = queued_job(trace, machine, job, instant.time, None)
        jobs.append(replace(own, priority=float(len(rank) - place) if site.multifactor else None))
    return jobs
