"""The phase of a run, from its kernels to its comparison."""

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.model.chart_data import ChartData, draw
from app.model.live_run import LiveRun, Phase
from app.model.work_keys import preview_key, run_key
from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from tests.app.windows import Gate
from tests.traces import make_trace
from views.work.executor import Executor

TRACE = make_trace([0, 1, 2], [5, 5, 5], 1)


@pytest.fixture
def executor(qtbot: QtBot) -> Iterator[Executor]:
    executor = Executor(threads=1)
    yield executor
    assert executor.shutdown()


def drawn() -> ChartData:
    return draw(lambda: simulate(TRACE, Cluster.pool(2), parse_policy("easy")))


def test_a_run_is_held_queued_running_and_drawn(qtbot: QtBot, executor: Executor) -> None:
    live, gate = LiveRun(1, executor), Gate()
    assert (live.phase, live.words, live.message) == (Phase.CANCELLED, "cancelled", "Cancelled")

    def finish(data: ChartData) -> None:
        live.chart_data = data

    def work(_: object) -> ChartData:
        gate.wait()
        return drawn()

    executor.hold()
    executor.submit(run_key(1), work, finish, pytest.fail)
    assert (live.phase, live.message) == (Phase.HELD, "Waiting for the engine…")
    executor.release()
    assert (live.phase, live.message) == (Phase.QUEUED, "Waiting for a processor…")
    qtbot.waitUntil(lambda: live.phase is Phase.RUNNING)
    assert live.message == "Simulating…"
    gate.open()
    qtbot.waitUntil(lambda: live.phase is Phase.DRAWN)
    assert live.words == "comparing"


def test_a_run_whose_view_comes_first_is_a_preview_until_it_stops(qtbot: QtBot, executor: Executor) -> None:
    live, gate = LiveRun(1, executor, drawn()), Gate()
    executor.submit(preview_key(1), lambda _: gate.wait(), lambda _: None, pytest.fail)
    assert live.previewed
    assert live.settled_phase is Phase.DRAWN
    live.stop()
    assert not live.previewed
    assert live.phase is Phase.DRAWN
    gate.open()


def test_an_error_is_reported_in_full() -> None:
    live = LiveRun(1, Executor(), drawn())
    live.error = "log: no waits"
    assert (live.phase, live.words, live.message) == (Phase.FAILED, "log: no waits", "log: no waits")
