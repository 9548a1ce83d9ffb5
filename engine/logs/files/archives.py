"""Archives of logs: the files in a zip or a tar, read in sequence and never written to disk.

A file in an archive is a name, for messages alone, and its bytes, piece by piece. Archives are untrusted:
the number of files, the size of names and of directories, and what all files unpack to are bounded.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator
from pathlib import PurePosixPath
from typing import IO

from engine.input import Input, UnusableError, reason
from engine.limits import MAX_LOG_FILES
from engine.logs.files.companions import lies_beside
from engine.words import clip, natural

Pieces = Iterator[bytes]
Member = tuple[str, Pieces]
"""The name of a file in an archive, and its bytes, which are read before the next file is asked for."""

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""The first bytes of zip archives."""

BLOCK = 512
"""Bytes of a header in a tar; its files are padded to multiples of this."""

_MAX_NAME = 1 << 16  # bytes of a name, and of other metadata of a file
_MAX_DIRECTORY = 1 << 22  # bytes of the list of files of a zip
_PIECE = 1 << 20
_REGULAR = (b"0", b"\0", b"7")  # kinds of files that have bytes
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError),
    *(ValueError, OverflowError, IndexError, KeyError, NotImplementedError),
)
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)
_ENCRYPTED = 1  # a flag of a file in a zip


def is_tar(block: bytes) -> bool:
    """True if a file that begins with this block is a tar: its header has the right checksum."""
    if len(block) < BLOCK or not block[0]:
        return False
    stated = block[148:156].strip(b" \0")
    if not 0 < len(stated) < 8 or stated.strip(b"01234567"):
        return False
    return int(stated, 8) == sum(block[:148]) + 8 * ord(" ") + sum(block[156:BLOCK])


def zip_members(file: Input, passed: list[str]) -> Iterator[Member]:
    """The logs in a zip, sorted by name; `passed` receives the other files' names. Raises UnusableError."""
    if file.is_pipe:
        raise UnusableError("this is a zip archive, which cannot be read from a pipe: name the file")
    with file.reopened() as raw:
        try:
            archive = zipfile.ZipFile(_Bounded(raw, file.size))
            inside = [info for info in archive.infolist() if info.file_size > 0]
        except _BROKEN as error:
            raise UnusableError(f"this zip archive is cut off or corrupt: {reason(error)}") from error
        # Spreadsheets are zips, too.
        if what := _sheet_in({info.filename for info in inside}):
            raise UnusableError(f"this is {what}; save the sheet of jobs as CSV, with all columns as text")
        infos = [info for info in inside if _is_log(info.filename)]
        _check_number(len(infos))
        passed += [info.filename for info in inside if _lies_beside(info.filename)]
        for info in sorted(infos, key=lambda info: natural(info.filename)):
            yield info.filename, _zip_pieces(archive, info)


def tar_members(pieces: Pieces, passed: list[str]) -> Iterator[Member]:
    """The logs in a tar, in its order, of the bytes of the (unpacked) archive; `passed` receives what lies
    beside them. Raises UnusableError.
    """
    stream = _TarStream(pieces)
    # They are of this entry alone.
    long_name, size_of_pax = "", -1
    entries = 0
    while (block := stream.take(BLOCK, at_end=True)) and any(block):
        if not is_tar(block):
            raise UnusableError("this tar archive is corrupt: a header has another sum")
        entries += 1
        # Empty entries cost the writer nothing and the reader time.
        if entries > 4 * MAX_LOG_FILES:
            raise UnusableError(f"there are over {4 * MAX_LOG_FILES:,} entries in this tar archive")
        kind, size = block[156:157], _tar_number(block[124:136])
        # These headers describe the entry behind them: its long name, or its size.
        if kind in (b"L", b"x"):
            header_block = stream.take_padded(size)
            if kind == b"L":
                long_name = header_block.partition(b"\0")[0].decode("utf-8", "replace")
            else:
                named, size_of_pax = _pax(header_block)
                long_name = named or long_name
            continue
        # Headers of all entries, and long targets of links, say nothing that is needed here.
        if kind in (b"g", b"K"):
            stream.begin(size)
            stream.finish()
            continue
        name = long_name or _tar_name(block)
        size = size_of_pax if size_of_pax >= 0 else size
        long_name, size_of_pax = "", -1
        if kind == b"S":
            raise UnusableError(f"{clip(name)} in this tar archive has holes (a sparse file): unpack it")
        if kind in _REGULAR:
            stream.begin(size)
            if size > 0 and _is_log(name):
                yield name, stream.pieces()
            elif size > 0 and _lies_beside(name):
                passed.append(name)
            stream.finish()


def _sheet_in(names: Collection[str]) -> str:
    """What a zip with files of these names is, if it is a document of an office; else empty."""
    if "[Content_Types].xml" in names:
        return (
            "a spreadsheet of Excel"
            if any(name.startswith("xl/") for name in names)
            else "an office document"
        )
    return "a document of LibreOffice" if {"content.xml", "mimetype"} <= set(names) else ""


def _is_log(name: str) -> bool:
    """True if a file in an archive is a log by its name, as for files in a folder."""
    return _is_shown(name) and not lies_beside(_path(name))


def _lies_beside(name: str) -> bool:
    """True if a file in an archive is about logs, by its name."""
    return _is_shown(name) and lies_beside(_path(name))


def _is_shown(name: str) -> bool:
    """True if this is the name of a file that is not hidden."""
    parts = _path(name).parts
    hidden = any(part.startswith(".") and part not in (".", "..") for part in parts)
    return not (name.endswith("/") or hidden or "__MACOSX" in parts)


def _path(name: str) -> PurePosixPath:
    return PurePosixPath(name.replace("\\", "/"))


def _check_number(count: int) -> None:
    if not count:
        raise UnusableError("there is no log in this archive")
    if count > MAX_LOG_FILES:
        raise UnusableError(f"there are over {MAX_LOG_FILES:,} files in this archive")


class _Bounded(io.RawIOBase):
    """A file that gives no more at once than the list of files of a zip may have."""

    def __init__(self, raw: IO[bytes], size: int) -> None:
        self._raw, self._size = raw, size

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._raw.seek(offset, whence)

    def tell(self) -> int:
        return self._raw.tell()

    def read(self, size: int | None = -1) -> bytes:
        """The next bytes. Raises UnusableError where they are more than a directory has."""
        left = max(self._size - self._raw.tell(), 0)
        wanted = left if size is None or size < 0 else min(size, left)
        if wanted > _MAX_DIRECTORY:
            raise UnusableError(f"the list of the files in this archive has over {_MAX_DIRECTORY:,} bytes")
        return self._raw.read(wanted)


def _zip_pieces(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Pieces:
    """The unpacked pieces of a file in a zip."""
    name = clip(info.filename)
    if info.flag_bits & _ENCRYPTED:
        raise UnusableError(f"{name} in this zip archive is encrypted: unpack it")
    if info.compress_type not in _METHODS:
        raise UnusableError(f"{name} in this zip archive is packed in a way that is not known: unpack it")
    try:
        with archive.open(info) as member:
            while data := member.read(_PIECE):
                yield data
    except _BROKEN as error:
        raise UnusableError(f"{name} in this zip archive is corrupt: {reason(error)}") from error


def _tar_name(block: bytes) -> str:
    """The name in a header; the prefix is a folder."""
    name, prefix = (part.partition(b"\0")[0] for part in (block[:100], block[345:500]))
    whole = prefix + b"/" + name if prefix and block[257:263] == b"ustar\0" else name
    return whole.decode("utf-8", "replace")


def _tar_number(field: bytes) -> int:
    """A size: octal digits or, if it is too large for these, bytes after a byte of 128."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:])
    digits = field.strip(b" \0")
    if digits.strip(b"01234567"):
        raise UnusableError("this tar archive is corrupt: the size of a file is not a number")
    return int(digits or b"0", 8)


def _pax(header_block: bytes) -> tuple[str, int]:
    """The name and the size in records like `18 path=some/name`; empty, or -1, if missing."""
    name, size = "", -1
    while header_block:
        digits, _, _ = header_block.partition(b" ")
        # Each record begins with its own length, which must be checked before it is believed.
        length = int(digits) if digits.isdigit() and len(digits) < 6 else 0
        key, equals, value = header_block[len(digits) + 1 : length].partition(b"=")
        if not equals:
            raise UnusableError("this tar archive is corrupt: what it says of a file cannot be read")
        if key.startswith(b"GNU.sparse"):
            raise UnusableError("a file in this tar archive has holes (a sparse file): unpack it")
        if key == b"path":
            name = value.rstrip(b"\n").decode("utf-8", "replace")
        # The size of a file over 8 GiB stands only here: the header has no room for it.
        elif key == b"size" and value.rstrip(b"\n").isdigit() and len(value) < 20:
            size = int(value)
        header_block = header_block[length:]
    return name, size


class _TarStream:
    """The bytes of a tar, read from pieces of any size."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._piece = memoryview(b"")  # the rest of the last piece
        self._owed = self._padding = 0  # unread bytes of the current file, and of its padding

    def take(self, size: int, *, at_end: bool = False) -> bytes:
        """The next `size` bytes; empty at the end of the archive if `at_end` allows that."""
        found = b"".join(self._some(size))
        if len(found) < size and not (at_end and not found):
            raise UnusableError("this tar archive is cut off")
        return found

    def take_padded(self, size: int) -> bytes:
        """Read metadata of the next file, without the padding after it."""
        if size > _MAX_NAME:
            raise UnusableError(f"this tar archive says over {_MAX_NAME:,} bytes of a file")
        return self.take(size + -size % BLOCK)[:size]

    def begin(self, size: int) -> None:
        """A file of this size begins."""
        self._owed, self._padding = size, -size % BLOCK

    def pieces(self) -> Pieces:
        """The bytes of the present file."""
        for piece in self._some(self._owed):
            self._owed -= len(piece)
            yield bytes(piece)
        if self._owed:
            raise UnusableError("this tar archive is cut off")

    def finish(self) -> None:
        """Skip the rest of the current file."""
        left = self._owed + self._padding
        if sum(map(len, self._some(left))) < left:
            raise UnusableError("this tar archive is cut off")

    def _some(self, size: int) -> Iterator[memoryview]:
        """The next bytes, up to `size`, piece by piece."""
        while size > 0:
            while not self._piece:
                data = next(self._pieces, None)
                if data is None:
                    return
                self._piece = memoryview(data)
            part, self._piece = self._piece[:size], self._piece[size:]
            size -= len(part)
            yield part
