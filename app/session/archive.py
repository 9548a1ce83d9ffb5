"""Session files: a zip of `session.json` and `view.json`. Nothing in it is executed or unpacked to disk.

A file may come from anywhere, so its size, the number of its entries and what an entry unpacks to are
limited; the unpacked size is counted while reading, whatever the header says.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any

from app.model.documents.document import FORMAT, Session
from app.model.documents.from_json import from_json
from app.model.documents.json_input import parse_json
from app.model.documents.upgrade import upgrade_view
from engine.atomic import write_atomically
from engine.errors import InputError
from engine.words import clip

MAX_FILE = 4 << 20
MAX_ENTRIES = 16
MAX_ENTRY = 8 << 20
MAX_RUNS = 200

_WORK, _VIEW = "session.json", "view.json"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, OverflowError)


def write_session(path: Path, session: Session, *, private: bool = False) -> None:
    """Write a session, whole or not at all. Raises OSError, which names `path`.

    A `private` session is readable for this user alone; the program chose its name, so that a link in its
    place is refused.
    """
    work = {"format": FORMAT, "program": version("batchscope"), **asdict(session)}
    view = work.pop("view")
    del work["newer"]  # this version can read what it writes

    def fill(part: Path) -> None:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, entry in ((_WORK, work), (_VIEW, view)):
                about = zipfile.ZipInfo(name)  # without the time: the same session gives the same bytes
                about.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(about, json.dumps(entry, indent=1))

    write_atomically(path, fill, private=private, own_name=private)


def read_session(path: Path) -> Session:
    """Read a session. Raises InputError, a single line that starts with the path, if the file is not a
    session.
    """
    try:
        if not path.is_file():
            raise InputError("this is not a file" if path.exists() else "no such file")
        # Sizes are checked before anything is unpacked.
        if path.stat().st_size > MAX_FILE:
            raise InputError(f"a session has at most {MAX_FILE >> 20} MiB; this file is larger")
        with zipfile.ZipFile(path) as archive:
            work, view = _read_entries(archive)
        return session_of(work, view)
    except OSError as error:
        raise InputError(f"{path}: cannot read this file: {error.strerror or error}") from error
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except _BROKEN as error:
        raise InputError(f"{path}: this session is damaged or cut off ({error})") from error


def session_of(work: Any, view: Any) -> Session:
    """The session of two JSON documents, of which the second is its view. Raises InputError."""
    if not isinstance(work, dict) or type(work.get("format")) is not int:
        raise InputError("this is not a session of Batchscope")
    newer = ""
    if work["format"] > FORMAT:
        newer = clip(work["program"], 20) if isinstance(work.get("program"), str) else "of another format"
    elif isinstance(view, dict):
        view = upgrade_view(view, work["format"])
    session = from_json(Session, {**work, "view": view, "newer": newer})
    if len(session.runs) > MAX_RUNS:
        raise InputError(f"a session has at most {MAX_RUNS} runs, not {len(session.runs):,}")
    return session


def _read_entries(archive: zipfile.ZipFile) -> tuple[Any, Any]:
    """The two documents; a session without a view gets the default view."""
    infos = archive.infolist()
    if len(infos) > MAX_ENTRIES:
        raise InputError(f"this is not a session: it holds {len(infos):,} entries")
    entries: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        _refuse_strange(info.filename, entries)
        entries[info.filename] = info
    if _WORK not in entries:
        raise InputError(f"this is not a session of Batchscope: it has no {_WORK}")
    return _load(archive, entries[_WORK]), _load(archive, entries[_VIEW]) if _VIEW in entries else {}


def _refuse_strange(name: str, known: dict[str, zipfile.ZipInfo]) -> None:
    """Refuse unexpected entry names: nothing is unpacked, so they are harmless, but no session has them."""
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in name:
        raise InputError(f"this is not a session: it holds an entry outside of itself, {name[:60]!r}")
    if name in known:
        raise InputError(f"this is not a session: it holds {name[:60]!r} twice")


def _load(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Any:
    if info.compress_type not in _METHODS:
        raise InputError(f"this is not a session: {info.filename} is packed in an unknown way")
    with archive.open(info) as stream:
        text = stream.read(MAX_ENTRY + 1)
    if len(text) > MAX_ENTRY:
        raise InputError(f"this is not a session: {info.filename} unpacks to over {MAX_ENTRY >> 20} MiB")
    return parse_json(text)
