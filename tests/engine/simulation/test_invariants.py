"""What holds of every schedule, or of every schedule of some kind, whatever the workload."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.machine.cluster import Cluster
from engine.policy.names import VALUE_ORDERS
from engine.policy.policy import Policy, parse_policy
from engine.schedule.schedule import NOT_RUN, Decision, Schedule
from engine.simulation.refused_jobs import refused_jobs
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.simulation.comparing import pieces, rows_of, stopped_runs
from tests.engine.simulation.naive import NaiveSimulation
from tests.engine.simulation.occupancy import over_committed
from tests.engine.simulation.workloads import Case, cases, policies, traces

NO_LIMITS = {
    "max_user_jobs": "none",
    "max_user_cpus": "none",
    "max_queue_cpus": "none",
    "queue_limits": "none",
}
EXACT = {"user_test_limit": "none", "horizon": "none", "resolution": "none"}
NOT_DELAYED = {**NO_LIMITS, **EXACT, "pass_every": "none", "gate": "off", "order": "fcfs", "window": "1"}

pools = st.integers(8, 24).map(Cluster.pool)


@settings(max_examples=80)
@given(cases())
def test_every_job_runs_once_after_its_submit_and_no_node_is_over_committed(case: Case) -> None:
    trace = case[0]
    schedule = simulate(*case)
    ran = schedule.ran
    assert (schedule.start[ran] >= trace.submit[ran]).all()
    took = schedule.end - schedule.start
    if case[2].on_failure == "continue":
        np.add.at(took, schedule.stopped.job, schedule.stopped.end - schedule.stopped.start)
    assert (took[ran] == trace.runtime[ran]).all()
    sizes = np.add.reduceat(np.append(schedule.pieces["cpus"], 0), schedule.pieces.offset[:-1])
    whole = np.array([job.whole is not None for job in NaiveSimulation(*case).jobs])
    whole |= case[2].placement == "contiguous"
    assert (sizes[ran & ~whole] == trace.procs[ran & ~whole]).all()
    assert (sizes[ran] >= schedule.procs[ran]).all()
    assert (schedule.procs[ran & ~whole] == trace.procs[ran & ~whole]).all()
    assert (schedule.procs <= trace.procs).all()
    assert over_committed(schedule) == 0


@settings(max_examples=60)
@given(cases().filter(lambda case: case[1].failures is not None))
def test_nothing_runs_on_a_node_that_is_down_and_runs_stop_when_a_node_of_theirs_fails(case: Case) -> None:
    schedule = simulate(*case)
    outages = schedule.outages
    down = list(zip(outages.node.tolist(), outages.start.tolist(), outages.end.tolist(), strict=True))
    whole = zip(schedule.start.tolist(), schedule.end.tolist(), pieces(schedule), strict=True)
    cut = [(start, end, own) for _, start, end, own in stopped_runs(schedule)]
    for start, end, own in [*whole, *cut]:
        nodes = {node for node, _ in own}
        assert not [span for span in down if span[0] in nodes and span[1] < end and start < span[2]]
    for _, end, own in cut:
        nodes = {node for node, _ in own}
        assert any(node in nodes and start == end for node, start, _ in down)
    assert (schedule.stopped.start >= case[0].submit[schedule.stopped.job]).all()
    assert (schedule.stopped.start < schedule.stopped.end).all()
    started = schedule.start[schedule.stopped.job]
    assert ((schedule.stopped.end <= started) | (started == NOT_RUN)).all()  # or it was given up
    assert (np.diff(schedule.stopped.end) >= 0).all()


@given(cases())
def test_only_jobs_that_could_never_start_are_refused(case: Case) -> None:
    naive = NaiveSimulation(*case)
    assert simulate(*case).refused.tolist() == [naive.never_starts(job) for job in naive.jobs]


@settings(max_examples=80)
@given(cases())
def test_jobs_that_are_refused_change_nothing_for_the_others(case: Case) -> None:
    trace, cluster, policy = case
    # What only a limit refuses counts for fair shares, which are the same under every policy.
    assume(not policy.uses_expected_ends or not (policy.max_user_cpus or policy.max_queue_cpus))
    schedule = simulate(*case)
    kept = schedule.ran
    assume(kept.any() and not schedule.given_up.any())  # those that were given up ran for a while
    # Values are drawn job by job, so that other jobs would get them.
    assume((policy.order not in VALUE_ORDERS and "worth" not in policy.score_names) or kept.all())
    alone = simulate(trace.take(kept), cluster, policy)
    assert alone.start.tolist() == schedule.start[kept].tolist()


@given(cases())
def test_jobs_keep_to_the_nodes_of_their_queue_and_constraints(case: Case) -> None:
    naive = NaiveSimulation(*case)
    for job, own in zip(naive.jobs, pieces(simulate(*case)), strict=True):
        assert {node for node, _ in own} <= {node for nodes in job.nodes for node in nodes}


@given(cases())
def test_what_waits_has_a_reason_from_the_first_pass_on(case: Case) -> None:
    assume(case[1].failures is None)  # a job that is stopped may start again in the same pass
    schedule = simulate(*case, log=True)
    reasons = rows_of(schedule, *(kind for kind in Decision if kind >= Decision.CPUS))
    seen = {job for _, job, _, _ in reasons}
    waited = schedule.ran & (schedule.start > case[0].submit)
    if case[2].pass_every is None and not case[2].gate:
        assert seen == set(np.flatnonzero(waited).tolist())
    assert [row[0] for row in reasons] == sorted(row[0] for row in reasons)


def promises(schedule: Schedule) -> dict[int, list[int]]:
    """The starts that the log promises to each job, in order of time."""
    values: dict[int, list[int]] = {}
    for _, job, _, value in rows_of(schedule, Decision.RESERVED):
        values.setdefault(job, []).append(value)
    return values


@settings(max_examples=80)
@given(traces(), pools, policies(**NOT_DELAYED, depth="1", relaxed="none"), st.data())
def test_on_a_pool_the_first_blocked_job_starts_no_later_than_it_was_promised(
    trace: Trace, pool: Cluster, policy: Policy, data: st.DataObject
) -> None:
    estimate = data.draw(st.sampled_from(("requested", "actual")))
    policy = policy.with_keys(estimate=estimate, estimate_once="off")
    schedule = simulate(trace, pool, policy, log=True)
    assert all(schedule.start[job] <= min(expected) for job, expected in promises(schedule).items())


@settings(max_examples=80)
@given(traces(), pools, st.sampled_from(("1", "2", "3", "all")))
def test_on_a_pool_every_promise_is_kept_where_runtimes_are_known(
    trace: Trace, pool: Cluster, depth: str
) -> None:
    policy = parse_policy("easy:estimate=actual").with_keys(depth=depth)
    schedule = simulate(trace, pool, policy, log=True)
    assert all(schedule.start[job] <= min(expected) for job, expected in promises(schedule).items())


@settings(max_examples=80)
@given(cases(depth="kept", search="none"), st.sampled_from(("requested", "actual")))
def test_slots_that_are_kept_only_move_forward(case: Case, estimate: str) -> None:
    trace, cluster, policy = case
    assume(cluster.failures is None)
    schedule = simulate(trace, cluster, policy.with_keys(estimate=estimate), log=True)
    for job, expected in promises(schedule).items():
        assert expected == sorted(expected, reverse=True)
        assert schedule.start[job] == expected[-1]


@settings(max_examples=80)
@given(traces(), pools, st.sampled_from(("requested", "actual")), st.sampled_from(("0", "0.5", "3")))
def test_on_a_pool_a_relaxed_reservation_is_held_at_its_bound(
    trace: Trace, pool: Cluster, estimate: str, relaxed: str
) -> None:
    policy = parse_policy("easy").with_keys(estimate=estimate, relaxed=relaxed)
    schedule = simulate(trace, pool, policy, log=True)
    for job, expected in promises(schedule).items():
        assert len(expected) == 1
        assert schedule.start[job] <= expected[0]


@settings(max_examples=80)
@given(traces(), pools)
def test_conservative_equals_just_where_runtimes_are_known(trace: Trace, pool: Cluster) -> None:
    just, kept = (simulate(trace, pool, parse_policy(name, "actual")) for name in ("just", "conservative"))
    assert just.start.tolist() == kept.start.tolist()


@settings(max_examples=80)
@given(
    traces(), pools, st.sampled_from(("stop", "0", "1", "2", "all")), st.sampled_from(("requested", "actual"))
)
def test_arrivals_that_find_no_room_need_no_pass_where_estimates_stay(
    trace: Trace, pool: Cluster, depth: str, estimate: str
) -> None:
    policy = parse_policy("easy").with_keys(depth=depth, estimate=estimate)
    gated = policy.with_keys(gate="on")
    assert simulate(trace, pool, policy).start.tolist() == simulate(trace, pool, gated).start.tolist()


@given(cases(), st.sampled_from(("2", "7", "60")))
def test_with_passes_at_intervals_jobs_start_at_those_times_only(case: Case, every: str) -> None:
    trace, cluster, policy = case
    assume(policy.depth != "kept")
    schedule = simulate(trace, cluster, policy.with_keys(pass_every=every))
    began = schedule.ran.copy()
    began[schedule.stopped.job] = True  # jobs that failures stopped for good counted from their submission
    first = int(began.argmax())
    assume(refused_jobs(trace, cluster)[:first].all())  # else one may wait for a node that never comes back
    start = schedule.start[schedule.ran]
    assert ((start - trace.submit[first]) % int(every) == 0).all()


@pytest.mark.parametrize("limit", [*NO_LIMITS])
@given(cases(**NO_LIMITS, window="1"), st.integers(1, 9))
def test_no_limit_is_ever_exceeded(limit: str, case: Case, most: int) -> None:
    trace, cluster, policy = case
    assume(policy.depth != "kept")
    whole = trace.tasks.columns.get("whole")
    assume(whole is None or not whole.any())  # limits count what such jobs occupy, not what they request
    found = str(most)
    if limit == "queue_limits":
        found = ";".join(f"{queue}@{most}" for queue in trace.queue.names)
    schedule = simulate(trace, cluster, policy.with_keys(**{limit: found}))
    owner = trace.queue.codes if "queue" in limit else trace.user.codes
    amount = np.ones(len(trace), np.int64) if limit == "max_user_jobs" else trace.procs
    assert most_at_once(schedule, owner.tolist(), amount.tolist()) <= most


def most_at_once(schedule: Schedule, owner: Sequence[int], amount: Sequence[int]) -> int:
    """The largest sum of `amount` over the running jobs of one owner, at any time."""
    worst = 0
    for job, now in enumerate(schedule.start):
        running = (schedule.start <= now) & (now < schedule.end)
        own = [k for k in np.flatnonzero(running) if owner[k] == owner[job]]
        worst = max(worst, sum(amount[k] for k in own))
    return worst
