"""Speed of a user's own code: whole runs, with the process that they are made in."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from engine.own.allowed import allow_named
from engine.policy.policy import Policy, parse_policy
from engine.simulation.run import simulate
from resources import example_code_path, template_path
from tests.benchmarks.logs import CEA_CURIE, KTH_SP2, cea_curie, kth_sp2
from tests.paths import needs


def policy_of_own(spelling: str) -> Policy:
    allow_named(spelling)
    return parse_policy(spelling)


@needs(KTH_SP2)
@pytest.mark.parametrize(
    "spelling",
    [
        "wfp3",
        f"{example_code_path('wfp3')}:wfp3",
        f"{example_code_path('knn')}:Neighbours",
        f"{template_path('policy')}:easy_again",
        "unicef",
        f"{example_code_path('unicef')}:unicef",
    ],
    ids=["wfp3", "order", "predictor", "scheduler", "unicef", "priority"],
)
def test_own_code_on_kth_sp2(benchmark: BenchmarkFixture, spelling: str) -> None:
    """`extra_info` has the seconds of the event loop alone, without the start of the process."""
    trace = kth_sp2()
    arguments = trace, trace.cluster, policy_of_own(spelling)
    schedule = benchmark.pedantic(simulate, arguments, rounds=3, warmup_rounds=1)
    benchmark.extra_info["loop_s"] = schedule.seconds
    assert schedule.ran.all()


@needs(CEA_CURIE)
def test_own_order_on_cea_curie(benchmark: BenchmarkFixture) -> None:
    trace = cea_curie()
    arguments = trace, trace.cluster, policy_of_own(f"{example_code_path('wfp3')}:wfp3")
    schedule = benchmark.pedantic(simulate, arguments, rounds=1, warmup_rounds=0)
    benchmark.extra_info["loop_s"] = schedule.seconds
    assert schedule.ran.all()
