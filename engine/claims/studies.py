"""Kinds of claims about the findings of a study, and their sentences."""

from __future__ import annotations

from enum import StrEnum


class FindingRelation(StrEnum):
    """How a number of a paper stands to what was measured: of the worst row that the finding covers."""

    REPRODUCED = "reproduced"
    OTHER_SIZE = "same direction, another size"
    NOT = "not reproduced"
    UNDECIDED = "runs of it failed"
    MEASURED = "the worst measured number of a finding, and the paper's"


_NUMBERS = "{row}: {measured}{unit}{rounding}, paper: {paper}"

FINDING_SENTENCES: dict[StrEnum, str] = {
    FindingRelation.REPRODUCED: f"reproduced ({_NUMBERS}): {{text}}",
    FindingRelation.OTHER_SIZE: f"same direction, another size ({_NUMBERS}): {{text}}",
    FindingRelation.NOT: f"not reproduced ({_NUMBERS}): {{text}}",
    FindingRelation.UNDECIDED: "cannot be decided: {text}",
    FindingRelation.MEASURED: _NUMBERS,
}
"""The sentence of each kind, without digits of its own, with parts as in `engine.claims.words`."""
