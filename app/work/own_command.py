"""A command of the user's own, run as given, whose output is read as text and never executed."""

from __future__ import annotations

import os
import selectors
import shlex
import subprocess
import time
from collections.abc import Callable

from engine.errors import InputError
from engine.simulation.control import Cancelled
from engine.system import end_group
from engine.words import clip

SECONDS = 60
"""For which a command may run."""

MOST_BYTES = 256 << 20
_PIECE = 1 << 16
_LOOK_S = 0.2  # after which it is asked whether to stop
_LONGEST_COMPLAINT = 4096  # bytes of its complaints that are kept


def output_of(
    command: str,
    seconds: float = SECONDS,
    most: int = MOST_BYTES,
    stop: Callable[[], bool] = lambda: False,
) -> str:
    """The output of a command as text.

    The command is split into words as a shell would do, but no shell runs it: nothing of it is expanded, and
    nothing is asked of the user. Raises InputError, with the last line of its complaints, if it cannot be
    run, fails, runs for longer than `seconds` or prints more than `most` bytes; it is stopped then, with all
    that it has started. Raises Cancelled, and stops it likewise, once `stop` says so.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(f"{clip(command)}: {str(error).lower()}") from None
    if not words:
        raise InputError("the command is empty")
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # no terminal to ask a password on, and a group to stop
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"{clip(command)}: cannot be run ({reason})") from None
    with process:
        try:
            printed, complaints = _read(process, command, time.monotonic() + seconds, (seconds, most, stop))
        except BaseException:
            _stop(process)
            raise
    if process.returncode:
        last = complaints.decode("utf-8", "replace").strip().rpartition("\n")[2]
        how = f"status {process.returncode}" if process.returncode > 0 else f"signal {-process.returncode}"
        raise InputError(f"{clip(command)}: it ended with {how}" + (f": {clip(last)}" if last else ""))
    return printed.decode("utf-8", "replace")


def _read(
    process: subprocess.Popen[bytes],
    command: str,
    end: float,
    bounds: tuple[float, int, Callable[[], bool]],
) -> tuple[bytearray, bytearray]:
    """All that it prints and the last of its complaints, once it has ended. Raises InputError, Cancelled."""
    seconds, most, stop = bounds
    assert process.stdout is not None
    assert process.stderr is not None
    printed, complaints = bytearray(), bytearray()
    # Both pipes are read as they fill: a program that fills a pipe that nobody reads would wait for ever.
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ, printed)
        selector.register(process.stderr, selectors.EVENT_READ, complaints)
        while selector.get_map():
            left = end - time.monotonic()
            if left <= 0:
                raise InputError(f"{clip(command)}: no end after {seconds:g} s")
            if stop():
                raise Cancelled
            # Waiting is cut into short pieces, so that a cancellation is noticed.
            for key, _ in selector.select(min(left, _LOOK_S)):
                piece = os.read(key.fd, _PIECE)
                if not piece:
                    selector.unregister(key.fileobj)
                key.data.extend(piece)
            # Of complaints the end tells why it failed; what it prints must be complete, and so has a limit.
            del complaints[:-_LONGEST_COMPLAINT]
            if len(printed) > most:
                raise InputError(f"{clip(command)}: it prints more than {most:,} bytes")
    try:
        # Pipes may be closed by a program that still runs.
        process.wait(max(end - time.monotonic(), 0.1))
    except subprocess.TimeoutExpired:
        raise InputError(f"{clip(command)}: no end after {seconds:g} s") from None
    return printed, complaints


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the command's processes, which are all of the group that it leads."""
    end_group(process.pid)
