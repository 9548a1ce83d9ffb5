"""What idles beside jobs that were held or followed another one, counted by seconds."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.machine.cluster import Cluster
from engine.metrics.summary import loss_but_for_holds
from engine.policy.policy import parse_policy
from engine.schedule.schedule import Schedule
from tests.traces import make_schedule, make_trace

MACHINE = Cluster.pool(4)
jobs = st.tuples(
    st.integers(0, 8), st.integers(0, 8), st.integers(1, 6), st.integers(1, 4), st.integers(0, 9)
)


def by_seconds(schedule: Schedule, held: list[int]) -> float:
    """The part of the machine's time that idles while a job that nothing holds asks for no more."""
    submit, start, end = (getattr(schedule, name).tolist() for name in ("submit", "start", "end"))
    procs, lost = schedule.procs.tolist(), 0
    for second in range(min(submit), max(end)):
        idle = 4 - sum(procs[k] for k in range(len(end)) if start[k] <= second < end[k])
        free = [k for k in range(len(end)) if submit[k] + held[k] <= second < start[k]]
        lost += idle if any(procs[k] <= idle for k in free) else 0
    return lost / (4 * (max(end) - min(submit)))


@given(st.lists(jobs, min_size=1, max_size=6).map(sorted))
def test_as_second_by_second(rows: list[tuple[int, int, int, int, int]]) -> None:
    submit, wait, runtime, procs, held = (list(column) for column in zip(*rows, strict=True))
    held[0] = 0  # the time of all begins with the first submission
    trace = make_trace(submit, runtime, procs, cluster=MACHINE)
    trace = replace(trace, held=np.array(held, np.int64))
    schedule = make_schedule(trace, [came + late for came, late in zip(submit, wait, strict=True)])
    recorded = replace(schedule, policy=parse_policy("recorded"))
    loss = loss_but_for_holds(recorded, recorded.ran)
    assert loss.fit is not None
    assert abs(loss.fit - by_seconds(recorded, held)) < 1e-9
    simulated = loss_but_for_holds(replace(schedule, policy=parse_policy("easy")), schedule.ran)
    assert simulated.demand == loss.demand
    assert simulated.fit is not None
    assert simulated.fit >= loss.fit  # other policies do not obey holds


def test_a_job_that_follows_another_would_not_have_fit_before_its_end() -> None:
    trace = make_trace([0, 0], [100, 50], [2, 2], cluster=MACHINE)
    trace = replace(trace, preceding=np.array([-1, 1], np.int64))
    recorded = replace(make_schedule(trace, [0, 100]), policy=parse_policy("recorded"))
    loss = loss_but_for_holds(recorded, recorded.ran)
    assert loss.fit == 0.0
    assert loss.demand is not None
    assert loss.demand > 0.3
