"""Tokens of typed texts, and a reader for them: for filters and formulas."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from engine.errors import SpellingError


@dataclass(frozen=True)
class Token:
    """A piece of a text, of a `kind` of its language: `word`, `sign`, ... or `end`; `position` from 0."""

    kind: str
    text: str
    position: int

    def is_word(self, *words: str) -> bool:
        """True if the token is this keyword, ignoring case."""
        return self.kind == "word" and self.text.lower() in words

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else repr(self.text)


@dataclass(frozen=True)
class Language:
    """The rules for cutting texts into tokens: a `pattern` with a named group for each kind, which begins
    with `\\s*`.

    A text has at most `longest` characters. `unexpected` is the message for a character that begins no token.
    Errors are raised as `error`; `noun` is the word for such a text, with its article.
    """

    noun: str
    pattern: re.Pattern[str]
    longest: int
    error: type[SpellingError]
    unexpected: Callable[[str], str]

    def tokens_of(self, text: str) -> list[Token]:
        """The tokens of a text, the last an `end`. Raises the `error`."""
        if len(text) > self.longest:
            raise self.error(f"{self.noun} has at most {self.longest:,} characters", self.longest)
        tokens, position = [], 0
        while text[position:].strip():
            match = self.pattern.match(text, position)
            if match is None:
                # The error is shown at the sign itself, not at the blanks in front of it.
                position += len(text[position:]) - len(text[position:].lstrip())
                raise self.error(self.unexpected(text[position]), position)
            kind = str(match.lastgroup)
            tokens.append(Token(kind, match[kind], match.start(kind)))
            position = match.end()
        return [*tokens, Token("end", "", len(text))]


class TokenReader:
    """Reads tokens from left to right; the last, an `end`, is never passed."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._index = 0

    @property
    def next(self) -> Token:
        """The token that is read next."""
        return self._tokens[self._index]

    def take(self) -> Token:
        """The next token, which is read by that."""
        token = self.next
        if token.kind != "end":
            self._index += 1
        return token
