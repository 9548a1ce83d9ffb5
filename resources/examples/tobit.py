"""A Tobit-like predictor after Fan et al. 2017 ("Trade-off between prediction accuracy and underestimation
rate in job runtime estimates"): jobs that were stopped at their walltime would have run for longer."""

import math

import numpy as np

import batchscope


@batchscope.predictor
class Tobit:
    """Logarithms of runtimes are linear in those of walltimes; the last 500 jobs tell, anew after each 20."""

    def __init__(self, *, errors: batchscope.Range(0, 3) = 1):
        self.errors, self.past, self.ended, self.fit = errors, [], 0, np.array([0, 1, 0])

    def predict(self, job):
        """What is expected, and so many standard errors more: the more, the fewer jobs run for longer."""
        return round(math.exp(self.fit @ np.array([1, math.log(job.walltime), self.errors])))

    def learn(self, job, runtime):
        """Remember a job that has ended."""
        self.past, self.ended = [*self.past[-499:], (job.walltime, runtime)], self.ended + 1
        self.fit = fitted(*np.array(self.past, float).T) if self.ended % 20 == 0 else self.fit


def fitted(walltime, runtime, rounds=30):
    """Level, slope and standard error, by expectation of what was cut off and maximisation (EM)."""
    line, logs, cut, more = np.log(walltime), np.log(runtime), runtime >= walltime, 0.0
    seen = logs
    for _ in range(rounds):
        mean = np.polyval(fit := np.polyfit(line, seen, 1), line)
        error = max(float(np.sqrt(((seen - mean) ** 2 + more).mean())), 1e-6)
        z = np.clip((logs - mean) / error, -6, 6)
        hazard = np.exp(-z * z / 2) * math.sqrt(2 / math.pi) / np.vectorize(math.erfc)(z / math.sqrt(2))
        seen = np.where(cut, mean + error * hazard, logs)  # what is expected beyond the cut
        more = np.where(cut, error**2 * (1 + z * hazard - hazard**2), 0.0)
    return np.array([*fit[::-1], error])
