from pathlib import Path

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from engine.logs.read import read_trace
from engine.now.prediction import Past, first_forecast, predict
from engine.now.used_parts import UsedParts
from engine.policy.policy import site_policy
from engine.policy.share import Share
from engine.search.search import search
from engine.search.typed_question import TypedQuestion
from engine.simulation.run import simulate
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.site import Site
from tests.benchmarks.site_cases import CONF, busy_queue, write_month


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """1,000 nodes of 64 CPUs."""
    conf = tmp_path / "slurm.conf"
    conf.write_text(CONF)
    return read_site_at(conf)


def test_first_answer_about_2000_waiting_jobs(benchmark: BenchmarkFixture, site: Site) -> None:
    jobs = busy_queue(2_000)
    forecast = benchmark.pedantic(first_forecast, (site, jobs), rounds=3, warmup_rounds=1)
    assert sum(prediction.planned is not None for prediction in forecast.waiting) == 2_000


@pytest.mark.parametrize("waiting", [2_000, 20_000])
def test_200_replays(benchmark: BenchmarkFixture, site: Site, waiting: int) -> None:
    jobs, past = busy_queue(waiting), Past(UsedParts(np.linspace(0.01, 1.0, 100), {}))
    forecast = benchmark.pedantic(
        predict, (site, jobs), {"replays": 200, "past": past}, rounds=1, warmup_rounds=0
    )
    assert forecast.replays == 200


@pytest.mark.parametrize("log", [False, True], ids=["", "with_log"])
@pytest.mark.parametrize("load", [0.70, 0.85, 0.90, 0.94])
def test_month_of_100_000_jobs(
    benchmark: BenchmarkFixture, site: Site, tmp_path: Path, load: float, log: bool
) -> None:
    """The window and `compare` simulate with a decision log, `difference` without."""
    few, month = tmp_path / "few.swf", tmp_path / "month.swf"
    write_month(few, jobs=100, days=0.03, load=load)
    write_month(month, load=load)
    policy, machine = site_policy(site), site.conf.machine
    # The kernels are loaded before a run is timed, as in a window that is open.
    simulate(read_trace(few), machine, policy, log=log)
    schedule = benchmark.pedantic(
        simulate, (read_trace(month), machine, policy), {"log": log}, rounds=1, warmup_rounds=0
    )
    assert schedule.ran.all()


def test_a_hundred_variants_of_a_month(benchmark: BenchmarkFixture, site: Site, tmp_path: Path) -> None:
    log = tmp_path / "month.swf"
    write_month(log, load=0.85)
    trace = read_trace(log)
    question = TypedQuestion(policy=site_policy(site).spelling).question()
    answer = benchmark.pedantic(
        search, (trace, site.conf.machine, question), {"share": Share(), "trials": 100}, rounds=1
    )
    assert len(answer.trials) + len(answer.dropped) <= 100
    benchmark.extra_info["dropped"] = len(answer.dropped)
