"""Reports of faults: written on this computer, and offered by the next start; nothing is sent.

An exception that nobody expected is written at once. What ends the process (a fault in compiled code) writes
the stacks of all threads into a file that is opened beforehand. A report has versions, stacks, and which
actions of menus ran last, by the names of their functions: no file names, no users, no values.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import stat
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO

from platformdirs import user_state_path

from engine.atomic import open_own, write_atomically
from engine.system import process_exists

_MOST_REPORTS = 10
"""Maximum reports of a process, and in the folder: repeated faults contain nothing new."""

_MOST_BYTES = 200_000
_CRASH, _REPORT, _SEEN = ".crash", ".txt", ".seen"
_actions: deque[str] = deque(maxlen=30)


def note_action(run: Callable[..., object]) -> None:
    """Remember that an action ran, by its function: texts of menus may name files."""
    name = getattr(run, "__qualname__", type(run).__name__).replace(".<locals>", "")
    _actions.append(f"{time.strftime('%H:%M:%S')} {getattr(run, '__module__', '?')}:{name}")


def fault_folder() -> Path:
    """The folder of this user's error reports."""
    return user_state_path("batchscope") / "faults"


@dataclass(frozen=True)
class FaultReport:
    """A report of an earlier process; `crashed` is True if the fault ended that process."""

    path: Path
    text: str
    crashed: bool

    def put_away(self) -> None:
        """Keep it, but do not offer it again."""
        with suppress(OSError):
            self.path.replace(self.path.with_suffix(_SEEN))


class FaultReports:
    """Hooks that write reports while this process lives; `close` puts back what was there before.

    `failed` hears of each exception that was reported, in the thread where it happened, with the path of the
    report, or None where that could not be written.
    """

    def __init__(self, failed: Callable[[BaseException, Path | None], object]) -> None:
        self._failed = failed
        self._known: set[str] = set()
        self._file: IO[str] | None = None
        self._before = sys.excepthook, threading.excepthook
        folder = fault_folder()
        # With Python's own handler on, the stacks go there, and no file for a crash is made.
        if faulthandler.is_enabled():
            folder = Path(os.devnull)  # a developer has the stacks written elsewhere
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file = open(  # noqa: SIM115 - closed by `close`
                folder / f"{os.getpid()}{_CRASH}", "w", encoding="utf-8", opener=open_own
            )
            faulthandler.enable(self._file)
        sys.excepthook = self._hook
        threading.excepthook = self._thread_hook

    def describe(self) -> None:
        """Write what runs into the file for a crash, when there is time: it takes some milliseconds."""
        if self._file is not None:
            with suppress(OSError):
                self._file.write(_surroundings())
                self._file.flush()

    def close(self) -> None:
        """Stop, and delete the file for a crash."""
        sys.excepthook, threading.excepthook = self._before
        if self._file is not None:
            faulthandler.disable()
            name = self._file.name
            self._file.close()
            self._file = None
            Path(name).unlink(missing_ok=True)

    def _hook(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        self._before[0](kind, error, trace)
        if issubclass(kind, Exception):
            self._write(error, trace)

    def _thread_hook(self, about: threading.ExceptHookArgs) -> None:
        self._before[1](about)
        if about.exc_value is not None and issubclass(about.exc_type, Exception):
            self._write(about.exc_value, about.exc_traceback)

    def _write(self, error: BaseException, trace: TracebackType | None) -> None:
        try:
            stack = stack_text(error, trace)
            # A fault in a timer would be reported ten times a second.
            if stack in self._known or len(self._known) >= _MOST_REPORTS:
                return
            self._known.add(stack)
            self._failed(error, write_report(stack))
        except Exception:  # a report must not raise in its turn
            logging.getLogger(__name__).warning("a report could not be written", exc_info=True)


def stack_text(error: BaseException, trace: TracebackType | None) -> str:
    """The stack of an exception without its message, which may quote what is in a file."""
    frames = "".join(traceback.format_tb(trace))
    return f"{frames}{type(error).__module__}.{type(error).__qualname__}\n"


def write_report(stack: str) -> Path | None:
    """Write a report with a stack; its path, or None where that fails."""
    folder = fault_folder()
    path = folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}-{time.monotonic_ns() % 10**6}{_REPORT}"
    actions = "\n".join(_actions) or "none"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        text = f"{_surroundings()}\nLast actions\n{actions}\n\nStack\n{stack}"
        write_atomically(path, lambda part: part.write_text(text, "utf-8"), own_name=True)
    except OSError:
        return None
    return path


def _surroundings() -> str:
    from app.work.health import versions

    return f"Batchscope, report of a fault\n{time.strftime('%Y-%m-%d %H:%M:%S')}\n{versions()}\n"


def unseen_reports() -> list[FaultReport]:
    """The reports of earlier processes that were not shown yet, the newest first; old reports are deleted."""
    try:
        paths = sorted(filter(_is_report, fault_folder().iterdir()), key=lambda path: -path.lstat().st_mtime)
    except OSError:
        return []
    reports = []
    for path in paths:
        crashed = path.suffix == _CRASH
        # The file for a crash exists while its process lives, and tells nothing yet.
        if path.suffix == _SEEN or (crashed and _lives(path.stem)):
            continue
        with suppress(OSError):
            text = path.read_bytes()[:_MOST_BYTES].decode("utf-8", errors="replace")
            if crashed and "Fatal Python error" not in text and "Current thread" not in text:
                path.unlink()  # the process was killed, which is no fault of the program
                continue
            reports.append(FaultReport(path, text, crashed))
    for path in [path for path in paths if path.suffix == _SEEN][_MOST_REPORTS:]:
        with suppress(OSError):
            path.unlink()
    return reports


def _is_report(path: Path) -> bool:
    """True for files of this folder's kinds: reading a pipe or a device in the place of one may not end."""
    known = path.suffix in (_CRASH, _REPORT, _SEEN) and not path.name.startswith(".")
    return known and stat.S_ISREG(path.lstat().st_mode)


def _lives(pid: str) -> bool:
    """True if the process that the file belongs to may still be running."""
    return pid.isdecimal() and process_exists(int(pid))
