"""All metrics of a schedule, by the names of METRICS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.estimate.accuracy import estimate_accuracy
from engine.metrics.available_capacity import processor_seconds, resource_seconds
from engine.metrics.catalog import METRICS
from engine.metrics.loss import Loss, loss_of_capacity
from engine.metrics.metric_names import parameterised_values
from engine.metrics.packing import area_weighted, response_norm, whole_specific_responses
from engine.metrics.power import power_metrics
from engine.metrics.queue_depth import max_queue_depth, mean_queue_depth
from engine.metrics.record_distance import distance_to_recorded
from engine.metrics.stays import stays_of_jobs
from engine.metrics.users import UserTable, per_user
from engine.quantities import QUANTITIES, Jobs, Missing, offered
from engine.schedule.eligible import could_start
from engine.schedule.predictions import accuracy
from engine.schedule.responses import measured
from engine.schedule.schedule import Schedule
from engine.schedule.value import credits_unspent, total_value, users_priced_out

if TYPE_CHECKING:
    from engine.fairness.violations import Violations


def loss_but_for_holds(schedule: Schedule, jobs: Mask) -> Loss:
    """The loss of capacity over `jobs`, shape (n,): jobs ask for processors from their submission on, but
    would have fit only when they were not held, and what they follow had ended.
    """
    loss = loss_of_capacity(schedule, jobs)
    free = could_start(schedule)
    if loss.fit is None or not (jobs & (free > schedule.submit)).any():
        return loss
    came = np.minimum(free, schedule.start)
    # The first submission of all stays, from which the machine's time counts.
    first = np.flatnonzero(jobs)[np.argmin(schedule.submit[jobs])]
    came[first] = schedule.submit[first]
    later = loss_of_capacity(replace(schedule, came=came), jobs)
    return Loss(loss.demand, later.fit, later.fragmented)


Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Value = float | int | None

_FURTHER = ("ram", "gpu")
"""Resources that have a utilization of their own besides the processors."""


def summary(
    schedule: Schedule,
    violations: Violations | None = None,
    jobs: Mask | None = None,
    extra: Sequence[str] = (),
    auction: Schedule | None = None,
    penalty: str = "max",
    losing: Mask | None = None,
) -> dict[str, Value]:
    """Every metric of METRICS, in that order, then the `extra` metrics; None if undefined, never NaN.

    `violations` are of the same schedule; without them the metrics of expected ends are None. `jobs`
    restricts the metrics, not the schedule, to some jobs, shape (n,). Only `ran`, `refused`, `given_up`
    and `passes` always cover the whole schedule. `extra` names metrics that take a parameter,
    like `psf:alpha=1.5`; raises InputError for misspelled names. The value is in % of that of the `auction`,
    another schedule of the same jobs. The `penalty` weighs the use of several resources. Runs that were cut
    short count for the jobs in `losing`, shape (n,), also if they never completed; by default for `jobs`.
    """
    chosen = measured(schedule, jobs)
    users = per_user(schedule, violations, jobs, penalty)
    jobs_of = users.of
    values: dict[str, Value] = {
        "jobs": int(chosen.sum()),
        "users": int(users.active.sum()),
        "ran": int(schedule.ran.sum()),
        "refused": int(schedule.refused.sum()),
        **_failures(schedule, jobs if losing is None else losing),
        **_preemptions(schedule, jobs if losing is None else losing),
        **_machine(schedule, chosen),
        **_spreads(jobs_of, chosen),
        **_packing(schedule, chosen),
        **_expected_ends(users, violations, chosen),
        "jain_wait": _jain(users["wait_mean"][users.active]),
        **_user_waits(jobs_of, chosen),
        **_unfairness(jobs_of, chosen),
        **_value(jobs_of, chosen, auction),
        **_estimates(schedule, chosen),
        **distance_to_recorded(schedule, chosen),
        **_predictions(jobs_of, chosen),
        **_scheduler(jobs_of, chosen),
    }
    # The order of METRICS, whatever function computed them.
    return {name: values[name] for name in METRICS} | parameterised_values(schedule, chosen, extra)


def _failures(schedule: Schedule, jobs: Mask | None) -> dict[str, Value]:
    """The cost of node failures, including those of jobs that were given up; empty if no node can fail."""
    if schedule.cluster.failures is None:
        return dict.fromkeys(("given_up", "runs_stopped", "stopped_area"))
    stopped = schedule.stopped
    failed = ~stopped.preempted if jobs is None else ~stopped.preempted & jobs[stopped.job]
    # A job that continues keeps what its runs did, unless it is given up after all.
    lost = failed & (schedule.given_up[stopped.job] | (schedule.policy.on_failure != "continue"))
    area = schedule.procs[stopped.job] * (stopped.end - stopped.start)
    return {
        "given_up": int(schedule.given_up.sum()),
        "runs_stopped": int(failed.sum()),
        "stopped_area": int(area[lost].sum(dtype=np.float64)),
    }


def _preemptions(schedule: Schedule, jobs: Mask | None) -> dict[str, Value]:
    """The cost of preemption, of requeued and of cancelled jobs; empty where the policy preempts nobody."""
    if schedule.cancelled_for is None:
        return dict.fromkeys(("preempted_runs", "preempted_area"))
    stopped, chosen = schedule.stopped, np.ones(len(schedule.start), np.bool_) if jobs is None else jobs
    requeued = stopped.preempted & chosen[stopped.job]
    cancelled = (schedule.cancelled_for >= 0) & chosen
    # A requeued job begins again from nothing, unless it runs its rest, and a cancelled job never completes:
    # both runs are lost.
    area = schedule.procs[stopped.job] * (stopped.end - stopped.start)
    last = schedule.procs * (schedule.end - schedule.start)
    goes_on = schedule.policy.preempt_value is not None and schedule.policy.on_failure == "continue"
    again = 0.0 if goes_on else area[requeued].sum(dtype=np.float64)
    lost = again + last[cancelled].sum(dtype=np.float64)
    return {"preempted_runs": int(requeued.sum() + cancelled.sum()), "preempted_area": int(lost)}


def _machine(schedule: Schedule, chosen: Mask) -> dict[str, Value]:
    submit = _of(chosen, schedule.submit)
    if len(submit) == 0:
        names = (*(f"utilization_{name}" for name in _FURTHER), "queue_depth_mean", "queue_depth_max")
        return dict.fromkeys(("makespan", "utilization", *names)) | power_metrics(schedule, 0, 0)
    begin, end = int(submit.min()), int(_of(chosen, schedule.end).max())
    # Time begins with the first measured submission, so that other jobs do not dilute it.
    makespan = end - begin
    area = _of(chosen, schedule.procs) * _of(chosen, schedule.runtime)
    used = float(area.sum(dtype=np.float64))
    del area, submit
    stays = stays_of_jobs(schedule, np.flatnonzero(chosen), added=False)
    there = processor_seconds(schedule.cluster, schedule.outages, begin, end)
    return {
        "makespan": makespan,
        "utilization": used / there if there > 0 else None,
        **{f"utilization_{name}": _utilization(schedule, chosen, name, begin, end) for name in _FURTHER},
        "queue_depth_mean": mean_queue_depth(stays.start - stays.came, makespan),
        "queue_depth_max": max_queue_depth(stays.came, stays.start),
        **power_metrics(schedule, begin, end),
    }


def _of(chosen: Mask, column: NDArray[Any]) -> NDArray[Any]:
    """The chosen values; no copy if all are."""
    return column if chosen.all() else column[chosen]


def _utilization(schedule: Schedule, chosen: Mask, resource: str, begin: int, end: int) -> float | None:
    """The part of a resource's time that jobs asked for; None where the machine's is not known."""
    there = resource_seconds(schedule.cluster, schedule.outages, resource, begin, end)
    if not there:
        return None
    asked = schedule.trace.asked(resource)[chosen].astype(np.float64)
    return float((asked * schedule.runtime[chosen]).sum()) / there


def _spreads(jobs: Jobs, chosen: Mask) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for name, quantity in offered("spread").items():
        per_job = quantity.of_run(jobs)
        values |= _spread(name, _of(chosen, per_job) if isinstance(per_job, np.ndarray) else np.zeros(0))
    return values


def _spread(name: str, values: Ints | Floats) -> dict[str, Value]:
    if len(values) == 0:
        return dict.fromkeys(f"{name}_{quantity}" for quantity in ("mean", "median", "p95", "max"))
    median, p95 = np.quantile(values, (0.5, 0.95))
    return {
        f"{name}_mean": float(values.mean()),
        f"{name}_median": float(median),
        f"{name}_p95": float(p95),
        f"{name}_max": values.max().item(),
    }


def _packing(schedule: Schedule, chosen: Mask) -> dict[str, Value]:
    wait, runtime, procs = (
        _of(chosen, column) for column in (schedule.wait, schedule.runtime, schedule.procs)
    )
    responses = whole_specific_responses(wait, runtime, procs, (1, 2, 3))
    loss = loss_but_for_holds(schedule, chosen)
    area, response = procs * runtime, wait + runtime
    return {
        "awf": area_weighted(area, response),
        "awq": area_weighted(area, wait),
        **dict(zip(("psf1", "psf2", "psf3"), responses, strict=True)),
        "response_l2": response_norm(response),
        "loss_of_capacity_demand": loss.demand,
        "loss_of_capacity_fit": loss.fit,
        "loss_of_capacity_fragmented": loss.fragmented,
    }


def _expected_ends(users: UserTable, violations: Violations | None, chosen: Mask) -> dict[str, Value]:
    names = [name for name in METRICS if name.startswith(("veet_", "wt_"))]
    names += ["violated_jobs", "tardiness_mean"]
    # Without expected ends nothing can be violated.
    if violations is None or not users.active.any():
        return dict.fromkeys(names)
    veet, wt = users["veet"][users.active], users["wt"][users.active]
    q1, median, q3 = (float(q) for q in np.quantile(veet, (0.25, 0.5, 0.75)))
    return {
        "veet_mean": float(veet.mean()),
        "veet_median": median,
        "veet_q1": q1,
        "veet_q3": q3,
        "veet_all": int((veet == 100.0).sum()),
        "violated_jobs": int(violations.violated[chosen].sum()),
        "wt_total": int(wt.sum()),
        "wt_median": float(np.median(wt)),
        "wt_max": int(wt.max()),
        "tardiness_mean": float(_of(chosen, violations.tardiness).mean()),
    }


def _jain(means: Floats) -> float | None:
    if len(means) == 0:
        return None
    squares = float((means**2).sum())
    return float(means.sum()) ** 2 / (len(means) * squares) if squares > 0 else 1.0


def _user_waits(jobs: Jobs, chosen: Mask) -> dict[str, Value]:
    waits = QUANTITIES["nuwt"].of_each(jobs, chosen, jobs.trace.user)
    assert not isinstance(waits, Missing)
    waits = waits[~np.isnan(waits)]
    if len(waits) == 0:
        return dict.fromkeys(("nuwt_mean", "nuwt_std"))
    return {"nuwt_mean": float(waits.mean()), "nuwt_std": float(waits.std())}


def _unfairness(jobs: Jobs, chosen: Mask) -> dict[str, Value]:
    """Starts after the fair start time (Tang et al. 2013, section 4.2)."""
    delay = QUANTITIES["unfair_delay"].of_run(jobs)
    if not isinstance(delay, np.ndarray):
        return dict.fromkeys(("unfair_jobs", "unfair_delay_mean"))
    unfair = delay[chosen & (delay > 0)]
    return {
        "unfair_jobs": len(unfair),
        "unfair_delay_mean": float(unfair.mean()) if len(unfair) else 0.0,
    }


def _value(jobs: Jobs, chosen: Mask, auction: Schedule | None) -> dict[str, Value]:
    paid = QUANTITIES["payment"].of_run(jobs)
    value = total_value(jobs.known_schedule, chosen)
    # As in the paper, the auction is what all other policies are compared with.
    best = None if auction is None else total_value(auction, chosen)
    return {
        "value": value,
        "value_percent": 100.0 * value / best if value is not None and best else None,
        "revenue": float(paid[chosen].sum()) if isinstance(paid, np.ndarray) else None,
        "users_priced_out": users_priced_out(jobs.known_schedule, chosen)
        if isinstance(paid, np.ndarray)
        else None,
        "budget_unspent": credits_unspent(jobs.known_schedule, chosen),
    }


def _estimates(schedule: Schedule, chosen: Mask) -> dict[str, Value]:
    if schedule.estimate is None:
        return dict.fromkeys(("estimate_r2", "underestimated"))
    accuracy = estimate_accuracy(schedule.estimate, schedule.runtime, chosen)
    return {"estimate_r2": accuracy.r2, "underestimated": accuracy.underestimated}


def _predictions(jobs: Jobs, chosen: Mask) -> dict[str, Value]:
    """The accuracy of the planned starts."""
    errors = QUANTITIES["prediction_error"].of_run(jobs)
    score = accuracy(errors[chosen]) if isinstance(errors, np.ndarray) else None
    names = ("prediction_early", "prediction_on_time", "prediction_late")
    return dict(zip(names, score, strict=True)) if score is not None else dict.fromkeys(names)


def _scheduler(jobs: Jobs, chosen: Mask) -> dict[str, Value]:
    schedule, backfilled = jobs.known_schedule, QUANTITIES["backfilled"].of_run(jobs)
    passes = schedule.passes
    return {
        "backfilled": int(backfilled[chosen].sum()) if isinstance(backfilled, np.ndarray) else None,
        "passes": passes if passes > 0 else None,
    }
