"""Sources of the present queue: a file, or a command of the user's own."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from app.work.own_command import SECONDS, output_of
from engine.errors import InputError
from engine.trace.queue_state import QueueState, read_queue_at, read_queue_state
from engine.words import clip, format_seconds

CLOCKS_APART = 300
"""s by which clocks of two machines may differ without a note."""


@dataclass(frozen=True)
class QueueSource:
    """The path of a print of the queue, or a command that prints it."""

    text: str
    is_command: bool = False

    @property
    def name(self) -> str:
        """Its short name for the window."""
        return clip(self.text) if self.is_command else Path(self.text).name

    @property
    def key(self) -> str:
        """The key that identifies the source."""
        return f"command {self.text}" if self.is_command else self.text

    def read(self, stop: Callable[[], bool]) -> QueueState:
        """Read the queue; its time is known. A command runs until it ends or `stop` says so.

        Raises InputError for what is no queue and for a command that fails, Cancelled for one that was
        stopped.
        """
        if not self.is_command:
            return read_queue_at(Path(self.text))
        return queue_of_command(self.text, self.name, stop=stop)


def queue_of_command(
    command: str, name: str, seconds: float = SECONDS, stop: Callable[[], bool] = lambda: False
) -> QueueState:
    """The queue that a command prints; where it does not say when, it did so now by the clock here.

    Where the clock of the queue's machine is another, a note says so. Errors are as for `QueueSource.read`;
    `name` is what they call the command.
    """
    text, now = output_of(command, seconds, stop=stop), int(time.time())
    if not text.strip():
        raise InputError(f"{name}: it printed nothing")
    try:
        state = read_queue_state(text, now)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    printed = text.lstrip().startswith("{")  # with its time; others are taken to be of now
    if printed and state.time is not None and abs(state.time - now) > CLOCKS_APART:
        apart = format_seconds(abs(state.time - now))
        note = f"the clock of its machine differs from this one's by {apart}"
        state = replace(state, notes=(*state.notes, note))
    return state if state.time is not None else replace(state, time=now)
