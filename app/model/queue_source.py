"""Sources of the present queue: a file, or a command of the user's own."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from app.work.own_command import output_of
from engine.errors import InputError
from engine.trace.queue_state import QueueState, read_queue_at, read_queue_state
from engine.words import clip


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
            path = Path(self.text)
            state = read_queue_at(path)
            return state if state.time is not None else replace(state, time=int(path.stat().st_mtime))
        text = output_of(self.text, stop=stop)
        now = int(time.time())
        try:
            state = read_queue_state(text, now)
        except InputError as error:
            raise InputError(f"{self.name}: {error}") from error
        return state if state.time is not None else replace(state, time=now)
