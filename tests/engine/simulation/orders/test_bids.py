"""Bids that fade and go by processor-seconds, and the prices that starts displace."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from engine.machine.cluster import Cluster, parse_cluster
from engine.metrics.summary import summary
from engine.policy.policy import parse_policy
from engine.schedule.schedule import Schedule
from engine.schedule.value import delivered, payments
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.simulation.comparing import assert_equal_schedules
from tests.engine.simulation.naive import NaiveSimulation
from tests.engine.simulation.naive_machine import Hold, Job, free_over, place
from tests.engine.simulation.naive_order import bid, in_order
from tests.engine.simulation.workloads import Case, cases, clusters, traces
from tests.traces import make_schedule, make_trace

FADES = st.sampled_from(("none", "5@1;20@0.5;61@-0.5", "0@1;30@0;fall", "10@0.5"))
KEYS = st.sampled_from(
    ("", ",estimate=requested", ",threshold=20", ",pass_every=7", ",depth=0", ",depth=stop")
)


def first_start(sim: NaiveSimulation, job: Job) -> int:
    """Also of a run that a failure stopped: a job pays once."""
    return min([job.start, *(run.start for run in sim.stopped if run.number == job.number)])


class Market(NaiveSimulation):
    """A simulation that asks at each start whom it kept out, by who holds what after the pass."""

    def simulate(self) -> list[int]:
        self.prices = [float("nan")] * len(self.jobs)
        return super().simulate()

    def one_second(self, now: int) -> None:
        super().one_second(now)
        for job in self.running:
            if job.start == now:
                self.prices[job.number] = min(bid(self, job, now), self._highest(job, now) * area(job))

    def _highest(self, job: Job, now: int) -> float:
        """The highest bid a processor-second of those who would have fitted in the place of a job."""
        others = [hold for hold in self.holds(now) if hold.job is not job]
        waiting = in_order(self, now)
        kept = {number: begin for time, number, begin in self.reserved if time == now}
        found = [0.0]
        for other in waiting:
            taken = list(others)
            for head in waiting:
                if head.number in kept and head is not other:
                    begin = kept[head.number]
                    pieces = ((0, tuple(head.total(k) for k in range(len(self.machine[0])))),)
                    taken.append(Hold(begin, begin + head.estimate, pieces, head))
            # The reservation of the head is its own, so that it only has to fit now.
            length = 1 if other.number in kept else other.estimate
            free = free_over(self.machine, taken, now, now + length)
            if place(other, free, "first") is not None:
                found.append(bid(self, other, now) / area(other))
        return max(found)


def area(job: Job) -> int:
    return job.procs * job.estimate


@settings(max_examples=20)
@given(traces(), clusters(), FADES, st.sampled_from(("value", "density")), KEYS, st.integers(0, 2))
def test_bids_put_jobs_in_order(
    trace: Trace, cluster: Cluster, fade: str, bids: str, keys: str, seed: int
) -> None:
    policy = parse_policy(f"auction:fade={fade},bids={bids},seed={seed}{keys}")
    twin = NaiveSimulation(trace, cluster, policy)
    twin.simulate()
    schedule = simulate(trace, cluster, policy)
    assert schedule.start.tolist() == [job.start for job in twin.jobs]
    paid = payments(schedule)
    assert paid is not None
    ran = [job for job in twin.jobs if job.start >= 0]
    assert paid[schedule.ran].tolist() == pytest.approx(
        [bid(twin, job, first_start(twin, job)) for job in ran]
    )


@settings(max_examples=30)
@given(traces(), st.integers(5, 24), FADES, st.sampled_from(("value", "density")), KEYS, st.integers(0, 2))
def test_prices_are_the_highest_bids_that_starts_displace(
    trace: Trace, procs: int, fade: str, bids: str, keys: str, seed: int
) -> None:
    policy = parse_policy(f"auction:fade={fade},bids={bids},pay=displaced,seed={seed}{keys}")
    twin = Market(trace, Cluster.pool(procs), policy)
    twin.simulate()
    schedule = simulate(trace, Cluster.pool(procs), policy)
    assert schedule.start.tolist() == [job.start for job in twin.jobs]
    assert schedule.prices_paid is not None
    assert schedule.prices_paid.tolist() == pytest.approx(twin.prices, nan_ok=True)
    # Nobody pays more than the bid, and what is paid is what a run without such prices would have asked.
    plain = simulate(trace, Cluster.pool(procs), policy.with_keys(pay="bid"))
    asked = payments(plain)
    assert asked is not None
    assert plain.start.tolist() == schedule.start.tolist()
    assert (schedule.prices_paid[schedule.ran] <= asked[schedule.ran]).all()
    assert (schedule.prices_paid[schedule.ran] >= 0).all()


BUDGETS = st.sampled_from(("3000", "9000;500/7", "100;2500.5/20;9000", "0;4000/11;4000", "6000;1/1m"))


@settings(max_examples=40)
@given(
    cases(max_jobs=14, order="auction", tune="none"), FADES, st.sampled_from(("value", "density")), BUDGETS
)
def test_nobody_bids_or_pays_more_than_is_left(case: Case, fade: str, bids: str, budget: str) -> None:
    trace, cluster, policy = case
    policy = policy.with_keys(fade=fade, bids=bids, budget=budget)
    twin = NaiveSimulation(trace, cluster, policy, fair_starts=True)
    twin.simulate()
    schedule = simulate(trace, cluster, policy, fair_starts=True)
    assert_equal_schedules(schedule, twin)
    assert schedule.fair_start is not None
    assert schedule.fair_start.tolist() == [job.fair_start for job in twin.jobs]
    assert schedule.prices_paid is not None
    ran = schedule.ran
    assert schedule.prices_paid[ran].tolist() == pytest.approx(
        [twin.credits.paid[job] for job in np.flatnonzero(ran).tolist()]
    )
    assert np.isnan(schedule.prices_paid[~ran]).all()


def worth(schedule_of: Trace, *values: int) -> Trace:
    return replace(schedule_of, status=np.array(values))


def run(trace: Trace, keys: str, procs: int = 4) -> Schedule:
    return simulate(trace, Cluster.pool(procs), parse_policy(f"auction:valuation=column:status{keys}"))


def test_by_hand() -> None:
    # Each takes the whole machine. At 10 job 1 has waited for 9 s and bids 50 / 10 * 1, job 2 for 8 s.
    trace = worth(make_trace([0, 1, 2], [10, 10, 10], 4), 1, 50, 20)
    assert run(trace, "").start.tolist() == [0, 10, 20]
    fading = run(trace, ",fade=0@1;10@0;fall")
    assert fading.start.tolist() == [0, 10, 20]  # bids 5 and 4
    paid = payments(fading)
    assert paid is not None
    assert paid.tolist() == pytest.approx([1, 5, 0])  # at 20 job 2 would bid -16, so it bids 0
    assert delivered(fading).tolist() == pytest.approx([1, 5, -16])
    values = summary(fading)
    assert values["value"] == pytest.approx(-10)
    assert values["revenue"] == pytest.approx(6)
    # Who came first has lost more: at 10 bids are 50 * 0.05 and 20 * 0.1575.
    assert run(trace, ",fade=0@1;5@0.48;9@0.05").start.tolist() == [0, 20, 10]


def test_a_budget_by_hand() -> None:
    # Each user has 30 credits and gets 20 more at 15 and at 30, up to 40. Each job takes the whole machine.
    trace = worth(make_trace([0, 1, 2, 3], [10, 10, 10, 10], 4, user=["a", "a", "b", "a"]), 25, 90, 25, 99)
    schedule = run(trace, ",budget=30;20/15s;40")
    # After job 0 user a has 5 left, so that b bids most at 10. At 20 a has 25 again, which both jobs bid: the
    # first takes it, and the other finds the 20 that came at 30. User b ends with 5 + 20 + 20, cut to 40.
    assert schedule.start.tolist() == [0, 20, 10, 30]
    assert schedule.prices_paid is not None
    assert schedule.prices_paid.tolist() == [25, 25, 25, 20]
    assert schedule.credits_left is not None
    assert schedule.credits_left.tolist() == [0, 40]
    values = summary(schedule)
    assert (values["revenue"], values["budget_unspent"]) == (95, 40)


def test_density_prefers_what_takes_less() -> None:
    trace = worth(make_trace([0, 1, 2], [10, 10, 2], 4), 1, 50, 20)
    assert run(trace, ",bids=density").start.tolist() == [0, 12, 10]  # 20 / 8 against 50 / 40


def test_a_start_pays_for_those_who_would_have_fitted() -> None:
    # Of 4 processors job 0 takes all until 10. Then 1 and 2, of 2 each, start, and 3 and 4 wait.
    trace = worth(make_trace([0, 1, 1, 1, 1], [10, 10, 5, 20, 5], [4, 2, 2, 4, 1]), 1, 60, 40, 39, 4)
    schedule = run(trace, ",pay=displaced")
    assert schedule.start.tolist() == [0, 10, 10, 20, 15]
    # Job 3 needs all, so that it never fits in one place. Job 4 would have, and would end at 15, before job 3
    # starts: its bid is 4 / 5 a second, for 20 and 10 of them. When job 4 starts, job 3 does not fit there.
    assert schedule.prices_paid is not None
    assert schedule.prices_paid.tolist() == pytest.approx([0, 16, 8, 0, 0])
    assert summary(schedule)["revenue"] == pytest.approx(24)


def test_passes_at_an_interval_clear_the_market_then() -> None:
    trace = worth(make_trace([0, 1, 2], [3, 10, 10], 4), 1, 20, 50)
    assert run(trace, ",pass_every=10").start.tolist() == [0, 20, 10]


def test_a_user_is_priced_out_who_waits_for_thirty_days_without_a_start() -> None:
    day = 86_400
    trace = make_trace([0, 0, 5 * day], [1, 1, 1], 1, user=["a", "b", "a"])

    def out(*start: int) -> object:
        return summary(make_schedule(trace, start, policy="auction"))["users_priced_out"]

    assert out(0, 0, 5 * day) == 0
    assert out(0, 30 * day, 5 * day) == 1  # b
    assert out(29 * day, 30 * day - 1, 58 * day) == 0  # a started in between
    assert out(29 * day, 30 * day - 1, 59 * day) == 1
    assert out(30 * day, 30 * day, 60 * day) == 2
    assert summary(make_schedule(trace, [0, 0, 0], policy="easy"))["users_priced_out"] is None


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        ("easy:bids=density", "takes no bids"),
        ("queues:pay=displaced", "takes no bids"),
        ("queues:budget=10", "takes no bids"),
        ("auction:pay=displaced,budget=10", "payments are known after the run alone"),
        ("auction:budget=10;5/0s", "interval should be above 0"),
        ("auction:budget=10;5/1d;9", "cap is below the credits"),
        ("auction:budget=-1", "budget cannot be '-1'"),
        ("auction:pay=displaced,depth=all", "beside one reservation"),
        ("auction:pay=displaced,window=2", "several jobs are placed together"),
        ("auction:pay=displaced,estimate=last2", "estimates are learned"),
        ("auction:pay=displaced,max_user_jobs=3", "limits hold jobs"),
    ],
)
def test_contradictions(policy: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        parse_policy(policy)


def test_prices_need_a_pool() -> None:
    trace, nodes = make_trace([0], [1], 1), parse_cluster("2x4c")
    with pytest.raises(InputError, match="needs a pool of processors"):
        simulate(trace, nodes, parse_policy("auction:pay=displaced"))
