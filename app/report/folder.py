"""A folder that is whole or not there, with the digests of all its files."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from engine.atomic import check_own_name, make_own_folder, replaceable
from engine.errors import InputError
from engine.input import refuse_inputs
from engine.parts import make_part_folder
from engine.shown_text import json_text

MANIFEST = "manifest.json"
"""Name of the manifest of a report's files; a folder without it is not a report, and is never replaced."""


def check_folder(folder: Path, force: bool) -> None:
    """Raise InputError where no report can be written there, before the work; OSError where none may be.

    A folder that is there has to be empty, or with `force` a report.
    """
    if folder.is_dir():
        if any(folder.iterdir()) and not (force and (folder / MANIFEST).is_file()):
            text = "give --force to replace it" if (folder / MANIFEST).is_file() else "name another folder"
            raise InputError(f"{folder}: this folder is there and not empty; {text}")
        if not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
    elif folder.exists():
        raise InputError(f"{folder}: this is a file, but a report needs a folder")
    around = folder.resolve().parent
    if not around.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(around))
    replaceable(around / f"{folder.name}.new")  # raises errors of the place
    if not os.access(around, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(around))


def write_folder(folder: Path, fill: Callable[[Path], object], about: Mapping[str, Any], force: bool) -> None:
    """Let `fill` fill a folder next to the target, add the manifest, then move it to its place. Raises
    OSError.

    If this fails, nothing is left. With `force` an existing report is replaced, except files in it that no
    report wrote.
    """
    check_folder(folder, force)
    target = folder.resolve()
    part = make_part_folder(target)
    try:
        fill(part)
        files = {
            path.relative_to(part).as_posix(): _digest(path)
            for path in sorted(part.rglob("*"))
            if path.is_file()
        }
        for name in files:
            refuse_inputs(target / name)
        text = json_text({**about, "files": files}, indent=2) + "\n"
        (part / MANIFEST).write_text(text, "utf-8", newline="")
        part.chmod(0o777 & ~_umask_of(part))
        if target.is_dir():
            _replace(target, part)
        else:
            part.rename(target)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(folder)) from error
    except InputError as error:
        cause = error.__cause__
        if not isinstance(cause, OSError):
            raise
        raise OSError(cause.errno, cause.strerror or str(cause), str(folder)) from cause  # of a figure in it
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _replace(target: Path, part: Path) -> None:
    """Put the new files over those of the existing report, and delete that report's other files.

    The folder may come from somebody else: nothing is done where a link is in the place of a file or folder.
    """
    old = _own_files(target)
    new = {path: target / path.relative_to(part) for path in sorted(part.rglob("*"))}
    # All places are checked before the first file is moved.
    for path, place in new.items():
        if path.is_dir():
            make_own_folder(place)
        else:
            check_own_name(place)
    for path, place in new.items():
        if not path.is_dir():
            path.replace(place)
    # Files of the old report that the new report lacks would be taken for its own.
    for name in old:
        place = target / name
        if name not in _own_files(target) and place.is_file():
            place.unlink()


def _own_files(target: Path) -> list[str]:
    """The files that the manifest there lists, those inside the folder alone."""
    try:
        listed = json.loads((target / MANIFEST).read_text("utf-8"))["files"]
        names = [name for name in listed if isinstance(name, str)]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [name for name in names if (target / name).resolve().is_relative_to(target)]


def _digest(path: Path) -> str:
    """SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _umask_of(folder: Path) -> int:
    """The umask for new files here, found by creating a file."""
    probe = folder / ".probe"
    probe.touch()
    mode = probe.stat().st_mode & 0o777
    probe.unlink()
    return 0o666 & ~mode | (0o666 & ~mode) >> 2 & 0o111
