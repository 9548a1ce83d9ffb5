"""The conditions of a run of a study besides its policy."""

from __future__ import annotations

from dataclasses import dataclass

from engine.trace.scale import Scaling

OWN = "own"
"""The word for the trace's own machine, or the machine that is given with it."""

FAIR = "fair"
"""The share that users expect where a study names none."""

SEED = "seed"
"""The key whose values are repetitions: points are means over its values only."""


@dataclass(frozen=True)
class Conditions:
    """The conditions of a run: the scaling of the trace, a machine, the users' expected share, and whether
    users react to the schedule.
    """

    scaling: Scaling = Scaling()  # noqa: RUF009 - it is immutable
    machine: str = OWN
    share: str = FAIR
    react: bool = False

    def __str__(self) -> str:
        machine = "" if self.machine == OWN else f"on {self.machine}"
        share = "" if self.share == FAIR else f"share {self.share}"
        react = "users react" if self.react else ""
        return ", ".join(filter(None, (str(self.scaling), machine, share, react)))
