"""The claim of a paper about a number, and its comparison with a measured number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

LESS, MORE = "less", "more"
DIRECTIONS = {LESS: -1, MORE: 1}


class ClaimResult(StrEnum):
    """The result of checking a claim, the best first."""

    REPRODUCED = "reproduced"
    OTHER_SIZE = "same direction, another size"
    NOT = "not reproduced"


SEVERITY = {verdict: rank for rank, verdict in enumerate(ClaimResult)}


@dataclass(frozen=True)
class Agreement:
    """The allowed distance from the paper's size: a number of points, or a part of the paper's effect; the
    larger counts.
    """

    points: float = 3.0
    part: float = 0.2

    def reach(self, effect: float) -> float:
        """The allowed distance from a size that is `effect` away from no effect."""
        return max(self.points, self.part * abs(effect))


@dataclass(frozen=True)
class PaperClaim:
    """A claim of a single kind: a `size`; bounds; a direction; or values at most `apart`.

    Numbers are in the unit of the measurement: in % of a reference, no effect is 100 (`neutral`). Without a
    reference `neutral` is None, and there is no direction. Measured values are compared as the paper prints
    its own: rounded to `digits` decimals.
    """

    size: float | None = None
    least: float | None = None
    most: float | None = None
    direction: str = ""
    apart: float | None = None
    neutral: float | None = None
    digits: int = 1
    agreement: Agreement = Agreement()

    def judge(self, value: float) -> ClaimResult:
        """The verdict on a measured value: it agrees in direction, or in size too, or not."""
        side = self._side
        same = side != 0 and self._sign(value) == side
        # A size within reach does not agree where it is an effect of the other sign, or none.
        if self.room(value) >= 0 and (same or side == 0 or self._bounded):
            return ClaimResult.REPRODUCED
        return ClaimResult.OTHER_SIZE if same and not self.direction else ClaimResult.NOT

    def room(self, value: float) -> float:
        """The distance of a value from breaking the claim, negative if it breaks it."""
        return self._room(self._rounded(value))

    def decisive_rounding(self, value: float) -> str:
        """A value in the claim's digits, where it meets or breaks the claim only in these; else empty."""
        rounded = self._rounded(value)
        if math.isfinite(value) and (self._room(value) >= 0) != (self._room(rounded) >= 0):
            return self._format(rounded)
        return ""

    def _room(self, value: float) -> float:
        if self.size is not None:
            effect = self.size - (self.neutral or 0.0)
            return self.agreement.reach(effect) - abs(value - self.size)
        if self.apart is not None:
            return self.apart - value
        if self.direction:
            # No effect at all breaks it too.
            away = DIRECTIONS[self.direction] * (value - (self.neutral or 0.0))
            return away if away > 0 else away - 10.0**-self.digits
        above = math.inf if self.least is None else value - self.least
        below = math.inf if self.most is None else self.most - value
        return min(above, below)

    def __str__(self) -> str:
        """The claim in words, such as `27`, `at least 94`, `94 to 102`, `less`."""
        if self.direction:
            return self.direction
        if self.size is not None:
            return self._format(self.size)
        if self.apart is not None:
            return f"at most {self._format(self.apart)} apart"
        if self.least is not None and self.most is not None:
            return f"{self._format(self.least)} to {self._format(self.most)}"
        bound = self.least if self.most is None else self.most
        return f"at {'least' if self.most is None else 'most'} {self._format(bound or 0.0)}"

    @property
    def _bounded(self) -> bool:
        return self.least is not None or self.most is not None

    @property
    def _side(self) -> int:
        """-1 if the claim is a value below no effect, 1 if above; 0 if neither."""
        if self.neutral is None:
            return 0
        if self.direction:
            return DIRECTIONS[self.direction]
        if self.size is not None:
            return _sign(self.size - self.neutral)
        if self.most is not None and self.most < self.neutral:
            return -1
        return 1 if self.least is not None and self.least > self.neutral else 0

    def _sign(self, value: float) -> int:
        return _sign(self._rounded(value) - (self.neutral or 0.0))

    def _rounded(self, value: float) -> float:
        factor = 10.0**self.digits
        return math.floor(value * factor + 0.5) / factor

    def _format(self, value: float) -> str:
        return f"{value:,.{self.digits}f}"


def decimals(*values: float) -> int:
    """The most decimals that a number is written with: 0 of whole numbers, 1 of `94.0` and `72.1`."""
    return max(
        (
            len(repr(value).partition(".")[2])
            for value in values
            if isinstance(value, float) and abs(value) < 1e15
        ),
        default=0,
    )


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
