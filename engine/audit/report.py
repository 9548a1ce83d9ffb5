"""What an audit found: findings, each a kind of fault with its count and its first cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

KEPT_CASES = 5
"""Cases of each kind that are told one by one."""


@dataclass(frozen=True)
class Case:
    """One fault: the job as the log spells it (None where no single job is at fault), when, and what.

    `time` is seconds from the trace's zero. `amount` is how much is wrong, in the unit of the finding.
    """

    text: str
    job: str | None = None
    time: float | None = None
    amount: float | None = None


@dataclass(frozen=True)
class Finding:
    """All faults of one kind. `worst` is the largest amount of all of them, not only of the `cases` kept."""

    kind: str
    text: str
    count: int
    cases: tuple[Case, ...]
    unit: str = ""
    worst: float | None = None

    @property
    def how_bad(self) -> str:
        """The worst of the faults in words, behind a text; empty where they have no amount."""
        if self.worst is None:
            return ""
        days = f" ({self.worst / 86_400:,.1f} days)" if self.unit == "s" and self.worst >= 86_400 else ""
        unit = self.unit.strip()
        return f"; at worst by {number(self.worst)}{f' {unit}' if unit else ''}{days}"


@dataclass(frozen=True)
class Guarantees:
    """Starts that were guaranteed to waiting jobs, and what became of them.

    `lapsed` guarantees ended when a job came that goes first; `excused` ones were not kept
    after a job had outlived an estimate on which they may have rested.
    """

    made: int
    kept: int
    broken: int
    excused: int = 0
    lapsed: int = 0


@dataclass(frozen=True)
class Report:
    """The result of an audit. `offset` (s) was taken from the schedule's times; `offset_from` says why."""

    source: str
    policy: str | None
    tolerance: float
    jobs: int  # of the trace
    ran: int  # of these, by the schedule
    refused: int  # absent and too large for the machine
    offset: float
    offset_from: str
    findings: tuple[Finding, ...]
    checked: tuple[str, ...]
    not_checked: tuple[str, ...]
    notes: tuple[str, ...] = ()
    guarantees: Guarantees | None = None

    @property
    def clean(self) -> bool:
        """Whether nothing that was checked is broken."""
        return not self.findings


def finding(kind: str, text: str, cases: Sequence[Case], unit: str = "") -> tuple[Finding, ...]:
    """The cases as one finding, of which the first few are kept; none where there is no case."""
    if not cases:
        return ()
    amounts = [case.amount for case in cases if case.amount is not None]
    return (Finding(kind, text, len(cases), tuple(cases[:KEPT_CASES]), unit, max(amounts, default=None)),)


def number(value: float) -> str:
    """A number for people: 12,345 or 0.25."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.3f}".rstrip("0").rstrip(".")
