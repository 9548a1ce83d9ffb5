"""One run of a study, as a row of its table: a pure function of the trace, the machine and the policy."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from engine.errors import InputError
from engine.machine.cluster import Cluster, parse_cluster
from engine.metrics.catalog import METRICS
from engine.metrics.evaluation import evaluate
from engine.metrics.kept import kept_for
from engine.metrics.named import parameterised_values
from engine.policy.share import parse_share
from engine.simulation.control import Control
from engine.simulation.run import reference_schedule, simulate
from engine.sweep.kept import Row
from engine.sweep.study_file import OWN, PlannedRun
from engine.trace import Trace


def row_of(
    run: PlannedRun,
    keys: Sequence[str],
    metrics: Sequence[str],
    trace: Trace,
    cluster: Cluster,
    control: Control | None = None,
) -> Row:
    """The row of a run on a trace that is scaled already; where it fails, why. `control` cancels it."""
    began = time.perf_counter()
    try:
        values = _values(run, metrics, trace, cluster, control or Control())
    except InputError as failed:
        return _row(run, keys, trace.name, dict.fromkeys(metrics), time.perf_counter() - began, str(failed))
    return _row(run, keys, trace.name, values, time.perf_counter() - began)


def failed_row(run: PlannedRun, keys: Sequence[str], metrics: Sequence[str], trace: str, error: str) -> Row:
    """The row of a run of which nothing came back."""
    return _row(run, keys, trace, dict.fromkeys(metrics), 0.0, error)


def _row(
    run: PlannedRun,
    keys: Sequence[str],
    trace: str,
    values: Mapping[str, float | int | None],
    seconds: float,
    error: str = "",
) -> Row:
    under = run.conditions
    return {
        "trace": trace,
        "theta": under.scaling.theta,
        "rho": under.scaling.rho,
        "machine": under.machine,
        "share": under.share,
        "policy": run.base,
        **{key: run.policy.spelled(key) for key in keys},
        **values,
        "seconds": round(seconds, 6),
        "error": error,
    }


def _values(
    run: PlannedRun, metrics: Sequence[str], trace: Trace, cluster: Cluster, control: Control
) -> dict[str, float | int | None]:
    """The metrics by name; those that take a number need nothing but the schedule."""
    if run.conditions.machine != OWN:
        cluster = parse_cluster(run.conditions.machine)
    schedule = simulate(trace, cluster, run.policy, control=control, **kept_for(metrics))
    if not any(name in METRICS for name in metrics):
        return parameterised_values(schedule, schedule.ran, metrics)
    reference = reference_schedule(trace, cluster, [schedule])
    (one,) = evaluate([schedule], parse_share(run.conditions.share), reference, extra=metrics)
    return {name: one.summary[name] for name in metrics}
