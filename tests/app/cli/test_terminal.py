import argparse
import io
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from app.cli import terminal
from app.cli.terminal import progress_bar, show_compiling, show_first_uses, watched
from engine.simulation.control import ENDED, Cancelled, Control

LOUD = argparse.Namespace(quiet=False)
QUIET = argparse.Namespace(quiet=True)


class Stream(io.StringIO):
    """Standard error, on a terminal or not."""

    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


@contextmanager
def standard_error(is_terminal: bool = True, quiet_for: float = 0.0) -> Iterator[Stream]:
    """Put in place within the test itself: between fixtures and test pytest changes it again."""
    with pytest.MonkeyPatch.context() as patch:
        stream = Stream(is_terminal)
        patch.setattr(sys, "stderr", stream)
        patch.setattr(terminal, "_QUIET_FOR", quiet_for)
        yield stream


def test_a_bar_grows_and_goes() -> None:
    with standard_error() as screen:
        with progress_bar("reading", LOUD) as show:
            for done in (0.0, 0.5, 1.0):
                show(done)
            drawn = screen.getvalue().split("\r")[1:]
        *_, blank, rest = screen.getvalue().split("\r")
    assert [bar.count("#") for bar in drawn] == [0, 15, 30]
    assert [bar.split()[-1] for bar in drawn] == ["0%", "50%", "100%"]
    assert all("reading" in bar for bar in drawn)
    assert len(blank) >= len(drawn[-1])
    assert blank.strip() == rest == ""


@pytest.mark.parametrize(
    ("options", "is_terminal", "quiet_for"), [(LOUD, True, 60.0), (QUIET, True, 0.0), (LOUD, False, 0.0)]
)
def test_nothing_is_drawn_of_what_is_quick_or_where_it_is_not_wanted(
    options: argparse.Namespace, is_terminal: bool, quiet_for: float
) -> None:
    with standard_error(is_terminal, quiet_for) as screen, progress_bar("reading", options) as show:
        show(0.5)
    assert screen.getvalue() == ""


def test_a_kernel_is_watched_while_it_runs() -> None:
    control = Control(jobs=4)
    control.array[ENDED] = 3
    with standard_error() as screen:

        def work() -> str:
            deadline = time.monotonic() + 60
            while "75%" not in screen.getvalue() and time.monotonic() < deadline:
                time.sleep(0.01)
            return "done"

        assert watched(control, "easy", LOUD, work) == "done"
        assert "75%" in screen.getvalue()
        assert screen.getvalue().endswith("\r")


def test_watching_ends_with_what_is_watched() -> None:
    def fail() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        watched(Control(), "easy", QUIET, fail)


def test_ctrl_c_cancels_what_runs() -> None:
    control = Control()

    def work() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        deadline = time.monotonic() + 60
        while not control.cancelled and time.monotonic() < deadline:
            time.sleep(0.01)
        raise Cancelled

    usual = signal.signal(signal.SIGINT, signal.default_int_handler)  # a test process may ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            watched(control, "easy", QUIET, work)
    finally:
        signal.signal(signal.SIGINT, usual)
    assert control.cancelled


def test_a_person_is_reported_that_kernels_are_compiled_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.cli.terminal.is_filled", lambda: False)
    with standard_error(is_terminal=True) as screen:
        assert show_compiling()
    assert "about a minute" in screen.getvalue()
    with standard_error(is_terminal=False) as screen:
        assert not show_compiling()
    with standard_error(is_terminal=True) as screen:
        assert not show_compiling(quiet=True)
    monkeypatch.setattr("app.cli.terminal.is_filled", lambda: True)
    with standard_error(is_terminal=True) as screen:
        assert not show_compiling()
    assert screen.getvalue() == ""


def test_a_person_is_told_that_a_log_is_read_by_what_is_compiled_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else a bar stands still for the seconds in which the first command of a plain wheel compiles."""
    for filled, is_terminal, quiet, told in (
        (False, True, False, True),
        (True, True, False, False),
        (False, False, False, False),
        (False, True, True, False),
    ):
        monkeypatch.setattr("app.cli.terminal.is_filled", lambda filled=filled: filled)
        with standard_error(is_terminal=is_terminal) as screen:
            show_first_uses(quiet)
        assert ("compiles it for this computer" in screen.getvalue()) == told
