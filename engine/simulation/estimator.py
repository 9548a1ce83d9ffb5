"""The estimates of runtimes: made at submission, and made again as a predictor learns from ended jobs."""

from __future__ import annotations

from typing import NamedTuple

from engine.compiler.kernels import inner_kernel
from engine.estimate.predictor import Predictor, predict, predictor_submitted
from engine.simulation.failures.resuming import remaining_estimate
from engine.simulation.queue import Queue
from engine.simulation.workload import Ints, Workload


class Estimator(NamedTuple):
    """The way in which runtimes are estimated; the present estimates are `Workload.estimate`."""

    learns: bool  # whether estimates come from a predictor that learns
    anew: bool  # whether estimates are made again at each pass; else those made at submission stay
    of_all: bool  # whether that is done for all waiting jobs; else only for those that might start
    predictor: Predictor
    made_at: Ints  # (n,) number of jobs learned from when the estimate was made; (0,) if nothing is learned
    first: Ints  # (n,) s, the estimate at submission; (0,) where estimates never change


@inner_kernel
def estimate_first(estimator: Estimator, work: Workload, job: int, now: int) -> None:
    """Estimate the runtime of a job that is submitted at `now`."""
    if estimator.learns:
        predictor_submitted(estimator.predictor, job, now)
        estimator.first[job] = work.estimate[job] = predict(estimator.predictor, job)
        estimator.made_at[job] = estimator.predictor.learned[0]


@inner_kernel
def estimate_again(estimator: Estimator, work: Workload, queue: Queue, free: int) -> None:
    """Estimate the runtimes of waiting jobs again, with what was learned since the last time.

    Where it suffices, only for jobs that need at most the `free` processors: others cannot start at this
    pass. Where jobs resume after failures, for all jobs, since forks change the estimates.
    """
    # The count of what was learned serves as a version: an estimate of the same version is still right.
    learned = estimator.predictor.learned[0]
    for index in range(queue.bounds[0], queue.bounds[1]):
        job = queue.jobs[index]
        # A job that resumes is predicted as a whole; what it has done already is taken off, and its
        # walltime, which was shortened by that, is put together again.
        if len(work.done) > 0:
            whole, done = predict(estimator.predictor, job), work.done[job]
            work.estimate[job] = remaining_estimate(whole, work.walltime[job] + done, done)
        elif estimator.made_at[job] != learned and (estimator.of_all or work.need[job, 0] <= free):
            work.estimate[job] = predict(estimator.predictor, job)
            estimator.made_at[job] = learned
