"""Plans: where they are those of conservative backfilling, and what a search makes of them."""

import numpy as np
import pytest
from hypothesis import given, settings

from engine.errors import InputError
from engine.fairness.violations import judge
from engine.machine.cluster import Cluster, parse_cluster
from engine.metrics.summary import summary
from engine.policy.policy import parse_policy
from engine.policy.share import Share
from engine.simulation.run import reference_schedule, simulate
from tests.engine.simulation.naive import NaiveSimulation
from tests.engine.simulation.workloads import Case, cases
from tests.traces import make_trace

SEARCHES = ("gap", "random", "tabu", "annealing")


@settings(max_examples=50)
# In best gaps jobs are pulled forward after each end, in the turns by which the two policies differ.
@given(cases(depth="kept", search="none", replan="submission", estimate="actual", gap="earliest"))
def test_where_nothing_ends_early_a_plan_is_that_of_conservative_backfilling(case: Case) -> None:
    trace, cluster, policy = case
    if cluster.failures is not None:
        cluster = Cluster(cluster.groups)
    plan = policy.with_keys(replan="planned")
    assert simulate(trace, cluster, plan).start.tolist() == simulate(trace, cluster, policy).start.tolist()


@settings(max_examples=70)
@given(cases(depth="kept", replan="planned"))
def test_plans_are_those_of_the_slow_twin(case: Case) -> None:
    assert simulate(*case).start.tolist() == NaiveSimulation(*case).simulate()


def test_with_another_job_out_of_the_plan_one_finds_a_gap_with_its_large_task_first() -> None:
    # Best fit then puts the fifth job's small tasks where its large task needs the RAM: that goes first.
    wide = [(1, 1, 0), (1, 1, 0)]
    tasks = [
        *([(2, 1, 0)], [(1, 1, 0), (1, 3, 0)], [(3, 1, 2), (1, 1, 0)], [(2, 2, 6), (1, 3, 0)]),
        *([(3, 1, 0), (1, 2, 4)], [(1, 1, 0), (3, 1, 0)], [(1, 1, 0)], wide, [(1, 1, 0)], wide, wide),
    ]
    procs = [sum(count * cpus for count, cpus, _ in groups) for groups in tasks]
    submit, runtime = [2] * 6 + [3, 3, 4, 4, 5], [8, 1, 18, 30, 1, 25, 1, 1, 1, 1, 1]
    walltime = [30, 15, 30, 30, 30, 45] + [15] * 5
    trace = make_trace(submit, runtime, procs, walltime=walltime, tasks=tasks)
    keys = "placement=best,search=annealing,search_every=1,trials=1,criteria=wait=1,seed=3"
    policy = parse_policy(f"plan-search:{keys}")
    nodes = parse_cluster("4x6c9m")
    start = simulate(trace, nodes, policy).start.tolist()
    assert start == NaiveSimulation(trace, nodes, policy).simulate() == [2, 2, 2, 2, 4, 2, 3, 3, 4, 5, 5]


def test_an_end_that_was_expected_lets_a_search_go_on() -> None:
    # The search at 2 ends without a move; at 3 three jobs end as they were believed to, and it tries again.
    trace = make_trace([0] * 11, [1, 1, 1, 1, 1, 2, 2, 2, 4, 2, 1], [1] * 9 + [2, 3])
    pool, policy = Cluster.pool(5), "plan-search:search_every=1,trials=4,criteria=wait=1"
    for gap in ("earliest", "best"):
        chosen = parse_policy(f"{policy},gap={gap}")
        start = simulate(trace, pool, chosen).start.tolist()
        assert start == NaiveSimulation(trace, pool, chosen).simulate()
        assert start[-2:] == [4, 3]


def test_early_ends_move_the_job_that_is_planned_first() -> None:
    # Job 2 is planned for 21, when 0 should end, and 3, which is narrow, for 12. 0 ends at 6: by submission
    # 2 takes all that it leaves until 16; by planned start 3 goes first, and 2 when 3 has ended.
    trace = make_trace([1, 2, 2, 2], [5, 10, 10, 5], [3, 1, 3, 1], walltime=[20, 10, 40, 5])
    pool = Cluster.pool(4)
    assert simulate(trace, pool, parse_policy("conservative")).start.tolist() == [1, 2, 6, 12]
    assert simulate(trace, pool, parse_policy("plan")).start.tolist() == [1, 2, 11, 6]


def test_a_search_puts_short_jobs_before_a_long_one() -> None:
    # At the first multiple of 300 s job 1 is planned for 1000 until 11000, and 2 to 4 behind it.
    trace = make_trace([0, 1, 2, 3, 4], [1000, 10_000, 60, 60, 60], 4)
    pool = Cluster.pool(4)
    assert simulate(trace, pool, parse_policy("plan")).start.tolist() == [0, 1000, 11_000, 11_060, 11_120]
    for search in (*SEARCHES[1:], "greedy"):
        found = simulate(trace, pool, parse_policy(f"plan-search:search={search},criteria=wait=1"))
        assert found.start[1] == 1180, search
        assert sorted(found.start[2:].tolist()) == [1000, 1060, 1120], search


def test_an_end_that_is_early_by_a_period_calls_for_a_search() -> None:
    # At 350, between two searches, job 0 ends, and the long job 1 would start at once.
    trace = make_trace(
        [0, 301, 302, 303, 304], [350, 10_000, 60, 60, 60], 4, walltime=[650, 10_000, 60, 60, 60]
    )
    start = simulate(trace, Cluster.pool(4), parse_policy("plan-search:criteria=wait=1")).start
    assert start[1] == 350 + 3 * 60
    late = make_trace(
        [0, 301, 302, 303, 304], [351, 10_000, 60, 60, 60], 4, walltime=[650, 10_000, 60, 60, 60]
    )
    assert simulate(late, Cluster.pool(4), parse_policy("plan-search:criteria=wait=1")).start[1] == 351


def test_no_search_makes_a_job_wait_for_more_than_twice_its_first_promise_and_72_periods() -> None:
    # Short jobs come until long after that, each as wide as the machine.
    short = np.arange(0, 40_000, 50)
    submit = np.concatenate(([0, 1], short + 2))
    trace = make_trace(submit.tolist(), [1000, 5000] + [60] * len(short), 4)
    policy = parse_policy("plan-search:criteria=slowdown=1")
    start = simulate(trace, Cluster.pool(4), policy).start
    assert 10_000 < start[1] <= 1 + 2 * 999 + 72 * policy.search_every


@pytest.mark.parametrize("depth", ["all", "1"])
def test_a_job_that_waited_too_long_goes_first_in_a_greedy_plan(depth: str) -> None:
    short = np.arange(0, 220_000, 50)
    submit = np.concatenate(([0, 1], short + 2))
    trace = make_trace(submit.tolist(), [1000, 5000] + [60] * len(short), 4)
    policy = parse_policy(f"plan-search:search=greedy,plan_depth={depth},criteria=slowdown=1")
    due = 1 + 2 * 999 + 720 * policy.search_every
    assert due <= simulate(trace, Cluster.pool(4), policy).start[1] <= due + policy.search_every + 60


def test_a_greedy_plan_goes_by_what_users_are_likely_to_use() -> None:
    # Users 0 and 1 have used as much, but 0 asked for ten times that. At 300 s jobs 3 to 6 wait, of 1, 0, 1,
    # 0: job 3 goes first as it came first, then 4 of the other user; and then 6 of that one again, who of
    # the 500 s is likely to need 500 * (100 + 500 * 200 / 1100) / (1000 + 500) = 64, and user 1 159.
    trace = make_trace(
        [0, 0, 150, 201, 202, 203, 204],
        [100, 100, 1000, 500, 500, 500, 500],
        4,
        walltime=[1000, 100, 1000, 500, 500, 500, 500],
        user=[0, 1, 2, 1, 0, 1, 0],
    )
    policy = parse_policy("plan-search:search=greedy,criteria=nuwt_mean=1")
    assert simulate(trace, Cluster.pool(4), policy).start.tolist() == [0, 100, 200, 1200, 1700, 2700, 2200]


def test_a_greedy_plan_tries_nothing_and_the_number_of_trials_has_no_use() -> None:
    with pytest.raises(InputError, match="trials=4 has no use: search=greedy tries no moves"):
        parse_policy("plan-search:search=greedy,trials=4")


def test_in_a_greedy_plan_so_many_jobs_keep_their_places_against_who_could_start_at_once() -> None:
    # Job 3 fits beside job 0 at once; until 6050 it then takes what 1 and 2 together need when 0 has ended.
    trace = make_trace([0, 1, 2, 3], [1000, 50, 100, 5000], [8, 6, 4, 2])
    for depth, start in (("all", 1050), ("2", 1050), ("1", 300)):
        policy = parse_policy(f"plan-search:search=greedy,plan_depth={depth},criteria=wait=1")
        later = 1000 if start > 300 else 1050
        assert simulate(trace, Cluster.pool(10), policy).start.tolist() == [0, 1000, later, start], depth


def test_only_greedy_plans_have_a_depth() -> None:
    with pytest.raises(
        InputError, match="plan_depth=4 has no use: search=random makes no plan anew as a whole"
    ):
        parse_policy("plan-search:plan_depth=4")


@pytest.mark.parametrize("criterion", ["violated", "tardiness"])
def test_a_greedy_plan_cannot_weigh_whether_ends_are_violated(criterion: str) -> None:
    with pytest.raises(InputError, match=f"cannot weigh wait=1;{criterion}=2"):
        parse_policy(f"plan-search:search=greedy,criteria=wait=1;{criterion}=2")


@pytest.mark.parametrize("search", SEARCHES)
def test_a_search_is_the_same_each_time_and_another_with_another_seed(search: str) -> None:
    random = np.random.default_rng(5)
    jobs = 150
    submit = np.sort(random.integers(0, 20_000, jobs)).tolist()
    runtime, procs = random.integers(60, 7200, jobs).tolist(), random.integers(1, 9, jobs).tolist()
    users = random.integers(0, 6, jobs).tolist()
    trace = make_trace(submit, runtime, procs, walltime=[2 * time for time in runtime], user=users)
    machine = parse_cluster("3x4c")
    policy = parse_policy(f"plan-search:search={search},trials=200")
    first = simulate(trace, machine, policy).start.tolist()
    assert simulate(trace, machine, policy, log=True).start.tolist() == first
    other = simulate(trace, machine, policy.with_keys(seed="7")).start.tolist()
    plan = simulate(trace, machine, parse_policy("plan")).start
    if search != "gap":
        assert other != first
        assert sum(first) < plan.sum()


@settings(max_examples=50)
@given(cases(depth="kept", gap="best"))
def test_best_gaps_are_those_of_the_slow_twin(case: Case) -> None:
    assert simulate(*case, fair_starts=True).start.tolist() == NaiveSimulation(*case).simulate()


def test_a_job_goes_into_the_gap_that_it_fills_best() -> None:
    # Job 1 is planned for 10 until 30, job 2 for 30 until 50. At once job 3 would leave two of the four
    # processors idle beside it, at 30 none.
    trace = make_trace([0, 1, 1, 2], [10, 20, 20, 5], [1, 4, 3, 1])
    pool = Cluster.pool(4)
    assert simulate(trace, pool, parse_policy("plan")).start.tolist() == [0, 10, 30, 2]
    assert simulate(trace, pool, parse_policy("plan:gap=best")).start.tolist() == [0, 10, 30, 30]
    # Job 0 ends at 6, not at 10, and all of them move to the earliest gaps.
    trace = make_trace([0, 1, 1, 2], [6, 20, 20, 5], [1, 4, 3, 1], walltime=[10, 20, 20, 5])
    assert simulate(trace, pool, parse_policy("plan:gap=best")).start.tolist() == [0, 6, 26, 26]


@pytest.mark.parametrize(
    ("search", "criterion"),
    [
        *(("random", "awq"), ("random", "awf"), ("random", "response_l2")),
        # Weighted by areas, a second of each job is worth the same for what the job holds.
        *(("greedy", "response_l2"), ("greedy", "wait"), ("greedy", "slowdown"), ("greedy", "nuwt_mean")),
    ],
)
def test_metrics_of_waiting_jobs_are_criteria(search: str, criterion: str) -> None:
    chance = np.random.default_rng(4)
    submit = np.sort(chance.integers(0, 20_000, 300)).tolist()
    runtime, procs = chance.integers(10, 2000, 300).tolist(), chance.integers(1, 9, 300).tolist()
    trace = make_trace(submit, runtime, procs, user=chance.integers(0, 9, 300).tolist())
    metric = {"wait": "wait_mean", "slowdown": "bounded_slowdown_mean"}.get(criterion, criterion)
    plan, searched = (
        summary(simulate(trace, Cluster.pool(12), parse_policy(name)))[metric]
        for name in ("plan", f"plan-search:search={search},criteria={criterion}=1")
    )
    assert searched < plan


@pytest.mark.parametrize("criterion", ["violated", "tardiness"])
def test_expected_ends_are_criteria(criterion: str) -> None:
    chance = np.random.default_rng(3)
    submit = np.sort(chance.integers(0, 20_000, 300)).tolist()
    runtime = chance.integers(10, 2000, 300).tolist()
    procs, user = chance.integers(1, 9, 300).tolist(), chance.integers(0, 6, 300).tolist()
    trace = make_trace(submit, runtime, procs, user=[f"u{number}" for number in user])
    reference = reference_schedule(trace, Cluster.pool(12))
    late = {}
    for name in ("plan", f"plan-search:criteria={criterion}=1"):
        schedule = simulate(trace, Cluster.pool(12), parse_policy(name))
        tardiness = judge(schedule, Share().capacity(trace, schedule.cluster, reference)).tardiness
        late[name] = (tardiness > 0).sum() if criterion == "violated" else tardiness.sum()
    before, after = late.values()
    assert after < 0.9 * before
