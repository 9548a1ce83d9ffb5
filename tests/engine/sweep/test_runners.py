"""The same study by threads and by the worker processes of a real Dask cluster."""

import asyncio
import json
import os
import re
import shutil
import signal
import socket
import struct
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

import dask
import numpy as np
import pytest
from distributed import Client
from distributed.protocol import dumps, loads
from distributed.protocol.serialize import ToPickle
from distributed.protocol.utils import pack_frames
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
from engine.sweep.scheduler_check import is_open_to_others
from engine.sweep.study_file import PlannedRun, StudyFile, read_study_file
from tests.paths import ROOT
from tests.traces import make_trace

POOL = Cluster.pool(8)
PATIENCE_S = 60.0
MANY = 16
"""Seeds of a study that is not over when its first row has come."""

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
    command = [DASK, "worker", scheduler, "--host", "127.0.0.1", "--nthreads", "1", "--no-dashboard"]
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
    monkeypatch.setattr("engine.sweep.scheduler_check.ANSWER_S", 1.0)
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
        assert time.monotonic() - began < 25.0
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
        for other in waiting:
            other.close()


class Evil:
    """A pickle of it makes a file when it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("answers", [1, 2])
def test_what_a_peer_has_pickled_is_not_read(answers: int, tmp_path: Path) -> None:
    """Neither in its handshake nor in what it says of itself; Dask's own reader reads both."""
    read = tmp_path / "read"
    plain = {"type": "Scheduler", "compression": None, "python": (3, 11), "pickle-protocol": 5}
    messages = [dumps(plain)] * (answers - 1) + [
        dumps({**plain, "type": "no", "more": ToPickle(Evil(read))})
    ] * 2
    loads(messages[-1], deserialize=False)
    assert read.exists()
    read.unlink()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            server.accept()[0].close()  # of the look whether anybody listens
            other, _ = server.accept()
            with other:
                for frames in messages[:2]:
                    packed = pack_frames(frames)
                    other.sendall(struct.pack("Q", len(packed)) + packed)
                while other.recv(4096):
                    pass

        thread = threading.Thread(target=answer)
        thread.start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with (
            pytest.raises(InputError, match="is no Dask scheduler: it answers otherwise"),
            dask_runner(address),
        ):
            pass
        thread.join()
    assert not read.exists()


def test_an_address_of_another_kind_is_refused(scheduler: str) -> None:
    for scheme in ("ws", "tls"):
        address = scheduler.replace("tcp", scheme)
        with pytest.raises(InputError, match=re.escape(address)), dask_runner(address):
            pass


@pytest.mark.parametrize(
    ("address", "is_open"),
    [
        ("tcp://host:8786", True),
        ("192.0.2.1:8786", True),
        ("tcp://[2001:db8::1]:8786", True),
        ("tcp://127.0.0.1:8786", False),
        ("localhost:8786", False),
        ("tcp://[::1]:8786", False),
        ("tls://host:8786", False),
    ],
)
def test_which_addresses_others_may_reach(address: str, is_open: bool) -> None:
    assert is_open_to_others(address) == is_open


@pytest.fixture
def certificates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """An authority and a certificate, made as the guide says; the options of Dask that name them."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not here")
    guide = (ROOT / "resources" / "guide" / "reference.md").read_text("utf-8")
    for line in re.findall(r"^openssl .*$", guide, re.MULTILINE):
        subprocess.run(line.split(), cwd=tmp_path, check=True, capture_output=True)
    files = {name: str(tmp_path / name) for name in ("ca.pem", "dask.pem", "dask.key")}
    for variable, file in re.findall(r"^export (DASK_\w+)=(\S+)$", guide, re.MULTILINE):
        monkeypatch.setenv(variable, files[file])
    dask.config.refresh()
    return ["--tls-ca-file", files["ca.pem"], "--tls-cert", files["dask.pem"], "--tls-key", files["dask.key"]]


@pytest.fixture
def own_configuration() -> Iterator[None]:
    """Dask's configuration as it was, after the test."""
    with dask.config.set({}):
        before = dict(dask.config.config)
        yield
    dask.config.config.clear()
    dask.config.config.update(before)


def test_a_cluster_with_certificates_and_the_loss_of_its_scheduler(
    own_configuration: None, certificates: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "scheduler.json"
    here = ["--host", "127.0.0.1", "--no-dashboard", *certificates]
    start = [DASK, "scheduler", "--protocol", "tls", "--port", "0", "--scheduler-file", str(file), *here]
    study = study_of(tmp_path, MANY)
    with running(start) as process:
        deadline = time.monotonic() + PATIENCE_S
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        address = json.loads(file.read_text("utf-8"))["address"]
        assert address.startswith("tls://127.0.0.1:")
        with running([DASK, "worker", address, "--nthreads", "1", *here]):
            with Client(address, set_as_default=False) as client:
                client.wait_for_workers(1, PATIENCE_S)
            # A small study comes out as it does without the cluster.
            few = study_of(tmp_path, 1)
            with dask_runner(address) as runner:
                sent = carry_out(few, TRACE, POOL, tmp_path / "sent", runner=runner)
            assert values(sent) == values(carry_out(few, TRACE, POOL, tmp_path / "own"))
            # The scheduler is killed after the first result: what was done is kept.
            study = study_of(tmp_path, MANY)
            with (
                pytest.raises(
                    InputError, match=r"^the Dask scheduler was lost, and what is done is kept: no Dask"
                ),
                dask_runner(address) as runner,
            ):
                carry_out(study, TRACE, POOL, tmp_path / "lost", came=lambda *_: kill(process), runner=runner)
    assert 0 < len(kept_rows(study, TRACE, POOL, tmp_path / "lost")) < len(study.runs)


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
    study, control = study_of(tmp_path, MANY), Control()
    with dask_runner(scheduler) as runner, pytest.raises(Cancelled):
        carry_out(
            study, TRACE, POOL, tmp_path, control=control, came=lambda *_: control.cancel(), runner=runner
        )
    assert 0 < len(kept_rows(study, TRACE, POOL, tmp_path)) < len(study.runs)
    assert len(carry_out(study, TRACE, POOL, tmp_path)) == len(study.runs)


def test_a_worker_that_dies_costs_no_run(
    scheduler: str, workers: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    study = study_of(tmp_path, MANY)
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
    study = study_of(tmp_path, MANY)
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
