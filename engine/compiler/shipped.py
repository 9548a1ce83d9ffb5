"""Kernels that are shipped in a package, compiled for every processor of an architecture.

They are in a folder next to this file, which a checkout does not have. Its `about.json` records what they
were compiled from and by, so that this is known without the sources. The folder is only read: what is missing
or damaged in it is compiled as in a checkout, and stored in the user's own cache.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engine.compiler.versions import version_of
from engine.system import machine, system_name
from engine.trust import DistrustError, check_own, read_own

PLACE = Path("engine", "compiler", "shipped")
"""The folder, seen from the folder that the program's packages lie in."""

ABOUT = "about.json"
FORMAT = 1
PROCESSOR = "generic"
"""LLVM's name for a processor of which only the architecture is known."""

PROCESSOR_SETTING = "NUMBA_CPU_NAME"
COMPILERS = ("numba", "llvmlite", "numpy")
"""The packages whose versions the machine code depends on."""


@dataclass(frozen=True)
class Shipped:
    """The kernels of a package.

    `folder`: where they lie. `state`: a digest of all sources of kernels. `modules`: a digest of each module
    that has kernels, by its name. `kernels`: the SHA-256 of each file, by its name. `made_by`: what compiled
    them, as `made_by()` gives it.
    """

    folder: Path
    state: str
    modules: Mapping[str, str]
    kernels: Mapping[str, str]
    made_by: Mapping[str, str]

    def obstacle(self) -> str:
        """The reason why the kernels cannot be used here; empty if they can."""
        here = made_by()
        for name, value in self.made_by.items():
            if here.get(name) != value:
                return f"they were compiled with {name} {value}, and this is {here.get(name)}"
        try:
            check_own(self.folder)
            there = set(os.listdir(self.folder))  # noqa: PTH208 - names alone, of hundreds of files
        except (DistrustError, OSError) as error:
            return str(error)
        missing = len(self.kernels.keys() - there)
        return f"{missing} of {len(self.kernels)} files are missing" if missing else ""

    def damaged(self) -> list[str]:
        """The files whose contents differ from those built, or that other users could have changed."""
        return [name for name, digest in self.kernels.items() if not self._is_whole(name, digest)]

    def _is_whole(self, name: str, digest: str) -> bool:
        try:
            return hashlib.sha256(read_own(self.folder / name)).hexdigest() == digest
        except (DistrustError, OSError):
            return False


@cache
def shipped_in(sources: Path) -> Shipped | None:
    """The kernels shipped in a folder of sources; None in a checkout, or if they cannot be read."""
    folder = sources / PLACE
    try:
        about: Any = json.loads(read_own(folder / ABOUT))
        if about["format"] != FORMAT:
            return None
        return Shipped(
            folder,
            str(about["state"]),
            {str(name): str(digest) for name, digest in about["modules"].items()},
            {str(name): str(digest) for name, digest in about["kernels"].items()},
            {str(name): str(value) for name, value in about["made_by"].items()},
        )
    # Whatever is wrong with the files, kernels can still be compiled.
    except (DistrustError, OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def made_by() -> dict[str, str]:
    """What machine code of this process depends on besides the sources, the settings and the processor."""
    versions = {name: version_of(name) for name in COMPILERS}
    python = str(sys.implementation.cache_tag)
    return {"python": python, "system": system_name(), "machine": machine(), **versions}


def write_about(folder: Path, state: str, modules: Mapping[str, str]) -> None:
    """Describe the kernels in a folder, compiled by this Python, so that `shipped_in` knows them.

    Raises OSError.
    """
    kernels = sorted(folder.glob("*.kernel"))
    about = {
        "format": FORMAT,
        "state": state,
        "made_by": made_by(),
        "modules": dict(sorted(modules.items())),
        "kernels": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in kernels},
    }
    (folder / ABOUT).write_text(json.dumps(about, indent=1) + "\n", "utf-8")
