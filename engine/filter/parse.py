"""Reading filters: from text to tokens to an expression.

    expression = term {"or" term}
    term       = factor {"and" factor}
    factor     = "not" factor | "(" expression ")" | comparison
    comparison = FIELD OPERATOR VALUE | FIELD ["not"] "in" "(" VALUE {"," VALUE} ")"

Values are bare words, or in quotes of either kind (a doubled quote within them is an escaped quote); the
field interprets its values.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from engine.errors import InputError, SpellingError
from engine.filter.expression import Compare, Expression, Not, join
from engine.filter.fields import FIELDS, Field
from engine.filter.values import BARE, NAME, NAMED, ORDERED, WORDS, Value
from engine.own.allowed_code import own_path
from engine.quantities.own_quantity import allow_quantities
from engine.spelling import nearest
from engine.tokens import Language, Token, TokenReader
from engine.words import typed

LONGEST = 4000
"""Characters of a filter."""

DEEPEST = 50
"""The deepest nesting of brackets and `not`s."""

_TOKEN = re.compile(
    rf"""\s*(?:(?P<name>"(?:[^"]|"")*"|'(?:[^']|'')*')|(?P<sign><=|>=|!=|==|[=<>~(),])|(?P<word>{BARE.pattern}))""",
)


class FilterError(SpellingError):
    """An error in a filter."""


def _unexpected(character: str) -> str:
    return "a quote that does not end" if character in "\"'" else f"an unexpected {character!r}"


_LANGUAGE = Language("a filter", _TOKEN, LONGEST, FilterError, _unexpected)


def tokens_of(text: str) -> list[Token]:
    """The pieces of a filter: `word`, `name` (in quotes), `sign`; the last an `end`. Raises FilterError."""
    tokens = _LANGUAGE.tokens_of(text)
    return [replace(token, text=_unquoted(token.text)) if token.kind == "name" else token for token in tokens]


def _unquoted(piece: str) -> str:
    """The text between quotes, with doubled quotes reduced to single ones."""
    return piece[1:-1].replace(2 * piece[0], piece[0])


def parse_filter(text: str) -> Expression:
    """Read a filter. Raises FilterError with the position of the error and suggestions."""
    reader = _Reader(tokens_of(typed(text)))
    expression = reader.expression(0)
    if reader.next.text == ")":
        raise FilterError("a ')' without a '('", reader.next.position)
    # A whole expression was read, and something is left.
    if reader.next.kind != "end":
        hint = nearest(reader.next.text.lower(), ("and", "or"))
        raise FilterError(f"expected 'and' or 'or', found {reader.next}{hint}", reader.next.position)
    return expression


def parse_own_filter(text: str) -> Expression:
    """Read a filter that the user of this process gave: quantities of files that it names may be worked out.

    Raises FilterError as `parse_filter`, and InputError for what a file says wrong.
    """
    allow_quantities(fields_in(text))
    return parse_filter(text)


def fields_in(text: str) -> list[str]:
    """The pieces of a filter that stand where a field does, whether there is such a field or not.

    Raises FilterError.
    """
    signs = {*ORDERED, *NAMED, "==", "in", "not"}
    pairs = pairwise(tokens_of(typed(text)))
    return [piece.text for piece, sign in pairs if sign.text in signs and not piece.is_word(*WORDS)]


class _Reader(TokenReader):
    """Reads a filter; each method reads what it is named after."""

    def expression(self, depth: int) -> Expression:
        parts = [self.term(depth)]
        while self.next.is_word("or"):
            self.take()
            parts.append(self.term(depth))
        return join("or", *parts)

    def term(self, depth: int) -> Expression:
        parts = [self.factor(depth)]
        while self.next.is_word("and"):
            self.take()
            parts.append(self.factor(depth))
        return join("and", *parts)

    def factor(self, depth: int) -> Expression:
        if depth > DEEPEST:
            raise FilterError(f"more than {DEEPEST} brackets inside one another", self.next.position)
        # `not` binds more closely than `and`: it takes the next factor alone.
        if self.next.is_word("not"):
            self.take()
            return Not(self.factor(depth + 1))
        if self.next.text == "(" and self.next.kind == "sign":
            opened = self.take()
            inside = self.expression(depth + 1)
            if self.take().text != ")":
                raise FilterError("a '(' without a ')'", opened.position)
            return inside
        return self.comparison()

    def comparison(self) -> Expression:
        field = self.field()
        sign = self.take()
        # `not in` is an operator of two words.
        if sign.is_word("not") and self.next.is_word("in"):
            self.take()
            return Not(Compare(field.name, "in", self.values(field)))
        if sign.is_word("in"):
            return Compare(field.name, "in", self.values(field))
        operator = "=" if sign.text == "==" else sign.text
        known = (*field.kind.operators, "in")
        if sign.kind != "sign" or operator not in {*ORDERED, *NAMED}:
            raise FilterError(
                f"expected one of {' '.join(known)} after {field.name}, found {sign}", sign.position
            )
        # It is an operator, but not of this kind of field.
        if operator not in field.kind.operators:
            raise FilterError(f"{field.name} goes with {' '.join(known)}, not with {operator}", sign.position)
        return Compare(field.name, operator, (self.value(field),))

    def field(self) -> Field:
        token = self.take()
        field = FIELDS.get(token.text.lower()) if token.kind == "word" else None
        if field is None and own_path(token.text) is not None:  # names of files keep their capitals
            field = FIELDS.get(token.text)
            if field is None:
                why = "has not been named by its user as a quantity: only what is named runs"
                raise FilterError(f"{token.text} {why}", token.position)
        if field is None:
            if token.kind != "word" or token.is_word(*WORDS):
                raise FilterError(f"expected a field, like user or procs, found {token}", token.position)
            hint = nearest(token.text.lower(), FIELDS)
            raise FilterError(f"there is no field {token.text!r}{hint}", token.position)
        return field

    def values(self, field: Field) -> tuple[Value, ...]:
        opened = self.take()
        if opened.text != "(":
            raise FilterError(f"expected '(' after in, found {opened}", opened.position)
        values = [self.value(field)]
        while self.next.text == "," and self.next.kind == "sign":
            self.take()
            values.append(self.value(field))
        closed = self.take()
        if closed.kind != "sign" or closed.text != ")":
            raise FilterError(f"expected ',' or ')', found {closed}", closed.position)
        return tuple(values)

    def value(self, field: Field) -> Value:
        token = self.take()
        if token.kind in ("sign", "end") or token.is_word(*WORDS):
            example = f" like {field.kind.example}" if field.kind is not NAME else ""
            raise FilterError(f"expected a value{example} of {field.name}, found {token}", token.position)
        try:
            return field.kind.parse(token.text)
        except InputError as error:
            raise FilterError(f"{field.name}: {error}", token.position) from None
