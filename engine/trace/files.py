"""A trace file as bytes: plain, or unpacked from gzip, bzip2, xz or Zstandard by what it holds."""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.input import Input, UnusableError, is_folder, naming, open_input, reason
from engine.limits import FREE_BYTES, MAX_LOG_FILES, MAX_RATIO, MAX_TRACE_BYTES
from engine.trace.log_parts import LogPart
from engine.trace.no_log import binary_kind
from engine.words import natural

Progress = Callable[[float], None]
"""Told how far the work is, 0 to 1, every few milliseconds; it may raise to cancel."""

COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
"""File name suffixes of packed files; what is inside a file decides how it is read."""

_MAX_XZ_MEMORY = 1 << 28
_OUTPUT = 1 << 20
_LOOKED_AT = 1 << 12  # bytes of text in which a NUL says that this is no text

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_GZIP, _BZIP2, _XZ, _ZSTD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"


def log_files(path: Path) -> list[Path]:
    """The files of a log: the path itself or, of a folder of rotated logs, its files by their names.

    Numbers in names count as numbers. What lies beside logs (`.machines`, `.failures`) is none, nor is
    what is hidden or empty. Raises InputError where a folder holds none, or over MAX_LOG_FILES.
    """
    with naming(path):
        if not is_folder(path):
            return [path]
        try:
            found = [file for file in path.iterdir() if _is_log(file)]
        except (OSError, ValueError) as error:
            raise UnusableError(f"cannot read this folder: {reason(error)}") from error
        if not found:
            raise UnusableError("there is no log in this folder")
        if len(found) > MAX_LOG_FILES:
            raise UnusableError(f"there are over {MAX_LOG_FILES:,} files in this folder")
        return sorted(found, key=lambda file: natural(file.name))


def read_log(
    path: Path, progress: Progress | None = None, further: Sequence[Path] = ()
) -> tuple[NDArray[np.uint8], tuple[LogPart, ...]]:
    """The text of a log, of all its files one after the other, those of `further` behind; and its files.

    Raises InputError as `read_bytes` does.
    """
    files = [file for part in (path, *further) for file in log_files(part)]
    if len(files) == 1:
        return read_bytes(files[0], progress=progress), (LogPart(str(files[0]), 0, 1),)
    texts, parts, begin, line = [], [], 0, 1
    for k, file in enumerate(files):
        text = read_bytes(file, limit=MAX_TRACE_BYTES - begin)
        texts.append(text)
        parts.append(LogPart(str(file), begin, line))
        begin, line = begin + len(text), line + int(np.count_nonzero(text == ord("\n")))
        if progress is not None:
            progress((k + 1) / len(files))
    return np.concatenate(texts), tuple(parts)


def read_head(path: Path, limit: int) -> bytes:
    """The first `limit` bytes of a log's text, as `read_log` gives it. Raises InputError."""
    with naming(path):
        files = log_files(path)
        with open_input(files[0]) as file:
            if file.is_pipe:
                raise UnusableError("this is a pipe, which cannot be read twice")
            head = bytearray()
            for piece in _pieces(file):
                head += piece
                if len(head) >= limit:
                    break
    return bytes(head[:limit]).removeprefix(_BYTE_ORDER_MARK)


def read_bytes(
    path: Path, *, limit: int = MAX_TRACE_BYTES, progress: Progress | None = None
) -> NDArray[np.uint8]:
    """The text of a file, shape (bytes,); a newline is added where the last line lacks one.

    Raises InputError, one line that starts with the path, where the file is missing, no
    file, unreadable, empty, cut off, corrupt, no text, larger than `limit` bytes, or unpacks to
    more than MAX_RATIO times its own size.
    """
    waiting = None if progress is None else lambda: progress(0.0)
    with naming(path), open_input(path, waiting) as file:
        text = _gather(_pieces(file), file, limit, progress)
        if text[:3].tobytes() == _BYTE_ORDER_MARK:
            text = text[3:]
        if not len(text):
            raise UnusableError("this file is empty")
        if not text[:_LOOKED_AT].all():
            raise UnusableError(f"this is {binary_kind(text[:_LOOKED_AT].tobytes())}, not the text of a log")
        return text


def _is_log(file: Path) -> bool:
    beside = file.suffix.lower() in (".machines", ".failures")
    return file.is_file() and file.stat().st_size > 0 and not file.name.startswith(".") and not beside


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


def _pieces(file: Input) -> Iterator[bytes]:
    """The unpacked file, a piece of at most about 1 MiB at a time."""
    first = file.read()
    raw = chain([first] if first else [], file)
    if first.startswith(_GZIP):
        return _unpack(raw, _Gunzip, "gzip")
    if first.startswith(_BZIP2):
        return _unpack(raw, bz2.BZ2Decompressor, "bzip2")
    if first.startswith(_XZ):
        return _unpack(raw, _unxz, "xz")
    if first.startswith(_ZSTD):
        return _unpack_zstd(raw)
    return raw


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
                raise UnusableError(f"this {kind} archive is corrupt: {reason(error)}") from error
            yield piece
            if unpacker.eof:
                data, begun = unpacker.unused_data, False
            elif unpacker.needs_input:
                break
            else:
                data = b""
    if begun:
        raise UnusableError(f"this {kind} archive is cut off")


class _Stream(io.RawIOBase):
    """Pieces as the file that pyarrow wants to read."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """The next bytes, `size` of them or fewer."""
        self._left = self._left or next(self._pieces, b"")
        data, self._left = self._left[:size], self._left[size:]
        return data


def _unpack_zstd(raw: Iterator[bytes]) -> Iterator[bytes]:
    import pyarrow as pa

    with pa.input_stream(_Stream(raw), compression="zstd") as stream:
        while True:
            try:
                data = stream.read(_OUTPUT)
            except OSError as error:
                cut_off = "truncated" in str(error).lower()
                what = "cut off" if cut_off else f"corrupt: {reason(error)}"
                raise UnusableError(f"this zstd archive is {what}") from error
            if not data:
                break
            yield data


def _gather(pieces: Iterator[bytes], file: Input, limit: int, progress: Progress | None) -> NDArray[np.uint8]:
    """One array of all pieces; it doubles as it fills, where there is more than the file has itself."""
    text = np.empty(max(_OUTPUT, min(file.size, limit) + 1), np.uint8)
    used = 0
    for piece in pieces:
        if used + len(piece) > limit:
            raise UnusableError(f"unpacked, this file is over the limit of {limit:,} bytes")
        if used + len(piece) > max(FREE_BYTES, MAX_RATIO * file.done):
            raise UnusableError(
                f"this file unpacks to over {MAX_RATIO} times its size, and to over {FREE_BYTES:,} bytes"
            )
        if used + len(piece) >= len(text):
            larger = np.empty(2 * len(text) + len(piece), np.uint8)
            larger[:used] = text[:used]
            text = larger
        text[used : used + len(piece)] = np.frombuffer(piece, np.uint8)
        used += len(piece)
        if progress is not None:
            progress(min(1.0, file.done / max(file.size, file.done)))
    if used and text[used - 1] != ord("\n"):
        text[used] = ord("\n")
        used += 1
    return text[:used]
