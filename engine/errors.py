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


def one_line(text: str) -> str:
    """The text in one line that can be shown: characters that cannot are escaped, its middle left out."""
    if len(text) > LONGEST:
        half = LONGEST // 2 - 20
        text = f"{text[:half]} ... {text[-half:]}"
    return "".join(c if _can_be_shown(c) else c.encode("unicode_escape").decode() for c in text)


def _can_be_shown(c: str) -> bool:
    return c.isprintable() or unicodedata.category(c) == "Zs"  # as the thin spaces in numbers
