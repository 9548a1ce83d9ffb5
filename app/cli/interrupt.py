"""The end of a command that is interrupted: a line, and an exit status as shells give it."""

from __future__ import annotations

import signal
import sys

_SIGNALLED = 128
"""What a shell adds to the number of the signal that ended a process."""


def tell_interrupt(interrupt: KeyboardInterrupt) -> int:
    """Say that a command was cancelled; its exit status, from the number of the signal or that of Ctrl+C."""
    print("batchscope: cancelled", file=sys.stderr)
    return _SIGNALLED + next((number for number in interrupt.args), signal.SIGINT)
