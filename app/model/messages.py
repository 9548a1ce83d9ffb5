"""Messages to the user; how they are shown is the window's affair."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from typing import Protocol

from engine.errors import InputError

Answers = Mapping[str, Callable[[], object]]
"""Label of a button -> its action, which also closes the message."""


class Messages(Protocol):
    """Receiver of messages for the user."""

    def show_message(
        self,
        text: str,
        details: str = "",
        answers: Answers | None = None,
        seconds: float | None = None,
        stays: bool = False,
    ) -> None:
        """Show a message; it replaces a message with the same text.

        `answers` become buttons. `seconds` closes messages that can be missed without harm; messages that
        `stay` remain valid for the next trace.
        """

    def say(self, text: str) -> None:
        """Say something for some seconds that can be missed."""


def describe_failure(error: Exception, what: str) -> tuple[str, str]:
    """The words for an error, and details: input errors have their own text, for others `what` failed is
    named.
    """
    if isinstance(error, InputError):
        return str(error), ""
    return f"{what}: {error}", "".join(traceback.format_exception(error))
