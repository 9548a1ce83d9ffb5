"""Atomic writing of files: each is written under another name in the same folder, then renamed."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

from engine.system import umask


def write_atomically(
    path: Path, write: Callable[[Path], object], *, flush: bool = True, private: bool = False
) -> None:
    """Let `write` fill a file next to `path`, then move it to its place.

    Without `flush` it may be empty after a power failure: for files that can be recreated. On failure an
    existing file stays unchanged; otherwise the new file gets its mode, and links are followed. A file that
    did not exist gets the mode of the umask; a `private` file is accessible for this user alone. Only
    writable files are replaced. Raises the errors of `write`, and OSError, which names `path`.
    """
    try:
        target = replaceable(path)
        part = _make_part(target)
        try:
            write(part)
            if flush:
                _flush(part)
            if not private:  # as a temporary file is
                part.chmod(_mode(target))
            part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def replaceable(path: Path) -> Path:
    """The resolved path of a file of this name, if it may be written there. Raises OSError."""
    target = Path(os.path.realpath(path))
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        if target.parent.is_dir():
            return target
        missing = f"the folder {target.parent} does not exist"
        raise FileNotFoundError(errno.ENOENT, missing, str(path)) from None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "this is a pipe or a device, not a file to be written", str(path))
    if not mode & 0o222 or not os.access(target, os.W_OK):  # root may write all the same
        raise PermissionError(errno.EACCES, "this file is read-only", str(path))
    return target


def _mode(target: Path) -> int:
    """The permissions of the existing file, or those that new files get."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        return 0o666 & ~umask()


def _flush(part: Path) -> None:
    """Flush the file to the disk: else it could be renamed and yet empty after a power failure."""
    with part.open("rb+") as file:
        os.fsync(file.fileno())


def _make_part(target: Path) -> Path:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.stem[:100]}-", suffix=target.suffix)
    os.close(handle)
    return Path(name)
