"""A trace file as bytes: plain, or unpacked from gzip, bzip2, xz or Zstandard by what it holds."""

from __future__ import annotations

import bz2
import codecs
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
from engine.logs.files.archives import BLOCK, ZIP, Member, is_tar, tar_members, zip_members
from engine.logs.files.companions import lies_beside
from engine.logs.files.other_files import binary_kind, wide_encoding
from engine.logs.files.parts import LogPart
from engine.words import clip, natural

Progress = Callable[[float], None]
"""Told how far the work is, 0 to 1, every few milliseconds; it may raise to cancel."""

_MAX_XZ_MEMORY = 1 << 28
_OUTPUT = 1 << 20
_SMALL = 1 << 16
_DEEPEST = 6  # levels of nested folders
_LOOKED_AT = 1 << 12  # first bytes of a file: a NUL among them means that it is not text

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_PARQUET = b"PAR1"
_GZIP, _BZIP2, _XZ, _ZSTD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"


def log_files(path: Path, passed: list[str] | None = None) -> list[Path]:
    """The files of a log: the path itself or, for a folder of rotated logs, its files sorted by name.

    Numbers in names count as numbers. Files about logs (`.machines`, `README.md`) are left out, like those
    that are hidden or empty. A folder without logs may have them in parts: folders like `year=2024`, as
    tables are stored in. `passed` receives the names of the files left out. Raises InputError if there is
    none, or if there are more than MAX_LOG_FILES.
    """
    with naming(path):
        if not is_folder(path):
            return [path]
        try:
            found = _found_in(path, _DEEPEST, [] if passed is None else passed)
        except (OSError, ValueError) as error:
            raise UnusableError(f"cannot read this folder: {reason(error)}") from error
        if not found:
            raise UnusableError(f"there is no log in this folder{_where_else(path)}")
        if len(found) > MAX_LOG_FILES:
            raise UnusableError(f"there are over {MAX_LOG_FILES:,} files in this folder")
        return found


def _where_else(folder: Path) -> str:
    """A hint that the folder has other folders, which are not searched, with the name of one of them."""
    try:
        inside = sorted(
            (path.name for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")),
            key=natural,
        )
    except OSError:
        return ""
    return f"; name a folder in it, such as {clip(inside[0])}" if inside else ""


def _found_in(folder: Path, deepest: int, passed: list[str]) -> list[Path]:
    """The logs in a folder or else its parts, in order, at most some over MAX_LOG_FILES. Raises OSError."""
    entries = sorted(folder.iterdir(), key=lambda entry: natural(entry.name))
    found = [entry for entry in entries if _is_log(entry)]
    passed += [str(entry) for entry in entries if lies_beside(entry) and entry.is_file()]
    for entry in entries if not found and deepest else ():
        if len(found) > MAX_LOG_FILES:
            break
        if "=" in entry.name and not entry.name.startswith(".") and entry.is_dir():
            found += _found_in(entry, deepest - 1, passed)
    return found


def read_log(
    path: Path,
    progress: Progress | None = None,
    further: Sequence[Path] = (),
    passed: list[str] | None = None,
) -> tuple[NDArray[np.uint8], tuple[LogPart, ...]]:
    """The text of a log: all its files in sequence, followed by those of `further`; and its files.

    The files in an archive (zip, tar, packed tar) are files of the log, by their names; `passed` receives
    those that are no logs by their names. Raises InputError as `read_bytes` does.
    """
    files = [file for part in (path, *further) for file in log_files(part)]
    texts: list[NDArray[np.uint8]] = []
    parts: list[LogPart] = []
    begin, line = 0, 1
    for k, file in enumerate(files):
        part = _part_of(progress, k, len(files))
        for name, text in _texts(file, MAX_TRACE_BYTES - begin, part, passed):
            if texts:  # lines are counted only where there are several files
                line += int(np.count_nonzero(texts[-1] == ord("\n")))
            texts.append(text)
            parts.append(LogPart(name, begin, line))
            begin += len(text)
    return (texts[0] if len(texts) == 1 else np.concatenate(texts)), tuple(parts)


def read_head(path: Path, limit: int) -> bytes:
    """The first `limit` bytes of a log's text, as `read_log` gives it. Raises InputError."""
    with naming(path):
        files = log_files(path)
        with open_input(files[0]) as file:
            if file.is_pipe:
                raise UnusableError("this is a pipe, which cannot be read twice")
            first, head = None, b""
            for name, pieces in _members(file, MAX_TRACE_BYTES, []):
                if first is None or natural(name) < natural(first):
                    first, head = name, _begin_of(pieces, limit + len(_BYTE_ORDER_MARK))
                    if not name:
                        break
    return head.removeprefix(_BYTE_ORDER_MARK)[:limit]


def read_bytes(
    path: Path, *, limit: int = MAX_TRACE_BYTES, progress: Progress | None = None
) -> NDArray[np.uint8]:
    """The text of a file, shape (bytes,); a newline is added where the last line lacks one.

    Text in UTF-16, as on Windows, is converted to UTF-8. Raises InputError, a single line that starts with
    the path, if the file is missing, not a file, unreadable, empty, cut off, corrupt, an archive of files,
    not text, larger than `limit` bytes, or unpacks to more than MAX_RATIO times its own size.
    """
    (name, text), *others = _texts(path, limit, progress)
    with naming(path):
        if name != str(path) or others:
            raise UnusableError("this is an archive of files: unpack it")
    return text


def _texts(
    path: Path, limit: int, progress: Progress | None, passed: list[str] | None = None
) -> list[tuple[str, NDArray[np.uint8]]]:
    """The texts in a file, each with its name: a single text, or those of the logs in an archive, by name."""
    waiting = None if progress is None else lambda: progress(0.0)
    with naming(path), open_input(path, waiting) as file:
        found = []
        inside: list[str] = []
        for name, pieces in _members(file, limit, inside):
            text = _gather(pieces, file, progress, whole=not name)
            # Some tools begin a text with a byte order mark, which is no part of the first field.
            text = text[3:] if text[:3].tobytes() == _BYTE_ORDER_MARK else text
            if not len(text):
                raise UnusableError(
                    f"{clip(name)} in this archive is empty" if name else "this file is empty"
                )
            # A byte of 0 stands in no text: the file is binary, and it is told which kind it looks like.
            if not text[:_LOOKED_AT].all():
                kind = binary_kind(text[:_LOOKED_AT].tobytes())
                what = f"{clip(name)} in this archive is {kind}" if name else f"this is {kind}"
                raise UnusableError(f"{what}, not the text of a log")
            found.append((f"{path}/{name}" if name else str(path), text))
        if not found:
            raise UnusableError("there is no log in this archive")
    if passed is not None:
        passed += [f"{path}/{name}" for name in sorted(inside, key=natural)]
    return sorted(found, key=lambda pair: natural(pair[0]))


def _members(file: Input, limit: int, passed: list[str]) -> Iterator[Member]:
    """The unpacked contents of a file: a text without a name, or the logs of an archive. Raises
    UnusableError.

    `passed` receives the names of files that are no logs. All together unpack to at most `limit` bytes, and
    to as much as MAX_RATIO allows.
    """
    first = file.read()
    raw = chain([first] if first else [], file)
    # A zip is read from its end, so it is opened again; all else is unpacked as it comes.
    if first.startswith(ZIP):
        spent = _Spent(limit, file, whole=True)
        for name, pieces in zip_members(file, passed):
            yield name, spent.bounded(_unpacked_member(name, pieces))
        return
    spent = _Spent(limit, file, whole=False)
    pieces = spent.bounded(_pieces(raw, first))
    # Whether the unpacked stream is a tar is told by its first block, which is then put back in front.
    head = _begin_of(pieces, BLOCK)
    pieces = chain([head], pieces)
    if not is_tar(head):
        yield "", _as_utf8(pieces)
        return
    # What a tar unpacks to is bounded by itself, since its members may be packed again.
    inside = _Spent(limit, file, whole=False)
    for name, member in tar_members(pieces, passed):
        yield name, inside.bounded(_unpacked_member(name, member))


def _unpacked_member(name: str, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The text of a file in an archive, which may be packed itself, but no archive."""
    first = next(pieces, b"")
    if first.startswith(ZIP):
        raise UnusableError(f"{clip(name)} in this archive is an archive itself: unpack it")
    if first.startswith(_PARQUET):
        raise UnusableError(f"{clip(name)} in this archive is a Parquet file: unpack it")
    unpacked = _pieces(chain([first], pieces), first)
    head = _begin_of(unpacked, BLOCK)
    if is_tar(head):
        raise UnusableError(f"{clip(name)} in this archive is an archive itself: unpack it")
    return _as_utf8(chain([head], unpacked))


class _Spent:
    """The unpacked size of a file so far, and its limit."""

    def __init__(self, limit: int, file: Input, *, whole: bool) -> None:
        self._limit, self._file, self._whole = limit, file, whole
        self._bytes = 0

    def bounded(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The pieces, unchanged. Raises UnusableError if they are too large in total."""
        for piece in pieces:
            self._bytes += len(piece)
            if self._bytes > self._limit:
                raise UnusableError(f"unpacked, this file is over the limit of {self._limit:,} bytes")
            read = self._file.size if self._whole else self._file.done
            if self._bytes > max(FREE_BYTES, MAX_RATIO * read):
                raise UnusableError(
                    f"this file unpacks to over {MAX_RATIO} times its size, and to over {FREE_BYTES:,} bytes"
                )
            yield piece


def _begin_of(pieces: Iterator[bytes], size: int) -> bytes:
    """The first bytes, at least `size` of them if there are as many."""
    head = bytearray()
    for piece in pieces:
        head += piece
        if len(head) >= size:
            break
    return bytes(head)


def _as_utf8(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The text in UTF-8, converted if it is in UTF-16 or UTF-32."""
    head = _begin_of(pieces, _LOOKED_AT)
    encoding = wide_encoding(head[:_LOOKED_AT])
    if encoding is None:
        yield head
        yield from pieces
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for piece in chain([head], pieces):
        yield decoder.decode(piece).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


def _part_of(progress: Progress | None, k: int, count: int) -> Progress | None:
    """Progress of a file among several."""
    if progress is None:
        return None
    return lambda done: progress((k + done) / count)


def _is_log(file: Path) -> bool:
    if file.name.startswith(".") or lies_beside(file):
        return False
    return file.is_file() and file.stat().st_size > 0


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


def _pieces(raw: Iterator[bytes], first: bytes) -> Iterator[bytes]:
    """The unpacked bytes of a file that begins with `first`, a piece of at most about 1 MiB at a time."""
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
    """Unpack the members in sequence; zeros after the last are padding."""
    unpacker = make()
    begun = True
    for data in raw:
        # One piece of input may hold the end of a member and the begin of the next, and unpack to several
        # pieces of output.
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
            # What is left behind the end of a member belongs to the next one.
            if unpacker.eof:
                data, begun = unpacker.unused_data, False
            elif unpacker.needs_input:
                break
            else:
                data = b""
    # The last member has not come to its end.
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


def _gather(
    pieces: Iterator[bytes], file: Input, progress: Progress | None, *, whole: bool
) -> NDArray[np.uint8]:
    """An array of all pieces, which doubles as it fills. `whole`: they are the whole file."""
    # The file's own size is a good guess of the text's; a packed text is larger, and the array doubles.
    text = np.empty(max(_OUTPUT, min(file.size, MAX_TRACE_BYTES) + 1) if whole else _SMALL, np.uint8)
    used = 0
    for piece in pieces:
        if used + len(piece) >= len(text):
            larger = np.empty(2 * len(text) + len(piece), np.uint8)
            larger[:used] = text[:used]
            text = larger
        text[used : used + len(piece)] = np.frombuffer(piece, np.uint8)
        used += len(piece)
        if progress is not None:
            progress(min(1.0, file.done / max(file.size, file.done, 1)))
    # All readers may then rely on a line end at the end.
    if used and text[used - 1] != ord("\n"):
        text[used] = ord("\n")
        used += 1
    return text[:used] if whole else text[:used].copy()
