"""The examples of own code: short, and what they say of themselves."""

import csv
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import batchscope
from engine.estimate.accuracy import estimate_accuracy
from engine.machine.cluster import Cluster
from engine.own.allowed_code import allow_named
from engine.policy.policy import parse_policy
from engine.reading.log import Log
from engine.simulation.run import simulate
from engine.trace import Trace
from resources import example_code_path
from tests.engine.simulation.own.in_place import run_in_place
from tests.engine.simulation.own.test_orders import crowd
from tests.paths import SHARED
from tests.traces import make_trace

EXAMPLES = example_code_path("wfp3").parent
TRACE, MACHINE = crowd(400), Cluster.pool(16)
PUBLISHED = Path(__file__).with_name("accasim.csv")


def own(name: str, rest: str, trace: Trace = TRACE, machine: Cluster = MACHINE) -> list[int]:
    """The starts under an example."""
    spelling = f"{EXAMPLES / name}:{rest}"
    allow_named(spelling)
    s, calls = run_in_place(trace, machine, parse_policy(spelling))
    assert calls.fault is None
    return s.start.tolist()


def built_in(spelling: str, trace: Trace = TRACE, machine: Cluster = MACHINE) -> list[int]:
    return simulate(trace, machine, parse_policy(spelling)).start.tolist()


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_an_example_has_less_than_forty_lines(path: Path) -> None:
    assert len(path.read_text().splitlines()) < 40


@pytest.mark.parametrize(
    ("name", "rest", "spelling"),
    [
        ("wfp3.py", "wfp3", "wfp3"),
        ("unicef.py", "unicef", "unicef"),
        ("filler.py", "filler", "aggressive"),
        ("slack.py", "slack,slack=0", "easy"),
        ("dynp.py", "low=36000,high=36000", "easy:order=sjf"),  # of equal jobs the narrowest first
        ("dynp.py", "low=600,high=600", "easy:order=ljf"),
        ("dynp.py", "low=600,high=36000", "easy"),
    ],
)
def test_what_is_written_anew_starts_the_same_jobs(name: str, rest: str, spelling: str) -> None:
    trace = TRACE
    if name == "dynp.py":  # all jobs as wide as the others, and of over ten minutes and under ten hours
        runtime = TRACE.runtime + 700
        trace = make_trace(TRACE.submit, runtime, 3, walltime=runtime + 1000)
        rest = f"dynp,{rest}"
    assert own(name, rest, trace) == built_in(spelling, trace)


def test_the_programs_of_accasim_start_the_same_jobs() -> None:
    rows = np.loadtxt(PUBLISHED, np.int64, delimiter=",", skiprows=5)
    submit, runtime, procs, walltime, fifo, easy = rows.T
    trace = make_trace(submit, runtime, procs, walltime=walltime)
    assert built_in("fcfs", trace) == fifo.tolist()
    assert own("accasim.py", "accasim", trace) == easy.tolist()
    assert (
        built_in("easy", trace) != easy.tolist()
    )  # it tries a blocked job too late, and fills without limit


def test_batsim_reserves_nodes_by_their_numbers() -> None:
    """The published schedule of Batsim's EASY: all of its starts, of which `easy` has nine in ten."""
    published = SHARED / "other-formats" / "batsim-easy-out_jobs.csv"
    if not published.exists():
        pytest.skip("needs the published schedule")
    with published.open(newline="") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: float(row["submission_time"]))
    # Whole microseconds, the precision of the file, in the place of seconds.
    names = ("submission_time", "execution_time", "requested_time", "starting_time")
    submit, runtime, walltime, start = ([round(float(row[name]) * 1e6) for row in rows] for name in names)
    procs = [int(row["requested_number_of_resources"]) for row in rows]
    trace, pool = make_trace(submit, runtime, procs, walltime=walltime), Cluster.pool(32)
    zero = submit[0]
    expected = [time - zero for time in start]
    assert own("batsim.py", "batsim", trace, pool) == expected
    plain = built_in("easy", trace, pool)
    assert (len(plain), sum(map(int.__eq__, plain, expected))) == (801, 725)


def test_a_promise_within_the_slack_lets_a_short_job_go_first() -> None:
    # Job 1 needs the whole machine from 100 on; job 2 would delay it by 20 s of the 50 s that it runs for.
    trace = make_trace([0, 1, 2], [100, 50, 118], [3, 4, 1])
    pool = Cluster.pool(4)
    assert own("slack.py", "slack,slack=0", trace, pool) == [0, 100, 150]
    assert own("slack.py", "slack,slack=0.3", trace, pool) == [0, 100, 150]
    assert own("slack.py", "slack,slack=0.4", trace, pool) == [0, 120, 2]


def example(name: str) -> dict[str, Any]:
    """What an example declares, as a user's program would import it."""
    return runpy.run_path(str(EXAMPLES / name))


def test_tobit_finds_the_runtimes_that_walltimes_cut_off() -> None:
    draws = np.random.default_rng(1)
    walltime = np.exp(draws.uniform(3, 9, 4000))
    wanted = np.exp(0.5 + 0.9 * np.log(walltime) + 0.6 * draws.standard_normal(4000))
    cut = wanted > walltime
    assert cut.mean() > 0.4
    fitted = example("tobit.py")["fitted"](walltime, np.minimum(wanted, walltime))
    assert fitted == pytest.approx([0.5, 0.9, 0.6], abs=0.06)
    # A line through what was seen would tell far less than what jobs would have run for.
    assert np.polyfit(np.log(walltime), np.log(np.minimum(wanted, walltime)), 1)[1] < 0.1


def test_tobit_predicts_what_it_has_learned() -> None:
    trace = make_trace(
        np.arange(100) * 200, np.full(100, 100), 1, walltime=np.full(100, 1000) + np.arange(100)
    )
    spelling = f"{EXAMPLES / 'tobit.py'}:Tobit,errors=0"
    allow_named(spelling)
    s, calls = run_in_place(trace, MACHINE, parse_policy(spelling))
    assert calls.fault is None
    assert s.work.estimate[:20].tolist() == trace.walltime[:20].tolist()
    assert set(s.work.estimate[41:]) == {100}  # all jobs' runtime


def test_boosted_trees_tell_kinds_of_jobs_apart() -> None:
    pytest.importorskip("sklearn")
    kind = np.arange(200) % 2
    runtime = np.where(kind, 900, 30)
    trace = make_trace(np.arange(200) * 1000, runtime, 1 + kind, walltime=np.full(200, 2000))
    spelling = f"{EXAMPLES / 'boosted.py'}:Boosted,every=100"
    allow_named(spelling)
    s, calls = run_in_place(trace, MACHINE, parse_policy(spelling))
    assert calls.fault is None
    assert s.work.estimate[:100].tolist() == [2000] * 100
    assert np.abs(s.work.estimate[101:] - runtime[101:]).max() < 10


def test_training_finds_that_short_jobs_should_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("gymnasium")
    monkeypatch.syspath_prepend(EXAMPLES)
    environment = batchscope.env(Log(TRACE, MACHINE), window=40, baseline="easy")
    weights, curve = example("training.py")["train"](environment, rounds=3, tried=8, windows=2)
    sys.modules.pop("learned")
    assert weights[1] < 0  # of the estimate
    assert curve[-1] > curve[0]
    chosen = dict(zip(("waited", "length", "width"), np.round(weights, 2), strict=True))
    rest = ",".join(["learned", *(f"{name}={value}" for name, value in chosen.items())])
    assert len(own("learned.py", rest)) == len(TRACE)


def test_the_nearest_neighbours_are_those_of_the_user() -> None:
    # On a machine for one job at a time: the user's jobs ran for 10 s; the other user's for 1,000.
    submit = [0, 0, 2000, 4000, 4000]
    trace = make_trace(
        submit,
        [10, 1000, 10, 20, 500],
        2,
        walltime=[100, 2000, 100, 100, 2000],
        user=["a", "b", "a", "a", "b"],
    )
    spelling = f"{EXAMPLES / 'knn.py'}:Neighbours"
    allow_named(spelling)
    s, calls = run_in_place(trace, Cluster.pool(2), parse_policy(spelling))
    assert calls.fault is None
    assert s.work.estimate.tolist() == [100, 2000, 10, 10, 1000]


def test_neighbours_predict_better_than_requests() -> None:
    draws = np.random.default_rng(1)
    kind = draws.integers(0, 4, 600)
    runtime = np.array([30, 100, 300, 900])[kind] + draws.integers(0, 9, 600)
    walltime = np.array([600, 1200, 2400, 4800])[kind]
    users = [f"u{number}" for number in draws.integers(0, 5, 600)]
    trace = make_trace(np.arange(600) * 200, runtime, 1 + kind, walltime=walltime, user=users)
    spelling = f"{EXAMPLES / 'knn.py'}:Neighbours,k=3"
    allow_named(spelling)
    s, _ = run_in_place(trace, Cluster.pool(8), parse_policy(spelling))
    everything = np.ones(600, np.bool_)
    mine, asked = (
        estimate_accuracy(estimate, trace.runtime, everything).r2 for estimate in (s.work.estimate, walltime)
    )
    assert mine is not None
    assert asked is not None
    assert mine > 0.3 > 0 > asked
