"""The watchdog of the windows, and the stacks that it takes."""

import ctypes
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter

import pytest
from pytestqt.qtbot import QtBot

from app.work.stacks import describe_stacks
from app.work.watchdog import Watchdog
from tests.paths import ROOT

STALLS = 250
"""Of a short run of the stress program; the fault of Python's own alarm took some hundreds to appear."""


def wait_slowly() -> None:
    time.sleep(2.5)


def hold_interpreter() -> None:
    """Wait without giving the interpreter to another thread, as compiled code may."""
    ctypes.PyDLL(None).usleep(1_600_000)


def test_a_stall_in_python_is_logged_with_its_stack(qtbot: QtBot, caplog: pytest.LogCaptureFixture) -> None:
    watchdog = Watchdog()
    wait_slowly()
    qtbot.waitUntil(lambda: "the window answered nothing for" in caplog.text)
    watchdog.close()
    assert caplog.text.index("wait_slowly\n") < caplog.text.index("test_a_stall_in_python")


def test_a_stall_that_holds_the_interpreter_is_logged_when_it_ends(
    qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    watchdog = Watchdog()
    hold_interpreter()
    qtbot.waitUntil(lambda: "the window answered nothing for" in caplog.text)
    watchdog.close()
    # The thread may have its turn before the next event: then the stack ends with the function that made the
    # call, or on a busy machine with what came after it.
    stacks = ("no stacks: compiled code held the interpreter", "hold_interpreter", "a_stall_that_holds")
    assert any(words in caplog.text for words in stacks)


def test_a_watchdog_without_memory_for_its_thread_still_notes_a_stall(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def no_thread(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", no_thread)
        watchdog = Watchdog()
    wait_slowly()
    qtbot.waitUntil(lambda: "the window answered nothing for" in caplog.text)
    watchdog.close()
    assert "no memory for a thread" in caplog.text


def test_functions_keep_what_they_hold_for_no_longer() -> None:
    deleted_by = []

    class Held:
        def __del__(self) -> None:
            deleted_by.append(threading.get_ident())

    def holds_something() -> None:
        held = Held()
        holding.set()
        taken.wait(60)
        assert held is not None

    holding, taken = threading.Event(), threading.Event()
    other = threading.Thread(target=holds_something)
    other.start()
    holding.wait(60)
    text = describe_stacks(other.ident or 0)
    taken.set()
    ident = other.ident
    other.join()
    assert deleted_by == [ident]
    assert "holds_something" in text
    assert text.startswith("Thread of the windows")
    assert "describe_stacks" not in text


def test_stacks_are_cut_at_the_innermost_calls() -> None:
    def descend(depth: int) -> str:
        if depth:
            return descend(depth - 1)
        taken: list[str] = []
        here = threading.get_ident()
        taker = threading.Thread(target=lambda: taken.append(describe_stacks(here)))
        taker.start()
        taker.join()
        return taken[0]

    stack = descend(80).split("\n\n")[0]
    assert stack.count("  File ") == 60
    assert "threading.py" in stack.splitlines()[1], "it waits for the other thread"
    assert stack.splitlines()[-1].endswith("descend")


def test_stacks_are_taken_while_everything_runs(kernels: None) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-m", "tests.app.work.watchdog_stress", str(STALLS)],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    counts = Counter({name: int(number) for number, name in re.findall(r"(\d+) ([a-z ]+)", done.stdout)})
    assert counts["stalls with stacks"] == STALLS, done.stdout
    assert counts["objects deleted by another thread"] + counts["objects kept too long"] == 0, done.stdout
    for name in ("with a kernel", "with deep calls", "tasks of the pool"):
        assert counts[name] > 0, done.stdout
