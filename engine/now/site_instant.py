"""Planned starts at an instant of a site's own Slurm, whose plan is made again there."""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from engine.logs.queue.state import QueuedJob
from engine.now.log_queue import QueuedJobs
from engine.now.prediction import predict
from engine.schedule.instant import Instant
from engine.schedule.schedule import Schedule
from engine.slurm.scheduler.priority_at import Priorities, runs_of
from engine.slurm.scheduler.simulate_site import came_at
from engine.slurm.site.site import Site


def planned_by_site(site: Site, schedule: Schedule, instant: Instant) -> Instant:
    """The instant with planned starts: running jobs end at their limits, and no further job comes.

    Jobs without a planned start are in none of its lists. Raises InputError.
    """
    jobs = queue_of(site, schedule, instant)
    plans = [
        prediction
        for prediction in predict(site.on(schedule.cluster), jobs, replays=0).waiting
        if prediction.planned is not None
    ]
    planned = np.array([int(prediction.job.job_id) for prediction in plans], np.int64)
    promised = np.array([instant.time + (prediction.planned or 0) for prediction in plans], np.int64)
    return replace(instant, planned=planned, promised=promised)


def queue_of(site: Site, schedule: Schedule, instant: Instant) -> list[QueuedJob]:
    """The queue at the instant: running jobs on their nodes, and waiting ones, by their indices.

    Waiting jobs have the priorities that the site's Slurm gives them then, if it has any.
    """
    queues = _QUEUES.get(schedule)
    if queues is None or queues.site != site:
        queues = _QUEUES[schedule] = _ScheduleQueues(site, schedule)
    return queues.at(instant)


class _ScheduleQueues:
    """What is the same of the queues at all instants of a schedule."""

    def __init__(self, site: Site, schedule: Schedule) -> None:
        self.site, trace = site, schedule.trace
        self._jobs = QueuedJobs(schedule.cluster, trace)
        self._start, self._pieces = schedule.start, schedule.pieces
        self._names = schedule.cluster.node_names()
        came = came_at(trace) if schedule.came is None else schedule.came
        runs = runs_of(schedule, came)
        self._priorities = Priorities(site, trace, runs, self._jobs.nodes) if site.multifactor else None

    def at(self, instant: Instant) -> list[QueuedJob]:
        """The jobs that run and wait at an instant."""
        jobs: list[QueuedJob] = []
        for job in instant.running.tolist():
            if self._start[job] > instant.time:
                continue  # a run that will be cut short: it waits soon
            rows = slice(*self._pieces.offset[job : job + 2].tolist())
            nodes = ",".join(self._names[node] for node in self._pieces["node"][rows].tolist())
            jobs.append(self._jobs.running(job, instant.time, int(self._start[job]), nodes))
        priority = None if self._priorities is None else self._priorities.at(instant.time, instant.waiting)
        for k, job in enumerate(instant.waiting.tolist()):
            logged = None if priority is None else float(priority[k])
            jobs.append(self._jobs.waiting(job, instant.time, logged))
        return jobs


_QUEUES: WeakKeyDictionary[Schedule, _ScheduleQueues] = WeakKeyDictionary()
"""Of the schedules that are in use."""
