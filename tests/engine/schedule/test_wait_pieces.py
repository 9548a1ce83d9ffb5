"""Pieces of all waits against the intervals that are told of each job."""

from dataclasses import replace
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given, settings

from engine.schedule.explain import explain
from engine.schedule.schedule import NO_LOG, Schedule
from engine.schedule.wait_pieces import NO_REASON, wait_pieces
from engine.simulation.run import simulate
from tests.engine.simulation.workloads import Case, cases
from tests.traces import make_schedule, make_trace

Told = list[tuple[int, int, int]]


def told(schedule: Schedule, job: int) -> Told:
    """The intervals of a job's wait, those of equal kinds joined."""
    joined: Told = []
    for interval in explain(schedule, job).intervals:
        kind = NO_REASON if interval.kind is None else int(interval.kind)
        if joined and joined[-1][2] == kind:
            joined[-1] = joined[-1][0], interval.end, kind
        else:
            joined.append((interval.begin, interval.end, kind))
    return joined


@settings(max_examples=60)
@given(cases())
def test_pieces_are_the_intervals_of_each_job(case: Case) -> None:
    trace, cluster, policy = case
    schedule = simulate(trace, cluster, policy, log=True)
    pieces = wait_pieces(schedule)
    rows = zip(
        *(column.tolist() for column in (pieces.job, pieces.begin, pieces.end, pieces.kind)), strict=True
    )
    found: dict[int, Told] = {}
    for (job, kind), group in groupby(rows, key=lambda row: (row[0], row[3])):
        own = list(group)
        found.setdefault(job, []).append((own[0][1], own[-1][2], kind))
    expected = {job: told(schedule, job) for job in range(len(trace)) if schedule.ran[job]}
    assert found == {job: intervals for job, intervals in expected.items() if intervals}
    waited = np.where(schedule.ran, schedule.start - schedule.submit, 0)
    assert np.array_equal(np.bincount(pieces.job, pieces.seconds, len(trace)), waited)


def test_a_schedule_without_reasons_has_no_pieces() -> None:
    schedule = make_schedule(make_trace([0, 0], [5, 5]), [0, 5])
    with pytest.raises(ValueError, match="no reasons"):
        wait_pieces(replace(schedule, log=NO_LOG))
