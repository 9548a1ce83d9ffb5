"""Help with typing a filter: completions, and unknown names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from engine.completion import Candidate, Completion
from engine.filter.expression import Expression
from engine.filter.fields import FIELDS, Field
from engine.filter.parse import LONGEST, FilterError, tokens_of
from engine.filter.values import NAME
from engine.quantities import Jobs
from engine.quantities.node_sets import NodeSets
from engine.spelling import nearest
from engine.tokens import Token
from engine.trace import Names, Trace

MOST = 60
"""Names that are offered at once."""

_BEGUN = re.compile(r"(\"[^\"]*|'[^']*|[^\s()<>=!~,\"']*)$")
_OPERATORS = {
    "=": "is", "!=": "is not", "<": "less than", "<=": "at most", ">": "more than", ">=": "at least",
    "~": "contains, or matches a pattern with * and ?", "in": "is one of (…)",
}  # fmt: skip


def complete(before: str, trace: Trace | None = None) -> Completion:
    """Completions at the end of `before`, with names of the trace; none if it is too long."""
    if len(before) > LONGEST:
        return Completion(len(before), ())
    match = _BEGUN.search(before)
    assert match is not None
    begun, start = match[1], match.start()
    try:
        expected, field = _expected(tokens_of(before[:start]))
    except FilterError:
        return Completion(start, ())
    # A name in quotes that is not finished is looked for without them.
    begun = begun.lstrip("\"'").casefold()
    offers = [offer for offer in _offers(expected, field, trace) if begun in offer.word.casefold()]
    offers.sort(key=lambda offer: not offer.word.casefold().startswith(begun))
    return Completion(start, tuple(offers[:MOST]))


def unknown_names(expression: Expression, trace: Trace) -> list[str]:
    """A line for each unknown name in a filter: `no user 'alcie'; did you mean 'alice'?`."""
    faults = []
    for part in expression.comparisons():
        column = part.of.values(Jobs(trace)) if part.of.kind is NAME and part.operator != "~" else None
        if isinstance(column, Names | NodeSets):
            strangers = (str(value) for value in part.values if value not in column.names)
            faults += [f"no {part.field} {name!r}{nearest(name, column.names)}" for name in strangers]
    return faults


def _expected(tokens: Iterable[Token]) -> tuple[str, Field | None]:
    """The expected kind of token after these: a `field`, an `operator`, a `value` or a `joint`; and the field
    of a value.
    """
    expected, field, listed = "field", None, False
    for token in tokens:
        sign = token.text if token.kind == "sign" else ""
        # These change nothing of what is expected next.
        if token.kind == "end" or token.is_word("not") or (sign == "(" and expected in ("field", "value")):
            continue
        if expected == "field":
            field, listed = FIELDS.get(token.text.lower()), False
            expected = "operator"
        elif expected == "operator":
            expected, listed = "value", token.is_word("in")
        elif expected == "value":
            expected = "joint"
        # Within a list of values a comma asks for another value.
        elif sign == "," and listed:
            expected = "value"
        elif sign == ")":
            listed = False
        else:
            expected = "field"
    return ("end of list" if expected == "joint" and listed else expected), field


def _offers(expected: str, field: Field | None, trace: Trace | None) -> list[Candidate]:
    if expected == "field":
        there = (f for f in FIELDS.values() if trace is None or f.quantity.available_in(trace))
        return [*(Candidate(f.name, f.help) for f in there), Candidate("not", "all but")]
    if expected == "joint":
        return [Candidate("and", "both must hold"), Candidate("or", "one must hold")]
    if field is None or expected == "end of list":
        return []
    if expected == "operator":
        return [Candidate(word, _OPERATORS[word]) for word in (*field.kind.operators, "in")]
    # Numbers and dates cannot be listed: an example shows the spelling.
    if field.kind is not NAME:
        return [Candidate(field.kind.example, field.help)]
    names = field.values(Jobs(trace)) if trace is not None else None
    if not isinstance(names, Names | NodeSets):
        return []
    return [Candidate(NAME.format(name)) for name in names.names]
