"""Kinds of claims about what a search found, and their sentences."""

from __future__ import annotations

from enum import StrEnum


class SearchRelation(StrEnum):
    """What is said of the best policy of a search on the span that no trial saw, or of the whole search."""

    COMPARED = "a policy against the baseline on the judged span, before the changes of objectives"
    CHANGE = "the change of an objective in the mean week, with its interval"
    CHANGE_OF_FEW_WEEKS = "the change of an objective in too few weeks for an interval"
    CHANGE_UNDER_A_WEEK = "the change of an objective in a span shorter than a week"
    CHANGE_OF_DEPENDENT_WEEKS = "the change of an objective in weeks that are too alike for an interval"
    NO_CHANGE_KNOWN = "an objective that has no value in any week, or is 0 under the baseline"
    BASELINE_IS_BEST = "the baseline itself is best"
    WORSE = "objectives that are worse beyond noise"
    BREAKS = "bounds that the best policy breaks on the judged span"
    NOT_SHOWN = "its first objective is not better beyond noise, or its model misleads"
    MAY_BE_CHANCE = "its first objective is neither better nor worse beyond noise"
    DROPPED = "policies that lost races on the first parts of the searched span"
    CONTRADICTION = "no drawn combination of keys made a policy"
    NONE_FITS = "no policy that was tried fits the log"
    NO_VALUES = "objectives without a value under any policy"
    NONE_KEEPS = "no policy that was tried keeps all bounds"
    NONE_HAS_ALL = "no policy that was tried has a value of each objective"


SEARCH_SENTENCES: dict[StrEnum, str] = {
    SearchRelation.COMPARED: "{best} against {base} on the judged span",
    SearchRelation.CHANGE: "{metric} {change}, averaged over {weeks} ({level} CI: {low} to {high})",
    SearchRelation.CHANGE_OF_FEW_WEEKS: (
        "{metric} {change}, averaged over {weeks} (no CI: it needs {fewest})"
    ),
    SearchRelation.CHANGE_UNDER_A_WEEK: "{metric} {change}, over {span} (no CI: it needs {fewest})",
    SearchRelation.CHANGE_OF_DEPENDENT_WEEKS: (
        "{metric} {change}, averaged over {weeks} (no CI: the weeks are correlated and count only as "
        "{effective})"
    ),
    SearchRelation.NO_CHANGE_KNOWN: "{metric} cannot be compared week by week",
    SearchRelation.BASELINE_IS_BEST: "nothing that was tried beats {base}",
    SearchRelation.WORSE: "it is worse in {metrics}",
    SearchRelation.BREAKS: "it does not keep {bounds} there: no better policy was shown",
    SearchRelation.NOT_SHOWN: "no better policy was shown",
    SearchRelation.MAY_BE_CHANCE: "no better policy was shown: the difference may be due to chance",
    SearchRelation.DROPPED: (
        "of {tried} policies that were tried {lost} lost on at most the first {span} by more than their "
        "spread, and were dropped"
    ),
    SearchRelation.CONTRADICTION: (
        "no policy was tried: the keys that were drawn contradict one another ({why})"
    ),
    SearchRelation.NONE_FITS: "none of the policies that were tried fits this log",
    SearchRelation.NO_VALUES: "no policy that was tried has a value of {metrics}: nothing was found",
    SearchRelation.NONE_KEEPS: "no policy that was tried keeps {bounds}",
    SearchRelation.NONE_HAS_ALL: "no policy that was tried has a value of every objective",
}
"""The sentence of each kind, without digits of its own, with parts as in `engine.claims.words`."""
