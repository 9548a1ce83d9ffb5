"""Random simulations, checked by what knows nothing of the simulator: see `tests.fuzz.schedules`.

Each case is simulated with a decision log and without, some with fair starts, some without the jobs that
were refused; some are audited, some compared with the slow twin.
"""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from engine.audit.audit import audit
from engine.audit.table import table_of
from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.machine.outages import Failures
from engine.policy.policy import parse_policy
from engine.schedule.schedule import Decision, Schedule
from engine.simulation.run import simulate
from engine.trace.dependencies import as_submitted
from tests.engine.simulation.comparing import assert_equal_schedules, pieces, rows_of, stopped_runs
from tests.engine.simulation.naive import NaiveSimulation
from tests.engine.simulation.naive_order import SCORES
from tests.fuzz.fuzzer import REFUSED
from tests.fuzz.schedules import BadScheduleError, check
from tests.fuzz.shrink import shrunk
from tests.fuzz.workloads import Row, Workload, random_workload

Check = Callable[[Workload, Schedule], None]

SIMULATED = "simulated"

_TWIN_JOBS, _TWIN_CHECKS = 16, 10_000
"""More jobs take the slow twin too long, and more checks of what is tuned or searches for a plan."""


def prepare() -> None:
    """Compile, or load, all kernels: of a simple pool, of all else, of fair starts, of audits."""
    rows = (Row(0, 3, 4, ((2, 1, 0, 0),), 0, 0, 0), Row(0, 3, 4, ((3, 1, 0, 0),), 0, 0, 0))
    for cluster in (Cluster.pool(4), Cluster((*Cluster.pool(3).groups, *Cluster.pool(3).groups))):
        for spelling in ("easy:depth=2", "conservative", "easy:order=slack"):
            case = Workload(rows, cluster, parse_policy(spelling))
            simulate(case.trace, cluster, case.policy, fair_starts=True)
            audit(table_of(simulate(case.trace, cluster, case.policy)), cluster, case.policy)


def try_simulation(chance: random.Random, folder: Path) -> str:
    """One random case; raises what is wrong with it, told of the smallest case in which it is."""
    workload = random_workload(chance)
    checks = _chosen_checks(chance, workload)
    try:
        return _try(workload, checks)
    except Exception as error:
        (folder / "case.txt").write_text(f"{workload}\n")
        kind = type(error)
        small = shrunk(workload, lambda case: _fails_with(kind, case, checks))
        raise BadScheduleError(f"{small}\n{kind.__name__}: {error}") from error


def _fails_with(kind: type[Exception], workload: Workload, checks: list[Check]) -> bool:
    try:
        _try(workload, checks)
    except Exception as error:
        return type(error) is kind
    return False


def _try(workload: Workload, checks: list[Check]) -> str:
    case = (workload.trace, workload.cluster, workload.policy)
    try:
        schedule = simulate(*case)
    except InputError:
        return REFUSED
    check(schedule)
    _same(schedule, simulate(*case, log=True), "with a log")
    for each_check in checks:
        each_check(workload, schedule)
    return SIMULATED


def _chosen_checks(chance: random.Random, workload: Workload) -> list[Check]:
    checks: list[Check] = []
    if chance.random() < 0.1:
        checks.append(_check_fair_starts)
    policy = workload.policy
    # Of values that are drawn job by job, a job that is left out leaves others to the rest.
    drawn = policy.order in ("queues", "auction") or (
        policy.order == "score" and "worth" in policy.score_names
    )
    is_known = policy.order != "score" or str(policy.score) in SCORES
    if chance.random() < 0.15 and not drawn:
        checks.append(_check_without_refused)
    if chance.random() < 0.3:
        checks.append(_check_audit)
    if chance.random() < 0.2 and not (policy.uses_expected_ends or drawn):
        checks.append(_check_closed)
    if policy.depth == "kept" and policy.search == "none":
        checks.append(_check_kept)
    span = workload.rows[-1].submit - workload.rows[0].submit + sum(row.walltime for row in workload.rows)
    every = [tuning.interval for tuning in policy.tunings]
    every += [policy.search_every] if policy.search != "none" else []
    few = len(workload.rows) <= _TWIN_JOBS and all(span // interval <= _TWIN_CHECKS for interval in every)
    if few and policy.window <= 4 and is_known and chance.random() < 0.1:
        checks.append(_check_twin)
    return checks


def _outcome(schedule: Schedule) -> tuple[object, ...]:
    return schedule.start.tolist(), pieces(schedule), stopped_runs(schedule)


def _same(first: Schedule, second: Schedule, how: str) -> None:
    if _outcome(first) != _outcome(second):
        raise BadScheduleError(f"another schedule {how}: {_outcome(first)}, then {_outcome(second)}")


def _check_fair_starts(workload: Workload, schedule: Schedule) -> None:
    """Fair starts change nothing, and no job has one before its submission."""
    fair = simulate(workload.trace, workload.cluster, workload.policy, fair_starts=True)
    _same(schedule, fair, "with fair starts")
    assert fair.fair_start is not None
    given = fair.fair_start[fair.ran]
    if (given < workload.trace.submit[fair.ran]).any():
        raise BadScheduleError(f"fair starts before submissions: {fair.fair_start}")


def _check_without_refused(workload: Workload, schedule: Schedule) -> None:
    """Jobs that are refused change nothing for the others."""
    policy, cluster = workload.policy, workload.cluster
    if isinstance(cluster.failures, Failures) or policy.uses_expected_ends:
        return  # which are drawn for, and whose shares go by, all jobs of the trace
    refused = schedule.refused
    if refused.all() or not refused.any():
        return
    rows = tuple(row for row, gone in zip(workload.rows, refused.tolist(), strict=True) if not gone)
    try:
        alone = simulate(replace(workload, rows=rows).trace, cluster, policy)
    except InputError:
        return  # a queue that is bound to nodes has no job any more
    if alone.start.tolist() != schedule.start[~refused].tolist():
        raise BadScheduleError(f"without the refused jobs: {schedule.start}, then {alone.start}")


def _check_audit(workload: Workload, schedule: Schedule) -> None:
    """The audit, with the promises that it knows of, finds nothing."""
    report = audit(table_of(schedule), workload.cluster, workload.policy)
    if report.findings:
        raise BadScheduleError(f"the audit finds {report.findings}")


def _check_closed(workload: Workload, schedule: Schedule) -> None:
    """Where jobs follow others, the schedule is that of jobs that came when it says, and the audit's too."""
    closed, policy = workload.closed, workload.policy
    found = simulate(closed, workload.cluster, policy)
    shown, machine = as_submitted(closed, found.submit), workload.cluster.with_outages(closed.submit)
    again = simulate(shown.trace, machine, policy)
    check(again)
    if shown.back(again.start).tolist() != found.start.tolist():
        raise BadScheduleError(f"with jobs that follow others {found.start}, but {again.start} as they came")
    if not found.given_up.any() and (report := audit(table_of(found), workload.cluster, policy)).findings:
        raise BadScheduleError(f"with jobs that follow others the audit finds {report.findings}")


def _check_kept(workload: Workload, schedule: Schedule) -> None:
    """While no estimate is outlived and no node fails, no job starts later than it ever was to."""
    assert schedule.estimate is not None
    outlived = (schedule.estimate < workload.trace.runtime) & schedule.ran
    if outlived.any() or workload.cluster.failures is not None:
        return
    logged = simulate(workload.trace, workload.cluster, workload.policy, log=True)
    promised: dict[int, int] = {}
    for _, job, _, start in rows_of(logged, Decision.RESERVED):
        if start > promised.get(job, start):
            raise BadScheduleError(f"job {job} is put off from {promised[job]} to {start}")
        promised[job] = start
    for job, start in promised.items():
        if schedule.start[job] > start:
            raise BadScheduleError(f"job {job}, promised for {start}, starts at {schedule.start[job]}")


def _check_twin(workload: Workload, schedule: Schedule) -> None:
    naive = NaiveSimulation(workload.trace, workload.cluster, workload.policy)
    naive.simulate()
    assert_equal_schedules(schedule, naive)
