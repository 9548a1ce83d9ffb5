"""The selection and marks in a study as texts by name, for figures from commands and Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.export.provenance import Provenance
from engine.dates import parse_time
from engine.errors import InputError
from engine.filter import Expression, FilterError
from engine.filter.complete import unknown_names
from engine.filter.parse import parse_own_filter
from engine.reading.log import Log
from engine.reading.measure import measured_span
from engine.reading.options import OptionError
from engine.spelling import nearest
from engine.trace import Trace
from engine.trace.names import Names
from views.data.marks import TimeMark
from views.data.selection import Selection, few_users
from views.figures.request import FigureRequest


@dataclass(frozen=True)
class Picks:
    """What is picked and marked: the selection with its instant, marks, and the part that charts show.

    `shown` is the visible time in s, half-open; None stands for the first submission and the last end.
    `part` is the visible part of the rows of Gantt charts. Jobs that do not match `faded` are faded.
    """

    selection: Selection = field(default_factory=Selection)
    marks: tuple[TimeMark, ...] = ()
    shown: tuple[float | None, float | None] = (None, None)
    part: tuple[float, float] = (0.0, 1.0)
    faded: Expression | None = None


PICKS = {
    "users": "names of users that are picked, like a,b: the jobs of others are faded in Gantt charts",
    "queues": "names of queues that are picked, like a,b",
    "jobs": "ids of jobs that are picked",
    "instant": "a marked instant, a date or seconds: with reservations=on plans are drawn as they were then",
    "marks": "names with a time or FROM:TO each, like outage=3600:7200;change=2013-02-28",
    "shown": "FROM:TO, the time that charts over time show, dates or seconds",
    "part": "the rows that Gantt charts show as shares from the top, like 0:0.5",
    "faded": "a filter; jobs that do not match are faded",
}
"""The options of a figure that select, mark or fade something, with a description of each."""


def split_picks(settings: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """The settings that change how a study is looked at, and those that pick something in it."""
    picks = {name: text for name, text in settings.items() if name in PICKS}
    return {name: text for name, text in settings.items() if name not in picks}, picks


def picks_of(settings: Mapping[str, str], trace: Trace, users: Sequence[str] = ()) -> Picks:
    """The selection in a trace that texts describe, by their names in PICKS. Raises InputError."""
    found = _picked(Picks(), users=_codes(users, trace.user, "user", trace))
    for name, text in settings.items():
        try:
            found = _READ[name](found, text, trace)
        except (FilterError, OptionError) as error:
            # Errors of a filter begin with its text, which the message has already.
            message = error.message.removeprefix(f"{text}: ")
            raise InputError(f"--option {name}={text}: {message}") from None
        except InputError as error:
            raise InputError(f"--option {name}={text}: {error}") from None
        except ValueError:
            raise InputError(f"--option {name}={text}: it is {PICKS[name]}") from None
    return found


def provenance_of(request: FigureRequest, picks: Picks, only: Expression | None, share: str) -> Provenance:
    """The source of a figure of jobs that match `only`, with these picks."""
    instant = picks.selection.instant
    return Provenance(request.results, only, picks.faded, request.window, share, instant, request.selected)


def _words(text: str, between: str = ",") -> list[str]:
    return [word for part in text.split(between) if (word := part.strip())]


def _codes(words: Sequence[str], known: Names, kind: str, trace: Trace) -> frozenset[int]:
    """The codes of names. Raises InputError."""
    for word in words:
        if word not in known.names:
            raise InputError(f"{trace.name} has no {kind} {word}{nearest(word, known.names) or ''}")
    return frozenset(known.names.index(word) for word in words)


def _picked(found: Picks, **change: Any) -> Picks:
    return replace(found, selection=replace(found.selection, **change))


def _users(found: Picks, text: str, trace: Trace) -> Picks:
    return _picked(found, users=found.selection.users | _codes(_words(text), trace.user, "user", trace))


def _queues(found: Picks, text: str, trace: Trace) -> Picks:
    return _picked(found, queues=_codes(_words(text), trace.queue, "queue", trace))


def _jobs(found: Picks, text: str, trace: Trace) -> Picks:
    """A picked job brings its user along, as in the window."""
    log = Log(trace, trace.cluster)
    jobs = frozenset(log.job(word) for word in _words(text))
    return _picked(found, jobs=jobs, users=found.selection.users | few_users(trace, jobs))


def _instant(found: Picks, text: str, trace: Trace) -> Picks:
    return _picked(found, instant=float(parse_time(text, trace)))


def _marks(found: Picks, text: str, trace: Trace) -> Picks:
    """Names with times, in order of time; what is a time as it stands is no span."""
    marks = []
    for word in _words(text, ";"):
        # The last sign of equality: names may have others.
        name, equals, when = word.rpartition("=")
        if not equals:
            raise ValueError(text)
        try:
            start = end = float(parse_time(when, trace))
        except InputError:
            # What is no instant may be a range.
            first, last = measured_span(when, trace)
            if first is None or last is None or first > last:
                raise ValueError(text) from None
            start, end = float(first), float(last)
        marks.append(TimeMark(name.strip(), start=start, end=end))
    return replace(found, marks=tuple(sorted(marks, key=lambda mark: mark.start)))


def _shown(found: Picks, text: str, trace: Trace) -> Picks:
    return replace(found, shown=measured_span(text, trace))


def _part(found: Picks, text: str, trace: Trace) -> Picks:
    top, bottom = map(float, text.split(":"))
    if not 0 <= top < bottom <= 1:
        raise ValueError(text)
    return replace(found, part=(top, bottom))


def _faded(found: Picks, text: str, trace: Trace) -> Picks:
    expression = parse_own_filter(text)
    if unknown := unknown_names(expression, trace):
        raise InputError(f"{trace.name} has {unknown[0]}")
    return replace(found, faded=expression)


_READ: dict[str, Callable[[Picks, str, Trace], Picks]] = {
    "users": _users,
    "queues": _queues,
    "jobs": _jobs,
    "instant": _instant,
    "marks": _marks,
    "shown": _shown,
    "part": _part,
    "faded": _faded,
}
