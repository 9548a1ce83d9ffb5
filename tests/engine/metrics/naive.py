"""Slow twins of the metrics, formula by formula, in whole numbers and fractions."""

import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import NamedTuple


class Job(NamedTuple):
    """A job that was run."""

    user: int
    submit: int
    wait: int
    runtime: int
    procs: int

    @property
    def start(self) -> int:
        return self.submit + self.wait

    @property
    def end(self) -> int:
        return self.start + self.runtime

    @property
    def response(self) -> int:
        return self.end - self.submit

    @property
    def area(self) -> int:
        return self.procs * self.runtime


def quantile(values: Sequence[float], q: float) -> float:
    """Linear between the two nearest of the sorted values."""
    ordered = sorted(values)
    rank = q * (len(ordered) - 1)
    below = math.floor(rank)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (rank - below) * (ordered[above] - ordered[below])


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def specific_response(jobs: Sequence[Job], alpha: int) -> Fraction:
    def total(n: int) -> int:
        return sum(j.procs * (j.response**n - j.wait**n) for j in jobs)

    return Fraction(alpha + 1, alpha + 2) * Fraction(total(alpha + 2), total(alpha + 1))


def real_specific_response(jobs: Sequence[Job], alpha: float) -> Decimal:
    """The same for any alpha, with digits enough to lose many by subtraction."""
    with localcontext() as context:
        context.prec = 80
        a = Decimal(alpha)

        def total(n: Decimal) -> Decimal:
            powers = (j.procs * (Decimal(j.response) ** n - Decimal(j.wait) ** n) for j in jobs)
            return sum(powers, Decimal(0))

        return (a + 1) / (a + 2) * total(a + 2) / total(a + 1)


def area_weighted(jobs: Sequence[Job], value: Callable[[Job], int]) -> Fraction:
    return Fraction(sum(j.area * value(j) for j in jobs), sum(j.area for j in jobs))


def queue_depths(jobs: Sequence[Job]) -> list[int]:
    """Seconds waited so far by all jobs that wait, at each second from first submission to last end."""
    seconds = range(min(j.submit for j in jobs), max(j.end for j in jobs) + 1)
    return [sum(t - j.submit for j in jobs if j.submit <= t <= j.start) for t in seconds]


def level(jobs: Sequence[Job], second: int, what: str) -> int:
    """Processors in use or requested, or jobs waiting, in the second that begins at `second`."""
    if what == "waiting":
        return sum(1 for j in jobs if j.submit <= second < j.start)
    if what == "requested_processors":
        return sum(j.procs for j in jobs if j.submit <= second < j.end)
    return sum(j.procs for j in jobs if j.start <= second < j.end)


def summary(jobs: Sequence[Job], machine: int) -> dict[str, float]:
    """The metrics that need no expected ends."""
    makespan = max(j.end for j in jobs) - min(j.submit for j in jobs)
    values: dict[str, float] = {
        "jobs": len(jobs),
        "users": len({j.user for j in jobs}),
        "makespan": makespan,
        "utilization": sum(j.area for j in jobs) / (machine * makespan),
        "awf": float(area_weighted(jobs, lambda j: j.response)),
        "awq": float(area_weighted(jobs, lambda j: j.wait)),
        "psf1": float(specific_response(jobs, 1)),
        "psf2": float(specific_response(jobs, 2)),
        "psf3": float(specific_response(jobs, 3)),
        "response_l2": math.sqrt(sum(j.response**2 for j in jobs)),
    }
    # Each spread is reduced in the same four ways.
    spreads: dict[str, list[float]] = {
        "wait": [j.wait for j in jobs],
        "response": [j.response for j in jobs],
        "slowdown": [j.response / j.runtime for j in jobs],
        "bounded_slowdown": [max(1.0, j.response / max(j.runtime, 10)) for j in jobs],
    }
    for name, each in spreads.items():
        values[f"{name}_mean"] = mean(each)
        values[f"{name}_median"] = quantile(each, 0.5)
        values[f"{name}_p95"] = quantile(each, 0.95)
        values[f"{name}_max"] = max(each)
    # The mean wait of each user: users count equally, however many jobs they have.
    means = [mean([j.wait for j in jobs if j.user == u]) for u in {j.user for j in jobs}]
    squares = sum(x * x for x in means)
    values["jain_wait"] = sum(means) ** 2 / (len(means) * squares) if squares else 1.0
    return values
