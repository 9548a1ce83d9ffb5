"""Standard streams on which text from a log cannot control the terminal, and numbers have one spelling."""

from __future__ import annotations

import io
import sys

from engine.shown_text import terminal_text
from engine.words import comma_thousands


class ShownStream(io.TextIOWrapper):
    """A text stream that escapes control characters: names in logs may hold sequences of a terminal.

    Thousands are parted by commas, which every terminal can show and every program can search for.
    """

    def write(self, text: str) -> int:
        """Write the text as it can be shown; returns its length."""
        super().write(terminal_text(comma_thousands(text)))
        return len(text)

    def write_document(self, text: str) -> int:
        """Write a text in a format that programs read, with its numbers as they are; returns its length."""
        super().write(terminal_text(text))
        return len(text)

    def write_over(self, text: str) -> None:
        """Go back to the begin of the line and write the text there."""
        super().write("\r" + terminal_text(text))
        self.flush()


def show_streams() -> None:
    """Let standard output and standard error escape control characters, and write numbers in one way."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if type(stream) is io.TextIOWrapper:
            options = (stream.encoding, stream.errors, None, stream.line_buffering, stream.write_through)
            setattr(sys, name, ShownStream(stream.detach(), *options))
