"""Bounds and dimensions of a search in words."""

from __future__ import annotations

from engine.metrics.metric_names import parse_metric
from engine.policy.phrases import key_phrase, key_title
from engine.search.dimension import Dimension
from engine.search.question import MetricBound, parse_bound
from engine.search.typed_question import entries_of
from engine.spelling import format_number
from views.data.search_results import title
from views.text.metrics import format_value

_MOST_SHOWN = 3
"""Values of a key that are said in words; of more, the number of them and the ends."""


def bounds_in_words(text: str) -> str:
    """A line of bounds in words, such as `Mean wait at most 2 h`. Raises InputError."""
    return "; ".join(_bound_in_words(parse_bound(entry)) for entry in entries_of(text))


def _bound_in_words(bound: MetricBound) -> str:
    label = title(bound.metric)
    side = "at least" if bound.least else "at most"
    if not bound.relative:
        return f"{label} {side} {format_value(parse_metric(bound.metric), bound.value)}"
    than = "above" if bound.value >= 0 else "below"
    return f"{label} {side} {format_number(abs(bound.value))} % {than} the baseline's"


def dimension_in_words(dimension: Dimension) -> str:
    """A dimension in words: its key's title, and the values that are tried."""
    name = dimension.key.name
    if not dimension.words:
        return f"{key_title(name)}: {dimension.format(dimension.low)} to {dimension.format(dimension.high)}"
    if len(dimension.words) > _MOST_SHOWN:
        return f"{key_title(name)}: {len(dimension.words)} values"
    return f"{key_title(name)}: {' or '.join(key_phrase(name, word) for word in dimension.words)}"
