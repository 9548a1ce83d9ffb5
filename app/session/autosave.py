"""Autosaved sessions: a file for each window in the user's state folder, locked while its process lives.

A window deletes its file when it closes; a file without a living owner was left by a program that was killed.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from platformdirs import user_state_path
from PySide6.QtCore import QLockFile

from app.model.documents.document import SUFFIX

_MOST_LEFT = 50
"""Files of dead programs that are looked at; who has more does not want them."""

RESERVE_BYTES = 1 << 18
"""Room that is held for a session on a disk that gets full: some ten times what most sessions take."""

_FULL = (errno.ENOSPC, errno.EDQUOT)


def autosave_folder() -> Path:
    """The folder of this user's autosaved sessions."""
    return user_state_path("batchscope") / "autosave"


class AutosaveSlot:
    """A locked file for an autosaved session, which this process owns until `release` or `remove`."""

    def __init__(self, path: Path, lock: QLockFile) -> None:
        self.path = path
        self._lock = lock
        self._writing = threading.Lock()
        self._asked = self._written = 0  # numbers of the newest writing that was asked for, and that ended

    def in_turn(self, write: Callable[[Path], object]) -> Callable[[], bool]:
        """A function that calls `self.write(write)`, for any thread; to be asked for in the GUI thread.

        It waits for a writing that runs, and does nothing (returns False) if a newer one has ended: the
        newest copy stays.
        """
        self._asked += 1
        return partial(self._write_in_turn, self._asked, write)

    def _write_in_turn(self, number: int, write: Callable[[Path], object]) -> bool:
        # Copies are written in turn, whichever thread writes them.
        with self._writing:
            # A newer copy was written while this copy waited for its turn: an older must not replace it.
            if number < self._written:
                return False
            full = self.write(write)
            self._written = number
            return full

    def write(self, write: Callable[[Path], object]) -> bool:
        """Let `write` replace the file; on a full disk into the room that was held for it.

        Returns whether that room had to be used. Raises OSError where the file stays as it was.
        """
        try:
            write(self.path)
        except OSError as error:
            if error.errno not in _FULL or not self._reserve.exists():
                raise
            # The reserve is given up for this copy; the next copy that has room holds it anew.
            self._reserve.unlink()
            write(self.path)
            return True
        if not self._reserve.exists():
            _hold_room(self._reserve)
        return False

    @property
    def _reserve(self) -> Path:
        return self.path.with_name(f".{self.path.stem}-reserve")

    def remove(self) -> None:
        """Take the file away, and what a killed program left half-written beside it."""
        with suppress(OSError):
            # Also the reserve, whose name begins the same.
            for part in self.path.parent.glob(f".{self.path.stem}-*"):
                part.unlink(missing_ok=True)
            self.path.unlink(missing_ok=True)
        self._lock.unlock()

    def release(self) -> None:
        """Release the file for other processes."""
        self._lock.unlock()


def is_full(error: BaseException) -> bool:
    """Whether something could not be written since a disk, or what a user may have of it, is full."""
    return isinstance(error, OSError) and error.errno in _FULL


def new_slot() -> AutosaveSlot | None:
    """A new slot, named after this process; None where nothing can be written."""
    folder = autosave_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return None
    # Another process may be there: process ids are used again, and names of a dead process are left.
    for number in range(1000):
        path = folder / f"{os.getpid()}-{number}{SUFFIX}"
        if not os.path.lexists(path) and (slot := _claim(path)) is not None:
            # Between the look and the lock another process may have made the file; it is then left alone.
            if not os.path.lexists(path):
                return slot
            slot.release()
    return None


def leftovers() -> list[AutosaveSlot]:
    """The files of dead programs, the newest first; they belong to this process now."""
    try:
        files = autosave_folder().glob(f"[!.]*{SUFFIX}")  # with a dot: half-written
        paths = sorted(filter(_is_plain, files), key=lambda path: -path.lstat().st_mtime)
    except OSError:
        return []
    claimed = [_claim(path) for path in paths[:_MOST_LEFT]]
    return [slot for slot in claimed if slot is not None]


def _claim(path: Path) -> AutosaveSlot | None:
    """Claim the slot of a file, unless a living process has it; the lock of a dead process is taken over."""
    lock_file = path.with_suffix(".lock")
    if os.path.lexists(lock_file) and not _is_plain(lock_file):
        return None  # reading a pipe may not end
    lock = QLockFile(str(lock_file))
    # No age makes a lock stale: a window may be open for weeks. That its process is dead does.
    lock.setStaleLockTime(0)
    return AutosaveSlot(path, lock) if lock.tryLock(0) else None


def _is_plain(path: Path) -> bool:
    """True for a regular file that is no link."""
    return stat.S_ISREG(path.lstat().st_mode)


def _hold_room(path: Path) -> None:
    """Make a file that takes room on the disk; without any where there is none."""
    try:
        with path.open("xb") as file:
            file.write(b"\0" * RESERVE_BYTES)  # `posix_fallocate` is not everywhere
    except OSError:
        with suppress(OSError):
            path.unlink(missing_ok=True)
