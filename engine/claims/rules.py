"""Kinds of claims about a change of a site's rules, and their sentences, which follow each other."""

from __future__ import annotations

from enum import StrEnum

from engine.claims.phases import BY_CHANCE, PHASED


class RulesRelation(StrEnum):
    """What a change of rules did to the mean wait: by the record, and by the models of both rules."""

    RECORDED = "the recorded mean wait before and after, from 0"
    RECORDED_WITHIN = "the same with its change and an interval"
    RECORDED_FEW_WEEKS = "the same with its change, over too few weeks for an interval"
    RECORDED_DEPENDENT_WEEKS = "the same with its change, over weeks that depend on each other too much"
    INTERVAL = "the interval of the recorded change"
    FEW_WEEKS = "weeks that are too few for one"
    DEPENDENT_WEEKS = "weeks that depend on each other too much for one"
    NOBODY_WAITS = "nobody waits by the models"
    FROM_NOTHING = "means by the models, of which one that a change is told from is 0"
    RULES = "the new rules alone, on the jobs after the change"
    RULES_IN_PHASES = "the new rules alone with their range over phases, which do not explain it"
    RULES_BY_CHANCE = "the new rules alone with their range over phases, which explain it"
    LOAD = "the other load alone, under the old rules"
    LOAD_IN_PHASES = "the other load alone with its range over phases, which do not explain it"
    LOAD_BY_CHANCE = "the other load alone with its range over phases, which explain it"
    TOGETHER = "rules and load together"


_RECORDED = "the recorded mean wait went from {before} to {after}"
_INTERVAL = "{level} interval {low} to {high}"
_FEW = "{first} and {second} are too few for an interval, which takes {fewest} on each side"
_DEPENDENT = "{first} and {second} depend on each other too much for an interval"
_RULES, _LOAD = "by the models the new rules alone change it by ", "the other load alone by "

RULES_SENTENCES: dict[StrEnum, str] = {
    RulesRelation.RECORDED: _RECORDED,
    RulesRelation.RECORDED_WITHIN: f"{_RECORDED} ({{change}}, {_INTERVAL})",
    RulesRelation.RECORDED_FEW_WEEKS: f"{_RECORDED} ({{change}}; {_FEW})",
    RulesRelation.RECORDED_DEPENDENT_WEEKS: f"{_RECORDED} ({{change}}; {_DEPENDENT})",
    RulesRelation.INTERVAL: _INTERVAL,
    RulesRelation.FEW_WEEKS: _FEW,
    RulesRelation.DEPENDENT_WEEKS: _DEPENDENT,
    RulesRelation.NOBODY_WAITS: "by the models nobody waits",
    RulesRelation.FROM_NOTHING: (
        "by the models it went from {old} under the old rules to {new} under the new ones, and to {later} if "
        "the old ones had stayed"
    ),
    RulesRelation.RULES: _RULES + "{change}",
    RulesRelation.RULES_IN_PHASES: _RULES + PHASED,
    RulesRelation.RULES_BY_CHANCE: _RULES + BY_CHANCE,
    RulesRelation.LOAD: _LOAD + "{change}",
    RulesRelation.LOAD_IN_PHASES: _LOAD + PHASED,
    RulesRelation.LOAD_BY_CHANCE: _LOAD + BY_CHANCE,
    RulesRelation.TOGETHER: "and both together by {change}",
}
"""The sentence of each kind, without digits of its own, with parts as in `engine.claims.words`."""
