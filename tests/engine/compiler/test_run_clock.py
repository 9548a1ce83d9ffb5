"""The clock of runs, which stands while a kernel is loaded or compiled."""

from __future__ import annotations

import threading
import time

from engine.compiler.compile_request import load_or_ask, run_clock

LONG = 0.3
"""s, much longer than this process is kept waiting."""


def slow(nested: bool) -> str:
    if nested:
        load_or_ask(slow, False)
    time.sleep(LONG)
    return "kernel"


def test_the_clock_stands_while_a_kernel_and_those_that_it_calls_are_compiled() -> None:
    began, clock = time.perf_counter(), run_clock()
    assert load_or_ask(slow, True) == "kernel"
    took, counted = time.perf_counter() - began, run_clock() - clock
    assert took >= 2 * LONG
    assert 0 <= counted < LONG
    time.sleep(LONG)
    assert run_clock() - clock >= LONG


def test_the_clock_goes_on_for_other_threads() -> None:
    clock = run_clock()
    other = threading.Thread(target=load_or_ask, args=(slow, False))
    other.start()
    other.join()
    assert run_clock() - clock >= LONG


def test_the_clock_goes_on_after_a_kernel_that_cannot_be_compiled() -> None:
    def fails(_: object) -> None:
        raise ZeroDivisionError

    for _ in range(2):
        try:
            load_or_ask(fails, None)
        except ZeroDivisionError:
            clock = run_clock()
    time.sleep(LONG)
    assert run_clock() - clock >= LONG
