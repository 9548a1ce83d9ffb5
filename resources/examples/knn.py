"""A predictor by nearest neighbours: the mean runtime of the user's most similar jobs that have ended."""

import math
from collections import defaultdict, deque

import batchscope
from batchscope import Range


@batchscope.predictor
class Neighbours:
    """Jobs are near if they ask for about as many processors and as much time, on a logarithmic scale."""

    def __init__(self, *, k: Range(1, 20, whole=True) = 5, remembered: Range(10, 1000, whole=True) = 100):
        self.k = int(k)
        self.past = defaultdict(lambda: deque(maxlen=int(remembered)))

    def predict(self, job):
        """The mean runtime of the `k` nearest jobs of the user; the walltime of users without any."""
        here = point(job)
        near = sorted(
            (math.dist(here, there), -turn, runtime) for turn, there, runtime in self.past[job.user]
        )
        chosen = [runtime for _, _, runtime in near[: self.k]]
        return sum(chosen) / len(chosen) if chosen else job.walltime

    def learn(self, job, runtime):
        """Remember a job that has ended, for its user."""
        past = self.past[job.user]
        past.append((past[-1][0] + 1 if past else 0, point(job), runtime))


def point(job):
    """Where a job lies among others."""
    return math.log2(job.procs), math.log2(max(job.walltime, 1))
