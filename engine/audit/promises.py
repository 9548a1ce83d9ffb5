"""The check of the first waiting job's guarantee: no other job delays it.

EASY backfilling (Lifka 1995; Algorithm 2 of Goponenko et al. 2022 with one reservation)
guarantees the first waiting job the earliest time at which it fits by the estimated ends of
the running jobs. Reservations of later jobs (depth n, all) do not affect that guarantee.
A relaxed reservation may be delayed by a share of the wait until the job's first reservation.
"""

from __future__ import annotations

import numpy as np

from engine.audit.clock import TICKS
from engine.audit.head_checks import JOB, KEPT, LAPSED, MADE, MADE_IN_ALL, START, HeadChecks, Tasks
from engine.audit.replay import NEVER, NOBODY, WITHOUT_END, Replay, by_node, resources_of
from engine.audit.report import AuditFinding, Case, Guarantees, finding, number
from engine.audit.table import Ints, ScheduleTable
from engine.audit.whole_nodes import WholeNodes
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy


def make_head_checks(
    table: ScheduleTable, cluster: Cluster, policy: Policy, replay: Replay, tolerance: float, on: bool
) -> HeadChecks:
    """The state before the first promise; without `on` none is checked."""
    jobs, nodes = len(table.trace) if on else 0, by_node(table, cluster)
    return HeadChecks(
        on=on,
        slack=int(round(tolerance * TICKS, 3)),
        relaxed=-1.0 if policy.relaxed is None else float(policy.relaxed),
        test_limit=policy.test_limit or WITHOUT_END,
        by_node=nodes,
        tasks=_tasks(table, cluster, replay.free.shape[1], nodes and on),
        latest=np.full(jobs if policy.relaxed is not None else 0, -1, np.int64),
        promise=np.full(3, NOBODY, np.int64),
        unpromised=np.full(1, NOBODY, np.int64),
        tally=np.zeros(4, np.int64),
        late=np.zeros((jobs, 3), np.int64),
        used=np.zeros(1, np.int64),
        free=np.zeros_like(replay.free),
    )


def broken_promises(
    checks: HeadChecks, table: ScheduleTable, replay: Replay
) -> tuple[tuple[AuditFinding, ...], Guarantees]:
    """The finding of broken promises with their delays, and the counts of promises."""
    late = checks.late[: checks.used[0]]
    excused = np.array([_outlived(replay, row) for row in late], np.bool_)
    broken = late[~excused] if len(late) else late
    cases = [_case(table, replay, row) for row in broken]
    made, kept, lapsed = (int(checks.tally[which]) for which in (MADE_IN_ALL, KEPT, LAPSED))
    tally = Guarantees(made, kept, len(cases), int(excused.sum()), lapsed)
    text = f"of {made:,} guaranteed starts of the first waiting job were not kept"
    return finding("guarantee", text, cases, "s"), tally


def _case(table: ScheduleTable, replay: Replay, row: Ints) -> Case:
    made, promised, start = (int(time) / TICKS for time in (row[MADE], row[START], replay.start[row[JOB]]))
    late = int(replay.start[row[JOB]] - row[START]) / TICKS
    text = f"guaranteed at {number(made)} s to start by {number(promised)} s: {number(late)} s late"
    return Case(text, str(table.trace.job_id[row[JOB]]), start, late)


def _outlived(replay: Replay, row: Ints) -> bool:
    """Whether any job ran beyond its estimate between a promise and the promised start."""
    alive = (replay.start <= row[START]) & (replay.end > row[MADE]) & (replay.start < NEVER)
    expected = replay.start[alive] + replay.estimate[alive]
    return bool(((replay.end[alive] > expected) & (expected <= row[START])).any())


def _tasks(table: ScheduleTable, cluster: Cluster, resources: int, known: bool) -> Tasks:
    """The needs of each job's tasks if the nodes of jobs are known; otherwise empty arrays."""
    trace, jobs = table.trace, len(table.trace) if known else 0
    need, wanted = np.zeros((jobs, resources), np.int64), np.full(jobs, -1, np.int64)
    whole = np.zeros(jobs, np.bool_)
    if not known:
        return Tasks(need, wanted, whole)
    tasks = trace.tasks
    # Only jobs whose tasks are all alike are known: with several kinds of tasks it depends on where each goes
    # whether the job fits.
    (alone,) = np.nonzero(np.diff(tasks.offset) == 1)
    row = tasks.offset[alone]
    wanted[alone] = tasks["count"][row]
    for k, name in enumerate(resources_of(table, cluster)):
        if name in tasks.columns:
            need[alone, k] = np.maximum(tasks[name][row], 0)
    nodes = WholeNodes(trace, cluster)
    # Tasks that take whole nodes count by nodes of the machine, as the simulator counts them.
    if "whole" in tasks.columns:
        for job in alone[tasks["whole"][row] != 0].tolist():
            taken = nodes.of(int(tasks.offset[job]))
            if taken is not None:
                whole[job], wanted[job], need[job] = True, taken.nodes, taken.need
    return Tasks(need, wanted, whole)
