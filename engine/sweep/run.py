"""Simulates and measures many policies on the cores of this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass

from engine.filter import Expression
from engine.machine.cluster import Cluster
from engine.metrics.catalog import METRICS
from engine.metrics.evaluation import evaluate
from engine.metrics.needs import needs_of
from engine.metrics.summary import Value
from engine.policy.policy import Policy
from engine.policy.share import Share
from engine.run_source import schedule_of
from engine.schedule.schedule import Schedule
from engine.simulation.control import ENDED, Cancelled, Control, thread_pool
from engine.simulation.run import reference_schedule
from engine.trace import Trace

_POLL_S = 0.02
"""Interval at which progress is reported and cancelling is checked, s."""


@dataclass(frozen=True, eq=False)
class Cell:
    """A policy with its metrics, by the names of METRICS."""

    policy: Policy
    summary: dict[str, Value]


def sweep(
    trace: Trace,
    cluster: Cluster,
    policies: Sequence[Policy],
    share: Share,
    *,
    control: Control | None = None,
    report: Callable[[int, Cell], None] | None = None,
    only: Expression | None = None,
    threads: int | None = None,
    metrics: Sequence[str] = (),
) -> list[Cell]:
    """A cell for each policy, in order, independent of the order in which they end.

    Threads, by default one per core, share the work: kernels run without the interpreter lock. `report` is
    called for each finished cell, with its index, in the caller's thread. `share` is the users' expected
    share. If named in `metrics`, also metrics that need fair start times or the decision log are
    computed, those that take a parameter, and those of a user's own. `only` restricts the metrics to jobs
    that match it under the policy of the cell.
    `control` reports progress and cancels. Raises Cancelled, and InputError if a policy does not fit the
    trace.
    """
    control = control or Control()
    reference = reference_schedule(trace, cluster, control=control)
    control.jobs = max(len(policies) * len(trace), 1)
    controls = [Control() for _ in policies]
    cells: dict[int, Cell] = {}
    with thread_pool(threads or os.cpu_count() or 1) as pool:
        index_of: dict[Future[Cell], int] = {
            pool.submit(
                _cell, trace, cluster, policy, share, reference, only, metrics, controls[index]
            ): index
            for index, policy in enumerate(policies)
        }
        waiting = set(index_of)
        try:
            while waiting:
                # In short intervals: progress is summed and cancelling seen while the kernels run.
                done, waiting = wait(waiting, _POLL_S, FIRST_COMPLETED)
                control.array[ENDED] = sum(int(part.array[ENDED]) for part in controls)
                if control.cancelled:
                    raise Cancelled
                for future in sorted(done, key=index_of.__getitem__):
                    cells[index_of[future]] = future.result()
                    if report is not None:
                        report(index_of[future], cells[index_of[future]])
        # No thread goes on after a failure or a cancel; those that run are told to stop.
        finally:
            for future, index in index_of.items():
                future.cancel()
                controls[index].cancel()
    return [cells[index] for index in range(len(policies))]


def _cell(
    trace: Trace,
    cluster: Cluster,
    policy: Policy,
    share: Share,
    reference: Schedule,
    only: Expression | None,
    metrics: Sequence[str],
    control: Control,
) -> Cell:
    schedule = schedule_of(trace, cluster, policy, control=control, **needs_of(metrics))
    further = [name for name in metrics if name not in METRICS]
    (evaluation,) = evaluate([schedule], share, reference, extra=further, only=only)
    return Cell(policy, evaluation.summary)
