"""Machines of many nodes, with RAM and GPUs: what a job costs there, and what its schedule's file costs."""

import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from app.export.output import write_table
from engine.logs.read import read_trace
from engine.machine.cluster import parse_cluster
from engine.policy.policy import parse_policy
from engine.quantities.job_table import schedule_table
from engine.simulation.run import simulate
from engine.trace import Trace
from engine.trace.generate import SessionModel, session_log, write_log

RESERVING = ("just", "plan", "easy:depth=5", "plan-search:trials=20")


@cache
def generated(cluster: str, jobs: int) -> Trace:
    """Jobs that ask for nine tenths of the machine, some of them for hundreds of whole nodes."""
    model = replace(SessionModel(), cluster=parse_cluster(cluster), jobs=jobs, load=0.9)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "generated.swf"
        write_log(session_log(0, model), log)
        return read_trace(log)


def measure(benchmark: BenchmarkFixture, trace: Trace, policy: str) -> None:
    arguments = trace, trace.cluster, parse_policy(policy)
    schedule = benchmark.pedantic(simulate, arguments, rounds=3, warmup_rounds=1)
    assert schedule.ran.all()
    assert benchmark.stats is not None
    benchmark.extra_info["microseconds a job"] = 1e6 * benchmark.stats["min"] / len(trace)


@pytest.mark.parametrize("nodes", [125, 250, 500, 1000, 2000, 4000])
def test_conservative_by_nodes(benchmark: BenchmarkFixture, nodes: int) -> None:
    measure(benchmark, generated(f"{nodes}x64c256g", 3_000), "conservative")


@pytest.mark.parametrize("policy", RESERVING)
def test_reservations_on_1000_nodes(benchmark: BenchmarkFixture, policy: str) -> None:
    measure(benchmark, generated("1000x64c256g", 3_000), policy)


@pytest.mark.parametrize("policy", ["conservative", "easy"])
@pytest.mark.parametrize("nodes", [125, 1000, 4000])
def test_nodes_of_two_kinds_with_gpus(benchmark: BenchmarkFixture, nodes: int, policy: str) -> None:
    with_gpus = nodes // 5
    cluster = f"{nodes - with_gpus}x64c256g+{with_gpus}x64c512g4gpu"
    measure(benchmark, generated(cluster, 3_000), policy)


def test_easy_on_1000_nodes(benchmark: BenchmarkFixture) -> None:
    measure(benchmark, generated("1000x64c256g", 20_000), "easy")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_schedule_on_1000_nodes_is_written(benchmark: BenchmarkFixture, tmp_path: Path, suffix: str) -> None:
    trace = generated("1000x64c256g", 100_000)
    kind = replace(trace.cluster.groups[0], names=tuple(f"c{node:04d}" for node in range(1000)))
    named = replace(trace, cluster=replace(trace.cluster, groups=(kind,)))
    schedule = simulate(named, named.cluster, parse_policy("easy"))
    file = tmp_path / f"schedule.{suffix}"
    benchmark.pedantic(lambda: write_table(schedule_table(schedule), file), rounds=3, warmup_rounds=1)
    assert file.stat().st_size > 0
