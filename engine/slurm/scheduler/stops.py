"""Runs that preemption or failures of nodes cut short, and jobs that are queued again after them."""

from __future__ import annotations

import numpy as np

from engine.compiler.kernels import inner_kernel
from engine.slurm.scheduler.state import NOT_STARTED, SiteJobs, SiteRun, SiteStops

LOST_RUNS = 4
"""The average number of lost runs per job for which there is room at first."""


def no_stops() -> SiteStops:
    """Every job runs once."""
    none = np.zeros(0, np.int64)
    return SiteStops(
        *(none, none, none), np.zeros((0, 6), np.int64), np.zeros((0, 3), np.int64), np.zeros(3, np.int64)
    )


def make_stops(jobs: SiteJobs, nodes: int, room: int) -> SiteStops:
    """The state before anything runs, with room for so many lost runs of each job on average."""
    count, rows = len(jobs.submit), int(np.minimum(jobs.tasks, nodes).sum())
    return SiteStops(
        runtime=jobs.runtime.copy(),
        limit=jobs.limit.copy(),
        times=np.zeros(count, np.int64),
        lost=np.zeros((room * count, 6), np.int64),
        lost_rows=np.zeros((room * rows, 3), np.int64),
        many=np.zeros(3, np.int64),
    )


@inner_kernel
def record_stop(s: SiteRun, job: int, now: int, by: int) -> None:
    """Write the run of a job that ends at `now` into the table of lost runs; `by` is who preempted it, or -1.

    Runs without room there are counted.
    """
    stops, begin, places = s.stops, s.state.first[job], s.state.places[job]
    row, first = stops.many[0], stops.many[1]
    # A run without room is only counted: the simulation is then made again with larger tables.
    if row >= len(stops.lost) or first + places > len(stops.lost_rows):
        stops.many[2] += 1
        return
    stops.lost[row, 0], stops.lost[row, 1], stops.lost[row, 2] = job, s.state.start[job], now
    stops.lost[row, 3], stops.lost[row, 4], stops.lost[row, 5] = first, places, by
    # The rows of the running job are overwritten by later jobs, so they are copied.
    for k in range(places):
        for column in range(3):
            stops.lost_rows[first + k, column] = s.state.rows[begin + k, column]
    stops.many[0] += 1
    stops.many[1] += places


@inner_kernel
def queue_again(s: SiteRun, job: int, now: int, arrived: int) -> int:
    """Submit a job whose run was cut short again, after the requeue delay.

    `arrived` is the number of submitted jobs, the first ones of `coming`; returns it without this job.
    """
    submit, coming = s.jobs.submit, s.state.coming
    s.state.start[job] = NOT_STARTED
    s.jobs.runtime[job], s.jobs.limit[job] = s.stops.runtime[job], s.stops.limit[job]
    submit[job] = s.jobs.begin[job] = now + max(s.rules.requeue_delay, 1)
    # Entries of submitted jobs are not needed any more: earlier submissions move back by one.
    at = arrived
    while at < s.state.known[0] and (
        submit[coming[at]] < submit[job] or (submit[coming[at]] == submit[job] and coming[at] < job)
    ):
        coming[at - 1] = coming[at]
        at += 1
    coming[at - 1] = job
    return arrived - 1
