"""Reading formulas: from text to tokens to a tree."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import cached_property

from engine.errors import InputError, SpellingError
from engine.score.names import FUNCTIONS, VARIABLES, WORDS
from engine.spelling import nearest
from engine.tokens import Language, Token, TokenReader

LONGEST = 400
"""Characters of a formula."""

DEEPEST = 40
"""The deepest nesting of brackets, functions, signs and powers."""

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<sign><=|>=|==|[-+*/^<>(),]))"
)
_COMPARISONS = ("<", "<=", ">", ">=", "==")
_MEANT = {"=": "'=='", "!": "'not'", "&": "'and'", "|": "'or'", "[": "'('", "{": "'('"}


class FormulaError(SpellingError):
    """An error in a formula."""


@dataclass(frozen=True)
class Number:
    """A constant."""

    value: float


@dataclass(frozen=True)
class VariableNode:
    """A variable, a name in VARIABLES."""

    name: str


@dataclass(frozen=True)
class Call:
    """An operator, `neg` or a name in FUNCTIONS with its arguments; `min` and `max` take two."""

    operator: str
    parts: tuple[Node, ...]


Node = Number | VariableNode | Call
"""A formula."""


def parse_formula(text: str) -> Node:
    """Read a formula. Raises FormulaError with the position of the error and suggestions."""
    reader = _Reader(tokens_of(text))
    node = reader.formula(0)
    if reader.next.text == ")":
        raise FormulaError("a ')' without a '('", reader.next.position)
    if reader.next.text in _COMPARISONS:
        raise FormulaError("comparisons cannot follow each other: join them by 'and'", reader.next.position)
    if reader.next.kind != "end":
        raise FormulaError(f"expected an operator like + or *, found {reader.next}", reader.next.position)
    return node


@dataclass(frozen=True)
class Formula:
    """The text of a formula, with normalised spaces, and its parsed form."""

    text: str
    node: Node = field(compare=False, repr=False)

    @cached_property
    def names(self) -> frozenset[str]:
        """The variables that the formula names."""
        return names_of(self.node)

    def __str__(self) -> str:
        return self.text


def parse_score(text: str, key: str = "score") -> Formula:
    """The formula of a policy's key. Raises InputError that names the character."""
    try:
        node = parse_formula(text)
    except FormulaError as error:
        raise InputError(f"{key} {text!r} cannot be read, {error.message}") from None
    return Formula(" ".join(text.split()), node)


def names_of(node: Node) -> frozenset[str]:
    """The variables that a formula names."""
    if isinstance(node, VariableNode):
        return frozenset((node.name,))
    parts = node.parts if isinstance(node, Call) else ()
    return frozenset().union(*map(names_of, parts))


def _unexpected(character: str) -> str:
    hint = f"; did you mean {_MEANT[character]}?" if character in _MEANT else ""
    return f"an unexpected {character!r}{hint}"


_LANGUAGE = Language("a formula", _TOKEN, LONGEST, FormulaError, _unexpected)


def tokens_of(text: str) -> list[Token]:
    """The tokens of a formula: `number`, `word`, `sign`, the last an `end`. Raises FormulaError."""
    return _LANGUAGE.tokens_of(text)


class _Reader(TokenReader):
    """Reads a formula; each method reads what it is named after."""

    def formula(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise FormulaError(f"more than {DEEPEST} brackets inside one another", self.next.position)
        node = self.conjunct(depth)
        while self.next.text == "or":
            self.take()
            node = Call("or", (node, self.conjunct(depth)))
        return node

    def conjunct(self, depth: int) -> Node:
        node = self.negation(depth)
        while self.next.text == "and":
            self.take()
            node = Call("and", (node, self.negation(depth)))
        return node

    def negation(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise FormulaError(f"more than {DEEPEST} operators inside one another", self.next.position)
        if self.next.text == "not":
            self.take()
            return Call("not", (self.negation(depth + 1),))
        return self.comparison(depth)

    def comparison(self, depth: int) -> Node:
        node = self.sum(depth)
        if self.next.text in _COMPARISONS:
            operator = self.take().text
            node = Call(operator, (node, self.sum(depth)))
        return node

    def sum(self, depth: int) -> Node:
        node = self.product(depth)
        while self.next.text in ("+", "-"):
            operator = self.take().text
            node = Call(operator, (node, self.product(depth)))
        return node

    def product(self, depth: int) -> Node:
        node = self.sign(depth)
        while self.next.text in ("*", "/"):
            operator = self.take().text
            node = Call(operator, (node, self.sign(depth)))
        return node

    def sign(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise FormulaError(f"more than {DEEPEST} operators inside one another", self.next.position)
        if self.next.text == "-":
            self.take()
            return Call("neg", (self.sign(depth + 1),))
        node = self.value(depth)
        if self.next.text == "^":
            self.take()
            return Call("^", (node, self.sign(depth + 1)))
        return node

    def value(self, depth: int) -> Node:
        token = self.take()
        if token.kind == "number":
            if not math.isfinite(float(token.text)):
                raise FormulaError(f"the number {token.text} is too large", token.position)
            return Number(float(token.text))
        if token.text == "(":
            node = self.formula(depth + 1)
            self._close(token)
            return node
        if token.kind != "word" or token.text in WORDS:
            raise FormulaError(f"expected a number or a name, found {token}", token.position)
        # A name before a bracket can only be meant as a function.
        if self.next.text == "(" or token.text in FUNCTIONS:
            return self._function(token, depth)
        if token.text not in VARIABLES:
            hint = nearest(token.text, (*VARIABLES, *FUNCTIONS)) or f"; names are {', '.join(VARIABLES)}"
            raise FormulaError(f"nothing is called {token.text!r}{hint}", token.position)
        return VariableNode(token.text)

    def _function(self, token: Token, depth: int) -> Node:
        function = FUNCTIONS.get(token.text)
        if function is None:
            hint = nearest(token.text, FUNCTIONS) or f"; functions are {', '.join(FUNCTIONS)}"
            raise FormulaError(f"there is no function {token.text!r}{hint}", token.position)
        opened = self.take()
        if opened.text != "(":
            raise FormulaError(f"expected '(' after {function.name}, found {opened}", opened.position)
        parts = [self.formula(depth + 1)]
        while self.next.text == ",":
            self.take()
            parts.append(self.formula(depth + 1))
        # Counted only where the bracket closes: otherwise the missing bracket is the better error.
        if self.next.text == ")" and not function.least <= len(parts) <= function.most:
            wanted = str(function.least) if function.least == function.most else f"at least {function.least}"
            if len(parts) > function.most > function.least:
                wanted = f"at most {function.most}"
            values = "value" if wanted == "1" else "values"
            raise FormulaError(f"{function.name} takes {wanted} {values}, not {len(parts)}", token.position)
        self._close(opened)
        # The stack machine knows operators of up to three values: more values become a chain of two.
        if function.name in ("min", "max"):
            node = parts[0]
            for part in parts[1:]:
                node = Call(function.name, (node, part))
            return node
        return Call(function.name, tuple(parts))

    def _close(self, opened: Token) -> None:
        closed = self.take()
        if closed.kind == "end":
            raise FormulaError("a '(' without a ')'", opened.position)
        if closed.text != ")":
            raise FormulaError(f"expected an operator, ',' or ')', found {closed}", closed.position)
