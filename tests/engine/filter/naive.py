"""The slow twin of filters: one job at a time, by Python's own arithmetic and its own reader."""

import re
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import Any

from engine.quantities import Jobs

_PIECE = re.compile(r"""\s*("(?:[^"]|"")*"|<=|>=|!=|[=<>~(),]|[^\s()<>=!~,"]+)""")
_SECONDS = {"m": 60, "h": 3600, "d": 86_400}
_KIB = {"k": 1, "m": 1024}


def meets(text: str, jobs: Jobs, job: int) -> bool:
    """Whether one job meets the filter."""
    return _truth(_PIECE.findall(text), facts_of(jobs, job))


def _truth(pieces: list[str], facts: dict[str, Any]) -> bool:
    """Split at the outermost `or`, then `and`; take off `not` and brackets."""
    # The weakest operator first, so that the strongest binds last.
    for word, judge in (("or", any), ("and", all)):
        parts = _split(pieces, word)
        if len(parts) > 1:
            return judge(_truth(part, facts) for part in parts)
    if pieces[0] == "not":
        return not _truth(pieces[1:], facts)
    if pieces[0] == "(":
        return _truth(pieces[1:-1], facts)
    field, operator, *rest = pieces
    # `not in` and `not ~` are written behind the field.
    if operator == "not":
        return not _truth([field, *rest], facts)
    if operator.lower() == "in":
        return any(compare(field, facts[field], "=", value) for value in rest if value not in ("(", ")", ","))
    return compare(field, facts[field], operator, rest[0])


def _split(pieces: list[str], word: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    depth = 0
    for piece in pieces:
        depth += (piece == "(") - (piece == ")")
        if piece == word and depth == 0:
            parts.append([])
        else:
            parts[-1].append(piece)
    return parts


def facts_of(jobs: Jobs, job: int) -> dict[str, Any]:
    """What is known of a job; None: nothing."""
    trace, schedule = jobs.trace, jobs.schedule
    assert schedule is not None
    assert jobs.tardiness is not None
    ram, submit = int(trace.ram[job]), int(trace.submit[job])
    procs, runtime = int(trace.procs[job]), int(trace.runtime[job])
    facts: dict[str, Any] = {
        "user": trace.user.names[trace.user.codes[job]],
        "group": trace.group.names[trace.group.codes[job]],
        "queue": trace.queue.names[trace.queue.codes[job]],
        "status": {0: "failed", 1: "completed"}[int(trace.status[job])],
        "procs": procs,
        "ram": None if ram < 0 else 1024 * ram,
        "walltime": int(trace.walltime[job]),
        "runtime": runtime,
        "area": procs * runtime,
        "submit": submit,
    }
    # Of a job that never started nothing is known that depends on its start.
    of_run = ("start", "end", "wait", "response", "slowdown", "bounded_slowdown", "estimate", "late")
    if schedule.start[job] < 0:
        return facts | dict.fromkeys(of_run)
    start, end = int(schedule.start[job]), int(schedule.end[job])
    estimate = schedule.estimate
    assert estimate is not None
    return facts | {
        "start": start,
        "end": end,
        "wait": start - submit,
        "response": end - submit,
        "slowdown": Fraction(end - submit, max(end - start, 1)),
        "bounded_slowdown": max(Fraction(1), Fraction(end - submit, max(end - start, 10))),
        "estimate": Fraction(max(int(estimate[job]), 1), max(end - start, 1)) if estimate[job] >= 0 else None,
        "late": int(jobs.tardiness[job]),
    }


def compare(field: str, fact: Any, operator: str, value: str) -> bool:
    """One comparison."""
    # What is not known meets no comparison, not even `!=`.
    if fact is None:
        return False
    if isinstance(fact, str):
        wanted = value[1:-1].replace('""', '"') if value[:1] == '"' else value
        if operator == "~":
            wanted = wanted if "*" in wanted or "?" in wanted else f"*{wanted}*"
            return fnmatchcase(fact.lower(), wanted.lower())
        return (fact == wanted) == (operator == "=")
    # A date stands for all of its seconds, a number for itself.
    low, last = stretch(_KIB if field == "ram" else _SECONDS, value)
    return {
        "=": low <= fact <= last,
        "!=": not low <= fact <= last,
        "<": fact < low,
        "<=": fact <= last,
        ">": fact > last,
        ">=": fact >= low,
    }[operator]


def stretch(units: dict[str, int], value: str) -> tuple[Fraction, Fraction]:
    """The first and last number that a value stands for: of a date its seconds, else the number itself."""
    if "-" in value:
        seconds = {10: 86_400, 16: 60, 19: 1}[len(value)]
        start = int(datetime.fromisoformat(value).replace(tzinfo=UTC).timestamp())
        return Fraction(start), Fraction(start + seconds - 1)
    number = Fraction(value.rstrip("smhdkg")) * units.get(value[-1], 1)
    return number, number
