"""The session model that is like a log: parameters of Lublin & Feitelson 2003 and of users, by its jobs."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from engine.arrays import Floats, Ints
from engine.errors import InputError
from engine.trace.generate.generated_log import DAY
from engine.trace.generate.lublin import FIRST_SLOT, SLOTS, LublinModel, day_cycle, off_the_clock
from engine.trace.generate.requests import POPULAR, WalltimeRequests
from engine.trace.generate.sessions import SessionModel
from engine.trace.trace import Trace

FEWEST = 100
"""Jobs of a log that anything is fitted to."""

_ROUNDS = 60
_LEAST_PART = 0.02  # least share of each kind of runtimes, so that none shrinks to a few equal values


def fit_model(trace: Trace) -> SessionModel:
    """A model with the machine, users, load and distributions of the jobs that ran in a log.

    Raises InputError if there are too few jobs, or all were submitted at once.
    """
    cluster = trace.cluster
    ran = (trace.runtime > 0) & (trace.procs <= cluster.cpus)
    submit, runtime, procs = trace.submit[ran], trace.runtime[ran], trace.procs[ran]
    if len(submit) < FEWEST or submit[-1] == submit[0]:
        raise InputError(f"{trace.name}: a model is fitted to {FEWEST} jobs or more that come in turn")
    start = _start(trace)
    # Day cycles are those of the clock on the wall.
    local = submit + start.hour * 3600 + start.minute * 60 + start.second
    lublin = replace(_sizes(procs), day=_day(local), longest=math.log(max(3, int(runtime.max()))))
    lublin = _with_runtimes(lublin, np.log(np.maximum(runtime, 2).astype(np.float64)), procs)
    lublin = replace(lublin, gap=_gap(local, lublin))
    user = trace.user.codes[ran]
    walltime = trace.walltime[ran]
    return SessionModel(
        cluster=replace(cluster, failures=None),
        jobs=len(submit),
        start=start.replace(hour=0, minute=0, second=0, microsecond=0),
        load=float(procs.astype(np.float64) @ runtime) / (cluster.cpus * float(submit[-1] - submit[0])),
        users=len(np.unique(user)),
        zipf=_zipf(np.bincount(user)),
        session=_session(user.astype(np.int64), procs, walltime),
        at_once=max(1, round(1.0 / max(float(np.mean(user[1:] == user[:-1])), 0.01))),
        requests=_requests(walltime, runtime),
        lublin=lublin,
    )


def _start(trace: Trace) -> datetime:
    try:
        zone = ZoneInfo(trace.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return datetime.fromtimestamp(trace.zero, UTC)
    return datetime.fromtimestamp(trace.zero, zone)


def _sizes(procs: Ints) -> LublinModel:
    """The parts of serial jobs and powers of two; the two stages that come closest to all parallel sizes."""
    parallel = np.sort(np.log2(procs[procs > 1].astype(np.float64)))
    powers = float(np.mean((procs > 1) & (procs & (procs - 1) == 0)))
    serial = float(np.mean(procs == 1))
    if len(parallel) < 2 or parallel[-1] - parallel[0] < 1.0:
        return LublinModel(serial=serial, powers=powers)
    # Lublin and Feitelson's model: sizes in two uniform stages of their logarithm.
    low, high = float(parallel[0]) - 0.2, float(parallel[-1])
    share = np.arange(1, len(parallel) + 1) / len(parallel)
    best = (math.inf, 2.5, 0.86)
    # The middle that brings the two stages nearest to the log is found by trying: the distance of two
    # distributions is their largest difference.
    for middle in np.linspace(low + 0.25, high - 0.25, 41).tolist():
        narrow = float(np.mean(parallel <= middle))
        fitted = np.interp(parallel, [low, middle, high], [0.0, narrow, 1.0])
        best = min(best, (float(np.abs(fitted - share).max()), high - middle, narrow))
    return LublinModel(serial=serial, powers=powers, low=low, middle=best[1], narrow=best[2], high=high)


def _with_runtimes(model: LublinModel, logs: Floats, procs: Ints) -> LublinModel:
    """Two gamma distributions of the logarithm of runtimes (n,), by expectation and maximisation."""
    short = (logs <= np.median(logs)).astype(np.float64)
    kinds = ((1.0, 1.0), (1.0, 1.0))
    # Each round fits both kinds with the present weights, then weighs each runtime by how well each kind
    # explains it.
    for _ in range(_ROUNDS):
        kinds = (_gamma(logs, short), _gamma(logs, 1.0 - short))
        part = min(max(float(short.mean()), _LEAST_PART), 1.0 - _LEAST_PART)
        weight = np.log(part) + _log_density(logs, *kinds[0])
        other = np.log1p(-part) + _log_density(logs, *kinds[1])
        short = 1.0 / (1.0 + np.exp(np.clip(other - weight, -50.0, 50.0)))
    wide = procs.astype(np.float64)
    # In the model the chance of a short job depends linearly on its size.
    slope = 0.0 if wide.std() == 0 else float(np.cov(wide, short)[0, 1] / wide.var(ddof=1))
    return replace(
        model,
        short=kinds[0],
        long=kinds[1],
        short_part=(slope, float(short.mean()) - slope * float(wide.mean())),
    )


def _gamma(values: Floats, weight: Floats) -> tuple[float, float]:
    """Shape and scale, near to the likeliest (Minka 2002, equation 7 and what is before it)."""
    total = float(weight.sum())
    mean = float(weight @ values) / total
    spread = max(math.log(mean) - float(weight @ np.log(values)) / total, 1e-6)
    shape = (3.0 - spread + math.sqrt((spread - 3.0) ** 2 + 24.0 * spread)) / (12.0 * spread)
    return shape, mean / shape


def _log_density(values: Floats, shape: float, scale: float) -> Floats:
    return (shape - 1.0) * np.log(values) - values / scale - math.lgamma(shape) - shape * math.log(scale)


def _day(local: Ints) -> tuple[float, float]:
    """Shape and scale of the time of day of submissions, from mean and variance."""
    slot = (local % DAY) * SLOTS // DAY
    at = (slot - FIRST_SLOT + 1) % SLOTS + FIRST_SLOT
    mean, variance = float(at.mean()), max(float(at.var()), 1.0)
    return mean**2 / variance, variance / mean


def _gap(local: Ints, model: LublinModel) -> tuple[float, float]:
    """Shape and scale of the logarithm of gaps, were all hours equally busy, by mean and geometric mean."""
    times = off_the_clock(local.astype(np.float64), day_cycle(model))
    gaps = np.maximum(np.diff(times), 1.5)
    mean, of_mean = float(np.log(gaps).mean()), math.log(float(gaps.mean()))
    # Of the exponential of a gamma variable the mean is (1 - scale)^-shape; its logarithm's is shape scale.
    low, high = 0.0, 1.0
    for _ in range(50):
        scale = (low + high) / 2
        if -math.log1p(-scale) / scale < of_mean / mean:
            low = scale
        else:
            high = scale
    return mean / scale, scale


def _zipf(jobs: Ints) -> float:
    """The exponent of Zipf's law that fits the numbers of jobs of users best."""
    counts = np.sort(jobs[jobs > 0]).astype(np.float64)
    rank = np.arange(len(counts), 0.0, -1.0)

    # The largest distance between both distributions, as of Kolmogorov and Smirnov.
    def distance(exponent: float) -> float:
        text = rank**-exponent
        text *= counts.sum() / text.sum()
        return float(
            np.abs(np.searchsorted(counts, text, side="right") - np.arange(1, len(counts) + 1)).max()
        )

    return float(min(np.linspace(0.0, 4.0, 81), key=distance))


def _requests(walltime: Ints, runtime: Ints) -> WalltimeRequests:
    """The walltimes that most jobs ask for, the longest that any needs, and how many jobs reach theirs."""
    values, counts = np.unique(walltime, return_counts=True)
    usual = np.argsort(-counts, kind="stable")[:POPULAR]
    asked = dict(zip(values[usual].tolist(), counts[usual].tolist(), strict=True))
    asked.setdefault(max(int(walltime.max()), int(runtime.max())), 0)
    parts = np.array(list(asked.values())) / sum(asked.values())
    return WalltimeRequests(tuple(asked), tuple(parts.tolist()), float(np.mean(runtime >= walltime)))


def _session(user: Ints, procs: Ints, walltime: Ints) -> float:
    """The mean number of consecutive jobs of a user with equal requests."""
    order = np.argsort(user, kind="stable")
    begins = np.zeros(len(user) - 1, bool)
    for column in (user, procs, walltime):
        begins |= np.diff(column[order]) != 0
    return len(user) / (1 + int(np.count_nonzero(begins)))
