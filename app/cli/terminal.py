"""Progress, documents and warnings on a terminal."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TypeVar

from app.cli.terminal_text import ShownStream
from engine.compiler.cache import is_filled
from engine.simulation.control import Control
from engine.simulation.stages import Stages

T = TypeVar("T")

_WIDTH = 30
_QUIET_FOR = 0.5  # s; what is quicker needs no bar


@contextmanager
def progress_bar(what: str, options: argparse.Namespace) -> Iterator[Callable[[float], None]]:
    """A function that shows progress, 0 to 1, on standard error; nothing where that is no terminal."""
    shown = sys.stderr.isatty() and not options.quiet
    began = time.monotonic()
    drawn = False

    def show(done: float) -> None:
        nonlocal drawn
        # Short work shows no bar, which would only flicker.
        if shown and time.monotonic() - began > _QUIET_FOR:
            bar = "#" * round(_WIDTH * done)
            _write_over(f"{what:>24.24} [{bar:<{_WIDTH}}] {done:4.0%}")
            drawn = True

    try:
        yield show
    finally:
        # The line is wiped, so that results do not stand beside it.
        if drawn:
            _write_over(" " * (_WIDTH + 34))
            _write_over("")


def _write_over(text: str) -> None:
    """Write on the line at hand from its begin; the standard streams escape a return that is just printed."""
    if isinstance(sys.stderr, ShownStream):
        sys.stderr.write_over(text)
    else:
        print(f"\r{text}", end="", file=sys.stderr, flush=True)


def warn_of_open_scheduler(options: argparse.Namespace) -> None:
    """Say what it means where a Dask scheduler can be reached without authentication."""
    address: str = options.scheduler
    if not address or options.quiet:
        return
    from engine.sweep.scheduler_check import is_open_to_others

    if is_open_to_others(address):
        print(
            f"{address}: this scheduler asks for no password: whoever can connect to it or its workers can "
            "run programs as you, here and there; use tls:// with certificates, or an SSH tunnel",
            file=sys.stderr,
        )


def print_document(text: str) -> None:
    """Print a text in a format that programs read, as a file would hold it."""
    write = sys.stdout.write_document if isinstance(sys.stdout, ShownStream) else sys.stdout.write
    write(f"{text}\n")


def show_compiling(quiet: bool = False) -> bool:
    """Print at a terminal why nothing seems to happen; returns whether it was printed."""
    if quiet or not sys.stderr.isatty() or is_filled():
        return False
    print("Preparing the engine for this computer, once: about a minute…", file=sys.stderr)
    return True


def show_first_uses(quiet: bool = False) -> None:
    """Print at a terminal, before a log is read, that what is used for the first time is compiled then."""
    if not quiet and sys.stderr.isatty() and not is_filled():
        print("The first use of each part compiles it for this computer: up to a minute…", file=sys.stderr)


def watched(control: Control | Stages, what: str, options: argparse.Namespace, work: Callable[[], T]) -> T:
    """Run `work` in a thread, so that Ctrl+C cancels a kernel; shows progress and returns the result."""
    with progress_bar(what, options) as show, ThreadPoolExecutor(1) as pool:
        try:
            result = pool.submit(work)
            while not wait([result], timeout=0.1).done:
                show(control.progress)
            return result.result()
        except KeyboardInterrupt:
            control.cancel()
            raise
