"""The exception of the engine for input that a user can correct."""

from __future__ import annotations

from engine.shown_text import in_a_line

LONGEST = 1000
"""The most characters of a message: it may quote text of any length, which is cut in the middle."""

_ADVICE = "; use sys.set_int_max_str_digits() to increase the limit"
"""Advice that Python adds to errors about numbers of thousands of digits, removed for users."""


class InputError(ValueError):
    """Unusable input or a wrong spelling.

    The message is a single line for the user: it names the file (and the line, if any), the error, and if
    possible what to do.
    """

    def __init__(self, message: str) -> None:
        super().__init__(single_line(message.replace(_ADVICE, "")))


class SpellingError(InputError):
    """An error in a text of one of our languages; `position` counts characters from 0."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position

    @property
    def message(self) -> str:
        """The error, and its character position, counted from 1."""
        return f"at character {self.position + 1}: {self}"


def single_line(text: str) -> str:
    """The text as one printable line: other characters are escaped, and the middle of a long text is cut."""
    return _cut(in_a_line(_cut(text)))


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2 - 20
    return f"{text[:half]} ... {text[-half:]}"
