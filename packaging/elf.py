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

_SEARCH_PATHS = (15, 29)
"""The tags of entries with folders where the loader looks for libraries first: DT_RPATH and DT_RUNPATH."""


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


def keep_own_folders(path: Path) -> bool:
    """Let the loader look for a file's libraries beside the file alone, and in no folder of another system.

    True if the file was changed. Folders relative to the file (`$ORIGIN`) stay; others are where it was
    compiled, as those of Python's own modules: on another system nothing of Python lies there, or what
    somebody else put there. Raises OSError.
    """
    data = bytearray(path.read_bytes())
    if not data.startswith(ELF64):
        return False
    parts = list(read_sections(data))
    changed = False
    for part in (part for part in parts if part.kind == _DYNAMIC):
        end = part.offset + part.size
        place = part.offset
        while place < end:
            tag, value = struct.unpack_from("<qQ", data, place)
            text = text_at(data, parts[part.link].offset + value) if tag in _SEARCH_PATHS else b""
            kept = b":".join(folder for folder in text.split(b":") if folder.startswith(b"$ORIGIN"))
            if kept != text:
                # A linker lets the name of a symbol be the end of another text. Names have no slash: what
                # follows the last one stays, behind the zero byte that ends the text now.
                start, length = parts[part.link].offset + value, max(text.rfind(b"/") + 1, len(kept) + 1)
                data[start : start + length] = kept.ljust(length, b"\0")
                changed = True
            if text and not kept:
                # Later entries move up, and an empty one, which ends the list, takes the last place.
                data[place:end] = data[place + 16 : end] + bytes(16)
            else:
                place += 16
    if changed:
        path.write_bytes(data)
    return changed


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
