"""Kinds of claims about what phases of slurmctld's loops make of mean waits, and about changes of sites."""

from __future__ import annotations

from enum import StrEnum


class PhaseRelation(StrEnum):
    """What is known of runs of sites, whose loops may have begun at any second."""

    SPREAD = "the least and the largest mean wait of a run over phases"
    CHANGED = "a change of the mean wait which phases do not explain, with its range over them"
    CHANGED_BY_CHANCE = "a change of the mean wait which phases explain"
    BEST_CHANGED = "the change of the first policy of a search, which phases do not explain"
    BEST_CHANGED_BY_CHANCE = "the change of the first policy of a search, which phases explain"
    WHAT_IF = "a run changes a site, and carries its verdict"
    OTHER_ORDER = "by the model of a site its accounts have another order than by the log"


PHASED = "{change} ({low} to {high} over {phases} of slurmctld's loops)"
BY_CHANCE = "{change}, inside what the phases of slurmctld's loops change ({low} to {high} over {phases})"
"""A change with its range over phases, which do not explain it, or do."""

PHASE_SENTENCES: dict[StrEnum, str] = {
    PhaseRelation.SPREAD: "mean wait {low} to {high} over {phases} of slurmctld's loops",
    PhaseRelation.CHANGED: f"mean wait {PHASED}",
    PhaseRelation.CHANGED_BY_CHANCE: f"mean wait {BY_CHANCE}",
    PhaseRelation.BEST_CHANGED: f"its mean wait changes by {PHASED}",
    PhaseRelation.BEST_CHANGED_BY_CHANCE: f"its mean wait changes by {BY_CHANCE}",
    PhaseRelation.WHAT_IF: "a what-if of {site}",
    PhaseRelation.OTHER_ORDER: (
        "{subject} has accounts in another order than the log (rank correlation {correlation} of {accounts})"
    ),
}
"""The sentence of each kind, without digits of its own, with parts as in `engine.claims.words`."""
