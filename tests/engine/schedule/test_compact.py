"""What several schedules of one trace share, and how narrow their columns are."""

import numpy as np
import pytest

from engine.machine.cluster import parse_cluster
from engine.policy.policy import parse_policy
from engine.schedule.compact import counted, narrow, shared
from engine.schedule.schedule import Decision, Schedule
from engine.simulation.run import simulate
from tests.traces import make_trace


def schedule_of(policy: str) -> Schedule:
    """Three jobs on four processors; the last is backfilled."""
    trace = make_trace([0, 1, 2], [100, 50, 20], [3, 4, 1], walltime=[100, 60, 30])
    return simulate(trace, parse_cluster("4c"), parse_policy(policy), log=True)


@pytest.mark.parametrize("most", [0, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**62])
def test_numbers_stay_what_they_are(most: int) -> None:
    values = np.array([0, 3, most])
    kept = narrow(values)
    assert kept.tolist() == values.tolist()
    assert kept.dtype == (np.int32 if -(2**31) <= most < 2**31 else np.int64)
    assert len(narrow(values[:0])) == 0


def test_what_is_known_is_kept_once_and_what_is_not_stays() -> None:
    known = np.array([1, 2, 3])
    assert shared(known.copy(), known) is known
    for other in (np.array([1, 2, 4]), np.array([1, 2])):
        assert shared(other, known) is other


def test_schedules_of_a_trace_share_what_it_says_of_jobs() -> None:
    first, second = schedule_of("easy"), schedule_of("fcfs")
    for schedule in (first, second):
        assert schedule.runtime is schedule.trace.runtime
        assert schedule.estimate is schedule.trace.walltime
        assert schedule.turn.tolist() == [0, 1, 2]
    assert first.turn is second.turn is counted(3)
    with pytest.raises(ValueError, match="read-only"):
        first.turn[0] = 1
    believed = schedule_of("easy:estimate=actual")
    assert believed.estimate is not None
    assert believed.estimate.tolist() == [100, 50, 20]


def test_a_decision_log_is_narrow_and_says_the_same() -> None:
    log = schedule_of("easy").log
    assert (log.time.dtype, log.job.dtype, log.kind.dtype, log.value.dtype) == (
        np.int32,
        np.int32,
        np.int8,
        np.int32,
    )
    rows = list(zip(log.time.tolist(), log.job.tolist(), log.kind.tolist(), log.value.tolist(), strict=True))
    assert (1, 1, Decision.RESERVED, 100) in rows
    assert (2, 2, Decision.BACKFILLED, 1) in rows
    assert log.promises.of_job(1).tolist() == [100]
    assert log.of_job(2).kind.tolist() == [Decision.BACKFILLED]
