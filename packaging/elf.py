"""ELF files, the programs and libraries of Linux: their sections, and the libraries that they need."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_ELF = b"\x7fELF"
ELF64 = b"\x7fELF\x02\x01"
"""How a file for 64 bits, little-endian, begins."""

_DYNAMIC = 6
"""The type of the section that says what the loader has to do: SHT_DYNAMIC."""

_NEEDED_LIBRARY = 1
"""The tag of an entry there that names a library: DT_NEEDED."""


class Section(NamedTuple):
    """A section of an ELF file: its type, its place and size in bytes, and the section that it refers to."""

    kind: int
    offset: int
    size: int
    link: int


def elf_files(folder: Path) -> Iterator[tuple[Path, bytearray]]:
    """The programs and libraries below a folder, each with its bytes. Raises OSError."""
    for path in folder.rglob("*"):
        if path.is_symlink() or not path.is_file():
            continue
        with path.open("rb") as file:
            # Pictures and modules of Python are most of a folder: the first bytes tell them apart.
            if file.read(len(_ELF)) == _ELF:
                yield path, bytearray(_ELF + file.read())


def needed_libraries(data: bytearray) -> list[str]:
    """The names of the libraries that a file is linked with; none where it is not for 64 bits."""
    if not data.startswith(ELF64):
        return []
    parts = list(read_sections(data))
    names = []
    for part in parts:
        if part.kind != _DYNAMIC:
            continue
        for place in range(part.offset, part.offset + part.size, 16):
            tag, value = struct.unpack_from("<qQ", data, place)
            if tag == _NEEDED_LIBRARY:
                names.append(text_at(data, parts[part.link].offset + value).decode())
    return names


def read_sections(data: bytearray) -> Iterator[Section]:
    """The sections in the order of their headers."""
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    for number in range(count):
        _, kind, _, _, offset, length, link = struct.unpack_from("<IIQQQQI", data, table + size * number)
        yield Section(kind, offset, length, link)


def text_at(data: bytearray, place: int) -> bytes:
    """The text that begins at a place and ends before the next zero byte."""
    return bytes(data[place : data.index(0, place)])
