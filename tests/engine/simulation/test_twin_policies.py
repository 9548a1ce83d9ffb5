"""The slow twin against examples worked by hand: orders, reservations, estimates, limits."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.machine.cluster import Cluster, NodeGroup, parse_cluster
from engine.policy.policy import parse_policy
from engine.policy.share_file import UserShares
from engine.trace import Pieces, Trace
from tests.engine.simulation.naive import NaiveSimulation
from tests.engine.simulation.naive_order import factor
from tests.engine.simulation.workloads import with_shares
from tests.traces import make_trace

POOL = Cluster.pool(10)


def twin(trace: Trace, policy: str, cluster: Cluster = POOL) -> NaiveSimulation:
    sim = NaiveSimulation(trace, cluster, parse_policy(policy))
    sim.simulate()
    return sim


def starts(trace: Trace, policy: str, cluster: Cluster = POOL) -> list[int]:
    return [job.start for job in twin(trace, policy, cluster).jobs]


def test_each_reservation_more_protects_a_job_more() -> None:
    # 0 runs to 100 on 6; 1 needs 6 then; 2 needs 7 from 110 on; 3 would hold 4 from now to 203.
    trace = make_trace([0, 1, 2, 3], [100, 10, 50, 200], [6, 6, 7, 4])
    assert starts(trace, "fcfs") == [0, 100, 110, 160]
    assert starts(trace, "aggressive") == starts(trace, "easy") == [0, 100, 203, 3]
    assert starts(trace, "easy:depth=2") == starts(trace, "just") == [0, 100, 110, 160]
    assert starts(trace, "conservative") == [0, 100, 110, 160]


def test_what_fits_only_beyond_the_horizon_is_not_reserved() -> None:
    # At 2 job 1 fits from 100 on, 98 later; 2 would hold 4 until 202.
    trace = make_trace([0, 1, 2], [100, 10, 200], [6, 10, 4])
    assert starts(trace, "easy:horizon=98") == starts(trace, "just:horizon=98") == [0, 100, 110]
    assert starts(trace, "easy:horizon=97") == starts(trace, "just:horizon=97") == [0, 202, 2]


def test_what_lies_beyond_the_horizon_does_not_count_for_depth() -> None:
    # 2 needs the whole machine, from 100 on; 3 fits at 20, and 4 would be in its way until 33.
    trace = make_trace([0, 0, 1, 2, 3], [100, 20, 10, 10, 30], [5, 3, 10, 5, 2])
    assert starts(trace, "easy") == [0, 0, 100, 33, 3]
    assert starts(trace, "easy:horizon=50") == [0, 0, 100, 20, 30]


def test_planned_ends_are_multiples_of_the_resolution() -> None:
    # 0 ends at 95, which counts as 120: by then 2, which ends at 112, is believed to be gone.
    trace = make_trace([0, 1, 2], [95, 10, 110], [6, 10, 4])
    assert starts(trace, "easy") == [0, 95, 105]
    assert starts(trace, "easy:resolution=1m") == [0, 112, 2]
    # 1 is reserved for from 120 to 180, so that 2 is planned behind it, and in its way is 3 until 123.
    trace = make_trace([0, 1, 2, 3], [95, 50, 10, 120], [6, 10, 10, 4])
    assert [row for row in twin(trace, "just:resolution=1m").reserved if row[0] == 3] == [
        (3, 1, 120),
        (3, 2, 180),
        (3, 3, 240),
    ]


def test_a_pass_looks_at_so_many_jobs_of_a_user() -> None:
    # Of b's jobs each pass tries one: 2, which would fit at 2, gets its turn at the first without 1.
    trace = make_trace([0, 1, 2, 3], [100, 10, 10, 10], [6, 10, 4, 4], user=["a", "b", "b", "c"])
    assert starts(trace, "easy") == [0, 100, 2, 12]
    assert starts(trace, "easy:user_test_limit=1") == [0, 100, 110, 3]
    assert starts(trace, "easy:user_test_limit=1,test_limit=2") == [0, 100, 110, 3]  # 2 does not count
    assert starts(trace, "easy:user_test_limit=2") == [0, 100, 2, 12]


def test_kept_slots_only_move_forward_while_new_reservations_may_push_others_back() -> None:
    # 0 was to run to 100 and ends at 50. By then 2 holds 4 to 62, and 3 was promised 4 from 62 to 92.
    trace = make_trace([0, 1, 2, 3], [50, 20, 60, 30], [6, 10, 4, 4], walltime=[100, 20, 60, 30])
    just = twin(trace, "just")
    assert [job.start for job in just.jobs] == [0, 62, 2, 82]
    assert (3, 3, 62) in just.reserved
    kept = twin(trace, "conservative")
    assert [job.start for job in kept.jobs] == [0, 80, 2, 50]
    assert [row for row in kept.reserved if row[1] == 1] == [
        (1, 1, 100),
        (50, 1, 92),
        (62, 1, 80),
        (80, 1, 80),
    ]


def test_a_planned_start_needs_no_event_of_the_trace() -> None:
    # With the true runtimes 5 twice the estimate, 1 is planned for 10 while 0 is believed to go on to 10.
    trace = make_trace([0, 0], [5, 5], [10, 10])
    assert starts(trace, "conservative:estimate=scaled2") == [0, 5]
    # Here 0 runs longer than was believed: at 3, where 1 was to begin, everything is planned anew.
    sim = twin(trace, "conservative:estimate=scaled0.5")
    assert [job.start for job in sim.jobs] == [0, 5]
    assert sim.reserved == [(0, 0, 0), (0, 1, 3), (3, 1, 5), (5, 1, 5)]


def test_relaxed_reservations_let_longer_jobs_go_past_and_keep_their_bound() -> None:
    # 1 is promised 100; at most 20 % of its wait later is 120. At 100, 3 may use that too.
    trace = make_trace([0, 0, 1, 90], [100, 10, 115, 20], [6, 10, 4, 4])
    assert starts(trace, "easy") == [0, 100, 110, 110]
    sim = twin(trace, "easy:relaxed=0.2")
    assert [job.start for job in sim.jobs] == [0, 120, 1, 100]
    assert {row[2] for row in sim.reserved if row[1] == 1} == {120}
    assert starts(make_trace([0, 0, 1], [100, 10, 120], [6, 10, 4]), "easy:relaxed=0.2") == [0, 100, 110]


def test_jobs_that_waited_longer_than_the_threshold_go_first() -> None:
    trace = make_trace([0, 0, 5, 12], [10, 20, 5, 6], 10)
    assert starts(trace, "easy:order=sjf") == [0, 21, 10, 15]
    assert starts(trace, "easy:order=sjf,threshold=15") == [0, 21, 10, 15]
    assert starts(trace, "easy:order=sjf,threshold=14") == [0, 15, 10, 35]


def test_a_limit_holds_a_job_without_blocking_others() -> None:
    trace = make_trace([0, 1, 2, 3], [50, 10, 10, 20], [4, 2, 10, 3], user=["a", "a", "b", "b"])
    assert starts(trace, "easy") == [0, 1, 50, 3]
    sim = twin(trace, "easy:max_user_jobs=1")
    assert [job.start for job in sim.jobs] == [0, 50, 60, 3]
    assert sim.reserved == [(2, 2, 50), (3, 2, 50), (23, 2, 50), (50, 2, 60)]
    assert starts(trace, "fcfs:max_user_jobs=1") == [0, 50, 60, 70]


@pytest.mark.parametrize("limit", ["max_user_cpus", "max_queue_cpus"])
def test_limits_of_processors_count_what_runs_and_refuse_what_is_larger(limit: str) -> None:
    names = ["a", "a", "a", "a", "b"]
    trace = make_trace([0, 1, 2, 3, 4], [50, 9, 9, 9, 9], [4, 3, 2, 7, 4], user=names, queue=names)
    assert starts(trace, f"easy:{limit}=6") == [0, 50, 2, -1, 4]


def test_a_pass_looks_at_so_many_jobs_only() -> None:
    trace = make_trace([0, 1, 2], [100, 10, 10], [6, 10, 4])
    assert starts(trace, "aggressive:test_limit=1") == [0, 100, 110]
    assert starts(trace, "aggressive:test_limit=2") == [0, 100, 2]


def test_passes_at_fixed_intervals_after_the_first_submission() -> None:
    sim = twin(make_trace([5, 6, 35, 36], [7, 3, 3, 3]), "easy:pass_every=30")
    assert [job.start for job in sim.jobs] == [5, 35, 35, 65]
    assert sim.passes == [5, 35, 65]


def test_gate_makes_no_pass_for_arrivals_alone_that_find_no_room() -> None:
    trace = make_trace([0, 1, 2, 50], [50, 10, 10, 10], [6, 10, 4, 10])
    assert twin(trace, "easy").passes == [0, 1, 2, 12, 50, 60, 70]
    assert twin(trace, "easy:gate=on").passes == [0, 2, 12, 50, 60, 70]


def test_estimates_that_learn_are_made_again_at_each_pass_unless_told() -> None:
    # Two jobs of user a end at 10, so job 4 is believed to run for 10, not for its walltime of 100.
    trace = make_trace(
        [0, 0, 0, 1, 5],
        [10, 10, 50, 10, 10],
        [2, 2, 6, 10, 4],
        walltime=[100, 100, 50, 10, 100],
        user=["a", "a", "c", "b", "a"],
    )
    assert starts(trace, "easy:estimate=last2") == [0, 0, 0, 50, 10]
    assert starts(trace, "easy:estimate=last2,estimate_once=on") == [0, 0, 0, 50, 60]


def test_scaled_estimates_may_be_overrun_and_may_pass_the_walltime() -> None:
    trace = make_trace([0, 1, 30], [50, 10, 20], [6, 10, 4], walltime=[60, 10, 20])
    sim = twin(trace, "easy:estimate=scaled0.5")
    assert [job.start for job in sim.jobs] == [0, 50, 30]
    assert sim.reserved == [(1, 1, 25), (30, 1, 60)]
    assert twin(trace, "easy:estimate=scaled2").reserved[0] == (1, 1, 100)
    assert [job.first_estimate for job in twin(make_trace([0], [5]), "easy:estimate=scaled0.5").jobs] == [3]


def test_slack_goes_by_the_latest_start_that_meets_what_the_user_expects() -> None:
    # Under easy they end at 10, 30 and 35: 72 s of 35 in the system, so each user has 4 x 35 / 72, so 1.
    # Job 1 is expected at 1 + 80 and must start at 61; job 2 at 2 + 20, so at 17.
    trace = make_trace([0, 1, 2], [10, 20, 5], 4, user=["a", "b", "c"])
    sim = twin(trace, "easy:order=slack", Cluster.pool(4))
    assert sim.eet == [40, 81, 22]
    assert [job.start for job in sim.jobs] == [0, 15, 10]


def test_slack_takes_fair_shares_from_the_recorded_schedule_on_the_logs_own_machine() -> None:
    # Recorded, one ends where the next begins: 1 user at any time, so each has all of the machine.
    pool = Cluster.pool(4)
    trace = make_trace([0, 10], [10, 10], 4, user=["a", "b"], wait=[0, 0], cluster=pool)
    assert twin(trace, "easy:order=slack", pool).eet == [10, 20]
    assert twin(replace(trace, cluster=POOL), "easy:order=slack", pool).eet == [10, 20]
    late = make_trace([0, 0], [10, 10], 4, user=["a", "b"], wait=[0, 0], cluster=pool)
    assert twin(late, "easy:order=slack", pool).eet == [20, 20]  # 2 users all the time
    assert twin(replace(late, cluster=POOL), "easy:order=slack", pool).eet == [20, 20]  # 1.5 of them


@pytest.mark.parametrize(
    ("share", "eet", "starts"),
    [
        ("fair", [40, 81, 22], [0, 15, 10]),
        ("4c", [10, 21, 7], [0, 10, 30]),  # job 1 must start at 1, job 2 at 2
        ("1/2", [20, 41, 12], [0, 15, 10]),
        ("users.csv", [40, 21, 22], [0, 10, 30]),  # b may expect all
    ],
)
def test_slack_goes_by_a_share_of_its_own(
    share: str, eet: list[int], starts: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "users.csv").write_text("user,share\na,1c\nb,4c\nc,1c\n")
    trace = make_trace([0, 1, 2], [10, 20, 5], 4, user=["a", "b", "c"])
    sim = twin(trace, f"easy:order=slack,eet_share={share}", Cluster.pool(4))
    assert sim.eet == eet
    assert [job.start for job in sim.jobs] == starts


def test_slack_of_a_bag_is_that_of_its_last_job() -> None:
    trace = make_trace([0, 0, 0, 1], [10, 5, 5, 8], 4, user=["a", "c", "c", "b"])
    bags = twin(trace, "easy:order=slack,eet_share=4c:batches=1m", Cluster.pool(4))
    assert bags.eet == [10, 10, 10, 9]
    assert [job.start for job in bags.jobs] == [0, 18, 23, 10]
    alone = twin(trace, "easy:order=slack,eet_share=4c", Cluster.pool(4))
    assert alone.eet == [10, 5, 10, 9]
    assert [job.start for job in alone.jobs] == [0, 10, 23, 15]


def test_priority_factors() -> None:
    trace = make_trace(
        [0, 0, 0, 0],
        [10, 10, 10, 10],
        [4, 1, 2, 3],
        walltime=[10, 30, 20, 20],
        user=["a", "b", "a", "b"],
        queue=["long", "long", "short", "short"],
    )
    pool = Cluster.pool(4)
    sim = NaiveSimulation(trace, pool, parse_policy("easy:order=priority,half_life=none"))
    sim.submit(0)
    assert factor(sim, sim.jobs[0], "fairshare", 0) == 1.0  # nobody has used anything
    sim.begin(sim.jobs[0], 0, [(0, (4,))])
    # User a has used 10 machine-seconds, the mean is 5.
    assert [factor(sim, job, "fairshare", 10) for job in sim.jobs] == [0.25, 1.0, 0.25, 1.0]
    assert [factor(sim, job, "size", 10) for job in sim.jobs] == [1.0, 0.25, 0.5, 0.75]
    # Both queues have a median walltime of 20, and share the first rank.
    assert [factor(sim, job, "queue", 10) for job in sim.jobs] == [1.0] * 4
    assert factor(sim, sim.jobs[1], "age", 60_480) == 0.1
    assert factor(sim, sim.jobs[1], "age", 10**6) == 1.0


def test_priority_with_unequal_shares() -> None:
    trace = make_trace([0, 0], [30, 10], [2, 2], user=["a", "b"])
    policy = replace(
        parse_policy("easy:order=priority,half_life=none"), shares=UserShares("x.csv", (("a", 3.0),))
    )
    sim = NaiveSimulation(trace, Cluster.pool(4), policy)
    for job in sim.jobs:
        sim.submit(0)
        sim.begin(job, 0, [(0, (2,))])
    # Both have used half of all usage; a has three of four shares, b one.
    found = [factor(sim, job, "fairshare", 10) for job in sim.jobs]
    assert found == pytest.approx([2 ** -(0.5 / 0.75), 2 ** -(0.5 / 0.25)])


def test_priority_order() -> None:
    trace = make_trace([0, 1, 2], [10, 100, 10], [10, 2, 9], queue=["long", "long", "short"])
    assert starts(trace, "easy:order=priority,weights=age=1") == [0, 10, 110]
    assert starts(trace, "easy:order=priority,weights=size=1") == [0, 20, 10]
    assert starts(trace, "easy:order=priority,weights=queue=1") == [0, 20, 10]
    # The second by which job 1 is older weighs 100 / 604800; by size job 2 is ahead by 0.7.
    assert starts(trace, "easy:order=priority,weights=age=100;size=0.0002") == [0, 10, 110]
    assert starts(trace, "easy:order=priority,weights=age=100;size=0.0003") == [0, 20, 10]


def test_usage_is_divided_by_the_users_share() -> None:
    trace = make_trace([0, 1, 2, 3], [100, 50, 10, 10], 10, user=["u0", "u1", "u0", "u1"])
    policy = parse_policy("fairshare-easy:half_life=none")
    assert NaiveSimulation(trace, POOL, policy).simulate() == [0, 100, 160, 150]
    assert NaiveSimulation(trace, POOL, with_shares(policy, [4.0])).simulate() == [0, 100, 150, 160]


def test_queues_keep_to_their_nodes() -> None:
    cluster = Cluster((NodeGroup(2, 4), NodeGroup(1, 8, name="fat")))
    trace = make_trace(
        [0, 0, 0, 1],
        [10, 10, 10, 5],
        [8, 6, 2, 4],
        queue=["short", "short", "long", "other"],
        tasks=[[(8, 1, 0)], [(1, 6, 0)], [(2, 1, 0)], [(1, 4, 0)]],
    )
    sim = twin(trace, "easy:queue_nodes=short@1;long@fat", cluster)
    assert [job.start for job in sim.jobs] == [0, -1, 0, 1]
    assert [job.pieces for job in sim.jobs] == [[(0, (4,)), (1, (4,))], [], [(2, (2,))], [(2, (4,))]]


def test_tasks_keep_to_the_nodes_that_the_log_asks_for() -> None:
    cluster = Cluster((NodeGroup(2, 4, name="thin"), NodeGroup(2, 8, name="fat")))
    tasks = [[(1, 2, 0), (1, 2, 0)], [(2, 1, 0)], [(1, 1, 0)], [(1, 2, 0)], [(3, 1, 0)], [(1, 6, 0)]]
    trace = make_trace([0] * 6, [10] * 6, [4, 2, 1, 2, 3, 6], tasks=tasks)
    parts = ("", "cl_fat", "^cl_fat", "cl_fat#excl", "thin2.site.org", "cl_thin#excl", "thin")
    numbers = np.array([1, 2, 5, 3, 4, 5, 6])
    trace = replace(
        trace,
        tasks=Pieces(trace.tasks.offset, {**trace.tasks.columns, "constraint": numbers}),
        constraints=parts,
    )
    assert starts(trace, "easy", cluster) == [0] * 6
    sim = twin(trace, "easy:constraints=on", cluster)
    # 1 takes both thin nodes, which 0 has a part of; 2 takes all of a fat one; 4 would need three thin ones.
    assert [job.start for job in sim.jobs] == [0, 10, 0, 0, -1, -1]
    assert [job.pieces for job in sim.jobs[:4]] == [
        [(2, (2,)), (0, (2,))],
        [(0, (4,)), (1, (4,))],
        [(3, (8,))],
        [(1, (2,))],
    ]


def test_reservations_on_nodes_hold_nodes() -> None:
    # 0 holds node 0 to 100, 1 holds node 1 to 50. 2 needs both, at 100; 3 fits on neither but after it.
    cluster = parse_cluster("2x4c")
    trace = make_trace([0, 0, 1, 2, 3], [100, 50, 10, 60, 47], [4, 4, 8, 4, 4])
    assert starts(trace, "easy", cluster) == [0, 0, 100, 110, 50]
    assert starts(trace, "just", cluster) == [0, 0, 100, 110, 50]
    assert starts(trace, "easy:depth=2", cluster) == [0, 0, 100, 110, 50]
    assert starts(trace, "fcfs", cluster) == [0, 0, 100, 110, 110]
