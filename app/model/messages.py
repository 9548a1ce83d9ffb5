"""Messages to the user; how they are shown is the window's affair."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

Answers = Mapping[str, Callable[[], object]]
"""Label of a button -> what it does; the message goes with it."""


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
        """Show one more message; one that says the same gives way to it.

        `answers` become buttons. `seconds` is for what can be missed without harm; what `stays`
        is as true of the next trace.
        """

    def say(self, text: str) -> None:
        """Say something for some seconds that can be missed."""
