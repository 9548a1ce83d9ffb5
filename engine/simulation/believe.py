"""What the scheduler believes a waiting job will run for, made anew as it learns."""

from __future__ import annotations

from typing import NamedTuple

from engine.compiler.kernels import inner_kernel
from engine.estimate.predictor import Predictor, predict, predictor_submitted
from engine.simulation.continuing import rest_of
from engine.simulation.queue import Queue
from engine.simulation.workload import Ints, Workload


class Belief(NamedTuple):
    """How estimates are made; the current ones are `estimate` of the workload."""

    learns: bool
    anew: bool  # at each pass; else the one made at submission is kept
    of_all: bool  # for all waiting jobs; else only for those that might start
    predictor: Predictor
    made_at: Ints  # (n,) jobs learned from when the estimate was made; of a belief that does not learn (0,)
    first: Ints  # (n,) s, the estimate made at submission; (0,) where that is the workload's still


@inner_kernel
def believe_first(belief: Belief, work: Workload, job: int, now: int) -> None:
    """The job is submitted."""
    if belief.learns:
        predictor_submitted(belief.predictor, job, now)
        belief.first[job] = work.estimate[job] = predict(belief.predictor, job)
        belief.made_at[job] = belief.predictor.learned[0]


@inner_kernel
def believe_anew(belief: Belief, work: Workload, queue: Queue, free: int) -> None:
    """Bring the estimates of waiting jobs up to what was learned since they were made.

    Where that is enough, only those of jobs that need no more than the `free` processors:
    the estimates of others do not matter at this pass. Where jobs go on after failures, all of them:
    a fork that simulates on its own has other estimates.
    """
    learned = belief.predictor.learned[0]
    for index in range(queue.bounds[0], queue.bounds[1]):
        job = queue.jobs[index]
        if len(work.done) > 0:
            whole, done = predict(belief.predictor, job), work.done[job]
            work.estimate[job] = rest_of(whole, work.walltime[job] + done, done)
        elif belief.made_at[job] != learned and (belief.of_all or work.need[job, 0] <= free):
            work.estimate[job] = predict(belief.predictor, job)
            belief.made_at[job] = learned
