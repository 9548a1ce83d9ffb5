"""The oldest C library with which the programs of a folder start, by the symbols that they name."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path

from elf import ELF64, Section, elf_files, read_sections, text_at

_VERSION = re.compile(rb"GLIBC_(\d+)\.(\d+)")
"""A version of glibc as the tables of needed symbols of an ELF file spell it."""

_OLD, _NEW = b"GLIBC_2.2.5", b"GLIBC_2.35"
_BOTH = frozenset({b"hypot"})
"""Functions that glibc has in both versions, which differ in how a program may handle errors (SVID)."""

_SYMBOLS, _NEEDED_VERSIONS, _VERSIONS_OF_SYMBOLS = 11, 0x6FFFFFFE, 0x6FFFFFFF
"""Types of sections of an ELF file: SHT_DYNSYM, SHT_GNU_verneed and SHT_GNU_versym."""


def needed_glibc(folder: Path) -> str:
    """The newest version of glibc that any ELF file below a folder names, as "2.36".

    The loader refuses a file that names a newer glibc than the system has, so the newest name of all
    files is what a system must have. Where a file has no table of needed versions that can be read, the names
    are looked for in the whole file: a library that is bundled defines none of its own, since glibc itself
    is never bundled. Raises OSError, and ValueError where no file names any.
    """
    versions: set[tuple[int, int]] = set()
    for _, data in elf_files(folder):
        needed = _needed_names(data) or [bytes(data)]
        for name in needed:
            versions |= {(int(major), int(minor)) for major, minor in _VERSION.findall(name)}
    if not versions:
        raise ValueError(f"no file in {folder} names a version of glibc")
    return "{}.{}".format(*max(versions))


def ask_for_old(path: Path) -> bool:
    """Let a program or library ask for the old version of functions that glibc has in two.

    True if it was changed.

    Python, compiled on a system of today, asks for one function of glibc 2.35, `hypot`, of which glibc keeps
    the version of 2.2.5 for programs of before. With that it starts on all systems on which Qt does. A file
    that needs another function of 2.35, or is for another kind of processor than x86-64, stays as it is.
    Raises OSError.
    """
    data = bytearray(path.read_bytes())
    if not data.startswith(ELF64) or _NEW not in data:
        return False
    sections = list(read_sections(data))
    kinds = {section.kind: section for section in sections}
    if not {_SYMBOLS, _NEEDED_VERSIONS, _VERSIONS_OF_SYMBOLS} <= kinds.keys():
        return False
    symbols, versions = kinds[_SYMBOLS], kinds[_VERSIONS_OF_SYMBOLS]
    names = sections[symbols.link]
    old = data.find(b"\0" + _OLD + b"\0", names.offset, names.offset + names.size) + 1
    if not old:
        return False
    changed = False
    for entry in list(_needed(data, kinds[_NEEDED_VERSIONS])):
        _, _, number, name = struct.unpack_from("<IHHI", data, entry)
        if text_at(data, names.offset + name) != _NEW:
            continue
        users = {
            text_at(data, names.offset + struct.unpack_from("<I", data, symbols.offset + 24 * place)[0])
            for place in range(symbols.size // 24)
            if struct.unpack_from("<H", data, versions.offset + 2 * place)[0] & 0x7FFF == number
        }
        if users <= _BOTH:
            struct.pack_into("<I", data, entry, _hash(_OLD))
            struct.pack_into("<I", data, entry + 8, old - names.offset)
            data[names.offset + name : names.offset + name + len(_NEW)] = bytes(len(_NEW))
            changed = True
    if changed:
        path.write_bytes(data)
    return changed


def _needed_names(data: bytearray) -> list[bytes]:
    """The names of the versions that a file needs; none where it has no table of them for 64 bits."""
    if not data.startswith(ELF64):
        return []
    sections = list(read_sections(data))
    tables = [section for section in sections if section.kind == _NEEDED_VERSIONS]
    return [
        text_at(data, sections[table.link].offset + struct.unpack_from("<I", data, entry + 8)[0])
        for table in tables
        for entry in _needed(data, table)
    ]


def _needed(data: bytearray, section: Section) -> Iterator[int]:
    """The places of the versions that a file needs: each library has a chain of them."""
    library = section.offset
    while True:
        _, count, _, first, after = struct.unpack_from("<HHIII", data, library)
        entry = library + first
        for _ in range(count):
            yield entry
            entry += struct.unpack_from("<I", data, entry + 12)[0]
        if not after:
            return
        library += after


def _hash(name: bytes) -> int:
    """The hash of a version's name, as the System V ABI defines it for symbols."""
    value = 0
    for letter in name:
        value = (value << 4) + letter
        value = (value ^ (value & 0xF0000000) >> 24) & 0x0FFFFFFF
    return value
