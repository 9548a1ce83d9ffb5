"""Jobs of high value that stop running ones of less, against the twin and by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.audit.audit import audit
from engine.audit.table import table_of
from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.metrics.summary import summary
from engine.policy.policy import parse_policy
from engine.schedule.explain import explain
from engine.schedule.schedule import Decision, Schedule
from engine.schedule.value import delivered, payments
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.simulation.comparing import assert_equal_schedules
from tests.engine.simulation.naive import NaiveSimulation
from tests.engine.simulation.workloads import Case, cases
from tests.traces import make_trace

PLAIN = dict.fromkeys(("test_limit", "user_test_limit", "horizon", "resolution", "relaxed"), "none")
FADES = st.sampled_from(("none", "none", "5@1;20@0.5;61@-0.5", "0@1;30@0;fall", "10@0.5"))
BUDGETS = st.sampled_from(("none", "none", "3000", "9000;500/7", "0;4000/11;4000"))


@settings(max_examples=60)
@given(
    cases(max_jobs=14, order="auction", tune="none", window="1", **PLAIN).filter(
        lambda case: case[2].depth in ("stop", 0, 1)
    ),
    FADES,
    st.sampled_from(("value", "density")),
    BUDGETS,
    st.sampled_from(("1", "1.2", "2")),
)
def test_as_the_slow_simulation(case: Case, fade: str, bids: str, budget: str, factor: str) -> None:
    trace, cluster, policy = case
    policy = policy.with_keys(fade=fade, bids=bids, budget=budget, preempt_value=factor)
    twin = NaiveSimulation(trace, cluster, policy, fair_starts=True)
    twin.simulate()
    schedule = simulate(trace, cluster, policy, fair_starts=True)
    assert_equal_schedules(schedule, twin)
    assert schedule.stopped.by.tolist() == [run.stopped_by for run in twin.stopped]
    assert schedule.fair_start is not None
    assert schedule.fair_start.tolist() == [job.fair_start for job in twin.jobs]
    report = audit(table_of(schedule), cluster, policy)
    assert not [found for found in report.findings if found.kind.startswith("preemption")]


def worth(trace: Trace, *values: int) -> Trace:
    return replace(trace, status=np.array(values))


def run(trace: Trace, keys: str, procs: int = 4, log: bool = False) -> Schedule:
    policy = parse_policy(f"auction:valuation=column:status{keys}")
    return simulate(trace, Cluster.pool(procs), policy, log=log)


def stops(schedule: Schedule) -> list[tuple[int, int, int, int]]:
    """Of each run that was stopped its job, start, end, and the job for which it was."""
    runs = schedule.stopped
    return list(zip(runs.job.tolist(), runs.start.tolist(), runs.end.tolist(), runs.by.tolist(), strict=True))


def test_by_hand() -> None:
    # Jobs 0 and 1 hold two processors each. Job 2 needs all four and is worth more than twice both; job 3,
    # which needs two, more than twice job 1, but by then nothing of less runs.
    trace = worth(make_trace([0, 1, 2, 3], [10, 10, 10, 10], [2, 2, 4, 2]), 30, 10, 90, 25)
    assert run(trace, "").start.tolist() == [0, 1, 11, 21]
    schedule = run(trace, ",preempt_value=2")
    assert stops(schedule) == [(1, 1, 2, 2), (0, 0, 2, 2)]  # the newest first
    assert schedule.start.tolist() == [12, 22, 2, 12]
    values = summary(schedule)
    assert (values["preempted_runs"], values["preempted_area"]) == (2, 2 * 1 + 2 * 2)
    assert values["revenue"] == 155  # each has paid once
    # With rests the first two go on: job 0 has 8 s left, job 1 has 9.
    rest = run(trace, ",preempt_value=2,on_failure=continue")
    assert rest.start.tolist() == [12, 20, 2, 12]
    assert rest.end.tolist() == [20, 29, 12, 22]
    assert summary(rest)["preempted_area"] == 0


def test_the_newest_goes_first_and_none_in_vain() -> None:
    # Three jobs of one processor each. Job 3 needs two, of which one is free: the newest has to go.
    trace = worth(make_trace([0, 1, 2, 3], [10, 10, 10, 5], [1, 1, 1, 2]), 1, 1, 1, 9)
    assert stops(run(trace, ",preempt_value=2")) == [(2, 2, 3, 3)]
    # Where the newest is worth too much it is passed over.
    dear = replace(trace, status=np.array([1, 1, 8, 9]))
    assert stops(run(dear, ",preempt_value=2")) == [(1, 1, 3, 3)]
    # Two of them together are worth too much, and one is not enough, until the other has ended.
    both = worth(make_trace([0, 1, 2], [9, 9, 5], [2, 2, 4]), 3, 3, 12)
    assert stops(run(both, ",preempt_value=2")) == [(1, 1, 9, 2)]
    assert stops(run(replace(both, status=np.array([3, 3, 13])), ",preempt_value=2")) == [
        (1, 1, 2, 2),
        (0, 0, 2, 2),
    ]


def test_equal_values_stop_nobody() -> None:
    trace = worth(make_trace([0, 1], [10, 10], 4), 5, 5)
    assert stops(run(trace, ",preempt_value=1")) == []
    assert stops(run(worth(make_trace([0, 1], [10, 10], 4), 5, 6), ",preempt_value=1")) == [(0, 0, 1, 1)]


def test_who_was_stopped_is_told_by_whom() -> None:
    trace = worth(make_trace([0, 3], [10, 10], 4), 5, 50)
    schedule = run(trace, ",preempt_value=2", log=True)
    told = [interval for interval in explain(schedule, 0).intervals if interval.kind == Decision.PREEMPTED]
    assert [(interval.begin, interval.end, interval.value) for interval in told] == [(0, 3, 1)]


def test_the_audit_knows_who_may_stop_whom() -> None:
    trace = worth(make_trace([0, 3], [10, 10], 4), 5, 50)
    schedule = run(trace, ",preempt_value=2", log=True)
    report = audit(table_of(schedule), schedule.cluster, schedule.policy)
    assert report.clean
    assert "that jobs stop others of less value alone" in report.checked
    # The same schedule under a factor that forbids it, and with a stop for a job that did not start then.
    dearer = replace(schedule, policy=schedule.policy.with_keys(preempt_value="20"))
    report = audit(table_of(dearer), schedule.cluster, dearer.policy)
    assert [found.kind for found in report.findings] == ["preemption bids"]
    late = replace(schedule, stopped=replace(schedule.stopped, end=np.array([2])))
    report = audit(table_of(late), schedule.cluster, schedule.policy)
    assert "preemption" in [found.kind for found in report.findings]


def test_value_counts_the_waits_of_stopped_jobs() -> None:
    # Job 0 starts at 0, is stopped at 2, and starts again at 7: by then it has lost 7 tenths, or 5 of them
    # where it runs its rest. It pays what it bid at first.
    trace = worth(make_trace([0, 2], [10, 5], 4), 10, 100)
    again = run(trace, ",preempt_value=2,fade=0@1;10@0")
    assert delivered(again).tolist() == pytest.approx([3, 100])
    rest = run(trace, ",preempt_value=2,fade=0@1;10@0,on_failure=continue")
    assert delivered(rest).tolist() == pytest.approx([5, 100])
    for schedule in (again, rest):
        paid = payments(schedule)
        assert paid is not None
        assert paid.tolist() == pytest.approx([10, 100])


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        ("easy:preempt_value=2", "takes no bids"),
        ("auction:preempt_value=0.5", "from 1 to 1000"),
        ("auction:preempt_value=2,depth=all", "beside one reservation"),
        ("auction:preempt_value=2,window=3", "several are placed together"),
        ("auction:preempt_value=2,test_limit=3", "some jobs alone"),
        ("auction:preempt_value=2,resolution=10", "made in a plan"),
        ("auction:preempt_value=2,pay=displaced", "stopped for others"),
    ],
)
def test_contradictions(policy: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        parse_policy(policy)
