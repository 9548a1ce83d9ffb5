"""Carries a study out on the cores of this machine: simulates and measures each run that is not kept yet."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from engine.errors import InputError
from engine.fairness.shares import Share
from engine.machine.cluster import Cluster
from engine.metrics.catalog import METRICS
from engine.metrics.evaluation import evaluate
from engine.metrics.named import parameterised_values
from engine.policy.policy import Policy
from engine.simulation.control import Cancelled, Control
from engine.simulation.run import reference_schedule, simulate
from engine.sweep.kept import Row, fingerprint, read_row, run_name, write_results, write_row
from engine.sweep.study_file import PlannedRun, StudyFile
from engine.trace import Trace
from engine.trace.scale import Scale, scaled

RESULTS = "results.parquet"
UNFAIR = "unfair_"
"""How metrics begin that fair start times are worked out for."""

_POLL_S = 0.05
_WRITE_EVERY_S = 5.0


def carry_out(
    study: StudyFile,
    trace: Trace,
    cluster: Cluster,
    folder: Path,
    *,
    control: Control | None = None,
    tell: Callable[[float], None] = lambda done: None,
    threads: int | None = None,
) -> list[Row]:
    """A row a run, in the order of the study; kept in `folder`, whose RESULTS grow as runs end.

    A run that fails is a row with its `error`. `tell` hears which part is done, 0 to 1. Raises Cancelled, and
    OSError where the folder cannot be written.
    """
    control, known = control or Control(), fingerprint(trace)
    runs = folder / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    names = [run_name(known, cluster, run, study.metrics) for run in study.runs]
    rows: dict[int, Row] = {
        index: row for index, name in enumerate(names) if (row := read_row(runs, name)) is not None
    }
    traces: dict[Scale, Trace] = {}
    own = [Control() for _ in names]
    todo = [index for index in range(len(names)) if index not in rows]
    for index in todo:
        scale = study.runs[index].scale
        traces.setdefault(scale, scaled(trace, scale))
    written = time.monotonic()
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        index_of: dict[Future[Row], int] = {
            pool.submit(
                _row, study, study.runs[index], traces[study.runs[index].scale], cluster, own[index]
            ): index
            for index in todo
        }
        waiting = set(index_of)
        try:
            while waiting:
                done, waiting = wait(waiting, _POLL_S, FIRST_COMPLETED)
                if control.cancelled:
                    raise Cancelled
                for future in sorted(done, key=index_of.__getitem__):
                    index = index_of[future]
                    rows[index] = future.result()
                    if not rows[index]["error"]:
                        write_row(runs, names[index], rows[index])
                tell(len(rows) / max(len(names), 1))
                if done and time.monotonic() - written > _WRITE_EVERY_S:
                    write_results([rows[index] for index in sorted(rows)], folder / RESULTS)
                    written = time.monotonic()
        except BaseException:
            for future, index in index_of.items():
                future.cancel()
                own[index].cancel()
            raise
    found = [rows[index] for index in range(len(names))]
    write_results(found, folder / RESULTS)
    return found


def _row(study: StudyFile, run: PlannedRun, trace: Trace, cluster: Cluster, control: Control) -> Row:
    """One run, or why there is none."""
    began = time.perf_counter()
    error, values = "", dict.fromkeys(study.metrics)
    try:
        values = _values(study.metrics, run.policy, trace, cluster, control)
    except InputError as failed:
        error = str(failed)
    return {
        "trace": trace.name,
        "theta": run.scale.theta,
        "rho": run.scale.rho,
        "policy": run.base,
        **{key: run.policy.spelled(key) for key in study.keys},
        **values,
        "seconds": round(time.perf_counter() - began, 6),
        "error": error,
    }


def _values(
    metrics: Sequence[str], policy: Policy, trace: Trace, cluster: Cluster, control: Control
) -> dict[str, float | int | None]:
    """The metrics by name; those that take a number need nothing but the schedule."""
    logged = any(name in METRICS for name in metrics)
    fair = any(name.startswith(UNFAIR) for name in metrics)
    schedule = simulate(trace, cluster, policy, log=logged, fair_starts=fair, control=control)
    if not logged:
        return parameterised_values(schedule, schedule.ran, metrics)
    reference = reference_schedule(trace, cluster, [schedule])
    (one,) = evaluate([schedule], Share(), reference, extra=metrics)
    return {name: one.summary[name] for name in metrics}
