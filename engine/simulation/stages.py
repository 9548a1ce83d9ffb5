"""Progress of work that takes several simulations."""

from __future__ import annotations

from engine.simulation.control import Control


class Stages:
    """The progress of several simulations of the same jobs that share a control."""

    def __init__(self, control: Control, count: int = 1) -> None:
        self.control = control
        self.count = count
        self._ended: list[None] = []  # an entry for each; several threads append

    def end(self) -> None:
        """Count a simulation that has ended. Any thread may call this."""
        self._ended.append(None)

    def cancel(self) -> None:
        """Ask all of them to stop."""
        self.control.cancel()

    @property
    def progress(self) -> float:
        """The share that is done, 0 to 1, with a part of the simulation that runs."""
        return min((len(self._ended) + self.control.progress) / self.count, 1.0)
