"""A trace file as bytes: plain, or unpacked from gzip, bzip2, xz or Zstandard by what it holds."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError

Progress = Callable[[float], None]
"""Told how far the work is, 0 to 1, every few milliseconds; it may raise to cancel."""

MAX_BYTES = 2 << 30
"""Unpacked size at which a file is refused: ten million jobs take half of it."""

COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
"""File name suffixes of packed files; what is inside a file decides how it is read."""

_MAX_XZ_MEMORY = 1 << 28
_INPUT = 1 << 16
_OUTPUT = 1 << 20
_LOOKED_AT = 1 << 12  # bytes of text in which a NUL says that this is no text

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_GZIP, _BZIP2, _XZ, _ZSTD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"


def read_bytes(path: Path, *, limit: int = MAX_BYTES, progress: Progress | None = None) -> NDArray[np.uint8]:
    """The text of a file, shape (bytes,); a newline is added where the last line lacks one.

    Raises InputError, one line that starts with the path, where the file is missing, no
    file, unreadable, empty, cut off, corrupt, no text, or larger than `limit` bytes.
    """
    try:
        with _open(path) as file:
            text = _gather(_pieces(file, path.stat().st_size, progress), limit)
    except _UnusableError as error:
        raise InputError(f"{path}: {error}") from error
    except MemoryError as error:
        raise InputError(f"{path}: not enough memory to hold this file") from error
    if text[:3].tobytes() == _BYTE_ORDER_MARK:
        text = text[3:]
    if not len(text):
        raise InputError(f"{path}: this file is empty")
    if not text[:_LOOKED_AT].all():
        raise InputError(f"{path}: this is a binary file, not the text of a trace")
    return text


class _UnusableError(Exception):
    """Why a file cannot be used; the caller puts the path before it."""


class _Unpacker(Protocol):
    """The common face of the decompressors."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Gunzip:
    """zlib with that face; it checks the checksum and the length at the end of each member."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(16 + zlib.MAX_WBITS)

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def needs_input(self) -> bool:
        return not self._stream.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._stream.decompress(self._stream.unconsumed_tail + data, max_length)


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError as error:
        raise _UnusableError("no such file") from error
    except IsADirectoryError as error:
        raise _UnusableError("this is a directory, not a trace") from error
    except (OSError, ValueError) as error:  # ValueError: no name that a file can have
        raise _UnusableError(f"cannot read this file: {_reason(error)}") from error


def _pieces(file: BinaryIO, size: int, progress: Progress | None) -> Iterator[bytes]:
    """The unpacked file, a piece of at most about 1 MiB at a time."""
    magic = file.read(8)
    file.seek(0)
    if magic.startswith(_GZIP):
        return _unpack(_raw(file, size, progress), _Gunzip, "gzip")
    if magic.startswith(_BZIP2):
        return _unpack(_raw(file, size, progress), bz2.BZ2Decompressor, "bzip2")
    if magic.startswith(_XZ):
        return _unpack(_raw(file, size, progress), _unxz, "xz")
    if magic.startswith(_ZSTD):
        return _unpack_zstd(file, size, progress)
    return _raw(file, size, progress)


def _raw(file: BinaryIO, size: int, progress: Progress | None) -> Iterator[bytes]:
    """The file as it lies on disk."""
    done = 0
    while data := _read(file):
        yield data
        done += len(data)
        if progress is not None:
            progress(min(1.0, done / max(size, 1)))


def _read(file: BinaryIO) -> bytes:
    try:
        return file.read(_INPUT)
    except OSError as error:
        raise _UnusableError(f"cannot read this file: {_reason(error)}") from error


def _unxz() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(memlimit=_MAX_XZ_MEMORY)


def _unpack(raw: Iterator[bytes], make: Callable[[], _Unpacker], kind: str) -> Iterator[bytes]:
    """Unpack one member after the other; zeros behind the last are padding."""
    unpacker = make()
    begun = True
    for data in raw:
        while True:
            if not begun:
                data = data.lstrip(b"\0")
                if not data:
                    break
                unpacker, begun = make(), True
            try:
                piece = unpacker.decompress(data, _OUTPUT)
            except (zlib.error, lzma.LZMAError, OSError, ValueError) as error:
                raise _UnusableError(f"this {kind} archive is corrupt: {_reason(error)}") from error
            yield piece
            if unpacker.eof:
                data, begun = unpacker.unused_data, False
            elif unpacker.needs_input:
                break
            else:
                data = b""
    if begun:
        raise _UnusableError(f"this {kind} archive is cut off")


def _unpack_zstd(file: BinaryIO, size: int, progress: Progress | None) -> Iterator[bytes]:
    import pyarrow as pa

    with pa.input_stream(file, compression="zstd") as stream:
        while True:
            try:
                data = stream.read(_OUTPUT)
            except OSError as error:
                cut_off = "truncated" in str(error).lower()
                what = "cut off" if cut_off else f"corrupt: {_reason(error)}"
                raise _UnusableError(f"this zstd archive is {what}") from error
            if not data:
                break
            yield data
            if progress is not None:
                progress(min(1.0, file.tell() / max(size, 1)))


def _gather(pieces: Iterator[bytes], limit: int) -> NDArray[np.uint8]:
    """One array of all pieces; it doubles as it fills."""
    text = np.empty(1 << 20, np.uint8)
    used = 0
    for piece in pieces:
        if used + len(piece) > limit:
            raise _UnusableError(f"unpacked, this file is over the limit of {limit} bytes")
        if used + len(piece) >= len(text):
            larger = np.empty(2 * len(text) + len(piece), np.uint8)
            larger[:used] = text[:used]
            text = larger
        text[used : used + len(piece)] = np.frombuffer(piece, np.uint8)
        used += len(piece)
    if used and text[used - 1] != ord("\n"):
        text[used] = ord("\n")
        used += 1
    return text[:used]


def _reason(error: Exception) -> str:
    """One line of an error's text."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(str(text).split())
