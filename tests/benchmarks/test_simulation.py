import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from engine.machine.cluster import Cluster, parse_cluster
from engine.policy.policy import parse_policy
from engine.policy.share import Share
from engine.simulation.control import ENDED, Cancelled, Control
from engine.simulation.run import simulate
from engine.sweep.grid import make_grid
from engine.sweep.run import sweep
from tests.benchmarks.logs import (
    CEA_CURIE,
    CTC_SP2,
    HPC2N,
    KTH_SP2,
    WAGAP,
    cea_curie,
    ctc_sp2,
    hpc2n,
    kth_sp2,
    wagap,
)
from tests.paths import needs


@needs(KTH_SP2)
@pytest.mark.parametrize("log", [False, True], ids=["", "with_log"])
@pytest.mark.parametrize(
    "policy",
    [
        "fcfs",
        "easy",
        "easy-sjbf",
        "saf-easy",
        "aggressive",
        "fairshare-easy",
        "just",
    ],
)
def test_kth_sp2(benchmark: BenchmarkFixture, policy: str, log: bool) -> None:
    trace = kth_sp2()
    chosen = parse_policy(policy)
    schedule = benchmark(simulate, trace, trace.cluster, chosen, log=log)
    assert schedule.ran.all()


@needs(KTH_SP2)
@pytest.mark.parametrize("estimate", ["last2", "hierarchy", "survival3", "linear"])
def test_kth_sp2_with_predictions(benchmark: BenchmarkFixture, estimate: str) -> None:
    trace = kth_sp2()
    schedule = benchmark(simulate, trace, trace.cluster, parse_policy("easy", estimate))
    assert schedule.ran.all()


@needs(KTH_SP2)
@pytest.mark.parametrize("policy", ["easy", "just"])
def test_kth_sp2_fair_starts(benchmark: BenchmarkFixture, policy: str) -> None:
    trace = kth_sp2()
    chosen = parse_policy(policy)
    arguments, keys = (trace, trace.cluster, chosen), {"fair_starts": True}
    schedule = benchmark.pedantic(simulate, arguments, keys, rounds=3, warmup_rounds=1)
    assert schedule.fair_start is not None


@needs(CTC_SP2)
def test_ctc_sp2_conservative(benchmark: BenchmarkFixture) -> None:
    trace = ctc_sp2()
    chosen = parse_policy("conservative")
    schedule = benchmark.pedantic(
        simulate, (trace, trace.cluster, chosen), rounds=5, warmup_rounds=1, iterations=1
    )
    assert schedule.ran.all()


@needs(CEA_CURIE)
@pytest.mark.parametrize("policy", ["fcfs", "easy", "just", "fairshare-fcfs", "fairshare-easy"])
def test_cea_curie(benchmark: BenchmarkFixture, policy: str) -> None:
    trace = cea_curie()
    chosen = parse_policy(policy)
    schedule = benchmark.pedantic(
        simulate, (trace, trace.cluster, chosen), rounds=5, warmup_rounds=1, iterations=1
    )
    assert schedule.ran.all()


@needs(WAGAP)
@pytest.mark.parametrize("policy", ["fcfs", "fairshare-fcfs", "easy", "fairshare-easy"])
def test_wagap_on_its_nodes(benchmark: BenchmarkFixture, policy: str) -> None:
    trace = wagap()
    chosen = parse_policy(policy)
    schedule = benchmark.pedantic(
        simulate, (trace, trace.cluster, chosen), rounds=5, warmup_rounds=1, iterations=1
    )
    assert (~schedule.ran).sum() == 1


@needs(WAGAP)
@pytest.mark.parametrize("policy", ["conservative", "plan"])
def test_plans_of_wagap_on_its_nodes(benchmark: BenchmarkFixture, policy: str) -> None:
    trace = wagap()
    chosen = parse_policy(policy)
    schedule = benchmark.pedantic(
        simulate, (trace, trace.cluster, chosen), rounds=3, warmup_rounds=1, iterations=1
    )
    assert (~schedule.ran).sum() == 1


@needs(HPC2N)
@pytest.mark.parametrize("search", ["random", "tabu"])
def test_2000_trials_a_search_over_hpc2n(benchmark: BenchmarkFixture, search: str) -> None:
    trace = hpc2n()
    chosen = parse_policy(f"plan-search:search={search},trials=2000")
    schedule = benchmark.pedantic(
        simulate, (trace, trace.cluster, chosen), rounds=3, warmup_rounds=1, iterations=1
    )
    assert schedule.ran.all()


@needs(KTH_SP2)
@pytest.mark.parametrize("machine", ["100c", "50x2c"])
def test_moves_in_a_plan_of_500_jobs(benchmark: BenchmarkFixture, machine: str) -> None:
    """Told a move: 500 jobs come at once, and the first search tries 20,000 moves among those that wait."""
    jobs = kth_sp2().take(np.arange(5000, 5500))
    trace = replace(jobs, submit=np.zeros(len(jobs), np.int64))
    chosen = parse_policy("plan-search:trials=20000")

    def move() -> float:
        log = simulate(trace, parse_cluster(machine), chosen, log=True).searches
        assert log is not None
        assert log.seconds is not None
        assert log.jobs[0] > 300
        return float(log.tried[0] / log.seconds[0])

    benchmark.extra_info["moves a second"] = benchmark.pedantic(move, rounds=1, warmup_rounds=1)


@needs(KTH_SP2)
@pytest.mark.parametrize("window", [1, 5, 8])
def test_windows_of_5000_jobs_on_128_processors(benchmark: BenchmarkFixture, window: int) -> None:
    trace = kth_sp2().take(np.arange(5000))
    chosen = parse_policy(f"metric:window={window}")
    schedule = benchmark.pedantic(
        simulate, (trace, Cluster.pool(128), chosen), rounds=3, warmup_rounds=1, iterations=1
    )
    assert schedule.ran.all()


@needs(KTH_SP2)
def test_sweep_of_balance_factors_and_windows_over_5000_jobs(benchmark: BenchmarkFixture) -> None:
    trace = kth_sp2().take(np.arange(5000))
    grid = make_grid(parse_policy("metric"), ("bf", "0,0.25,0.5,0.75,1"), ("window", "1,2,3,4,5"))
    cells = benchmark.pedantic(
        sweep, (trace, trace.cluster, grid.policies, Share()), rounds=3, warmup_rounds=1, iterations=1
    )
    assert len(cells) == 25


@needs(KTH_SP2)
@pytest.mark.parametrize("policy", ["metric:bf=0.5", "tuned-2d"])
def test_kth_sp2_metric_aware(benchmark: BenchmarkFixture, policy: str) -> None:
    trace = kth_sp2()
    schedule = benchmark(simulate, trace, trace.cluster, parse_policy(policy))
    assert schedule.ran.all()


class Running:
    """A simulation in a thread of its own, well under way."""

    def __init__(self, policy: str) -> None:
        self.control = Control()
        self.thread = threading.Thread(target=self._simulate, args=(policy,))
        self.cancelled = False
        self.thread.start()
        while self.control.array[ENDED] < 1000:
            time.sleep(0.0001)

    def _simulate(self, policy: str) -> None:
        trace = cea_curie()
        try:
            simulate(trace, trace.cluster, parse_policy(policy), control=self.control)
        except Cancelled:
            self.cancelled = True

    def cancel(self) -> None:
        self.control.cancel()
        self.thread.join()


@needs(CEA_CURIE)
@pytest.mark.parametrize("policy", ["easy", "fairshare-easy"])
def test_cancel_of_a_run_on_cea_curie(benchmark: BenchmarkFixture, policy: str) -> None:
    Running(policy).cancel()
    runs: list[Running] = []

    def begin() -> None:
        runs.append(Running(policy))

    benchmark.pedantic(lambda: runs[-1].cancel(), setup=begin, rounds=10)
    assert all(run.cancelled for run in runs)
