"""Users on top of the model of Lublin & Feitelson 2003: sessions of similar jobs, walltimes and RAM.

Some users work far more than others (Zipf's law). An active user submits a session of similar jobs: with the
same size, about the same runtime, and the same walltime, drawn by `requests`. Several users are active at a
time. Sizes and runtimes of sessions are the model's, so that those of jobs are, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints
from engine.errors import InputError
from engine.limits import MAX_TIME
from engine.machine.cluster import Cluster
from engine.trace.generate.generated_log import GPU, GeneratedJobs, GeneratedLog, round_up, sizes_of
from engine.trace.generate.lublin import (
    LublinModel,
    day_cycle,
    draw_gaps,
    draw_runtimes,
    draw_sizes,
    on_the_clock,
)
from engine.trace.generate.requests import BATCH, WalltimeRequests, draw_requests

_PART = 1 << 16  # jobs that are drawn at a time; sessions end with their part
_RUNTIME_SPREAD = 0.2  # of the logarithm, like every spread here, within a session
_RAM, _USER_RAM_SPREAD, _RAM_SPREAD = 1024.0, 0.8, 0.6  # MiB a processor: median, over users, over sessions
_USERS_STREAM = 1 << 32  # of random numbers, behind those of all parts


MOST_USERS = 1_000_000
"""The largest sites have some ten thousand."""

LEAST_LOAD = 0.001
"""Gaps that are stretched for less would be years."""


@dataclass(frozen=True)
class SessionModel:
    """The shape of a workload of sessions; the defaults correspond to the paper's machines."""

    cluster: Cluster = field(default_factory=lambda: Cluster.pool(128))
    jobs: int = 10_000
    start: datetime = datetime(2024, 1, 1, tzinfo=ZoneInfo("UTC"))
    """The log's second 0, a midnight."""

    load: float | None = None
    """Processor time that jobs take, of all that there is until the last submission; None: as the gaps of
    the paper have it."""

    users: int = 100
    zipf: float = 1.0
    """The sessions of the user of rank k go by k to minus this."""

    session: float = 4.0
    """Jobs of a session, on average."""

    at_once: int = 8
    """Sessions that are under way at a time."""

    haste: float = 1.0
    """The gap before a job that goes on with a session, relative to the model's; what it lacks is added to
    the gap before a session, so that the mean stays."""

    requests: WalltimeRequests = BATCH
    """The walltimes that sessions ask for."""

    gpu_sessions: float = 0.4
    """The part of sessions that ask for GPUs, where the machine has some."""

    lublin: LublinModel = field(default_factory=LublinModel)

    def __post_init__(self) -> None:
        if self.jobs < 1 or self.users < 1:
            raise InputError("a log has at least one job of one user")
        if self.users > MOST_USERS:
            raise InputError(f"a log has at most {MOST_USERS:,} users, not {self.users:,}")
        if self.load is not None and not LEAST_LOAD <= self.load <= 100.0:
            raise InputError(f"a load is {LEAST_LOAD:g} to 100, not {self.load:g}")


def session_log(seed: int, model: SessionModel) -> GeneratedLog:
    """A log whose parts are drawn as they are asked for; the same seed and model give the same jobs."""
    zone = str(model.start.tzinfo)
    stretch = 1.0 if model.load is None else _stretch(seed, model, model.load)
    return GeneratedLog(
        model.cluster, int(model.start.timestamp()), zone, model.jobs, _Parts(seed, model, stretch)
    )


@dataclass(frozen=True)
class _Parts:
    """The parts of a log, which can be iterated repeatedly."""

    seed: int
    model: SessionModel
    stretch: float

    def __iter__(self) -> Iterator[GeneratedJobs]:
        cycle = day_cycle(self.model.lublin)
        begin = 0.0
        for jobs, gaps in _draws(self.seed, self.model):
            # Gaps are stretched so that the machine gets its load, and the day's cycle is laid over them.
            times = begin + np.cumsum(gaps) * self.stretch
            begin = float(times[-1])
            if not self.model.start.timestamp() + begin < MAX_TIME:
                raise InputError("a log of so many jobs under so low a load would end beyond any calendar")
            jobs.submit[:] = on_the_clock(times, cycle)
            yield jobs


def _stretch(seed: int, model: SessionModel, load: float) -> float:
    """The factor on gaps for this load; all jobs are drawn to determine it, and then discarded."""
    area = seconds = 0.0
    for jobs, gaps in _draws(seed, model):
        area += float((jobs.nodes * jobs.cpus).astype(np.float64) @ jobs.runtime)
        seconds += float(gaps.sum())
    return area / (load * model.cluster.cpus * seconds)


def _draws(seed: int, model: SessionModel) -> Iterator[tuple[GeneratedJobs, Floats]]:
    """The jobs of each part, not yet submitted, with the gap before each, shape (n,), s."""
    ram_of_user = _RAM * np.exp(
        _USER_RAM_SPREAD * np.random.default_rng((seed, _USERS_STREAM)).standard_normal(model.users)
    )
    # Users come by Zipf's law: the odds of each fall with a power of its rank.
    odds = np.cumsum(np.arange(1, model.users + 1.0) ** -model.zipf)
    odds /= odds[-1]
    for part, first in enumerate(range(0, model.jobs, _PART)):
        rng = np.random.default_rng((seed, part))
        count = min(_PART, model.jobs - first)
        slot = rng.integers(model.at_once, size=count)
        order = np.argsort(slot, kind="stable")  # a session after the other
        begins = rng.random(count) < 1.0 / model.session
        # The first job of each slot begins a session, whatever was drawn for it.
        begins[np.flatnonzero(np.diff(slot[order], prepend=-1))] = True
        gaps = draw_gaps(model.lublin, count, rng)
        # Gaps within a session are shorter by `haste`, and those between longer, so that the mean gap stays.
        longer = model.session - (model.session - 1.0) * model.haste
        paces = np.empty(count)
        paces[order] = np.where(begins, longer, model.haste)
        user = np.searchsorted(odds, rng.random(np.count_nonzero(begins)))
        jobs = _jobs(model, begins, user, ram_of_user[user], rng)
        back = np.empty(count, np.int64)
        back[order] = np.arange(count)
        yield GeneratedJobs(*(column[back] for column in jobs)), gaps * paces


def _jobs(
    model: SessionModel, begins: NDArray[np.bool_], user: Ints, ram: Floats, rng: np.random.Generator
) -> tuple[Ints, ...]:
    """The columns of GeneratedJobs, session by session.

    `begins`, (n,), marks the first job of each; `user` and `ram`, MiB a processor, are of each session.
    """
    groups = model.cluster.groups
    node_cpus = min(group.cpus for group in groups)
    known = [group.ram for group in groups if group.ram is not None]
    node_ram = min(known, default=None)
    # Jobs of a session are alike: all is drawn for the session, and only runtimes differ within it.
    session = np.cumsum(begins) - 1
    size = draw_sizes(model.lublin, node_cpus * model.cluster.nodes, len(user), rng)
    usual = draw_runtimes(model.lublin, size, rng)
    spread = np.exp(_RUNTIME_SPREAD * rng.standard_normal(len(begins)))
    most = math.floor(math.exp(model.lublin.longest))
    wanted = np.clip(np.floor(usual[session] * spread), 1, most)
    walltime, runtime = draw_requests(model.requests, wanted, np.flatnonzero(begins), rng)
    nodes = -(-size // node_cpus)
    cpus = -(-size // nodes)
    needed = ram * cpus * np.exp(_RAM_SPREAD * rng.standard_normal(len(user)))
    asked = np.zeros(len(user), np.int64) if node_ram is None else round_up(needed, sizes_of(node_ram))
    of_session = (walltime, nodes, cpus, asked, user + 1, _gpus(model, nodes, rng))
    columns = (np.zeros(len(begins), np.int64), runtime)
    return (*columns, *(column[session].astype(np.int64) for column in of_session))


def _gpus(model: SessionModel, nodes: Ints, rng: np.random.Generator) -> Ints:
    """GPUs a node of sessions on so many nodes, 1, 2, 4 and so on, half as many the larger; none without any.

    Sessions that need more nodes than have GPUs take none.
    """
    with_gpus = [group for group in model.cluster.groups if dict(group.extra).get(GPU, 0) > 0]
    if not with_gpus:
        return np.zeros(len(nodes), np.int64)
    most = min(dict(group.extra)[GPU] for group in with_gpus)
    sizes = 1 << np.arange(int(most).bit_length())
    # Half as many sessions ask for twice the GPUs.
    size = rng.choice(sizes, len(nodes), p=(1.0 / sizes) / (1.0 / sizes).sum())
    asks = rng.random(len(nodes)) < model.gpu_sessions
    fits = nodes <= sum(group.count for group in with_gpus)
    return np.where(asks & fits, size, 0).astype(np.int64)
