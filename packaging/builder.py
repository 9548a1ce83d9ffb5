"""The folders of the machine that builds, which no package may name: readers would learn of them.

They are where the repository, the build and Python itself lie. Nothing that runs needs them, since what is
installed finds itself by where it lies. A Python of the system, in /usr, lies there for everybody.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from environment import ROOT

_OF_THE_SYSTEM = (b"/", b"/usr", b"/usr/local")

RELATIVE_PLACES = """
import sys
from batchscope.engine.compiler.load import load_numba
load_numba()
from numba.core.ir import Loc
folders = sorted((f"{folder}/" for folder in sys.path if folder), key=len, reverse=True)
begin = Loc.__init__
def begin_relative(self, filename, *more, **named):
    folder = next((folder for folder in folders if filename.startswith(folder)), "")
    begin(self, filename.removeprefix(folder), *more, **named)
Loc.__init__ = begin_relative
"""
"""Lets Numba say of places in sources what they are within their packages: kernels name places of errors."""


class Folders:
    """The folders of a build: `work` is where it works."""

    def __init__(self, work: Path, python: Path = Path(sys.base_prefix), root: Path = ROOT) -> None:
        places = (work, python, root)
        names = {os.fsencode(form) for place in places for form in (place, place.resolve())}
        # The longest first: one folder may lie within another.
        own = sorted(names - set(_OF_THE_SYSTEM), key=len, reverse=True)
        listed = b"|".join(re.escape(name) for name in own)
        self._found = re.compile(b"(?:" + listed + rb")(?![\w.-])")

    def without(self, data: bytes) -> bytes:
        """The same with slashes in place of the folders above each: `/home/a/python` becomes `///////python`.

        Texts keep their lengths, and so the places of all others in a program or library. The last name
        stays: a compiler lets a text be the end of another, as Python's version of `versions/3.11.7`.
        """
        return self._found.sub(
            lambda match: match[0][match[0].rindex(b"/") :].rjust(len(match[0]), b"/"), data
        )

    def named_in(self, data: bytes) -> str:
        """The first of them that is named; empty if none is."""
        found = self._found.search(data)
        return os.fsdecode(found[0]) if found else ""

    def named_below(self, place: Path) -> list[str]:
        """The files below a folder that name one of them, with which. Raises OSError."""
        named = []
        for path in sorted(place.rglob("*")):
            if path.is_file() and not path.is_symlink() and (folder := self.named_in(path.read_bytes())):
                named.append(f"{path.relative_to(place)} ({folder})")
        return named
