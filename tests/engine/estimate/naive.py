"""Run-time predictors, straight from their definitions: slow, obvious, sharing no code with the engine."""

import math
from itertools import combinations, product

from engine.trace import Trace

Key = tuple[int | None, ...]


class NaivePredictor:
    """Told what happens, in order of time; `predict` says what it believes about a waiting job now."""

    def __init__(self, trace: Trace, name: str) -> None:
        self.trace = trace
        self.user = trace.user.codes.tolist()
        self.submit = trace.submit.tolist()
        self.walltime = trace.walltime.tolist()
        self.procs = trace.procs.tolist()
        if name == "last2":
            self.kind: Last2 | Hierarchy | Survival | Linear = Last2(self)
        elif name == "hierarchy":
            self.kind = Hierarchy(self)
        elif name == "linear":
            self.kind = Linear(self)
        else:
            self.kind = Survival(self, float(name.removeprefix("survival")) / 100)

    def submitted(self, job: int, now: int) -> None:
        self.kind.submitted(job, now)

    def started(self, job: int, now: int) -> None:
        self.kind.started(job, now)

    def ended(self, job: int, start: int, now: int) -> None:
        self.kind.ended(job, start, now)

    def stopped(self, job: int) -> None:
        self.kind.stopped(job)

    def predict(self, job: int) -> int:
        return max(1, min(self.kind.predict(job), self.walltime[job]))

    def attributes(self, job: int) -> tuple[int, int, int, int]:
        name = int(self.trace.executable.codes[job])
        return name, self.user[job], self.walltime[job], self.procs[job]


class Kind:
    def __init__(self, jobs: NaivePredictor) -> None:
        self.jobs = jobs

    def submitted(self, job: int, now: int) -> None: ...

    def started(self, job: int, now: int) -> None: ...

    def stopped(self, job: int) -> None: ...


class Last2(Kind):
    def __init__(self, jobs: NaivePredictor) -> None:
        super().__init__(jobs)
        self.runtimes: dict[int, list[int]] = {}

    def ended(self, job: int, start: int, now: int) -> None:
        self.runtimes.setdefault(self.jobs.user[job], []).append(now - start)

    def predict(self, job: int) -> int:
        runtimes = self.runtimes.get(self.jobs.user[job], [])
        if len(runtimes) < 2:
            return int(self.jobs.walltime[job])
        return (runtimes[-1] + runtimes[-2]) // 2


class Hierarchy(Kind):
    def __init__(self, jobs: NaivePredictor) -> None:
        super().__init__(jobs)
        self.record: dict[Key, tuple[float, float]] = {}

    def groups(self, job: int) -> list[Key]:
        attributes = self.jobs.attributes(job)
        present = product((True, False), repeat=4)
        return [
            tuple(a if p else None for a, p in zip(attributes, some, strict=True))
            for some in present
            if any(some)
        ]

    def ended(self, job: int, start: int, now: int) -> None:
        for group in self.groups(job):
            c, w = self.record.get(group, (0.0, 0.0))
            self.record[group] = (1 + 0.8 * c, (now - start) + 0.8 * w)

    def predict(self, job: int) -> int:
        for group in self.groups(job):
            if group in self.record:
                c, w = self.record[group]
                return math.floor(w / c + 0.5)
        return int(self.jobs.walltime[job])


class Group:
    """What `survival` knows of the jobs of one group: the weight of each runtime, and the threshold."""

    def __init__(self, walltime: int) -> None:
        self.weight: dict[int, float] = {}
        self.v = self.walltime = walltime
        self.below = 1.0
        self.above = 0.0

    def learn(self, runtime: int, share: float) -> None:
        # At the first job of a class the walltime itself has a little weight; later all weights fade.
        if not self.weight:
            self.weight[self.walltime] = 0.1 * self.walltime
        else:
            self.weight = {value: weight * 0.9 for value, weight in self.weight.items()}
        self.weight[runtime] = self.weight.get(runtime, 0.0) + runtime
        self.below *= 0.9
        self.above *= 0.9
        # The quantile moves up until enough of the weight lies below it, or down, one known value at a time.
        if runtime > self.v:
            self.above += runtime
            while self.below / (self.below + self.above) <= share and self.v < max(self.weight):
                self.v = min(value for value in self.weight if value > self.v)
                self.below += self.weight[self.v]
                self.above -= self.weight[self.v]
            return
        self.below += runtime
        if runtime == self.v:
            return
        while (
            self.v > min(self.weight)
            and (self.below - self.weight[self.v]) / (self.below + self.above) > share
        ):
            self.below -= self.weight[self.v]
            self.above += self.weight[self.v]
            self.v = max(value for value in self.weight if value < self.v)


class Survival(Kind):
    def __init__(self, jobs: NaivePredictor, chance: float) -> None:
        super().__init__(jobs)
        self.share = 1 - chance
        self.group: dict[Key, Group] = {}

    def ended(self, job: int, start: int, now: int) -> None:
        key = self.jobs.attributes(job)
        group = self.group.setdefault(key, Group(self.jobs.walltime[job]))
        group.learn(now - start, self.share)

    def predict(self, job: int) -> int:
        key = self.jobs.attributes(job)
        return self.group[key].v if key in self.group else int(self.jobs.walltime[job])


class Linear(Kind):
    def __init__(self, jobs: NaivePredictor) -> None:
        super().__init__(jobs)
        self.ends: dict[int, list[tuple[int, int, int]]] = {}  # of each user: job, start, end
        self.running: dict[int, int] = {}  # job: start
        self.features: dict[int, list[float]] = {}
        self.w = [0.0] * 157
        self.s = [1e-9] * 157
        self.gradients = [1e-9] * 157
        self.norm = 1e-9
        self.n = 1

    def submitted(self, job: int, now: int) -> None:
        x = [1.0, *self.history(job, now), *self.current(job, now), *cycle(now, 86_400), *cycle(now, 604_800)]
        x.append(float(self.jobs.procs[job]))
        pairs = [x[i] * x[j] for i, j in combinations(range(1, 17), 2)]
        self.features[job] = x + pairs + [x[i] * x[i] for i in range(1, 19)]

    def history(self, job: int, now: int) -> list[float]:
        """x1 to x9."""
        ends = self.ends.get(self.jobs.user[job], [])
        walltime = self.jobs.walltime[job]
        last = []
        # The last three jobs of the user that ended, the newest first.
        for past, start, end in ends[:-4:-1]:
            runtime = end - start
            submit = self.jobs.submit[past]
            last.append(float(min(walltime, runtime if submit + runtime > now else now - submit)))
        # Means of what is there: fewer than three jobs are stood for by those there are, else by the
        # walltime.
        if len(last) == 3:
            means = [(last[0] + last[1]) / 2, 0.33 * (last[0] + last[1] + last[2])]
        elif len(last) == 2:
            means = [(last[0] + last[1]) / 2] * 2
        else:
            means = [last[0] if last else float(walltime)] * 2
        past = last + [float(walltime)] * (3 - len(last)) + [float(walltime), *means]
        if not ends:
            return [*past, 0.0, 0.0, 0.0]
        mean_runtime = sum(end - start for _, start, end in ends) / len(ends)
        mean_procs = sum(self.jobs.procs[past] for past, _, _ in ends) / len(ends)
        return [*past, mean_runtime, float(now - ends[-1][2]), self.jobs.procs[job] / mean_procs]

    def current(self, job: int, now: int) -> list[float]:
        """x10 to x13."""
        own = [
            (j, now - start) for j, start in self.running.items() if self.jobs.user[j] == self.jobs.user[job]
        ]
        elapsed = [time for _, time in own]
        procs = sum(self.jobs.procs[j] for j, _ in own)
        return [float(procs), float(sum(elapsed)), float(len(own)), float(max(elapsed, default=0))]

    def started(self, job: int, now: int) -> None:
        self.running[job] = now

    def stopped(self, job: int) -> None:
        del self.running[job]

    def ended(self, job: int, start: int, now: int) -> None:
        del self.running[job]
        self.ends.setdefault(self.jobs.user[job], []).append((job, start, now))
        self.learn(self.features.pop(job), now - start, 1 + math.log(self.jobs.procs[job] * (now - start)))

    def learn(self, x: list[float], runtime: int, o: float) -> None:
        # A larger value than ever before rescales its weight, so that predictions do not jump.
        for i in range(157):
            if abs(x[i]) > self.s[i]:
                self.w[i] *= self.s[i] / abs(x[i])
                self.s[i] = abs(x[i])
        self.norm += dot([x[i] / self.s[i] for i in range(157)], [x[i] / self.s[i] for i in range(157)])
        p = dot(self.w, x)
        for i in range(157):
            # Too long a prediction counts squared, too short a one in proportion.
            if p > runtime:
                g = 2 * o * x[i] * (p - runtime)
            elif p < runtime:
                g = -o * x[i]
            else:
                g = 0.0
            # Regularisation.
            g += 4e9 * self.w[i]
            self.gradients[i] += g * g
            self.w[i] -= 5000 * g / (math.sqrt(self.norm * self.gradients[i] / self.n) * self.s[i])
        self.n += 2

    def predict(self, job: int) -> int:
        return int(min(abs(dot(self.w, self.features[job])), 2.0**62))


def cycle(now: int, period: int) -> tuple[float, float]:
    angle = 2 * math.pi * (now % period) / period
    return math.cos(angle), math.sin(angle)


def dot(a: list[float], b: list[float]) -> float:
    total = 0.0
    for first, second in zip(a, b, strict=True):
        total += first * second
    return total
