"""What differs between systems, with each of them pretended."""

import builtins
import ctypes
import os
import signal
import sys
import threading

import pytest

from engine import system


@pytest.mark.parametrize(
    ("name", "linux", "display"), [("linux", True, True), ("darwin", False, False), ("win32", False, False)]
)
def test_libraries_of_linux_and_displays(
    monkeypatch: pytest.MonkeyPatch, name: str, linux: bool, display: bool
) -> None:
    monkeypatch.setattr(sys, "platform", name)
    assert (system.is_linux(), system.needs_display()) == (linux, display)


def test_a_signal_that_a_system_lacks_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert system.end_signals() == [signal.SIGTERM, signal.SIGHUP, signal.SIGINT]
    monkeypatch.delattr(signal, "SIGHUP")
    assert system.end_signals() == [signal.SIGTERM, signal.SIGINT]


def test_the_peak_is_in_bytes_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    here = system.peak_bytes()
    assert here is not None
    assert here > 10_000_000
    monkeypatch.setattr(sys, "platform", "darwin")
    there = system.peak_bytes()
    assert there is not None
    assert here // 1024 <= there < here // 512, "macOS counts in bytes already"


def test_there_is_no_peak_without_its_module(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name == "resource":
            raise ImportError(name)
        return whole(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    assert system.peak_bytes() is None


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no niceness of their own")
def test_the_niceness_of_a_thread_alone() -> None:
    found: dict[str, int] = {}

    def work() -> None:
        system.set_thread_niceness(15)
        found["thread"] = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    before = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == {"thread": 15}
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == before


def test_what_the_c_library_lacks_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    system.call_c_library("no_such_function_of_any_library", 0)
    loaded: list[object] = []
    monkeypatch.setattr(ctypes, "CDLL", lambda name: loaded.append(name))
    monkeypatch.setattr(sys, "platform", "darwin")
    system.call_c_library("malloc_trim", 0)
    assert loaded == []
