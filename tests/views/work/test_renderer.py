from __future__ import annotations

import threading
import time
from collections.abc import Generator

import pytest
from pytestqt.qtbot import QtBot

from views.work.renderer import Memo, Renderer


@pytest.fixture
def renderer(qtbot: QtBot) -> Generator[Renderer]:
    renderer = Renderer()
    yield renderer
    assert renderer.shutdown()


def wait_idle(qtbot: QtBot, renderer: Renderer) -> None:
    qtbot.waitUntil(lambda: not renderer.busy)


def test_a_value_is_made_elsewhere_and_told(qtbot: QtBot, renderer: Renderer) -> None:
    memo: Memo[int] = Memo(renderer, "chart")
    with qtbot.waitSignals([memo.ready, renderer.idle]):
        memo.request("a", threading.get_ident)
        assert renderer.busy
    assert memo.key == "a"
    assert memo.value not in (None, threading.get_ident())


def test_of_several_requests_the_newest_wins_and_the_rest_is_never_made(
    qtbot: QtBot, renderer: Renderer
) -> None:
    memo: Memo[int] = Memo(renderer, "chart")
    gate, made = threading.Event(), []

    def make(number: int) -> int:
        gate.wait(5)
        made.append(number)
        return number

    for number in range(6):
        memo.request(number, lambda number=number: make(number))  # type: ignore[misc]
    gate.set()
    wait_idle(qtbot, renderer)
    assert made == [0, 5]
    assert memo.value == 5


def test_the_old_value_stays_until_the_new_one_is_there(qtbot: QtBot, renderer: Renderer) -> None:
    memo: Memo[str] = Memo(renderer, "chart")
    memo.request(1, lambda: "old")
    wait_idle(qtbot, renderer)
    gate = threading.Event()
    memo.request(2, lambda: str(gate.wait(5)))
    assert memo.value == "old"
    gate.set()
    wait_idle(qtbot, renderer)
    assert memo.value == "True"


def test_the_same_key_is_made_once(qtbot: QtBot, renderer: Renderer) -> None:
    memo: Memo[int] = Memo(renderer, "chart")
    made: list[int] = []
    for _ in range(3):
        memo.request("same", lambda: made.append(1) or 1)  # type: ignore[func-returns-value]
        wait_idle(qtbot, renderer)
    assert made == [1]


def test_an_error_is_told_and_not_tried_again(qtbot: QtBot, renderer: Renderer) -> None:
    memo: Memo[int] = Memo(renderer, "the chart")
    memo.request(1, lambda: 7)
    wait_idle(qtbot, renderer)
    with qtbot.waitSignal(renderer.failed) as failed:
        memo.request(2, lambda: 1 // 0)
    wait_idle(qtbot, renderer)
    assert failed.args is not None
    assert failed.args[0] == "the chart"
    assert isinstance(failed.args[1], ZeroDivisionError)
    assert isinstance(memo.error, ZeroDivisionError)
    assert memo.value == 7
    memo.request(2, lambda: 9)
    assert not renderer.busy
    memo.request(3, lambda: 9)
    wait_idle(qtbot, renderer)
    assert (memo.value, memo.error) == (9, None)


def test_what_is_forgotten_never_arrives(qtbot: QtBot, renderer: Renderer) -> None:
    memo: Memo[str] = Memo(renderer, "chart")
    gate = threading.Event()
    memo.request(1, lambda: f"late {gate.wait(5)}")
    memo.forget()
    gate.set()
    wait_idle(qtbot, renderer)
    assert memo.value is None
    memo.request(1, lambda: "anew")
    wait_idle(qtbot, renderer)
    assert memo.value == "anew"


def test_the_same_key_is_made_anew_while_a_forgotten_one_runs(qtbot: QtBot, renderer: Renderer) -> None:
    memo: Memo[str] = Memo(renderer, "chart")
    gate = threading.Event()
    memo.request(1, lambda: f"late {gate.wait(5)}")
    memo.forget()
    memo.request(1, lambda: "anew")
    gate.set()
    wait_idle(qtbot, renderer)
    assert memo.value == "anew"


def test_a_memo_that_is_gone_is_no_harm(qtbot: QtBot, renderer: Renderer) -> None:
    gate = threading.Event()
    memo: Memo[bool] = Memo(renderer, "chart")
    memo.request(1, lambda: gate.wait(5))
    memo.deleteLater()
    qtbot.wait(10)
    gate.set()
    wait_idle(qtbot, renderer)


def test_shutdown_waits_for_what_runs_and_starts_nothing_more(qtbot: QtBot) -> None:
    renderer = Renderer()
    memo: Memo[int] = Memo(renderer, "chart")
    begun, ended = threading.Event(), list[int]()

    def slow() -> int:
        begun.set()
        time.sleep(0.1)
        ended.append(1)
        return 1

    memo.request(1, slow)
    qtbot.waitUntil(begun.is_set)
    memo.request(2, lambda: ended.append(2) or 2)  # type: ignore[func-returns-value]
    assert renderer.shutdown()
    assert ended == [1]
    qtbot.wait(20)
    assert memo.value is None
    memo.request(3, slow)
    qtbot.wait(20)
    assert ended == [1]


def test_shutdown_does_not_wait_for_ever(qtbot: QtBot) -> None:
    renderer = Renderer()
    begun, gate = threading.Event(), threading.Event()
    memo: Memo[bool] = Memo(renderer, "chart")
    memo.request(1, lambda: begun.set() or gate.wait(5))  # type: ignore[func-returns-value]
    qtbot.waitUntil(begun.is_set)
    assert not renderer.shutdown(timeout_ms=20)
    gate.set()
    assert renderer.shutdown()


def test_charts_do_not_wait_for_each_other(qtbot: QtBot, renderer: Renderer) -> None:
    gate = threading.Event()
    slow: Memo[bool] = Memo(renderer, "slow")
    quick: Memo[int] = Memo(renderer, "quick")
    slow.request(1, lambda: gate.wait(5))
    with qtbot.waitSignal(quick.ready):
        quick.request(1, lambda: 1)
    assert renderer.busy
    gate.set()
    wait_idle(qtbot, renderer)
