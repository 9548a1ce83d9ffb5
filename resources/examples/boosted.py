"""A gradient-boosted predictor by scikit-learn (`pip install scikit-learn`), trained anew as jobs end."""

from collections import defaultdict, deque

from sklearn.ensemble import GradientBoostingRegressor

import batchscope
from batchscope import Range


@batchscope.predictor
class Boosted:
    """It knows of a job what it asks for, and how long the last two jobs of its user ran."""

    def __init__(self, *, every: Range(50, 2000, whole=True) = 500, remembered: Range(100, 20000) = 5000):
        self.every, self.ended, self.model = int(every), 0, None
        self.past, self.asked = deque(maxlen=int(remembered)), {}
        self.last = defaultdict(lambda: deque((-1, -1), maxlen=2))

    def predict(self, job):
        """The model's runtime; the walltime until there is a model."""
        row = self.asked[job.index] = [job.walltime, job.procs, job.submit % 86400, *self.last[job.user]]
        return job.walltime if self.model is None else self.model.predict([row])[0]

    def learn(self, job, runtime):
        """Remember what was known at submission with the runtime, and train after each `every` ends."""
        self.past.append((self.asked.pop(job.index), runtime))
        self.last[job.user].append(runtime)
        self.ended += 1
        if self.ended % self.every == 0:
            rows, runtimes = zip(*self.past, strict=True)
            self.model = GradientBoostingRegressor(n_estimators=50, random_state=0).fit(rows, runtimes)
