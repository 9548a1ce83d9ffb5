"""The oldest C library with which the programs of a folder start, by the symbols that they name."""

from __future__ import annotations

import re
from pathlib import Path

_ELF = b"\x7fELF"
_VERSION = re.compile(rb"GLIBC_(\d+)\.(\d+)")
"""A version of glibc as the tables of needed symbols of an ELF file spell it."""


def needed_glibc(folder: Path) -> str:
    """The newest version of glibc that any ELF file below a folder names, as "2.36".

    The loader refuses a file that names a newer glibc than the system has, so the newest name of all
    files is what a system must have. The names are read from the whole file, not from that table alone: a
    library that is bundled defines none of its own, since glibc itself is never bundled. Raises OSError, and
    ValueError where no file names any.
    """
    versions: set[tuple[int, int]] = set()
    for path in folder.rglob("*"):
        if path.is_symlink() or not path.is_file():
            continue
        with path.open("rb") as file:
            # Pictures and modules of Python are most of the folder: four bytes tell them apart.
            if file.read(len(_ELF)) != _ELF:
                continue
            versions |= {(int(major), int(minor)) for major, minor in _VERSION.findall(file.read())}
    if not versions:
        raise ValueError(f"no file in {folder} names a version of glibc")
    return "{}.{}".format(*max(versions))
