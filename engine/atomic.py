"""Atomic writing of files: each is written under another name in the same folder, then renamed."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from engine.parts import make_part, make_part_folder
from engine.system import BINARY, NO_FOLLOW, NO_WAIT, umask


def write_atomically(
    path: Path,
    write: Callable[[Path], object],
    *,
    flush: bool = True,
    private: bool = False,
    own_name: bool = False,
) -> None:
    """Let `write` fill a file next to `path`, then move it to its place.

    Without `flush` it may be empty after a power failure: for files that can be recreated. On failure an
    existing file stays unchanged; otherwise the new file gets its mode. A file that did not exist gets the
    mode of the umask; a `private` file is accessible for this user alone. Only writable files are replaced.
    Links that a user names are followed; with `own_name`, where the program chose the name, they are refused.
    Raises the errors of `write`, and OSError, which names `path`.
    """
    try:
        target = replaceable(path, own_name=own_name)
        part = make_part(target)
        try:
            write(part)
            if flush:
                _flush(part)
            if not private:  # as a part is
                part.chmod(_mode(target))
            part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def replaceable(path: Path, *, own_name: bool = False) -> Path:
    """The path at which a file of this name may be written: where links lead, or with `own_name` the same.

    A name that the program chose, in a folder that may be somebody else's, is no link: what that leads to
    would be destroyed. Raises OSError.
    """
    target = path if own_name else Path(os.path.realpath(path))
    try:
        about = target.lstat() if own_name else target.stat()
    except FileNotFoundError:
        if target.parent.is_dir():
            return target
        missing = f"the folder {target.parent} does not exist"
        raise FileNotFoundError(errno.ENOENT, missing, str(path)) from None
    _check_regular(about, path)
    if not about.st_mode & 0o222 or not os.access(target, os.W_OK):  # root may write all the same
        raise PermissionError(errno.EACCES, "this file is read-only", str(path))
    return target


def check_own_name(path: Path) -> None:
    """Raise OSError where a link, or anything but a regular file, has a name that the program chose."""
    with suppress(FileNotFoundError):
        _check_regular(path.lstat(), path)


def open_own(path: str, flags: int) -> int:
    """An opener, for `open`, of a file whose name the program chose and that is written in place.

    As `replaceable` with `own_name` says; a file that has a second name (a hard link) is refused too, since
    it would change under both. Raises OSError.
    """
    replaceable(Path(path), own_name=True)  # says what is wrong
    handle = os.open(path, flags & ~os.O_TRUNC | NO_FOLLOW | NO_WAIT | BINARY, 0o666)
    try:
        about = os.fstat(handle)  # the file may be another by now
        _check_regular(about, Path(path))
        if about.st_nlink > 1:
            raise OSError(errno.EMLINK, "this file has another name too, and is not written", path)
        if flags & os.O_TRUNC:
            os.ftruncate(handle, 0)
    except BaseException:
        os.close(handle)
        raise
    return handle


def make_own_folder(folder: Path) -> None:
    """Make a folder whose name the program chose, if it is not there; a link is refused. Raises OSError."""
    with suppress(FileExistsError):
        folder.mkdir()
    mode = folder.lstat().st_mode
    if not stat.S_ISDIR(mode):
        what = "a link, which is not followed" if stat.S_ISLNK(mode) else "not a folder"
        raise NotADirectoryError(errno.ENOTDIR, f"this is {what}", str(folder))


def fill_folder(folder: Path, fill: Callable[[Path], object]) -> None:
    """Let `fill` fill a folder next to `folder`, then move it to its place, which is new or an empty folder.

    If this fails, nothing is left. Raises the errors of `fill`, and OSError, which names `folder`.
    """
    target = folder.resolve()
    try:
        part = make_part_folder(target)
        try:
            fill(part)
            if target.is_dir():  # it stays the same folder: someone may be in it
                for path in sorted(part.iterdir(), key=Path.is_file):
                    path.rename(target / path.name)
            else:
                part.chmod(0o777 & ~umask())
                part.rename(target)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(folder)) from error


def _check_regular(about: os.stat_result, path: Path) -> None:
    """Raise OSError unless this is a regular file."""
    if stat.S_ISDIR(about.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if stat.S_ISLNK(about.st_mode):
        raise OSError(errno.ELOOP, "this is a link, which is not followed", str(path))
    if not stat.S_ISREG(about.st_mode):
        raise OSError(errno.EINVAL, "this is a pipe or a device, not a file to be written", str(path))


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
