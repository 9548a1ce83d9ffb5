"""The spelling of what was changed in a site, and fitted to its log, as it follows the path in a policy.

Such as `launch=3,completion=12,until=604800,away=0-604800:3-7.9`: the delays in s, the time to which they
were fitted, s from the log's zero, and for each span of time the nodes that were away, by number. Spans are
joined by `+`, nodes by `.`, so that no shell reads anything into them. The value of an option that has other
signs than words, such as a time, is in double quotes: `OverTimeLimit="1:30:00"`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from engine.errors import InputError
from engine.limits import MAX_TIME
from engine.words import clip

Away = tuple[tuple[int, int, tuple[int, ...]], ...]
"""Spans of time, s from a log's zero, and the nodes that were away in each."""

_NAMES = ("launch", "completion", "until", "away")
_TAIL = re.compile(
    rf"(.*?):((?:(?:(?:{'|'.join(_NAMES)})=[-+.:0-9]*|[A-Za-z_]+(?:\.[^=:,/]+)?=(?:\"[^\"]*\"|[\w./+-]*)),?)+)",
    re.DOTALL | re.ASCII,
)
_SPAN = re.compile(r"(-?\d{1,12})-(-?\d{1,12}):(\d{1,7}(?:[-.]\d{1,7})*)", re.ASCII)
_PART = re.compile(r'(?:"[^"]*"|[^,"])+')
_PLAIN = re.compile(r"[\w./+-]+", re.ASCII)
_LONGEST_DELAY = 86_400  # s
_MOST_NODES = 1_000_000


def format_fit(launch: int, completion: int, away: Away, until: int) -> str:
    """The spelling of a fit; empty if nothing was fitted."""
    parts = [
        f"{name}={value}"
        for name, value in (("launch", launch), ("completion", completion), ("until", until))
        if value
    ]
    if away:
        spans = (f"{first}-{last}:{_format_nodes(nodes)}" for first, last, nodes in away)
        parts.append("away=" + "+".join(spans))
    return ",".join(parts)


def format_change(name: str, text: str) -> str:
    """The spelling of an option with another value than in the files; quoted where it is no plain word."""
    return f"{name}={text}" if _PLAIN.fullmatch(text) else f'{name}="{text}"'


class Tail(NamedTuple):
    """What follows the path of a site in its spelling: the values of options, and of a fit, by name."""

    path: str
    changes: Mapping[str, str]
    fit: Mapping[str, str]


def split_tail(text: str) -> Tail:
    """The path of a site, and what follows it, if anything does. Raises InputError."""
    # A path may itself hold such characters: only a complete tail at the end counts as a tail.
    match = _TAIL.fullmatch(text)
    if match is None:
        return Tail(text, {}, {})
    values: dict[str, str] = {}
    for part in _PART.findall(match[2]):
        name, _, value = part.partition("=")
        if name in values:
            raise InputError(f"{clip(text)} gives {name} twice")
        values[name] = value.strip('"')
    # Some names are of fitted options, the others of what a run sets.
    fit = {name: value for name, value in values.items() if name in _NAMES}
    return Tail(match[1], {name: value for name, value in values.items() if name not in fit}, fit)


def parse_fit(match: Mapping[str, str]) -> tuple[int, int, Away, int]:
    """The launch delay, completion delay, absent nodes, and end of a fit. Raises InputError."""
    launch, completion = (_whole(match, name, _LONGEST_DELAY) for name in ("launch", "completion"))
    until = _whole(match, "until", MAX_TIME)
    spans = match["away"].split("+") if "away" in match else []
    return launch, completion, tuple(map(_read_span, spans)), until


def _whole(match: Mapping[str, str], name: str, most: int) -> int:
    text = match.get(name, "0")
    if not re.fullmatch(r"\d{1,12}", text, re.ASCII) or int(text) > most:
        raise InputError(f"{name}={clip(text)}: it is a whole number of seconds up to {most:,}")
    return int(text)


def _read_span(text: str) -> tuple[int, int, tuple[int, ...]]:
    match = _SPAN.fullmatch(text)
    if match is None:
        raise InputError(
            f"away={clip(text)}: a span of seconds and node numbers are spelled like 0-604800:3-7.9"
        )
    first, last = int(match[1]), int(match[2])
    nodes: list[int] = []
    for part in match[3].split("."):
        low, *high = map(int, part.split("-"))
        end = high[0] if high else low
        # The count is bounded before the range is made, so that a huge range fills no memory.
        if len(high) > 1 or not low <= end <= _MOST_NODES or len(nodes) > _MOST_NODES:
            raise InputError(f"away={clip(text)}: {clip(part)} are not numbers of nodes")
        nodes += range(low, end + 1)
    if not first < last <= MAX_TIME:
        raise InputError(f"away={clip(text)}: the span ends before it begins")
    return first, last, tuple(nodes)


def _format_nodes(nodes: tuple[int, ...]) -> str:
    return ".".join(f"{low}-{high}" if high > low else str(low) for low, high in _ranges(nodes))


def _ranges(nodes: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """The runs of subsequent numbers among ascending ones."""
    low = high = None
    for node in nodes:
        if high is not None and low is not None and node != high + 1:
            yield low, high
            low = None
        low, high = node if low is None else low, node
    if low is not None and high is not None:
        yield low, high
