"""The users of the machine: their work, the sizes of their jobs, and their hours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from engine.arrays import Floats
from engine.trace.generate.campus_model import CampusModel
from engine.trace.generate.generated_log import DAY, HOUR

WIDTHS = (1, 2, 4, 8, 12, 16)
WIDTH_ODDS = (0.50, 0.10, 0.15, 0.15, 0.04, 0.06)
"""CPUs of the jobs of users who are not heavy: many are sequential, the rest mostly powers of two."""

_WEEK_HOURS = 7 * 24
_PATIENCE = 2 * DAY  # mean runtime above which users make their jobs wider
_HEAVY_JOBS = 1.5  # factor on the number of jobs of heavy users
_JOBS_SPREAD = 0.7  # of the logarithm, like every spread here
_PROJECT_SPREAD = 0.5
_RAM_SPREAD = 0.8
_AWAY = 0.03  # activity before and after the project, where it is 1 during it
_NIGHT = 0.25  # activity at night, where it is 1.25 in the afternoon
_WEEKEND = 0.35
_STEADINESS = 0.3  # exponent that levels day and night for users who submit all the time


@dataclass(frozen=True, eq=False)
class User:
    """A user of the machine, who submits `jobs` jobs in bursts.

    `work` is processor-seconds of all the jobs; `widths` CPUs of most and, last, of the other ones; `ram` MiB
    for each CPU; `burst` the median number of jobs submitted at once; `hours` the probability of a burst in
    each hour of the log, shape (hours,), with sum 1.
    """

    heavy: bool
    work: float
    jobs: int
    widths: tuple[int, ...]
    ram: float
    burst: float
    hours: Floats


def draw_users(model: CampusModel, rng: np.random.Generator) -> Iterator[User]:
    """The users of a workload, sorted by their work, the heaviest first."""
    shares = _work_shares(model)
    work = shares * (model.load * model.cluster.cpus * model.days * DAY)
    jobs = _job_counts(model, shares, rng)
    day, spells = _day_cycle(model), _spells(model, rng)
    for rank in range(model.users):
        heavy = rank < len(model.heavy_work)
        # Heavy users submit steadily: the day hardly shows in their hours, and spells not at all.
        if heavy:
            hours = day**_STEADINESS
            widths: tuple[int, ...] = (model.heavy_cpus,)
        else:
            hours = day * spells * _project(model, rng)
            widths = _draw_widths(work[rank] / jobs[rank], rng)
        yield User(
            heavy=heavy,
            work=float(work[rank]),
            jobs=max(1, round(jobs[rank])),
            widths=widths,
            ram=model.ram * float(np.exp(_RAM_SPREAD * rng.standard_normal())),
            burst=model.heavy_burst if heavy else model.burst,
            hours=hours / hours.sum(),
        )


def _work_shares(model: CampusModel) -> Floats:
    """The part of all work that each user does, shape (users,), sums to 1."""
    heavy = np.array(model.heavy_work)
    rank = np.arange(1, model.users - len(heavy) + 1)
    others = 1 / (rank + model.flatness)
    return np.concatenate((heavy, others * ((1 - heavy.sum()) / others.sum())))


def _job_counts(model: CampusModel, shares: Floats, rng: np.random.Generator) -> Floats:
    """Jobs of each user, shape (users,): users with more work have more jobs as well as larger jobs."""
    heavy = len(model.heavy_work)
    counts: Floats = np.sqrt(shares)
    counts[:heavy] *= _HEAVY_JOBS
    counts[heavy:] *= np.exp(_JOBS_SPREAD * rng.standard_normal(len(shares) - heavy))
    counts *= model.jobs / counts.sum()
    return counts


def _draw_widths(area: float, rng: np.random.Generator) -> tuple[int, ...]:
    """CPUs of a user's jobs, enough for a mean job of `area` processor-seconds to end in time, if any are."""
    least = next((width for width in WIDTHS if width * _PATIENCE >= area), WIDTHS[-1])
    return tuple(max(width, least) for width in rng.choice(WIDTHS, p=WIDTH_ODDS, size=2).tolist())


def _day_cycle(model: CampusModel) -> Floats:
    """The relative rate of submissions in each hour of the log, shape (hours,): highest on working days about
    2 p.m.
    """
    zone = model.start.tzinfo
    local = [datetime.fromtimestamp(model.zero + hour * HOUR, zone) for hour in range(model.days * 24)]
    hour = np.array([time.hour for time in local])
    weekend = np.array([time.weekday() >= 5 for time in local])
    cycle = _NIGHT + np.exp(-(((hour - 14) / 4) ** 2) / 2)
    return np.where(weekend, _WEEKEND * cycle, cycle)


def _spells(model: CampusModel, rng: np.random.Generator) -> Floats:
    """The crowding of each hour of the log, shape (hours,): 1, or `crowd` within a spell."""
    hours = model.days * 24
    part = hours // model.spells
    length = model.spell_weeks * _WEEK_HOURS
    if length > part:
        raise ValueError(
            f"{model.spells} spells of {model.spell_weeks} weeks do not fit into {model.days} days"
        )
    weight = np.ones(hours)
    for spell in range(1, model.spells):
        # Each equal part of the log has a spell anywhere within it; the last spell is at the end of the log.
        end = spell * part - int(rng.integers(part - length + 1))
        weight[end - length : end] = model.crowd
    weight[hours - length :] = model.crowd
    return weight


def _project(model: CampusModel, rng: np.random.Generator) -> Floats:
    """The activity of a user in each hour of the log, shape (hours,): high for some weeks, otherwise very
    low.
    """
    hours = np.arange(model.days * 24)
    middle = rng.random() * len(hours)
    length = model.project_weeks * _WEEK_HOURS * np.exp(_PROJECT_SPREAD * rng.standard_normal())
    return np.where(np.abs(hours - middle) < length / 2, 1.0, _AWAY)
