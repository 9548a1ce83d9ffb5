"""A link to a view: the path of a log and, behind a mark, all that a window showed of that log.

It holds what a session holds, but for the arrangement of the window and the texts of code. It is read as a
session is, so that it allows no code to run and names no file that is written.
"""

from __future__ import annotations

import base64
import json
import shlex
import zlib
from collections.abc import Mapping
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from app.model.documents.document import FORMAT, SavedCode, Session, Source
from app.model.documents.json_input import parse_json
from app.model.file_kinds import LINK_MARK
from app.model.layout import LayoutState
from app.model.questions import find_study
from app.model.reading import Opened
from app.session.archive import MAX_ENTRY, session_of
from app.session.restore import study_of
from engine.errors import InputError
from engine.input import exists
from engine.simulation.control import Control
from resources import example_path

LONGEST_LINK = 30_000
"""Characters of a link at most; shells and mail programs take so many."""


def link_line(session: Session) -> str:
    """The command that opens the view of a session: `batchscope '/logs/log.swf.gz#view=...'`.

    Raises InputError where the view is too much for a link, as with thousands of selected jobs.
    """
    source, view = session.source, session.view
    # The texts of code stay out: who opens the link has the file, whose digest tells whether it is the same.
    code = tuple(SavedCode(code.path, code.sha256) for code in session.code)
    bare = replace(
        session,
        source=Source(example=source.example, size=source.size, sha256=source.sha256),
        code=code,
        view=replace(view, layout=LayoutState(options=view.layout.options)),
    )
    # Only what differs from the usual: every field has a default, and a line is to stay short.
    changes = _changes(asdict(bare), asdict(Session()))
    document = {"format": FORMAT, "program": version("batchscope"), **changes}
    packed = zlib.compress(json.dumps(document, separators=(",", ":")).encode(), 9)
    text = base64.urlsafe_b64encode(packed).decode().rstrip("=")  # letters that no shell or mail changes
    if len(text) > LONGEST_LINK:
        raise InputError(
            "This view is too much for a link, because of its selection, runs or marks: save the session."
        )
    return f"batchscope {shlex.quote(f'{source.path}{LINK_MARK}{text}')}"


def path_of_line(line: str) -> Path | None:
    """The path in a line of `link_line`, also without the command before it; None for other texts."""
    try:
        words = shlex.split(line)
    except ValueError:  # a quote without an end
        return None
    return Path(words[-1]) if words and LINK_MARK in words[-1] else None


def read_linked_study(link: Path, control: Control) -> Opened:
    """The study of a link. Raises InputError, also where its log is another than that of the link."""
    session = read_link(link)
    path = _log(Path(str(link).rpartition(LINK_MARK)[0]), session.source)
    opened = study_of(session, path, path, control, any_log=False)
    return replace(opened, found=False, study_file=find_study(session.view.study))


def read_link(link: Path) -> Session:
    """The session in the text behind the mark of a link. Raises InputError."""
    log, _, text = str(link).rpartition(LINK_MARK)
    damaged = InputError(f"{log}: the link to a view of it is damaged or cut off")
    if len(text) > LONGEST_LINK:
        raise damaged
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
        # Who made the link is unknown: it may unpack to no more than an entry of a session file.
        unpacking = zlib.decompressobj()
        document = parse_json(unpacking.decompress(packed, MAX_ENTRY))
    except (ValueError, zlib.error, InputError) as error:
        raise damaged from error
    if not unpacking.eof or not isinstance(document, dict):
        raise damaged
    session = session_of(document, document.pop("view", {}))
    if session.newer:
        raise InputError(f"{log}: a newer Batchscope ({session.newer}) made the link to a view of it")
    return session


def _log(path: Path, source: Source) -> Path:
    """The log of a link: at its path, else of that name in the present folder. Raises InputError."""
    beside = Path(path.name)
    for place in (path, beside):
        if exists(place):
            return place
    if source.example:  # which lies elsewhere in each installation
        return example_path()
    raise InputError(f"{path}: no such file; in the link, name your copy of this log before the #")


def _changes(values: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of nested mappings that are not as usual."""
    changes = {}
    for key, value in values.items():
        before = usual.get(key)
        if isinstance(value, Mapping) and isinstance(before, Mapping):
            value = _changes(value, before)
            before = {}
        if value != before:
            changes[key] = value
    return changes
