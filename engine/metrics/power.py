"""Power over time, and energy with its parts, cost and carbon: this project's own definitions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.limits import MAX_TIME
from engine.machine.outages import NO_OUTAGES, Outages
from engine.machine.power import Rates, caps_over_time
from engine.metrics.metric import Metric
from engine.metrics.series import NOTHING, StepSeries, UsageSeries, usage
from engine.quantities.power import RunPower, power_known, run_power
from engine.schedule.schedule import Schedule

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Value = float | int | None

KWH = 3.6e6
"""J of a kWh."""


def _power() -> Iterator[Metric]:
    span = "from the first submission of the measured jobs to their last end"
    condition = "empty if the power of the machine is not known (--power)"
    for name, label, what in (
        ("energy", "Energy", f"Energy of the whole machine {span}; {condition}."),
        (
            "energy_jobs",
            "Energy of jobs",
            "The part of the energy that is of jobs: their busy cores and GPUs, and of the idle power of "
            "their nodes the part of the cores that they hold; as measured, where the log tells that.",
        ),
        (
            "energy_idle",
            "Energy of idle nodes",
            "The part of the energy of nodes that hold no job.",
        ),
        (
            "energy_idle_cores",
            "Energy of idle cores",
            "The part of the energy that is of cores without a job, on nodes with jobs: their share of the "
            "idle power of the node.",
        ),
        (
            "energy_off",
            "Energy of nodes off",
            "The part of the energy that nodes take while they are down, or switched off.",
        ),
        ("energy_boot", "Energy of boots", "The part of the energy that nodes take while they boot."),
    ):
        yield Metric(name, label, "kWh", "lower", what, ",.1f")
    yield Metric(
        "power_mean", "Mean power", "kW", "lower", f"Mean power of the machine {span}; {condition}.", ",.1f"
    )
    yield Metric(
        "power_peak",
        "Peak power",
        "kW",
        "lower",
        f"Largest power of the machine {span}; {condition}.",
        ",.1f",
    )
    over = "Only jobs that run longer than their estimates, and what a log's own schedule does, pass a cap"
    yield Metric(
        "cap_passed",
        "Time above the cap",
        "s",
        "lower",
        f"How long the machine takes more power than the power_cap of the policy allows. {over}. Empty "
        "without a cap.",
        ",.0f",
    )
    yield Metric(
        "energy_over_cap",
        "Energy above the cap",
        "kWh",
        "lower",
        f"The energy that the machine takes above the power_cap of the policy. {over}. Empty without a cap.",
        ",.2f",
    )
    yield Metric(
        "energy_cost",
        "Cost of energy",
        "",
        "lower",
        "What the energy of the machine costs, in the currency of its prices; empty if these are not given, "
        "or not for all of the time.",
        ",.2f",
    )
    yield Metric(
        "energy_carbon",
        "Carbon of energy",
        "kg",
        "lower",
        "CO2 that is released for the energy of the machine; empty if carbon intensities are not given, or "
        "not for all of the time.",
        ",.1f",
    )


POWER_METRICS = tuple(_power())
"""The metrics of power and energy, in the order in which tables list them."""


def power_over_time(schedule: Schedule, jobs: Mask | None = None) -> StepSeries:
    """The power of the machine in mW, from the first submission to the last end: an exact step function.

    With `jobs`, shape (n,), that of the shares of these jobs alone. NOTHING where the power is not known.
    """
    power = run_power(schedule)
    if power is None:
        return NOTHING
    if jobs is None:
        return _of_machine(schedule, power)
    chosen = jobs[power.job]
    return _steps(power.start[chosen], power.end[chosen], power.share[chosen])


def usage_and_power(schedule: Schedule, jobs: Mask | None = None) -> UsageSeries:
    """The use of the machine with its power: of all jobs and nodes, or the shares of some `jobs`, (n,)."""
    return replace(usage(schedule, jobs), power=power_over_time(schedule, jobs))


def power_metrics(schedule: Schedule, begin: int, end: int) -> dict[str, Value]:
    """Energy from `begin` to `end`, s, of all jobs, its parts, mean and peak power, cost and carbon.

    Also for how long, and by how much, it passes the cap of the policy. All None where the power of the
    machine is not known; the parts of nodes without jobs where the nodes of the jobs are not; cost and carbon
    where no rate is given, or has a gap in that time.
    """
    power = run_power(schedule)
    if power is None or end <= begin:
        return dict.fromkeys(metric.name for metric in POWER_METRICS)
    series, model = _of_machine(schedule, power), power_known(schedule.trace)
    assert model is not None
    time, value = _within(series, begin, end)
    total = float((value[:-1] / 1e3 * np.diff(time)).sum())
    lasts = _overlap(power.start, power.end, begin, end)
    jobs = float((power.share / 1e3 * lasts).sum())
    off, boot = (
        float((watts[spans.node] / 1e3 * (spans.end - spans.start)).sum())
        for watts, spans in _not_on(schedule, power, begin, end)
    )
    idle = _idle_nodes(schedule, power, begin, end)
    # What is neither of jobs, nor of idle nodes, nor of those not on: other cores of nodes with jobs.
    cores = None if idle is None else max(total - jobs - off - boot - idle, 0.0)
    passed, above = _over_cap(caps_over_time(schedule.policy.power_cap, model), time, value)
    return {
        "energy": total / KWH,
        "energy_jobs": jobs / KWH,
        "energy_idle": None if idle is None else idle / KWH,
        "energy_idle_cores": None if cores is None else cores / KWH,
        "energy_off": off / KWH,
        "energy_boot": boot / KWH,
        "power_mean": total / (end - begin) / 1e3,
        "power_peak": float(value[:-1].max(initial=0)) / 1e6,
        "cap_passed": passed,
        "energy_over_cap": above,
        "energy_cost": _charged(model.price, time, value),
        "energy_carbon": _charged(model.carbon, time, value, 1e-3),
    }


def _of_machine(schedule: Schedule, power: RunPower) -> StepSeries:
    """The power of all nodes, mW: idle ones, what runs take above that, and nodes that are down."""
    first, last = schedule.first_submit, int(power.end.max(initial=schedule.first_submit))
    begin, end, amount = [power.start], [power.end], [power.active]
    begin.append(np.array([first]))
    end.append(np.array([last]))
    amount.append(np.array([int(power.node_idle.sum())]))
    # A node that is off or boots takes its power then instead of its idle power.
    for watts, spans in _not_on(schedule, power, first, last):
        begin.append(spans.start)
        end.append(spans.end)
        amount.append((watts - power.node_idle)[spans.node])
    return _steps(*(np.concatenate(each).astype(np.int64) for each in (begin, end, amount)))


def _not_on(schedule: Schedule, power: RunPower, begin: int, end: int) -> list[tuple[Ints, Outages]]:
    """The power, mW, of each node that is down or off, and the spans in which it is; then those of boots.

    Between `begin` and `end`, s.
    """
    off, boots = schedule.outages, NO_OUTAGES
    if schedule.took is not None:  # no policy switches nodes off that fail
        off, boots = switched_off(schedule, power.boot_s)
    return [(power.node_off, off.clipped(begin, end)), (power.node_boot, boots.clipped(begin, end))]


def switched_off(schedule: Schedule, boot_s: Ints) -> tuple[Outages, Outages]:
    """When each node was switched off, and when it booted; `boot_s` is (nodes,) s."""
    assert schedule.took is not None
    after = schedule.policy.power_off
    assert after is not None
    ran = np.flatnonzero(schedule.ran)
    pieces = schedule.pieces.take(ran)
    rows = np.repeat(ran, np.diff(pieces.offset))
    held = Outages.merged(pieces["node"], schedule.took[rows], schedule.end[rows])
    order = np.lexsort((held.start, held.node))
    node, took, left = held.node[order], held.start[order], held.end[order]
    # Each node is idle from the first submission on, or from the end of its last job, until the next takes
    # it; behind its last job for ever.
    first = int(schedule.submit[~schedule.refused].min(initial=MAX_TIME))
    nodes = np.arange(schedule.cluster.nodes)
    idle_node = np.concatenate((nodes, node))
    idle_from = np.concatenate((np.full(len(nodes), first), left))
    order = np.lexsort((idle_from, idle_node))
    idle_node, idle_from = idle_node[order], idle_from[order]
    until = np.full(len(idle_node), 2 * MAX_TIME)
    # The k-th idle span of a node ends where its k-th holding begins.
    number = np.arange(len(node)) + node
    until[number] = took
    # Spans that only touch an earlier holding's end are none.
    off = (until - idle_from >= after) & (until > idle_from)
    boots = off & (until < 2 * MAX_TIME)
    start = until[boots]
    return (
        Outages.merged(idle_node[off], idle_from[off] + after, until[off]),
        Outages.merged(idle_node[boots], start, start + boot_s[idle_node[boots]]),
    )


def _steps(begin: Ints, end: Ints, amount: Ints) -> StepSeries:
    """The sum of amounts, each from its begin to its end, s."""
    time = np.concatenate((begin, end))
    order = np.argsort(time, kind="stable")
    time, level = time[order], np.cumsum(np.concatenate((amount, -amount))[order])
    # Of all changes in a second the last has the sum; where that is as before, nothing changed.
    last = np.concatenate((time[1:] != time[:-1], [True])) if len(time) else time.astype(np.bool_)
    time, level = time[last], level[last]
    changed = np.diff(level, prepend=0) != 0
    return StepSeries(time[changed], level[changed])


def _within(series: StepSeries, begin: int, end: int) -> tuple[Ints, Ints]:
    """Times and values of a step function from `begin` to `end`, s; the last value is that at the end."""
    time = series.time.astype(np.int64)
    inside = (time > begin) & (time < end)
    times = np.concatenate((np.array([begin]), time[inside], np.array([end])))
    return times, series.at(times)


def _overlap(start: Ints, stop: Ints, begin: int, end: int) -> Ints:
    return np.asarray(np.maximum(np.minimum(stop, end) - np.maximum(start, begin), 0))


def _idle_nodes(schedule: Schedule, power: RunPower, begin: int, end: int) -> float | None:
    """The energy of nodes that are on and hold no job, J; None where the nodes of jobs are not known."""
    if power.pieces is None:
        return None
    whole = float(power.node_idle.sum()) * (end - begin)
    down = sum(
        float((power.node_idle[spans.node] * (spans.end - spans.start)).sum(dtype=np.float64))
        for _, spans in _not_on(schedule, power, begin, end)
    )
    if schedule.cluster.pooled:  # each processor is a node, and jobs hold whole processors
        held = float((power.idle * _overlap(power.start, power.end, begin, end)).sum(dtype=np.float64))
        return (whole - held) / 1e3
    rows = np.repeat(np.arange(len(power.job)), np.diff(power.pieces.offset))
    # A node that several jobs hold at a time is not idle once.
    busy = Outages.merged(power.pieces["node"], power.start[rows], power.end[rows]).clipped(begin, end)
    held = float((power.node_idle[busy.node] * (busy.end - busy.start)).sum(dtype=np.float64))
    return (whole - down - held) / 1e3


def _over_cap(caps: Rates | None, time: Ints, value: Ints) -> tuple[float | None, float | None]:
    """For how long, s, and by how much, kWh, power of `value`, mW, passes the caps; None without caps.

    The last of the values is that at the end. Power that is above by less than its rounding, 1 W, is not.
    """
    if caps is None:
        return None, None
    # The steps of both, of which the last is the end.
    steps = np.unique(np.concatenate((time, caps.time[(caps.time > time[0]) & (caps.time < time[-1])])))
    power = value[np.searchsorted(time, steps[:-1], "right") - 1] / 1e6
    row = np.searchsorted(caps.time, steps[:-1], "right") - 1
    cap = np.where(row >= 0, caps.value[np.maximum(row, 0)], np.nan)
    lasts = np.diff(steps)
    over = power > cap + 1e-3  # False where there is no cap
    return float(lasts[over].sum()), float(((power - cap)[over] * lasts[over]).sum()) / 3600


def _charged(rates: Rates | None, time: Ints, value: Ints, unit: float = 1.0) -> float | None:
    """The integral of power, mW, times a rate per kWh, in units of the rate; None where a rate is missing."""
    if rates is None:
        return None
    total = float((value[:-1] / 1e3 * rates.over(time[:-1], time[1:])).sum()) / KWH * unit
    return None if np.isnan(total) else total
