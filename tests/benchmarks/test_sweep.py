from __future__ import annotations

from pytest_benchmark.fixture import BenchmarkFixture

from engine.fairness.shares import parse_share
from engine.policy import parse_policy
from engine.sweep.grid import make_grid
from engine.sweep.run import sweep
from engine.trace.transform import select
from tests.benchmarks.logs import KTH_SP2, kth_sp2
from tests.paths import needs


@needs(KTH_SP2)
def test_balance_factor_and_window(benchmark: BenchmarkFixture) -> None:
    """The grid of Tang et al. 2013 over 5,000 jobs."""
    trace = select(kth_sp2(), jobs=slice(0, 5000))
    grid = make_grid(parse_policy("metric"), ("bf", "0, 0.25, 0.5, 0.75, 1"), ("window", "1, 2, 3, 4, 5"))
    cells = benchmark(sweep, trace, trace.cluster, grid.policies, parse_share("fair"))
    assert len(cells) == 25
