"""What a file or folder of the user's is to the window, found out in a thread, as storage may be slow."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from app.model.documents.document import SUFFIX
from engine.input import exists
from engine.logs.queue.state import is_queue_print
from engine.slurm.site.folder import is_site

STUDY_SUFFIX, CODE_SUFFIX = ".toml", ".py"

LINK_MARK = "#view="
"""The mark between the path of a log and what a link shows of it."""


class FileKind(Enum):
    """The kinds of files that a window opens, each in its own way."""

    LOG = auto()
    SESSION = auto()
    STUDY = auto()
    SITE = auto()  # a `slurm.conf`, or a folder with it
    QUEUE = auto()  # a print of the queue
    LINK = auto()  # the path of a log with a view of it
    CODE = auto()  # of a user's own


@dataclass(frozen=True)
class KnownFile:
    """A path, its kind, and the path without links."""

    path: Path
    kind: FileKind
    real: str


def known_files(paths: Sequence[Path]) -> tuple[KnownFile, ...]:
    """The kinds of files, by their names and first bytes; call it in a thread.

    What cannot be read is a log: to read it says why it cannot be.
    """
    return tuple(KnownFile(path, _kind_of(path), os.path.realpath(path)) for path in paths)


def _kind_of(path: Path) -> FileKind:
    if LINK_MARK in path.name and not exists(path):  # a file with this name is a file
        return FileKind.LINK
    if path.suffix == STUDY_SUFFIX:
        return FileKind.STUDY
    if path.suffix == CODE_SUFFIX:
        return FileKind.CODE
    if is_site(path):
        return FileKind.SITE
    if is_queue_print(path):
        return FileKind.QUEUE
    return FileKind.SESSION if path.suffix == SUFFIX else FileKind.LOG
