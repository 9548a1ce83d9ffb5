"""Files that are read only if they are as they were written: the compiled code of kernels.

Machine code that lost a bit on the disk would end the process that runs it. Each file begins with a
digest of its contents and of what they are for.
"""

from __future__ import annotations

import hashlib
import logging
from contextlib import suppress
from pathlib import Path

from engine.compiler.shipped import ABOUT
from engine.trust import DistrustError, make_own, read_own, write_own

_SUFFIX = ".kernel"
_SIZE = hashlib.sha256().digest_size
_failed: list[OSError] = []
_said: set[str] = set()


def read_entry(folder: Path, purpose: str) -> bytes | None:
    """The contents stored for a purpose; None if there are none.

    A file that was changed, or that other users could have made, is set aside, the latter with a warning. In
    the folder of a package nothing is changed.
    """
    path = _path(folder, purpose)
    try:
        data = read_own(path)
        contents = data[_SIZE:]
        # The seal is over the purpose, too: an entry cannot be passed off as another.
        if data[:_SIZE] == _seal(purpose, contents):
            return contents
    except OSError:
        return None
    except DistrustError as error:
        warn_once(f"{error}; this compiled code is not used")
    if not (folder / ABOUT).exists():
        with suppress(OSError):
            path.replace(path.with_suffix(".bad"))
    return None


def write_entry(folder: Path, purpose: str, contents: bytes) -> None:
    """Store contents for a purpose; a failure is logged once."""
    path = _path(folder, purpose)
    try:
        make_own(folder)
        write_own(path, _seal(purpose, contents) + contents)
    except OSError as error:
        if not _failed:
            reason = error.strerror or str(error)
            logging.getLogger(__name__).warning("%s: %s; compiled code is not kept", path, reason)
        _failed.append(error)


def warn_once(text: str) -> None:
    """Log a warning once per process."""
    if text not in _said:
        _said.add(text)
        logging.getLogger(__name__).warning("%s", text)


def all_kept() -> bool:
    """Whether everything that this process wanted to store was written."""
    return not _failed


def _path(folder: Path, purpose: str) -> Path:
    """The purpose begins with a name that is fit for a file."""
    name = purpose.partition(" ")[0].replace("<", "").replace(">", "")
    return folder / f"{name}-{hashlib.sha256(purpose.encode()).hexdigest()[:16]}{_SUFFIX}"


def _seal(purpose: str, contents: bytes) -> bytes:
    digest = hashlib.sha256(f"{len(purpose)} {purpose}".encode())
    digest.update(contents)
    return digest.digest()
