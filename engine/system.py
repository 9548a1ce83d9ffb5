"""What is known to differ between Linux, macOS and Windows: the window and the commands ask here alone.

Only the standard library is imported: the set-up of a checkout reads this before anything is installed.
Where a user's files lie is left to platformdirs, and what a shortcut is called to Qt, which know the habits
of each system. Whether files have owners is seen in `engine.trust`, and kernels carry the system that they
were compiled for (`engine.compiler.shipped`).
"""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import sys
import threading
from contextlib import suppress

_ENDING = ("SIGTERM", "SIGHUP", "SIGINT")


def is_linux() -> bool:
    """True on Linux, where Qt takes libraries and fonts from packages of the system."""
    return sys.platform.startswith("linux")


def needs_display() -> bool:
    """True where windows need a display server that the environment names (X or Wayland)."""
    return sys.platform not in ("win32", "darwin")


def system_name() -> str:
    """The name of the system as Python has it: `linux`, `darwin` (macOS), `win32` or another."""
    return sys.platform


def describe_system() -> str:
    """The system, its release and its processor, in words."""
    return f"{platform.system()} {platform.release()} {platform.machine()}"


def end_signals() -> list[signal.Signals]:
    """The signals that end a process and that this system has: SIGTERM, SIGHUP (not on Windows), SIGINT."""
    return [signal.Signals[name] for name in _ENDING if hasattr(signal, name)]


def peak_bytes() -> int | None:
    """The largest resident memory so far in bytes; None on Windows, which has no such figure."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # others count in KiB


def set_thread_niceness(nice: int) -> None:
    """Set the niceness of the calling thread; without effect except on Linux. Raises OSError."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), nice)


def call_c_library(function: str, *arguments: int) -> None:
    """Call a function of the C library of Linux, if it has one of this name."""
    if is_linux():
        with suppress(OSError, AttributeError):
            getattr(ctypes.CDLL(None), function)(*arguments)
