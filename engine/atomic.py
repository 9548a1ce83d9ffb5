"""Files that are whole or not there: written beside their place, then moved into it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a file beside `path`, then put it in its place.

    A file that was there stays as it was where this fails. Raises what `write` raises, and
    OSError, which names `path`.
    """
    try:
        part = _make_part(path)
        try:
            write(part)
            mask = os.umask(0)
            os.umask(mask)
            part.chmod(0o666 & ~mask)  # as any file that a program writes; a temporary one is private
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def _make_part(path: Path) -> Path:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=path.suffix)
    os.close(handle)
    return Path(name)
