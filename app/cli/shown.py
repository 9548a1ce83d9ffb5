"""Standard streams on which text from a log cannot control the terminal."""

from __future__ import annotations

import io
import re
import sys

_CONTROL = re.compile(
    "\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]"
)


def shown(text: str) -> str:
    """The text with control characters escaped, but for ends of lines and tabs."""
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


class ShownStream(io.TextIOWrapper):
    """A text stream that escapes control characters: names in logs may hold sequences of a terminal."""

    def write(self, text: str) -> int:
        """Write the text as it can be shown; returns its length."""
        super().write(shown(text))
        return len(text)

    def write_over(self, text: str) -> None:
        """Go back to the begin of the line and write the text there."""
        super().write("\r" + shown(text))
        self.flush()


def show_streams() -> None:
    """Let standard output and standard error escape control characters."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if type(stream) is io.TextIOWrapper:
            options = (stream.encoding, stream.errors, None, stream.line_buffering, stream.write_through)
            setattr(sys, name, ShownStream(stream.detach(), *options))
