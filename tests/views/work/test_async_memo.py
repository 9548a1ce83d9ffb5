import threading

from pytestqt.qtbot import QtBot

from views.work.async_memo import AsyncMemo
from views.work.executor import Executor


def wait_idle(qtbot: QtBot, executor: Executor) -> None:
    qtbot.waitUntil(lambda: not executor.busy)


def test_a_value_is_made_elsewhere_and_reported(qtbot: QtBot, executor: Executor) -> None:
    memo: AsyncMemo[int] = AsyncMemo(executor, "chart")
    with qtbot.waitSignals([memo.ready, executor.idle]):
        memo.request("a", threading.get_ident)
        assert executor.busy
    assert memo.key == "a"
    assert memo.value not in (None, threading.get_ident())


def test_of_several_requests_the_newest_wins_and_the_rest_is_never_made(
    qtbot: QtBot, executor: Executor
) -> None:
    memo: AsyncMemo[int] = AsyncMemo(executor, "chart")
    gate, made = threading.Event(), []

    def make(number: int) -> int:
        gate.wait(60)
        made.append(number)
        return number

    for number in range(6):
        memo.request(number, lambda number=number: make(number))  # type: ignore[misc]
    gate.set()
    wait_idle(qtbot, executor)
    assert made == [0, 5]
    assert memo.value == 5


def test_the_old_value_stays_until_the_new_one_is_there(qtbot: QtBot, executor: Executor) -> None:
    memo: AsyncMemo[str] = AsyncMemo(executor, "chart")
    memo.request(1, lambda: "old")
    wait_idle(qtbot, executor)
    gate = threading.Event()
    memo.request(2, lambda: str(gate.wait(60)))
    assert (memo.key, memo.value) == (1, "old")
    gate.set()
    wait_idle(qtbot, executor)
    assert (memo.key, memo.value) == (2, "True")


def test_the_same_key_is_made_once(qtbot: QtBot, executor: Executor) -> None:
    memo: AsyncMemo[int] = AsyncMemo(executor, "chart")
    made: list[int] = []
    for _ in range(3):
        memo.request("same", lambda: made.append(1) or 1)  # type: ignore[func-returns-value]
        memo.request("same", lambda: made.append(1) or 1)  # type: ignore[func-returns-value]
        wait_idle(qtbot, executor)
    assert made == [1]


def test_what_was_asked_for_before_the_newest_is_made_anew(qtbot: QtBot, executor: Executor) -> None:
    memo: AsyncMemo[str] = AsyncMemo(executor, "chart")
    for key in "abab":
        memo.request(key, lambda key=key: key)  # type: ignore[misc]
    wait_idle(qtbot, executor)
    assert (memo.key, memo.value) == ("b", "b")
    memo.request("a", lambda: "again")
    wait_idle(qtbot, executor)
    assert (memo.key, memo.value) == ("a", "again")


def test_an_error_is_reported_and_not_tried_again(qtbot: QtBot, executor: Executor) -> None:
    memo: AsyncMemo[int] = AsyncMemo(executor, "the chart")
    memo.request(1, lambda: 7)
    wait_idle(qtbot, executor)
    with qtbot.waitSignal(executor.failed) as failed:
        memo.request(2, lambda: 1 // 0)
    wait_idle(qtbot, executor)
    assert failed.args is not None
    assert failed.args[0] == "the chart"
    assert isinstance(failed.args[1], ZeroDivisionError)
    assert isinstance(memo.error, ZeroDivisionError)
    assert memo.value == 7
    memo.request(2, lambda: 9)
    assert not executor.busy
    memo.request(3, lambda: 9)
    wait_idle(qtbot, executor)
    assert (memo.value, memo.error) == (9, None)


def test_what_is_forgotten_never_arrives(qtbot: QtBot, executor: Executor) -> None:
    memo: AsyncMemo[str] = AsyncMemo(executor, "chart")
    begun, gate = threading.Event(), threading.Event()
    memo.request(1, lambda: f"late {begun.set()} {gate.wait(60)}")
    qtbot.waitUntil(begun.is_set)
    memo.forget()
    assert not executor.busy
    gate.set()
    qtbot.wait(20)
    assert memo.value is None
    memo.request(1, lambda: "anew")
    wait_idle(qtbot, executor)
    assert memo.value == "anew"


def test_the_same_key_is_made_anew_while_a_forgotten_one_runs(qtbot: QtBot, executor: Executor) -> None:
    memo: AsyncMemo[str] = AsyncMemo(executor, "chart")
    begun, gate = threading.Event(), threading.Event()
    memo.request(1, lambda: f"late {begun.set()} {gate.wait(60)}")
    qtbot.waitUntil(begun.is_set)
    memo.forget()
    memo.request(1, lambda: "anew")
    wait_idle(qtbot, executor)  # it does not wait for what nobody wants
    assert memo.value == "anew"
    gate.set()
    qtbot.wait(20)
    assert memo.value == "anew"


def test_a_memo_that_is_gone_is_no_harm(qtbot: QtBot, executor: Executor) -> None:
    gate = threading.Event()
    memo: AsyncMemo[bool] = AsyncMemo(executor, "chart")
    memo.request(1, lambda: gate.wait(60))
    memo.deleteLater()
    qtbot.wait(10)
    gate.set()
    wait_idle(qtbot, executor)


def test_nothing_comes_after_the_end(qtbot: QtBot) -> None:
    executor = Executor()
    memo: AsyncMemo[int] = AsyncMemo(executor, "chart")
    begun, gate = threading.Event(), threading.Event()
    memo.request(1, lambda: begun.set() or gate.wait(60))  # type: ignore[func-returns-value]
    qtbot.waitUntil(begun.is_set)
    threading.Timer(0.05, gate.set).start()
    assert executor.shutdown()
    memo.request(2, lambda: 2)
    qtbot.wait(20)
    assert memo.value is None
