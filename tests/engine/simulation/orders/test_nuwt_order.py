"""order=nuwt: users who waited most for what they used go first."""

import pytest
from hypothesis import given, settings

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from tests.engine.simulation.comparing import assert_equal_schedules
from tests.engine.simulation.naive import NaiveSimulation
from tests.engine.simulation.workloads import Case, cases
from tests.traces import make_trace


def test_who_waited_most_for_what_was_used_goes_first() -> None:
    # At 10 bob has waited for 9 + 8 s and used 40 processor-seconds, ann for 7 s and used none.
    trace = make_trace([0, 1, 2, 3], [10] * 4, 4, user=["bob", "bob", "bob", "ann"])
    schedule = simulate(trace, Cluster.pool(4), parse_policy("easy:order=nuwt"))
    assert schedule.start.tolist() == [0, 20, 30, 10]
    assert simulate(trace, Cluster.pool(4), parse_policy("easy")).start.tolist() == [0, 10, 20, 30]


@settings(max_examples=20)
@given(cases(order="nuwt"))
def test_it_is_that_of_the_slow_twin(case: Case) -> None:
    naive = NaiveSimulation(*case, fair_starts=True)
    naive.simulate()
    schedule = simulate(*case, fair_starts=True)
    assert_equal_schedules(schedule, naive)
    assert schedule.fair_start is not None
    assert schedule.fair_start.tolist() == [job.fair_start for job in naive.jobs]


def test_usage_is_never_forgotten() -> None:
    with pytest.raises(InputError, match="order=nuwt forgets no usage"):
        parse_policy("easy:order=nuwt,half_life=2h")
    assert parse_policy("easy:order=nuwt,penalty=cpu").spelling == "easy:order=nuwt,penalty=cpu"
