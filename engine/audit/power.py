"""The cap on power, and prices of energy that jobs wait for: checked from the times of a schedule alone."""

from __future__ import annotations

import numpy as np

from engine.audit.columns import Floats
from engine.audit.refusals import held_processors
from engine.audit.report import AuditFinding, Case, finding, number
from engine.audit.table import Ints, ScheduleTable
from engine.machine.cluster import Cluster
from engine.machine.power import NodeWatts, PowerModel, Rates, caps_over_time, node_watts, power_of
from engine.policy.formula_variables import named_jobs
from engine.policy.policy import Policy
from engine.trace import MISSING, Trace

_ROUNDING = 2e-3
"""W a job, by which the simulator rounds power up; so much is no violation."""


def power_unchecked(trace: Trace, cluster: Cluster, policy: Policy) -> str | None:
    """The reason why the policy's cap on power cannot be checked; None where it can."""
    model = power_of(trace.cluster)
    if model is None or caps_over_time(policy.power_cap, model) is None:
        return "the power of the machine, or its caps, are not known here (--power tells them)"
    if node_watts(model, cluster) is None:
        return f"the power of some nodes of {cluster} is not known"
    if cluster.failures is not None:
        return "nodes fail, and the schedule does not list the runs that this stopped"
    if trace.energy is not None and model.means != "ignored" and not cluster.pooled:
        return "the log tells the energy of jobs, which on nodes is not taken apart here"
    return None


def check_power(
    table: ScheduleTable, cluster: Cluster, policy: Policy, estimate: Ints | None, tolerance: float
) -> tuple[AuditFinding, ...]:
    """Starts after which power passes the cap: at once, or where that falls before the job's estimate ends.

    `estimate`, (n,) s, is None where it changes as the scheduler learns: then only the seconds of starts
    count. Where nodes differ, jobs count with the least that they may take. Runs that end within `tolerance`
    (s) after a start count as ended.
    """
    model = power_of(table.trace.cluster)
    assert model is not None
    caps, watts = caps_over_time(policy.power_cap, model), node_watts(model, cluster)
    assert caps is not None
    assert watts is not None
    idle = float((watts.idle * cluster.node_cpus()).sum())
    order = np.argsort(table.start, kind="stable")
    job, start, end = table.job[order], table.start[order], table.end[order]
    power = _least_power(table.trace, cluster, policy, model, watts)[job]
    length = None if estimate is None else estimate[job]
    # Runs that may still be there at a start began no longer before it than the longest run lasts.
    longest = float((end - start).max(initial=0.0))
    cases = []
    for first in np.unique(start, return_index=True)[1].tolist():
        now = float(start[first])
        behind = int(np.searchsorted(start, now, "right"))
        runs = slice(int(np.searchsorted(start, now - longest)), behind)
        there = end[runs] > now + tolerance
        held, own = power[runs][there], slice(first, behind)
        moments = [now]
        if length is not None:
            until = _expected(table.trace, job[runs][there], start[runs][there], length[runs][there], now)
            last = now + float(length[own].max())
            falls = caps.time[(caps.time > now) & (caps.time < last)]
            moments += falls.tolist()
        for moment in moments:
            cap = 1e3 * caps.at(moment)
            # Only a job that is expected to run at that time has to keep the cap then.
            new = np.arange(first, behind)
            if moment > now and length is not None:
                new = new[now + length[new] > moment]
            taken = held if moment == now or length is None else held[until > moment]
            over = idle + float(taken.sum()) - cap
            if len(new) and over > _ROUNDING * (len(taken) + 1):
                when = "" if moment == now else f", which it is from {number(moment)} s on"
                text = (
                    f"{number(round((cap + over) / 1e3, 6))} kW under a cap of {number(cap / 1e3)} kW{when}"
                )
                cases.append(Case(text, str(table.trace.job_id[job[new[-1]]]), now, round(over / 1e3, 6)))
                break
    return finding("power", "starts after which the machine takes more power than its cap", cases, "kW")


def _expected(trace: Trace, job: Ints, start: Floats, estimate: Ints, now: float) -> Floats:
    """When jobs that run at `now` are expected to end, (runs,) s: an estimate that is used up grows."""
    limit = start + trace.walltime[job]
    return np.where(now < start + estimate, start + estimate, np.where(now < limit, limit, now + 1))


def _least_power(
    trace: Trace, cluster: Cluster, policy: Policy, model: PowerModel, watts: NodeWatts
) -> Floats:
    """The power of each job above that of idle nodes, W, (n,), at least."""
    gpus = np.maximum(0 if trace.gpus is None else trace.gpus, 0) if "gpu" in cluster.resources else 0
    power = float(watts.core.min()) * held_processors(trace, cluster, policy) + float(watts.gpu.min()) * gpus
    if trace.energy is None or model.means == "ignored":
        return np.asarray(power, np.float64)
    known = (trace.energy != MISSING) & (trace.recorded_runtime > 0)
    mean = trace.energy / np.maximum(trace.recorded_runtime, 1)
    if model.means == "nodes":
        mean = np.maximum(mean - float(watts.idle[0]) * trace.procs, 0.0)
    return np.where(known, mean, power)


def check_prices(table: ScheduleTable, policy: Policy, tolerance: float) -> tuple[AuditFinding, ...]:
    """Starts of jobs that should have waited for cheaper energy, by more than `tolerance` (s)."""
    model = power_of(table.trace.cluster)
    assert model is not None
    assert model.price is not None
    assert policy.price_below is not None
    trace, price = table.trace, model.price
    waits = named_jobs(policy, trace)[table.job]
    patient = table.start < trace.submit[table.job] + policy.price_wait - tolerance
    cases = []
    for row in np.flatnonzero(waits & patient).tolist():
        moment = float(table.start[row])
        # A price that is not known is no reason to wait.
        costs = [price.at(at) for at in (moment - tolerance, moment, moment + tolerance)]
        if all(cost > policy.price_below for cost in costs):
            text = f"energy costs {number(costs[1])}, more than {number(policy.price_below)}"
            over = round(costs[1] - policy.price_below, 6)
            cases.append(Case(text, str(trace.job_id[table.job[row]]), moment, over))
    return finding("price", "starts while energy costs more than jobs wait for", cases)


def prices_known(trace: Trace) -> Rates | None:
    """The prices of energy; None where they are not known."""
    model = power_of(trace.cluster)
    return None if model is None else model.price
