"""The one exception that the engine raises for input that a person can mend."""

from __future__ import annotations

import unicodedata

LONGEST = 1000
"""Characters of a message: what it quotes may be of any length, and is cut in the middle."""


class InputError(ValueError):
    """Unusable input or a wrong spelling.

    The message is one line for the person at the screen: it names the file (and the
    line, where there is one), says what is wrong, and where possible what to do.
    """

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class SpellingError(InputError):
    """What is wrong with a text in a language of ours; `position` is where, counted in characters from 0."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position

    @property
    def told(self) -> str:
        """What is wrong, and at which character, counted from 1."""
        return f"at character {self.position + 1}: {self}"


def one_line(text: str) -> str:
    """The text in one line that can be shown: characters that cannot are escaped, its middle left out."""
    if text.isprintable():
        return _cut(text)
    shown = (c if _can_be_shown(c) else c.encode("unicode_escape").decode() for c in _cut(text))
    return _cut("".join(shown))


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2 - 20
    return f"{text[:half]} ... {text[-half:]}"


def _can_be_shown(c: str) -> bool:
    return c.isprintable() or unicodedata.category(c) == "Zs"  # as the thin spaces in numbers
