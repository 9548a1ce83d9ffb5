"""The queues of the clusters in a print, as `squeue -M all` has several, and when they were printed."""

from __future__ import annotations

import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, cast

from engine.errors import InputError
from engine.logs.files.content import read_bytes
from engine.logs.queue.state import (
    CLUSTER_LINE,
    USED_VALUES,
    QueueState,
    greeted,
    read_document,
    read_print,
    without_greeting,
)
from engine.logs.text.json_document import JsonDocument, JsonText
from engine.words import clip

_MOST_BYTES = 256 << 20
_MOST_NAMED = 5
_LAST = 1 << 40  # s from 1970; larger numbers are no times
_ALSO_TOLD = "the print says when it was made: the time that was given is not used"


class UndatedError(InputError):
    """The complaint about a file that does not say when it was printed."""

    def __init__(self, path: Path) -> None:
        how = "give --at TIME (in the window: Printed at)"
        super().__init__(f"{path}: it does not say when it was printed: {how}")


class PrintTime(NamedTuple):
    """When a queue was printed, for prints that do not say so.

    `unix` is s from 1970. `clock` is the same moment by the site's clock, as if that were UTC; None: unknown.
    """

    unix: int
    clock: int | None = None


def present() -> PrintTime:
    """The time of what is printed at this moment."""
    return PrintTime(int(time.time()))


def print_time_of(text: str, zone: str = "") -> PrintTime:
    """The time that somebody gives: an ISO date, or s from 1970.

    A date without an offset is by the clock of `zone`, or of this computer where none is named. Raises
    InputError.
    """
    from engine.trace.wall_clock import zone_named  # it loads the compiler

    where = zone_named(zone) if zone else None
    try:
        date = datetime.fromtimestamp(int(text), UTC) if text.isdecimal() else datetime.fromisoformat(text)
        moment = date if date.tzinfo is not None else date.replace(tzinfo=where)
        unix = round(moment.timestamp())
        shown = moment if date.tzinfo is not None and not zone else datetime.fromtimestamp(unix, where)
    except (ValueError, OverflowError, OSError):
        raise InputError(f"{clip(text)}: expected a date like 2026-11-29T10:00, or s from 1970") from None
    if not 0 <= unix < _LAST:
        raise InputError(f"{clip(text)}: no queue was printed then")
    return PrintTime(unix, round((shown.replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds()))


def read_queues_at(path: Path, at: PrintTime | None = None) -> tuple[QueueState, ...]:
    """The queues in a file or pipe, as `read_queues` gives them; their time is known.

    What comes through a pipe is printed now. A file may be a copy of any age: one that does not say when it
    was printed was so `at` that time. Raises InputError, which names the file, also where nothing tells the
    time.
    """
    try:
        text = _text_of(path)
        # A pipe carries what a command prints at this moment; a file may be a copy of last week.
        if at is None and stat.S_ISFIFO(path.stat().st_mode):
            at = present()
        states = read_queues(text, at)
        if any(state.time is None for state in states):
            raise UndatedError(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except UndatedError:
        raise
    except InputError as error:
        text = str(error)
        # Errors of included parts name the file already.
        raise InputError(text if text.startswith(str(path)) else f"{path}: {text}") from error
    return states


def _text_of(path: Path) -> str:
    """The text of a print, which may be compressed as a log may. Raises InputError."""
    data = read_bytes(path, limit=_MOST_BYTES).tobytes()
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{line}: this is not UTF-8 text: {error.reason}") from error


def read_queues(text: str, at: PrintTime | None = None) -> tuple[QueueState, ...]:
    """The queues in a print of one cluster or several, known by its content; at least one.

    Prints without dates were made `at` that time; None: their time stays unknown. Raises InputError for what
    is no such print. Lines that cannot be read, and those of a greeting above the print or behind its JSON,
    are counted in the notes.
    """
    # `squeue -M` heads each table with a line of the cluster's name.
    above, *sections = CLUSTER_LINE.split(text) if "CLUSTER:" in text else [text]
    if not sections:
        return tuple(_queues_of_text(above, at))
    names, tables = sections[::2], sections[1::2]
    tables[0] = above + tables[0]
    states: list[QueueState] = []
    for name, table in zip(names, tables, strict=True):
        # The controller of a cluster that does not answer prints nothing under its heading.
        own = list(_queues_of_text(table, at)) if table.strip() or len(names) == 1 else [_silent(at)]
        states += (replace(state, cluster=name) for state in own)
    return tuple(states)


def queue_of_cluster(states: Sequence[QueueState], name: str = "") -> QueueState:
    """The queue of a cluster, or the only queue where no cluster is named.

    Raises InputError, which names the clusters.
    """
    known = [state.cluster for state in states]
    if not name:
        if len(states) > 1:
            raise InputError(f"the print has the queues of {_names(known)}: choose a cluster")
        return states[0]
    chosen = [state for state in states if state.cluster == name]
    if not chosen:
        has = f"it has {_names(known)}" if any(known) else "it names no cluster"
        raise InputError(f"the print has no queue of a cluster {clip(name)}: {has}")
    return chosen[0]


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(clip(name) for name in names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    return f"{shown} and {more:,} more" if more > 0 else shown


def _silent(at: PrintTime | None) -> QueueState:
    return QueueState((), None if at is None else at.unix, ("nothing was printed of this cluster",))


def _queues_of_text(text: str, at: PrintTime | None) -> Iterator[QueueState]:
    """The queues of a text without headings: several where it is JSON of several clusters."""
    begin, greeting = without_greeting(text.lstrip())
    if not begin.startswith("{"):
        # Dates of tables are by the site's clock, and so is what is compared with them.
        now = None if at is None else at.unix if at.clock is None else at.clock
        yield _timed(greeted(read_print(begin, now), greeting), at)
        return
    printed = JsonText(None, begin, kept=USED_VALUES)
    document, end = _document_at(printed, 0)
    documents = _clusters_of(document)
    while (further := _further_document(printed, end)) is not None:
        document, end = further
        documents += _clusters_of(document)
    behind = greeting + sum(bool(line.strip()) for line in begin[end:].split("\n"))
    for document in documents:
        state = greeted(read_document(document, None if at is None else at.unix), behind)
        name = _cluster_in(_rows_of(document)[:1]) if len(documents) > 1 else ""
        yield replace(_timed(state, at), cluster=name)


def _document_at(text: JsonText, begin: int) -> tuple[object, int]:
    """The document that begins there, and where it ends. Raises InputError."""
    document = JsonDocument(text, begin)
    return document.whole(), document.end


def _further_document(text: JsonText, end: int) -> tuple[object, int] | None:
    """One more document with jobs, as squeue prints one for each cluster, and where it ends."""
    begin = text.skip(end)
    if not text.holds("{", begin):
        return None
    try:
        document, end = _document_at(text, begin)
    except InputError:  # a program that prints the queue may say more behind it
        return None
    return (document, end) if _rows_of(document) else None


def _timed(state: QueueState, at: PrintTime | None) -> QueueState:
    """The queue with the site's clock at the time that was given, unless it has a time of its own."""
    if at is None or at.clock is None:
        return state
    if state.dated:
        return replace(state, notes=(*state.notes, _ALSO_TOLD))
    return replace(state, clock=at.clock)


def _clusters_of(document: object) -> list[object]:
    """A document of Slurm's for each cluster that its jobs are of; the document itself where it is one."""
    rows: dict[str, list[Any]] = {}
    for row in _rows_of(document):
        rows.setdefault(_cluster_in([row]), []).append(row)
    if len(rows) < 2:
        return [document]
    about = cast("Mapping[str, object]", document)
    return [{**about, "jobs": jobs} for jobs in rows.values()]


def _rows_of(document: object) -> list[Any]:
    rows = document.get("jobs") if isinstance(document, dict) else None
    return rows if isinstance(rows, list) else []


def _cluster_in(rows: Sequence[Any]) -> str:
    """The cluster of the first of these jobs; empty where it names none."""
    name = rows[0].get("cluster") if rows and isinstance(rows[0], dict) else None
    return name if isinstance(name, str) else ""
