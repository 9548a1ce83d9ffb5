"""Hidden parts: files and folders that are filled beside their places, and then renamed.

The name of a part has our mark and its writer: the computer, the process, and the start time of the process.
A kill leaves parts behind; the next process that makes a part in the same folder removes them.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import secrets
import shutil
import stat
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from engine.system import BINARY, NO_FOLLOW, process_exists, process_start, user_id

SWEPT_AFTER_S = 86_400.0
"""Age after which a part without a living writer is removed, in s since it was last written."""

_MOST_STEM, _MOST_SUFFIX = 100, 20  # bytes of a place's name that the name of its part repeats
_PART = re.compile(r"\..*-batchscope-([0-9a-f]{8})-(\d{1,10})-(\d{1,20})-[0-9a-f]{8}(?:\.[^.]*)?", re.DOTALL)
_swept: set[Path] = set()
"""The folders that this process has swept."""


def make_part(target: Path) -> Path:
    """An empty file in the folder of `target`, for this user alone, with the suffix of `target`.

    Raises OSError.
    """
    part = _name_beside(target)
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_FOLLOW | BINARY, 0o600))
    return part


def make_part_folder(target: Path) -> Path:
    """An empty folder in the folder of `target`, for this user alone. Raises OSError."""
    part = _name_beside(target)
    part.mkdir(0o700)
    return part


def _name_beside(target: Path) -> Path:
    """A new name in the folder of `target`, where parts of dead processes are removed at the first call."""
    folder = target.parent
    place = folder.resolve()
    if place not in _swept:
        _swept.add(place)
        sweep(folder)
    suffix = target.suffix if len(os.fsencode(target.suffix)) <= _MOST_SUFFIX else ""
    stem = os.fsdecode(os.fsencode(target.stem)[:_MOST_STEM])  # in bytes, as systems limit names
    writer = f"{_computer()}-{os.getpid()}-{process_start(os.getpid())}"
    return folder / f".{stem}-batchscope-{writer}-{secrets.token_hex(4)}{suffix}"


def sweep(folder: Path) -> None:
    """Remove this user's parts in a folder that dead processes of this computer left over a day ago.

    What cannot be removed stays.
    """
    before = time.time() - SWEPT_AFTER_S
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            match = _PART.fullmatch(entry.name)
            # Other computers may use the same folder: their processes cannot be asked.
            if match is None or match[1] != _computer() or _is_alive(int(match[2]), int(match[3])):
                continue
            with suppress(OSError):
                about = entry.stat(follow_symlinks=False)
                # Young parts may belong to a process that this process cannot see, as in a container.
                if about.st_mtime > before or about.st_uid != (user_id() or 0):
                    continue
                if stat.S_ISDIR(about.st_mode):
                    shutil.rmtree(entry.path)
                elif stat.S_ISREG(about.st_mode):
                    Path(entry.path).unlink()


def _is_alive(pid: int, start: int) -> bool:
    """True if the process may still run; its number may belong to a later process."""
    return process_exists(pid) and process_start(pid) in (start, 0)


@cache
def _computer() -> str:
    """Tells this computer from others that write to the same folder: processes elsewhere are not known."""
    return hashlib.sha256(platform.node().encode(errors="replace")).hexdigest()[:8]
