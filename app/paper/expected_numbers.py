"""The numbers of a paper beside those of its results: what was found, and the verdict on each."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.paper.results import Place, number, rows_of
from engine.errors import InputError
from engine.sweep.paper_claim import ClaimResult
from engine.sweep.paper_file import Cells, ExpectedNumber, PaperItem

NUMBERS = "numbers.csv"
"""The table of the paper's numbers beside those that were found."""

NOT_TRIED = "not tried"
"""The verdict on a number whose log is not on this computer."""

_FINDINGS = "findings.csv"
"""The table of findings among the results of a study (`app.report.study`)."""


@dataclass(frozen=True)
class JudgedNumber:
    """A number of an item: what the paper has, and what was found."""

    item: str
    text: str
    log: str  # of a study, which has several; else empty
    paper: str  # the claim in words
    value: float | None
    verdict: str

    @property
    def found(self) -> str:
        """What was found with four digits, or all of a larger number; empty for nothing."""
        if self.value is None:
            return ""
        shown = f"{self.value:,.0f}" if abs(self.value) >= 1000 else f"{self.value:.4g}"
        rounded = decisive_rounding(self.paper, self.value)
        return f"{shown}, {rounded} in the paper's digits" if rounded else shown

    def __str__(self) -> str:
        log = f" ({self.log})" if self.log else ""
        found = f", found {self.found}" if self.found else ""
        return f"{self.item}: {self.text}{log}: {self.verdict}; paper {self.paper}{found}"


def decisive_rounding(claim: str, value: float) -> str:
    """The value in the digits of a claim with bounds, where it meets or breaks a bound only in these.

    Empty where digits decide nothing. `claim` is in words: `at least 135`, `at most 71.8`, `75 to 99`.
    """
    bounds = _BOUNDS.fullmatch(claim.replace(",", ""))
    if bounds is None:
        return ""
    for name in ("least", "low", "most", "high"):
        text = bounds[name]
        if text is None:
            continue
        bound, digits = float(text), len(text.partition(".")[2])
        rounded = math.floor(value * 10.0**digits + 0.5) / 10.0**digits  # as claims are judged
        below = name in ("most", "high")
        meets = [number <= bound if below else number >= bound for number in (value, rounded)]
        if meets[0] != meets[1]:
            return f"{rounded:.{digits}f}"
    return ""


_NUMBER = r"-?[0-9]{1,18}(?:\.[0-9]{1,9})?"
_BOUNDS = re.compile(
    rf"at least (?P<least>{_NUMBER})|at most (?P<most>{_NUMBER})(?P<apart> apart)?"
    rf"|(?P<low>{_NUMBER}) to (?P<high>{_NUMBER})|(?P<size>{_NUMBER})"
)
"""The words of a claim with a number or bounds."""


@dataclass(frozen=True)
class ClaimedNumbers:
    """The numbers in the words of a claim, each None where it has none: the paper's own, and bounds."""

    size: float | None = None
    low: float | None = None
    high: float | None = None


def claimed_numbers(claim: str) -> ClaimedNumbers:
    """The numbers of a claim in words: `85`, `at least 135`, `at most 71.8`, `75 to 99`."""
    found = _BOUNDS.fullmatch(claim.replace(",", ""))
    if found is None or found["apart"]:
        return ClaimedNumbers()
    return ClaimedNumbers(
        number(found["size"]), number(found["least"] or found["low"]), number(found["most"] or found["high"])
    )


def read_numbers(path: Path) -> list[JudgedNumber]:
    """The numbers of a paper as `carry_out` wrote them. Raises InputError."""
    return [
        JudgedNumber(
            row["item"], row["number"], row["log"], row["claim"], number(row["found"]), row["verdict"]
        )
        for row in rows_of(path)
    ]


def places_of(numbers: Sequence[JudgedNumber]) -> dict[Place, float]:
    """The numbers that were found, by what they are."""
    return {
        (NUMBERS, f"{each.item}: {each.text}{f' ({each.log})' if each.log else ''}"): each.value
        for each in numbers
        if each.value is not None
    }


def judged_numbers(item: PaperItem, data: Path | None, folder: Path) -> list[JudgedNumber]:
    """The numbers of an item: those that its paper file names, and the findings of a study.

    `data` is the table of the item, `folder` the folder of a study's results. Raises InputError where a
    number is not in the data.
    """
    found = list(_findings(item, folder / _FINDINGS)) if item.command == "sweep" else []
    if item.numbers and data is None:
        raise InputError(f"{item.name}: this command has no data in rows and columns to take numbers from")
    rows = rows_of(data) if item.numbers and data is not None else []
    return found + [_judged(item, each, rows) for each in item.numbers]


def untried(item: PaperItem) -> list[JudgedNumber]:
    """The numbers of an item that could not be made."""
    return [JudgedNumber(item.name, each.text, "", str(each.claim), None, NOT_TRIED) for each in item.numbers]


def _judged(item: PaperItem, asked: ExpectedNumber, rows: Sequence[Mapping[str, str]]) -> JudgedNumber:
    row = _row(item, asked.where, rows)
    value = _value(item, row, asked.column)
    if asked.against:
        column = asked.against if isinstance(asked.against, str) else asked.column
        other = row if isinstance(asked.against, str) else _row(item, asked.against, rows)
        whole = _value(item, other, column)
        if whole == 0:
            raise InputError(f"{item.name}: {asked.text} is a share of 0, which has none")
        value = 100 * value / whole
    verdict = asked.claim.judge(value)
    return JudgedNumber(item.name, asked.text, "", str(asked.claim), value, verdict)


def _row(item: PaperItem, where: Cells, rows: Sequence[Mapping[str, str]]) -> Mapping[str, str]:
    """The only row with these cells. Raises InputError."""
    fitting = [row for row in rows if all(_same(row.get(column), cell) for column, cell in where)]
    if len(fitting) != 1:
        cells = ", ".join(f"{column} = {cell}" for column, cell in where) or "without conditions"
        raise InputError(f"{item.name}: {len(fitting)} rows of its data are {cells}: name a single row")
    return fitting[0]


def _same(held: str | None, asked: str) -> bool:
    """Whether a cell is what was asked for: the same word, or the same number (1 and 1.0)."""
    return held == asked or (number(held) is not None and number(held) == number(asked))


def _value(item: PaperItem, row: Mapping[str, str], column: str) -> float:
    value = number(row.get(column))
    if value is None:
        raise InputError(f"{item.name}: its data have no number in {column}; columns: {', '.join(row)}")
    return value


def _findings(item: PaperItem, path: Path) -> Iterator[JudgedNumber]:
    """The findings of a study, each on every log: columns `LOG` and `LOG, value` after the claim."""
    for row in rows_of(path):
        for log in row:
            if f"{log}, value" in row and row[log]:  # else the finding is about other logs
                value = number(row[f"{log}, value"])
                yield JudgedNumber(item.name, row["Finding"], log, row["Paper's claim"], value, row[log])


def verdict_counts(numbers: Sequence[JudgedNumber]) -> dict[str, int]:
    """How many numbers have each verdict, the best verdict first."""
    known = [*(str(each) for each in ClaimResult), "cannot be decided", NOT_TRIED]
    counts = {verdict: sum(each.verdict == verdict for each in numbers) for verdict in known}
    return {verdict: count for verdict, count in counts.items() if count}
