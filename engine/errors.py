"""The one exception that the engine raises for input that a person can mend."""

from __future__ import annotations


class InputError(ValueError):
    """Unusable input or a wrong spelling.

    The message is one line for the person at the screen: it names the file (and the
    line, where there is one), says what is wrong, and where possible what to do.
    """
