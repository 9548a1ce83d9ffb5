"""Which code of a user's own may run in this process: what its user named, by digest, and nothing else.

A session, a study, a report or a link may name a file too. That does not allow it: reading such a policy
fails with a sentence.
"""

from __future__ import annotations

import re
from pathlib import Path

from engine.errors import InputError
from engine.input import user_path
from engine.own.file import OwnFile, read_own_file
from engine.packages import POLICIES, installed_path
from engine.trust import DistrustError, check_own

_allowed: set[str] = set()

_FILE = re.compile(
    r"(?P<path>.+?\.py)(?::(?P<rest>.*))?", re.DOTALL
)  # up to the first .py with an end or a colon


class UnnamedCodeError(InputError):
    """The refusal of code that the user of this process has not named; `file` has the texts to show."""

    def __init__(self, file: OwnFile) -> None:
        super().__init__(
            f"{file.path} is a program of somebody's own, which runs only when its user says so: "
            "read it, then name it yourself, on the command line with -p, in Python, or in the window"
        )
        self.file = file


def allow(file: OwnFile) -> None:
    """Let this code run until the process ends, as it is now: changed code has another digest."""
    _allowed.add(file.digest)


def is_allowed(digest: str) -> bool:
    """Whether the user of this process has named the code with this digest."""
    return digest in _allowed


def check_allowed(file: OwnFile) -> None:
    """Raise UnnamedCodeError for code that the user of this process has not named."""
    if not is_allowed(file.digest):
        raise UnnamedCodeError(file)


def others_can_change(file: OwnFile) -> str:
    """Why somebody else could have changed these texts since their user allowed them; empty if nobody can.

    The file, the modules beside it and all their folders have to belong to the user or to root.
    """
    try:
        for path in (file.path, *(module.path for module in file.modules)):
            check_own(path)
    except DistrustError as error:
        return str(error)
    except OSError as error:
        return f"{file.path}: {error.strerror or error}"
    return ""


def own_path(text: str, group: str = "") -> tuple[Path, str] | None:
    """The path and the rest of the spelling of a policy like `mine.py:wfp,alpha=2`; None for other texts.

    With a `group` of entry points also of what installed packages declare by these.
    """
    spelled = _FILE.fullmatch(text.strip())
    if spelled is None:
        return installed_path(text, group) if group else None
    return user_path(spelled["path"]), (spelled["rest"] or "").strip()


def allow_named(text: str) -> None:
    """Allow the code that the user named in the spelling of a policy, if it names any. Raises InputError.

    That is a file, or what an installed package declares.
    """
    from engine.trace.variant import split_variant

    named = own_path(split_variant(text)[0], POLICIES)
    if named is not None:
        allow(read_own_file(named[0]))
