"""Sizes, runtimes and arrivals according to Lublin & Feitelson 2003, from logs of parallel machines.

A job is serial, or its size is 2 to the power of what a two-stage uniform distribution gives, often rounded
to a whole power; the logarithm of its runtime is one of two gamma distributions, the shorter one less often
the wider the job; so is that of the time to the next arrival, which passes faster in the busy hours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats, Ints
from engine.trace.generate.generated_log import DAY

_LONGEST_GAP_LOG = 13.0
SLOTS = 48
"""Half hours of a day."""

FIRST_SLOT = 11
"""The half hour with which the day's distribution begins, since few jobs come at 5 in the morning."""


@dataclass(frozen=True)
class LublinModel:
    """Parameters of the model, with the paper's values for all jobs together, batch and interactive."""

    serial: float = 0.244
    """The share of jobs on one processor."""

    powers: float = 0.576
    """The share of parallel jobs whose size is a power of two."""

    low: float = 0.8
    """Log2 of the smallest parallel size."""

    middle: float = 2.5
    """How far below the largest size, in log2, the two stages of sizes meet."""

    high: float | None = None
    """Log2 of the largest size; None: of the machine."""

    narrow: float = 0.86
    """The part of parallel jobs in the stage of smaller sizes."""

    short: tuple[float, float] = (4.2, 0.94)
    long: tuple[float, float] = (312.0, 0.03)
    """Shape and scale of ln(runtime / s), of either kind of job."""

    longest: float = 12.0
    """ln(runtime / s) of the longest job, 45 hours; what is longer is drawn again."""

    short_part: tuple[float, float] = (-0.0054, 0.78)
    """The share of short jobs as a linear function of the job's processors: slope and intercept."""

    gap: tuple[float, float] = (10.2303 * 1.0225, 0.4871)
    """Shape and scale of ln(seconds to the next arrival): of rush hours, turned into that of all hours."""

    day: tuple[float, float] = (8.1737, 3.9631)
    """Shape and scale of the time of day of submissions, in half hours from 4:30 on less FIRST_SLOT."""


def draw_sizes(model: LublinModel, cpus: int, count: int, rng: np.random.Generator) -> Ints:
    """Processors of `count` jobs on a machine of `cpus`, shape (count,)."""
    high = math.log2(cpus) if model.high is None else min(model.high, math.log2(cpus))
    low, middle = min(model.low, high), max(min(model.low, high), high - model.middle)
    # The log2 of a size is uniform on either of two stages, which meet in the middle; then the kind of a job
    # decides whether it is serial, takes a power of two, or any number.
    kind, stage, within = rng.random((3, count))
    log2 = np.where(stage <= model.narrow, low + within * (middle - low), middle + within * (high - middle))
    log2 = np.where(kind <= model.serial + model.powers, np.floor(log2 + 0.5), log2)
    sizes = np.floor(2.0**log2 + 0.5).astype(np.int64)
    return np.where(kind <= model.serial, np.int64(1), np.clip(sizes, 1, cpus))


def draw_runtimes(model: LublinModel, sizes: Ints, rng: np.random.Generator) -> Floats:
    """Seconds that jobs of these sizes run, shape (n,), at least 1."""
    slope, at_none = model.short_part
    short = rng.random(len(sizes)) <= np.clip(slope * sizes + at_none, 0.0, 1.0)
    shape = np.where(short, model.short[0], model.long[0])
    scale = np.where(short, model.short[1], model.long[1])
    return np.exp(_gamma_below(shape, scale, model.longest, rng))


def draw_gaps(model: LublinModel, count: int, rng: np.random.Generator) -> Floats:
    """Seconds between arrivals, shape (count,), where all hours were equally busy."""
    shape, scale = model.gap
    return np.exp(_gamma_below(np.full(count, shape), np.full(count, scale), _LONGEST_GAP_LOG, rng))


def _gamma_below(shape: Floats, scale: Floats, most: float, rng: np.random.Generator) -> Floats:
    values = rng.gamma(shape, scale)
    while (over := np.flatnonzero(values > most)).size:
        values[over] = rng.gamma(shape[over], scale[over])
    return values


def day_cycle(model: LublinModel) -> Floats:
    """The activity of each half hour of a day, shape (48,), 1 on average."""
    shape, scale = model.day
    # By trapezoids over each half hour, as the paper's gamma distribution has no closed integral.
    at = FIRST_SLOT - 0.5 + np.linspace(0.0, SLOTS, SLOTS * 16 + 1)
    # As a logarithm: the power alone overflows where all jobs come at nearly the same time of day.
    logarithm = (shape - 1) * np.log(at) - at / scale
    density = np.exp(logarithm - logarithm.max())
    pieces = (density[1:] + density[:-1]).reshape(SLOTS, 16).sum(axis=1)
    weights = np.empty(SLOTS)
    weights[(np.arange(SLOTS) + FIRST_SLOT - 1) % SLOTS] = pieces
    relative: Floats = weights / weights.mean()
    return relative


def on_the_clock(times: Floats, cycle: Floats) -> Floats:
    """The times, s, of events that would happen at `times` if all hours were equally busy.

    Time passes at the pace of `cycle` (48,) within a day, so that a whole day keeps its 86,400 s.
    """
    clock, done = _paces(cycle)
    day = np.floor(times / DAY) * DAY
    moved: Floats = day + np.interp(times - day, done, clock)
    return moved


def off_the_clock(times: Floats, cycle: Floats) -> Floats:
    """The inverse of `on_the_clock`."""
    clock, done = _paces(cycle)
    day = np.floor(times / DAY) * DAY
    moved: Floats = day + np.interp(times - day, clock, done)
    return moved


def _paces(cycle: Floats) -> tuple[Floats, Floats]:
    """Seconds of the day, and how much of the day's work is done by then; shape (slots + 1,)."""
    done = np.concatenate(([0.0], np.cumsum(cycle)))
    return np.linspace(0.0, DAY, len(done)), done * (DAY / done[-1])
