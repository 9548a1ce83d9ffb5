"""The download of a file: resumed after an interruption, bounded, and moved to its place only when
complete.
"""

from __future__ import annotations

import hashlib
import http.client
import re
import time
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

from engine.atomic import check_own_name, open_own
from engine.errors import InputError
from engine.fetch.connection import SCHEMES, open_url
from engine.fetch.logs import BASE, ArchiveLog
from engine.logs.files.content import Progress, read_bytes, read_head
from engine.logs.files.other_files import not_a_log

MAX_BYTES = 1 << 30
"""The most that a file may have, packed."""

SLOWEST, SLOW_S = 1024, 60.0
"""Bytes per second, and s: a transfer that is slower for this long is ended."""

_PIECE = 1 << 16
_RECORD = re.compile(rb"^[ \t]*(?:-?[\d.]+[ \t]+){10}", re.MULTILINE)
_TIMEOUT_S = 30.0
_HEAD = 1 << 16  # bytes with the header of a log
_LOOKED_AT = 1 << 22  # bytes that have to contain a job
_PART = ".part"
_GOES_ON = "the next time goes on from there"
_OK, _PARTIAL, _OUT_OF_RANGE = 200, 206, 416
_RANGE = re.compile(r"bytes (\d{1,18})-\d{1,18}/(\d{1,18}|\*)")


def fetch_log(
    log: ArchiveLog,
    path: Path,
    base: str = BASE,
    limit: int = MAX_BYTES,
    progress: Progress | None = None,
    *,
    anew: bool = False,
) -> bool:
    """Download a log to `path`, a name of the program's own; returns False if it was there before.

    With `anew` it is downloaded whatever is there.

    A partial download is kept next to it, and continued the next time. A file counts as complete if it
    unpacks and contains the expected text; a network's login page instead of the log is refused and removed.
    Links in the places of both are refused. `progress` may raise to cancel. Raises InputError.
    """
    if path.is_file() and not anew and not _is_other(path):  # a link to a log is read, and not written
        return False
    part = path.with_name(path.name + _PART)
    try:
        check_own_name(path)
        check_own_name(part)
        _download(log.url(base), part, limit, progress)
        _check(log, part)
        part.replace(path)
    except OSError as error:
        named = error.filename or path
        raise InputError(f"{named}: cannot be written: {error.strerror or error}") from error
    return True


def _is_other(path: Path) -> bool:
    """True if the existing file is not a log but a page or something else."""
    try:
        return not_a_log(read_head(path, _HEAD)) is not None
    except InputError:
        return False


def has_part(path: Path) -> bool:
    """True if a partial download for `path` exists, which can be continued."""
    return path.with_name(path.name + _PART).exists()


def acknowledgement(path: Path) -> str:
    """The acknowledgement that the header of a log asks for, in a single line; empty if none. Raises
    InputError.
    """
    lines = read_head(path, _HEAD).decode("utf-8", "replace").split("\n")
    matches = (re.match(r";\s*Acknowledge:\s*(.*\S)", line) for line in lines if line.startswith(";"))
    return ", ".join(match[1] for match in matches if match is not None)


def _download(url: str, part: Path, limit: int, progress: Progress | None) -> None:
    """Fill `part`, from where it ends on if the server can do that. Raises InputError, OSError of files."""
    if urlsplit(url).scheme not in SCHEMES:
        raise InputError(f"{url}: only http and https are fetched")
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        answer = open_url(request, _TIMEOUT_S)
    except urllib.error.HTTPError as error:
        error.close()
        if have and error.code == _OUT_OF_RANGE:
            return  # nothing is left to fetch: whether it is whole is checked
        raise InputError(f"{url}: the server answers {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise InputError(f"{url}: cannot be reached: {_reason(error)}") from error
    with closing(answer):
        begin, whole = _extent(answer, have)
        if whole is not None and whole > limit:
            raise InputError(f"{url}: {whole:,} bytes are over the limit of {limit:,}")
        with open(part, "r+b" if begin else "wb", opener=open_own) as file:
            file.truncate(begin)
            file.seek(begin)
            done = begin
            since, before = time.monotonic(), begin
            while piece := _piece(answer, url):
                done += len(piece)
                if done > limit:
                    raise InputError(f"{url}: over the limit of {limit:,} bytes")
                file.write(piece)
                if time.monotonic() - since > SLOW_S:
                    if done - before < SLOWEST * SLOW_S:
                        raise InputError(
                            f"{url}: under {SLOWEST:,} bytes a second for {SLOW_S:.0f} s; {_GOES_ON}"
                        )
                    since, before = time.monotonic(), done
                if progress is not None:
                    progress(min(1.0, done / whole) if whole else 0.0)
    if whole is not None and done < whole:
        raise InputError(f"{url}: cut off after {done:,} of {whole:,} bytes; {_GOES_ON}")


def _extent(answer: http.client.HTTPResponse, have: int) -> tuple[int, int | None]:
    """The first byte of the answer, and the size of the whole file; None if not given."""
    match = _RANGE.fullmatch(answer.headers.get("Content-Range", ""))
    if answer.status == _PARTIAL and match is not None and int(match[1]) == have:
        return have, int(match[2]) if match[2] != "*" else None
    length = answer.headers.get("Content-Length", "")
    return 0, int(length) if answer.status == _OK and re.fullmatch(r"\d{1,18}", length) else None


def _piece(answer: http.client.HTTPResponse, url: str) -> bytes:
    try:
        return answer.read1(_PIECE)
    except (OSError, http.client.HTTPException) as error:
        raise InputError(f"{url}: broke off: {_reason(error)}; {_GOES_ON}") from error


def _check(log: ArchiveLog, part: Path) -> None:
    """Raise InputError if the file is incomplete or wrong, so that the next call starts again."""
    try:
        text = read_bytes(part)
    except InputError as error:
        part.unlink()
        raise InputError(
            f"{log.file}: the download is not a complete log ({error}); fetch it again"
        ) from error
    head = text[:_LOOKED_AT].tobytes()
    # A server may answer with a page in place of the file.
    what = not_a_log(head) or ("" if _RECORD.search(head) else "this has no line with the numbers of a job")
    if what:
        part.unlink()
        raise InputError(f"{log.file}: what came is not the log: {what}")
    if log.text_sha256 and hashlib.sha256(text.tobytes()).hexdigest() != log.text_sha256:
        part.unlink()
        raise InputError(f"{log.file}: what came is not the log whose checksum is known")


def _reason(error: Exception) -> str:
    """The error, in a few words."""
    inner = getattr(error, "reason", error)
    return getattr(inner, "strerror", None) or str(inner) or type(inner).__name__
