"""Policies of my own. Try them:

batchscope compare LOG -p easy -p FILE:wfp -p FILE:wfp,alpha=1 -p FILE:easy_again -p FILE:Mean
"""

import batchscope
from batchscope import Range


@batchscope.order
def wfp(jobs, now, machine, *, alpha: Range(0, 5) = 3):
    """The longest wait for its walltime goes first, wide jobs before narrow ones (Tang et al. 2009)."""
    return (jobs.wait / jobs.walltime) ** alpha * jobs.procs


@batchscope.predictor
class Mean:
    """A job runs for as long as its user's jobs did on average."""

    def __init__(self, *, cautious: Range(0.5, 3) = 1):
        self.cautious = cautious
        self.past = {}  # of each user: the number of jobs that have ended, and the sum of their runtimes

    def predict(self, job):
        """The runtime of a job that is submitted now, s."""
        count, total = self.past.get(job.user, (0, 0))
        return self.cautious * total / count if count else job.walltime

    def learn(self, job, runtime):
        """A job has ended after this runtime, s."""
        count, total = self.past.get(job.user, (0, 0))
        self.past[job.user] = count + 1, total + runtime


@batchscope.scheduler
def easy_again(state):
    """EASY: jobs start in order; the first that does not fit gets the earliest time at which it does."""
    waiting = state.waiting
    jobs = list(zip(waiting.index, waiting.procs, waiting.estimate, strict=True))
    while jobs and state.fits(jobs[0][0]):
        yield jobs.pop(0)[0]
    if not jobs:
        return
    head, procs, _ = jobs.pop(0)
    at, running = state.earliest(head), state.running
    yield head, at  # a reservation
    spare = state.free + running.procs[running.expected_end <= at].sum() - procs
    for job, procs, estimate in jobs:
        delays = state.now + estimate > at
        if not (delays and procs > spare) and state.fits(job):
            spare -= procs if delays else 0
            yield job
