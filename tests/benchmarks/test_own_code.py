"""Speed of a user's own code: whole runs, with the process that they are made in."""

from __future__ import annotations

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import batchscope
from engine.machine.cluster import Cluster
from engine.own.allowed_code import allow_named
from engine.policy.policy import Policy, parse_policy
from engine.reading.log import Log
from engine.simulation.own.forks import end_server
from engine.simulation.run import simulate
from resources import example_code_path, template_path
from tests.benchmarks.logs import CEA_CURIE, KTH_SP2, cea_curie, kth_sp2
from tests.engine.simulation.own.in_place import run_in_place, with_own
from tests.paths import needs
from tests.traces import make_trace


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


@needs(KTH_SP2)
def test_first_run_of_an_own_order_on_kth_sp2(benchmark: BenchmarkFixture) -> None:
    """With the start of the process that further runs are forked from."""
    trace = kth_sp2()
    arguments = trace, trace.cluster, policy_of_own(f"{example_code_path('wfp3')}:wfp3")
    simulate(*arguments)  # kernels are compiled by now
    schedule = benchmark.pedantic(lambda: simulate(*arguments), setup=end_server, rounds=3)
    assert schedule.ran.all()


@needs(CEA_CURIE)
def test_own_order_on_cea_curie(benchmark: BenchmarkFixture) -> None:
    trace = cea_curie()
    arguments = trace, trace.cluster, policy_of_own(f"{example_code_path('wfp3')}:wfp3")
    schedule = benchmark.pedantic(simulate, arguments, rounds=1, warmup_rounds=0)
    benchmark.extra_info["loop_s"] = schedule.seconds
    assert schedule.ran.all()


@needs(KTH_SP2)
def test_episode_of_256_jobs_of_kth_sp2(benchmark: BenchmarkFixture) -> None:
    """A window from its reset to its reward, with a policy that takes no time."""
    pytest.importorskip("gymnasium")
    trace = kth_sp2()
    environment = batchscope.env(Log(trace, trace.cluster), window=256, backfill=False)

    def episode() -> int:
        environment.reset(options={"first": 5000})
        steps, over = 1, environment.step(0)[2]
        while not over:
            steps, over = steps + 1, environment.step(0)[2]
        return steps

    assert benchmark.pedantic(episode, rounds=20, warmup_rounds=2) == 256


FIRST_COME = """
import batchscope

@batchscope.scheduler
def f(state):
    yield from state.waiting.index.tolist()
"""


def test_10_000_decisions_of_a_scheduler_in_python(benchmark: BenchmarkFixture) -> None:
    """Of a scheduler that takes hardly any time, with the simulation around it."""
    jobs = 10_000
    trace = make_trace(np.arange(jobs) // 10 * 100, np.full(jobs, 50), 1)
    arguments = trace, Cluster.pool(100), with_own(parse_policy("easy"), FIRST_COME, "scheduler", "scheduler")
    s, calls = benchmark.pedantic(run_in_place, arguments, rounds=5, warmup_rounds=1)
    assert calls.fault is None
    assert (s.start == trace.submit).all()
