"""Which code of a user's own may run in this process: what its user named, by digest, and nothing else.

A session, a study, a report or a link may name a file too. That does not allow it: reading such a policy
fails with a sentence.
"""

from __future__ import annotations

import re
from pathlib import Path

from engine.errors import InputError
from engine.own.file import OwnFile, read_own_file

_allowed: set[str] = set()

_FILE = re.compile(
    r"(?P<path>.+?\.py)(?::(?P<rest>.*))?", re.DOTALL
)  # up to the first .py with an end or a colon


def allow(file: OwnFile) -> None:
    """Let this code run until the process ends, as it is now: changed code has another digest."""
    _allowed.add(file.digest)


def is_allowed(digest: str) -> bool:
    """Whether the user of this process has named the code with this digest."""
    return digest in _allowed


def check_allowed(file: OwnFile) -> None:
    """Raise InputError for code that the user of this process has not named."""
    if not is_allowed(file.digest):
        raise InputError(
            f"{file.path} is a program of somebody's own, which runs only when its user says so: "
            "read it, then name it yourself with -p on the command line, or in Python"
        )


def own_path(text: str) -> tuple[Path, str] | None:
    """The path and the rest of the spelling of a policy like `mine.py:wfp,alpha=2`; None for other texts."""
    spelled = _FILE.fullmatch(text.strip())
    if spelled is None:
        return None
    return Path(spelled["path"]).expanduser(), (spelled["rest"] or "").strip()


def allow_named(text: str) -> None:
    """Allow the code that the user named in the spelling of a policy, if it names any. Raises InputError."""
    from engine.trace.variant import split_variant

    named = own_path(split_variant(text)[0])
    if named is not None:
        allow(read_own_file(named[0]))
