"""The same study by threads and by the worker processes of a real Dask cluster."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from distributed import Client
from distributed.utils import offload

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.search.question import Question, parse_objective
from engine.search.search import search
from engine.search.space import parse_space
from engine.simulation.control import Cancelled, Control
from engine.sweep.carry_out import carry_out, kept_rows
from engine.sweep.row_cache import Row
from engine.sweep.runners import ThreadRunner, dask_runner
from engine.sweep.study_file import PlannedRun, StudyFile, read_study_file
from tests.paths import ROOT
from tests.traces import make_trace

POOL = Cluster.pool(8)
PATIENCE_S = 60.0
RANDOM = np.random.default_rng(1)
TRACE = make_trace(
    np.cumsum(RANDOM.integers(0, 30, 60)), RANDOM.integers(1, 90, 60), RANDOM.integers(1, 8, 60), cluster=POOL
)


DASK = str(Path(sys.executable).with_name("dask"))


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler, started as the guide says."""
    asyncio.run(offload(int))  # its thread stays
    text = tmp_path_factory.mktemp("dask") / "scheduler.json"
    command = [DASK, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    with running([*command, "--scheduler-file", str(text)]):
        deadline = time.monotonic() + PATIENCE_S
        while not text.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        yield json.loads(text.read_text("utf-8"))["address"]


@pytest.fixture(scope="module")
def workers(scheduler: str) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Two workers, each with a process that would start it again."""
    command = [DASK, "worker", scheduler, "--nthreads", "1", "--no-dashboard"]
    with running(command) as first, running(command) as second:
        with Client(scheduler, set_as_default=False) as client:
            client.wait_for_workers(2, PATIENCE_S)
        yield [first, second]


@contextmanager
def running(
    command: list[str], variables: Mapping[str, str] = MappingProxyType({})
) -> Iterator[subprocess.Popen[bytes]]:
    """A command, with all processes that it starts killed at the end."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, **variables},
    )
    try:
        yield process
    finally:
        kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """At once, and its children with it."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def study_of(folder: Path, seeds: int) -> StudyFile:
    path = folder / "study.toml"
    path.write_text(
        f"""
        policies = ["easy", "queues:n=3", "easy:queue_nodes=no@1"]
        metrics = ["wait_mean", "value:delta=5"]
        theta = [1.0, 0.5]
        keys = {{ seed = {list(range(seeds))} }}
        """,
        "utf-8",
    )
    return read_study_file(path)


def values(rows: list[Row]) -> list[Row]:
    """All but the times."""
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def test_a_scheduler_without_workers_says_so(scheduler: str) -> None:
    with pytest.raises(InputError, match="has no workers: dask worker tcp://"), dask_runner(scheduler):
        pass


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "127.0.0.1:9", "nowhere://x", "tcp://:x", ""])
def test_a_scheduler_that_is_not_there_is_named(address: str) -> None:
    found = re.escape(f"no Dask scheduler answers at {address}: ")
    with pytest.raises(InputError, match=found), dask_runner(address):
        pass


@pytest.mark.parametrize("says", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n" * 20, b"\xff" * 64])
def test_what_listens_and_is_no_scheduler_is_named_within_seconds(
    says: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.sweep.runners._ANSWER_S", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def answer() -> None:
            with suppress(OSError):
                while True:
                    other, _ = server.accept()
                    if says:
                        other.sendall(says)
                    waiting.append(other)

        waiting: list[socket.socket] = []
        thread = threading.Thread(target=answer)
        thread.start()
        began = time.monotonic()
        text = f"what listens at tcp://127.0.0.1:{port} is no Dask scheduler: it"
        with pytest.raises(InputError, match=re.escape(text)), dask_runner(f"tcp://127.0.0.1:{port}"):
            pass
        assert time.monotonic() - began < 8.0
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
        for other in waiting:
            other.close()


@pytest.mark.usefixtures("workers")
def test_dask_gives_the_rows_of_threads(scheduler: str, tmp_path: Path) -> None:
    study = study_of(tmp_path, 2)
    own = carry_out(study, TRACE, POOL, tmp_path / "threads")
    with dask_runner(scheduler) as runner:
        sent = carry_out(study, TRACE, POOL, tmp_path / "dask", runner=runner)
    assert values(sent) == values(own)
    assert sum(bool(row["error"]) for row in own) == 4


@pytest.mark.usefixtures("workers")
def test_dask_gives_the_answer_of_a_search_by_threads(scheduler: str) -> None:
    count = 240
    trace = make_trace(
        np.cumsum(RANDOM.integers(0, 30, count)),
        RANDOM.integers(1, 90, count),
        RANDOM.integers(1, 8, count),
        cluster=POOL,
    )
    easy = parse_policy("easy")
    question = Question(
        easy, parse_space(["order=fcfs|sjf|saf"]), (parse_objective("wait_mean", False),), (), easy
    )
    here = search(trace, POOL, question, trials=20)
    with dask_runner(scheduler) as runner:
        there = search(trace, POOL, question, trials=20, runner=runner)
    assert there == here


@pytest.mark.usefixtures("workers")
def test_what_was_stopped_on_dask_goes_on_in_threads(scheduler: str, tmp_path: Path) -> None:
    study, control = study_of(tmp_path, 60), Control()
    with dask_runner(scheduler) as runner, pytest.raises(Cancelled):
        carry_out(
            study, TRACE, POOL, tmp_path, control=control, came=lambda *_: control.cancel(), runner=runner
        )
    assert 0 < len(kept_rows(study, TRACE, POOL, tmp_path)) < len(study.runs)
    assert len(carry_out(study, TRACE, POOL, tmp_path)) == len(study.runs)


def test_a_worker_that_dies_costs_no_run(
    scheduler: str, workers: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    study = study_of(tmp_path, 40)
    with dask_runner(scheduler) as runner:
        sent = carry_out(
            study, TRACE, POOL, tmp_path / "dask", came=lambda *_: kill(workers[0]), runner=runner
        )
    assert workers[0].returncode == -signal.SIGKILL
    assert values(sent) == values(carry_out(study, TRACE, POOL, tmp_path / "threads"))


def test_a_result_that_dask_mistook_as_its_worker_died_is_made_again(tmp_path: Path) -> None:
    study = study_of(tmp_path, 4)
    mistaken = compile("kind, error, traceback = {}", "/x/distributed/cfexecutor.py", "exec")
    other = compile("kind, error, traceback = {}", "/x/distributed/other.py", "exec")

    class Pool(ThreadPoolExecutor):
        fails: Any = mistaken

        def submit(self, work: Any, /, *given: Any, **named: Any) -> Future[Any]:
            code, self.fails = self.fails, None
            return super().submit(exec, code) if code else super().submit(work, *given, **named)

    with Pool(1) as pool:
        sent = carry_out(study, TRACE, POOL, tmp_path / "out", runner=ThreadRunner(pool))
    assert values(sent) == values(carry_out(study, TRACE, POOL, tmp_path / "threads"))
    Pool.fails = other
    with Pool(1) as pool, pytest.raises(ValueError, match="not enough values"):
        carry_out(study, TRACE, POOL, tmp_path / "raised", runner=ThreadRunner(pool))


def test_a_run_that_lost_all_its_workers_is_a_row(tmp_path: Path) -> None:
    study = study_of(tmp_path, 1)

    class Pool(ThreadPoolExecutor):
        def submit(self, work: Any, /, run: PlannedRun, *given: Any) -> Future[Any]:  # type: ignore[override]
            return super().submit(lambda: {}["worker"] if run.base == "easy" else work(run, *given))

    class Losing(ThreadRunner):
        lost = (KeyError,)

    with Pool(1) as pool:
        rows = carry_out(study, TRACE, POOL, tmp_path / "out", runner=Losing(pool))
    assert rows[0]["error"] == "the workers that made this run were lost: KeyError"
    assert (rows[0]["policy"], rows[0]["seed"], rows[0]["wait_mean"]) == ("easy", "0", None)
    assert sum("lost" in str(row["error"]) for row in rows) == 2
    assert len(kept_rows(study, TRACE, POOL, tmp_path / "out")) == 2


def test_a_worker_with_other_code_that_joins_later_makes_no_run(
    scheduler: str, workers: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    """The rows of the copy would have an error."""
    copy = tmp_path / "copy"
    for room in ("engine", "resources"):
        shutil.copytree(ROOT / room, copy / room, ignore=shutil.ignore_patterns("__pycache__"))
    changed = copy / "engine" / "sweep" / "row.py"
    changed.write_text(changed.read_text("utf-8").replace('"error": ""', '"error": "other code"'), "utf-8")
    study = study_of(tmp_path, 40)
    command = [DASK, "worker", scheduler, "--nthreads", "4", "--no-dashboard", "--name", "other"]
    with dask_runner(scheduler) as runner:
        before = set(runner.workers())
        with running(command, {"PYTHONPATH": str(copy)}):
            deadline = time.monotonic() + PATIENCE_S
            while set(runner.workers()) <= before and time.monotonic() < deadline:
                time.sleep(0.05)
            assert len(set(runner.workers()) - before) == 1
            sent = carry_out(study, TRACE, POOL, tmp_path / "dask", runner=runner)
            (other,) = set(runner.workers()) - before
            assert runner.refused() == [other]
    assert values(sent) == values(carry_out(study, TRACE, POOL, tmp_path / "threads"))
