"""Sources of the present queue: a file, or a command of the user's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from app.work.own_command import SECONDS, output_of
from engine.errors import InputError
from engine.logs.queue.clusters import present, print_time_of, read_queues, read_queues_at
from engine.logs.queue.state import QueueState
from engine.words import clip, format_seconds

CLOCKS_APART = 300
"""s by which clocks of two machines may differ without a note."""


@dataclass(frozen=True)
class QueueSource:
    """The path of a print of the queue, or a command that prints it.

    `cluster` is the chosen one of several, `at` when a file was printed that does not say so; both may be
    empty.
    """

    text: str
    is_command: bool = False
    cluster: str = ""
    at: str = ""

    @property
    def name(self) -> str:
        """Its short name for the window."""
        return clip(self.text) if self.is_command else Path(self.text).name

    @property
    def key(self) -> str:
        """The key that identifies the source."""
        text = f"command {self.text}" if self.is_command else self.text
        return f"{text} cluster {self.cluster}" if self.cluster else text

    def read(self, stop: Callable[[], bool]) -> tuple[QueueState, ...]:
        """Read the queue of each cluster; their time is known.

        A command runs until it ends or `stop` says so. Raises InputError for what is no queue and for a
        command that fails, Cancelled for one that was stopped.
        """
        if not self.is_command:
            return read_queues_at(Path(self.text), print_time_of(self.at) if self.at else None)
        return queues_of_command(self.text, self.name, stop=stop)


def queues_of_command(
    command: str, name: str, seconds: float = SECONDS, stop: Callable[[], bool] = lambda: False
) -> tuple[QueueState, ...]:
    """The queue of each cluster that a command prints, now by the clock here where it does not say when.

    Where the clock of the queue's machine is another, a note says so. Errors are as for `QueueSource.read`;
    `name` is what they call the command.
    """
    text, now = output_of(command, seconds, stop=stop), present()
    if not text.strip():
        raise InputError(f"{name}: it printed nothing")
    try:
        states = read_queues(text, now)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    return tuple(_noted(state, now.unix) for state in states)


def _noted(state: QueueState, now: int) -> QueueState:
    """The queue with a note where its own time, in s from 1970, is not that of the clock here."""
    if state.time is None or not state.dated or state.clock is not None:  # a site's clock may be in any zone
        return state
    apart = abs(state.time - now)
    if apart <= CLOCKS_APART:
        return state
    note = f"the clock of its machine differs from this one's by {format_seconds(apart)}"
    return replace(state, notes=(*state.notes, note))
