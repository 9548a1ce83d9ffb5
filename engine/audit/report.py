"""The result of an audit: findings, each a kind of error with its count and its first cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

KEPT_CASES = 5
"""The most cases of each kind that are listed."""


@dataclass(frozen=True)
class Case:
    """An error: the job by its number in the log (None if it concerns no single job), the time, and a text.

    `time` is in s from the trace's zero, `amount` the size of the error in the unit of the finding.
    """

    text: str
    job: str | None = None
    time: float | None = None
    amount: float | None = None


@dataclass(frozen=True)
class AuditFinding:
    """All errors of a kind. `worst` is the largest amount of all of them, not only of the listed `cases`."""

    kind: str
    text: str
    count: int
    cases: tuple[Case, ...]
    unit: str = ""
    worst: float | None = None

    @property
    def how_bad(self) -> str:
        """The largest amount as text to append; empty if the errors have no amounts."""
        if self.worst is None:
            return ""
        days = f" ({self.worst / 86_400:,.1f} days)" if self.unit == "s" and self.worst >= 86_400 else ""
        unit = self.unit.strip()
        return f"; at worst by {number(self.worst)}{f' {unit}' if unit else ''}{days}"


@dataclass(frozen=True)
class Guarantees:
    """Counts of guaranteed starts, and of their outcomes.

    `lapsed` guarantees ended when a job was submitted that goes first; `excused` ones were not kept
    after a job ran beyond an estimate on which they may have depended.
    """

    made: int
    kept: int
    broken: int
    excused: int = 0
    lapsed: int = 0


@dataclass(frozen=True)
class AuditReport:
    """The result of an audit. `offset` (s), subtracted from the schedule's times, is due to `offset_from`."""

    source: str
    policy: str | None
    tolerance: float
    jobs: int  # of the trace
    ran: int  # of these, by the schedule
    refused: int  # absent and too large for the machine
    offset: float
    offset_from: str
    findings: tuple[AuditFinding, ...]
    checked: tuple[str, ...]
    not_checked: tuple[str, ...]
    notes: tuple[str, ...] = ()
    guarantees: Guarantees | None = None

    @property
    def clean(self) -> bool:
        """Whether no error was found."""
        return not self.findings


def finding(kind: str, text: str, cases: Sequence[Case], unit: str = "") -> tuple[AuditFinding, ...]:
    """The cases as one finding, which lists the first few; empty if there are none."""
    if not cases:
        return ()
    amounts = [case.amount for case in cases if case.amount is not None]
    return (
        AuditFinding(kind, text, len(cases), tuple(cases[:KEPT_CASES]), unit, max(amounts, default=None)),
    )


def number(value: float) -> str:
    """A number for people: 12,345 or 0.25."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.3f}".rstrip("0").rstrip(".")
