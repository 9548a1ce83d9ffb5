"""Input files named by users: opened without waiting for ever, and read piece by piece.

Files and pipes with a writer (`<(zcat log.gz)`, `/dev/stdin`) are read; devices have
no end and are refused. A file may be replaced or cut at any time, so the open file is examined, not its path.
"""

from __future__ import annotations

import os
import select
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from engine.errors import InputError

PIECE = 1 << 16
"""Bytes that are read at once."""

STANDARD_INPUT = Path("/dev/stdin")
"""The file that stands for standard input."""

WRITER_SECONDS = 3.0
"""The time that a pipe may be without a writer before it is refused."""

_ASKED_SECONDS = 0.05

_read: set[str] = set()
"""The files that were opened, without links."""

_ended: set[tuple[int, int]] = set()
"""The pipes that were read to their end, by device and inode."""

Waiting = Callable[[], object]
"""Called several times a second while a pipe has nothing to read; it may raise to cancel."""


class UnusableError(Exception):
    """The reason why a file cannot be used, as text; `naming` puts the path before it."""


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """A context that turns errors of reading into an InputError, a line that begins with the path."""
    try:
        yield
    except UnusableError as error:
        raise InputError(f"{path}: {error}") from error
    except MemoryError as error:
        raise InputError(f"{path}: not enough memory to hold this file") from error


class Input:
    """An open file or pipe. Iterating yields its contents in pieces of at most PIECE bytes.

    `size` is in bytes, 0 if unknown; `done` bytes were read so far; `is_pipe` means that nothing can be read
    twice. Raises UnusableError.
    """

    def __init__(self, handle: int, waiting: Waiting | None) -> None:
        self._handle, self._waiting = handle, waiting
        about = os.fstat(handle)
        self._identity = about.st_dev, about.st_ino
        self.is_pipe = stat.S_ISFIFO(about.st_mode)
        if stat.S_ISDIR(about.st_mode):
            raise UnusableError("this is a directory, not a file")
        if not (self.is_pipe or stat.S_ISREG(about.st_mode)):
            raise UnusableError("this is a device, not a file: it has no end")
        self.size = about.st_size
        self.done = 0
        self._has_writer = False

    def __iter__(self) -> Iterator[bytes]:
        while data := self.read():
            yield data

    @contextmanager
    def reopened(self) -> Iterator[IO[bytes]]:
        """The same file, to be read anywhere in it; not of a pipe."""
        with os.fdopen(os.dup(self._handle), "rb") as file:
            yield file

    def read(self) -> bytes:
        """The next piece; empty at the end."""
        data = self._read_pipe() if self.is_pipe else self._read_now()
        self.done += len(data)
        return data

    def _read_now(self) -> bytes:
        try:
            return os.read(self._handle, PIECE)
        except OSError as error:
            if self.is_pipe and isinstance(error, BlockingIOError):
                raise  # its writer has written nothing so far; of other files, they are busy
            raise UnusableError(f"cannot read this file: {reason(error)}") from error

    def _read_pipe(self) -> bytes:
        """The bytes available in a pipe, waiting for some; empty when all writers have closed it."""
        last = time.monotonic() + WRITER_SECONDS
        while True:
            try:
                data = self._read_now()
            except BlockingIOError:
                self._has_writer = True  # which has written nothing so far
                select.select([self._handle], [], [], _ASKED_SECONDS)
            else:
                # A pipe reads as empty before any writer has opened it, and after all have closed it.
                self._has_writer |= bool(data)
                if self._has_writer:
                    if not data:
                        _ended.add(self._identity)
                    return data
                if time.monotonic() > last:
                    raise UnusableError(
                        "this pipe was read to its end, and cannot be read again; write it to a file first"
                        if self._identity in _ended
                        else "this is a pipe without a writer"
                    )
                time.sleep(_ASKED_SECONDS)
            if self._waiting is not None:
                self._waiting()


@contextmanager
def open_input(path: Path, waiting: Waiting | None = None) -> Iterator[Input]:
    """An open input file. Raises UnusableError if it does not exist, is not a file, or cannot be read."""
    handle = _open(path)
    try:
        file = Input(handle, waiting)
        _read.add(os.path.realpath(path))
        yield file
    finally:
        os.close(handle)


def refuse_inputs(path: Path) -> None:
    """Raise InputError if `path` is a file that this process has read, so that no input is overwritten."""
    for name in _read:
        with suppress(OSError):  # only one of the two files exists
            if path.samefile(name):
                raise InputError(f"{path}: this file is an input; write to another file")


def hold_standard_input(paths: Iterable[Path], limit: int) -> None:
    """Make standard input, if it is a pipe among the paths, a file without a name that can be read again.

    It is gone with the process. Raises InputError, also where there are more than `limit` bytes.
    """
    if STANDARD_INPUT not in paths or not is_pipe(STANDARD_INPUT):
        return
    with naming(STANDARD_INPUT), open_input(STANDARD_INPUT) as pipe, TemporaryFile(buffering=0) as held:
        for piece in pipe:
            held.write(piece)
            if pipe.done > limit:
                raise UnusableError(f"this is over the limit of {limit:,} bytes")
        # From here on reading standard input reads the file, from its begin, as often as wanted.
        os.dup2(held.fileno(), 0)


def read_text(path: Path, limit: int) -> str:
    """The text of a small file, at most `limit` bytes of UTF-8. Raises InputError, which names the path."""
    with naming(path), open_input(path) as file:
        data = bytearray()
        for piece in file:
            data += piece
            if len(data) > limit:
                raise UnusableError(f"this file is over the limit of {limit:,} bytes")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            # The line is named, as nobody finds a byte.
            line = data.count(b"\n", 0, error.start) + 1
            raise InputError(f"{path}:{line}: this is not UTF-8 text: {error.reason}") from error


def first_bytes(path: Path, most: int) -> bytes:
    """The first bytes of a file, up to `most`; none of what is no regular file, or cannot be read.

    A pipe is not even opened: who writes into it would be told that its reader has gone.
    """
    try:
        if not path.is_file():
            return b""
        with os.fdopen(_open(path), "rb") as file:
            # It may have been replaced since; a pipe that is opened without waiting has nothing to read.
            return file.read(most) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else b""
    except (UnusableError, OSError, ValueError):
        return b""


def reason(error: Exception) -> str:
    """A single line of an error's text."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(str(text).split())


def _open(path: Path) -> int:
    """A handle that does not wait: opening a pipe without a writer would, for ever."""
    try:
        return os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError as error:
        raise UnusableError("no such file") from error
    except (OSError, ValueError) as error:  # ValueError: no name that a file can have
        raise UnusableError(f"cannot read this file: {reason(error)}") from error


def is_folder(path: Path) -> bool:
    """True if this is a folder; False for names that no file can have."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_pipe(path: Path) -> bool:
    """True if this is a named pipe; False for names that no file can have. It is not opened."""
    try:
        return path.is_fifo()
    except (OSError, ValueError):
        return False


def user_path(text: str) -> Path:
    """The path of a text, with the home of its user for `~`; as it stands where that user is not known."""
    path = Path(text)
    try:
        return path.expanduser()
    except RuntimeError:  # `~name` of nobody
        return path


def exists(path: Path) -> bool:
    """True if a file or folder of this name exists; False for names that no file can have."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
