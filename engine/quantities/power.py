"""The power of the machine under a schedule: shares of jobs, and what nodes without jobs take.

Power is in whole mW, so that the parts add up exactly at each instant. What the parts are is this project's
own definition: jobs take the power of their busy cores and GPUs, and of the idle power of each of their nodes
the part of its cores that they hold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.machine.power import NodeWatts, PowerModel, Rates, node_watts, power_of
from engine.quantities.quantity import Jobs, LogNeed, Missing, Need, Quantity
from engine.schedule.schedule import Schedule
from engine.simulation.recorded_run import names_nodes, nodes_on
from engine.trace import MISSING, Pieces, Trace
from engine.trace.columns import EVERYWHERE, ShownIn

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

GPU = "gpu"

_TOLD: frozenset[ShownIn] = EVERYWHERE - {"colour"}


def power_known(trace: Trace) -> PowerModel | None:
    """What is known of the power of the log's machine, and so of that of runs on other machines."""
    return power_of(trace.cluster)


def _priced(trace: Trace) -> bool:
    model = power_known(trace)
    return model is not None and model.price is not None


def _carbon_known(trace: Trace) -> bool:
    model = power_known(trace)
    return model is not None and model.carbon is not None


_KNOWN = LogNeed("the power of the machine is not known", lambda trace: power_known(trace) is not None)
_PRICED = LogNeed("no prices of energy are given", _priced)
_CARBON = LogNeed("no carbon intensities of energy are given", _carbon_known)


@dataclass(frozen=True, eq=False)
class RunPower:
    """The power of the machine and of each run of a job, in mW.

    Runs are those that completed jobs, by job, then the stopped ones, then those that a workload adds, which
    are no jobs of the trace (`own` is false). `active` is what a run takes above its `idle` share; both of
    shape (runs,). `node_idle`, `node_off` and `node_boot` are of each node, shape (nodes,), as are the
    seconds of a boot, `boot_s`. `pieces` are the places of the runs; None where the log does not tell on
    which nodes they were.
    """

    job: Ints
    start: Ints  # s
    end: Ints  # s
    own: NDArray[np.bool_]
    active: Ints
    idle: Ints
    node_idle: Ints
    node_off: Ints
    node_boot: Ints
    boot_s: Ints
    pieces: Pieces | None

    @property
    def share(self) -> Ints:
        """The power of each run with its idle share, mW, shape (runs,)."""
        return self.active + self.idle


def run_power(schedule: Schedule) -> RunPower | None:
    """The power of each run of a schedule.

    None where the power of the machine is not known, or where its nodes differ and those of the jobs are not.
    """
    model, cluster = power_known(schedule.trace), schedule.cluster
    watts = None if model is None else node_watts(model, cluster)
    if model is None or watts is None:
        return None
    placed = cluster.pooled or schedule.policy.simulated or names_nodes(schedule)
    # Where nodes of jobs are not known, all nodes have to take the same power.
    if not placed:
        watts = _alike(watts)
        if watts is None:
            return None
    ran, more = np.flatnonzero(schedule.ran), schedule.further
    pieces = _joined(schedule.pieces.take(ran), more.pieces) if len(more) else schedule.pieces.take(ran)
    job = np.concatenate((ran, more.job))
    rows = np.repeat(np.arange(len(job)), np.diff(pieces.offset))
    node, cpus = pieces["node"], pieces["cpus"]
    gpus = pieces[GPU] if GPU in pieces.columns else np.zeros(len(node), np.int64)
    # Of a node's idle power a job bears the part of the cores that it holds.
    idle = _summed(rows, watts.idle[node] * cpus, len(job))
    active = _summed(rows, watts.core[node] * cpus + watts.gpu[node] * gpus, len(job))
    measured = _measured(schedule, model, watts, placed)
    if measured is not None:
        told = ~np.isnan(measured[job])
        # What the log measured goes before what the model says.
        active = np.where(told, measured[job], active)
    node_cpus = cluster.node_cpus()
    return RunPower(
        job=job,
        start=np.concatenate((schedule.start[ran], more.start)),
        end=np.concatenate((schedule.end[ran], more.end)),
        own=np.arange(len(job)) < len(ran) + len(schedule.stopped),
        active=_milli(active),
        idle=_milli(idle),
        node_idle=_milli(watts.idle * node_cpus),
        node_off=_milli(watts.off),
        node_boot=_milli(watts.boot),
        boot_s=watts.boot_s,
        pieces=pieces if placed else None,
    )


def _job_energy(jobs: Jobs, rates: Rates | None = None) -> Floats | Missing:
    """The energy of the share of each job in all its runs, J, shape (n,).

    With `rates`, what that energy costs, in their unit: NaN where the rate is not known throughout.
    """
    power = run_power(jobs.known_schedule)
    if power is None:
        return Missing("the power of some nodes is not known, or the nodes of jobs are not")
    lasts = power.end - power.start if rates is None else rates.over(power.start, power.end) / 3.6e6
    amount = power.share / 1e3 * lasts
    return _summed(power.job[power.own], amount[power.own], len(jobs))


def _model(jobs: Jobs) -> PowerModel:
    model = power_known(jobs.trace)
    assert model is not None
    return model


def _measured(schedule: Schedule, model: PowerModel, watts: NodeWatts, placed: bool) -> Floats | None:
    """The mean power above idle of each job that the log tells of, W, shape (n,); NaN for others."""
    trace = schedule.trace
    if trace.energy is None or model.means == "ignored":
        return None
    known = (trace.energy != MISSING) & (trace.recorded_runtime > 0)
    mean = np.where(known, trace.energy / np.maximum(trace.recorded_runtime, 1), np.nan)
    if model.means == "above-idle":
        return mean
    # Energy of whole nodes: what these take when idle, whoever had their other cores, is no work of the job.
    return np.maximum(mean - _whole_idle(schedule, watts, placed), 0.0)


def _whole_idle(schedule: Schedule, watts: NodeWatts, placed: bool) -> Floats:
    """The idle power of the whole nodes that each job had, W, shape (n,): in the log where it tells them."""
    trace, cluster = schedule.trace, schedule.cluster
    nodes = schedule.pieces
    if not cluster.pooled:
        nodes = nodes_on(trace, cluster) or nodes
    job, node = np.repeat(np.arange(len(trace)), np.diff(nodes.offset)), nodes["node"]
    if cluster.pooled or not placed:  # each processor is a node, or nodes are alike and not told
        return _summed(job, watts.idle[node] * nodes["cpus"], len(trace))
    # A job of several kinds of tasks may have several rows on a node.
    job, node = np.divmod(np.unique(job * cluster.nodes + node), cluster.nodes)
    return _summed(job, (watts.idle * cluster.node_cpus())[node], len(trace))


def _alike(watts: NodeWatts) -> NodeWatts | None:
    """The power of nodes where a processor takes the same on each of them; else None."""
    columns = (watts.idle, watts.core, watts.gpu, watts.off)
    return watts if all(bool((column == column[0]).all()) for column in columns) else None


def _joined(first: Pieces, second: Pieces) -> Pieces:
    offset = np.concatenate((first.offset, first.offset[-1] + second.offset[1:]))
    names = [name for name in first.columns if name in second.columns]
    return Pieces(offset, {name: np.concatenate((first[name], second[name])) for name in names})


def _summed(code: Ints, amount: Floats, many: int) -> Floats:
    """The sum of the amounts of each code, shape (many,); bincount of no rows would give integers."""
    return np.bincount(code, amount, many).astype(np.float64)


def _milli(watts: Floats) -> Ints:
    return np.round(1e3 * watts).astype(np.int64)


POWER = (
    Quantity(
        "run_energy",
        "Energy of its share",
        "J",
        "energy of its busy cores and GPUs and of its part of idle power, like 300kJ or 5kWh; as measured "
        "where the log tells it",
        _job_energy,
        (Need.RUN, _KNOWN),
        combine="sum",
    ),
    Quantity(
        "energy_cost",
        "Cost of its energy",
        "value",
        "what the energy of its share costs, in the currency of the prices",
        lambda jobs: _job_energy(jobs, _model(jobs).price),
        (Need.RUN, _KNOWN, _PRICED),
        combine="sum",
        shown=_TOLD,
    ),
    Quantity(
        "carbon",
        "Carbon of its energy",
        "g",
        "g of CO2 that are released for the energy of its share",
        lambda jobs: _job_energy(jobs, _model(jobs).carbon),
        (Need.RUN, _KNOWN, _CARBON),
        combine="sum",
        shown=_TOLD,
    ),
)
"""Quantities of the energy of jobs in a run, each missing if the power of the machine is not known."""
