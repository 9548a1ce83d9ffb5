"""How the runtimes of waiting jobs are estimated, and estimated again as the scheduler learns."""

from __future__ import annotations

from typing import NamedTuple

from engine.compiler.kernels import inner_kernel
from engine.estimate.predictor import Predictor, predict, predictor_submitted
from engine.simulation.queue import Queue
from engine.simulation.resuming import remaining_estimate
from engine.simulation.workload import Ints, Workload


class Estimator(NamedTuple):
    """How runtimes are estimated; the current estimates are `estimate` of the workload."""

    learns: bool
    anew: bool  # whether estimates are made again at each pass; else those made at submission stay
    of_all: bool  # for all waiting jobs; else only for those that might start
    predictor: Predictor
    made_at: Ints  # (n,) jobs learned from when the estimate was made; (0,) where nothing is learned
    first: Ints  # (n,) s, the estimate made at submission; (0,) where that is the workload's still


@inner_kernel
def estimate_first(estimator: Estimator, work: Workload, job: int, now: int) -> None:
    """The job is submitted."""
    if estimator.learns:
        predictor_submitted(estimator.predictor, job, now)
        estimator.first[job] = work.estimate[job] = predict(estimator.predictor, job)
        estimator.made_at[job] = estimator.predictor.learned[0]


@inner_kernel
def estimate_again(estimator: Estimator, work: Workload, queue: Queue, free: int) -> None:
    """Bring the estimates of waiting jobs up to what was learned since they were made.

    Where that is enough, only those of jobs that need no more than the `free` processors:
    the estimates of others do not matter at this pass. Where jobs go on after failures, all of them:
    a fork that simulates on its own has other estimates.
    """
    learned = estimator.predictor.learned[0]
    for index in range(queue.bounds[0], queue.bounds[1]):
        job = queue.jobs[index]
        if len(work.done) > 0:
            whole, done = predict(estimator.predictor, job), work.done[job]
            work.estimate[job] = remaining_estimate(whole, work.walltime[job] + done, done)
        elif estimator.made_at[job] != learned and (estimator.of_all or work.need[job, 0] <= free):
            work.estimate[job] = predict(estimator.predictor, job)
            estimator.made_at[job] = learned
