"""Checks that files belong to this user, so that code in them may be executed.

Files are trusted only if they belong to this user or to root and nobody else can write them, and if nobody
else could have replaced them: the same has to be true of all parent folders. Sticky folders, like `/tmp`, in
which everybody may write but only remove their own files, are safe.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from engine.parts import make_part
from engine.system import BINARY, NO_FOLLOW, NO_WAIT, has_acl, is_private_group, umask, user_id

_MAX_LINKS = 40
_OTHERS_WRITE, _GROUP_WRITES = stat.S_IWOTH, stat.S_IWGRP


class DistrustError(Exception):
    """The reason why a file or folder is not trusted, as text that begins with its path."""


def check_own(path: Path) -> None:
    """Raise DistrustError where others could have made or changed a file or a folder, or OSError.

    Links are followed; both the link and its target are checked. On Windows, where files have no such owners,
    everything is trusted.
    """
    if user_id() is None:
        return
    left = _MAX_LINKS
    todo = list(reversed((Path.cwd() / path).parts))
    at = Path(todo.pop())
    _check(at, at.lstat())
    # All folders above are checked, since who may write in one may replace what it holds.
    while todo:
        name = todo.pop()
        if name == "..":
            at = at.parent  # links before it were followed
            continue
        at = at / name
        about = at.lstat()
        if not stat.S_ISLNK(about.st_mode):
            _check(at, about)
            continue
        left -= 1
        if left < 0:
            raise DistrustError(f"{at}: too many links")
        _check_owner(at, about)  # the owner of a link can change its target; a link has no mode
        # What the link leads to takes the place of its name in the path.
        leads, at = at.readlink(), at.parent
        if leads.is_absolute():
            at = Path(leads.anchor)
        todo += reversed(leads.parts[1:] if leads.is_absolute() else leads.parts)


def check_one(path: Path) -> None:
    """As `check_own`, of a file or a folder alone, in a folder that was checked; a link is not believed."""
    if user_id() is not None:
        about = path.lstat()
        if stat.S_ISLNK(about.st_mode):
            raise DistrustError(f"{path}: this is a link")
        _check(path, about)


def read_own(path: Path) -> bytes:
    """The contents of a file in a folder of this user. Raises DistrustError, OSError."""
    handle = os.open(path, os.O_RDONLY | NO_FOLLOW | NO_WAIT | BINARY)
    with os.fdopen(handle, "rb") as file:
        if user_id() is not None:
            about = os.fstat(handle)
            if not stat.S_ISREG(about.st_mode):
                raise DistrustError(f"{path}: not a regular file")
            _check(path, about)
        return file.read()


def make_own(folder: Path) -> None:
    """Make a folder and its missing parents, which only this user can write. Raises OSError."""
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        if folder == folder.parent:
            break
        folder = folder.parent
    for path in reversed(missing):
        try:
            path.mkdir(0o755)
        # Another process may have made it in the meantime, which is as good.
        except FileExistsError:
            if not path.is_dir():
                raise


def write_own(path: Path, data: bytes) -> None:
    """Write a file that nobody else can write, whatever the umask, whole or not at all. Raises OSError."""
    part = make_part(path)
    try:
        part.write_bytes(data)
        part.chmod(0o644 & ~umask())
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def _check(path: Path, about: os.stat_result) -> None:
    _check_owner(path, about)
    mode = about.st_mode
    # In a folder such as /tmp nobody can replace what others own.
    if stat.S_ISDIR(mode) and mode & stat.S_ISVTX:
        return
    if mode & _OTHERS_WRITE:
        raise DistrustError(f"{path}: everybody can write here")
    if mode & _GROUP_WRITES and not (is_private_group(about.st_gid) and not has_acl(path)):
        raise DistrustError(f"{path}: a group of users can write here")


def _check_owner(path: Path, about: os.stat_result) -> None:
    if about.st_uid not in (0, user_id()):
        raise DistrustError(f"{path}: this belongs to another user")
