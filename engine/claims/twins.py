"""Kinds of claims about how near the model of a site comes to its log."""

from __future__ import annotations

from enum import StrEnum


class TwinRelation(StrEnum):
    """How the waits of a site's own schedule stand to those that the log recorded."""

    LONGER = "the mean wait is longer than the recorded one"
    SHORTER = "the mean wait is shorter than the recorded one"
    AS_LONG = "the mean waits are the same, as far as they are shown"
    NO_REAL_WAIT = "no job waited in reality"
    CORRELATED = "the rank correlation of waits with the recorded ones"
    IN_CYCLE = "the jobs that start within a backfill cycle of their recorded start"
    WORST_ACCOUNT = "the account whose mean wait is farthest off"
    WORST_OF_NO_WAIT = "the same, of an account whose jobs did not wait in reality"
    ANOTHER_ORDER = "accounts have another order by mean wait than in reality"
    REVERSED = "pairs of accounts of which the model has the order reversed"
    REVERSED_MORE = "some of these pairs, and the number of the others"
    OVER = "the jobs that were compared, none of them used to fit the model"
    OVER_LATER = "the jobs that were compared, all later than those that the model was fitted to"


class NearnessRelation(StrEnum):
    """How the schedule of a site stands to the recorded one as a whole."""

    NEAR_STARTS = "the jobs that start near their recorded start: in a cycle, or in a tenth of the wait"
    HALF_DIFFER = "the median difference of starts"
    MAKESPAN = "the time from the first submission to the last end, by the log and by the model"
    UTILIZATION = "the used part of the machine in that time, by the log and by the model"
    SAME_ORDER = "all accounts have the log's order by mean wait"
    NOT_SAME_ORDER = "not all accounts have the log's order by mean wait"
    NOT_MODELLED = "jobs with something in the log that the model leaves out"


_OVER = "over {span} of the log ({jobs}; "
_WORST = "account {account} is farthest off "

TWIN_SENTENCES: dict[StrEnum, str] = {
    TwinRelation.LONGER: "the model's mean wait is {off} above the real one",
    TwinRelation.SHORTER: "the model's mean wait is {off} below the real one",
    TwinRelation.AS_LONG: "the model's mean wait is as long as the real one",
    TwinRelation.NO_REAL_WAIT: "no job waited in reality and the model's mean wait is {wait}",
    TwinRelation.CORRELATED: "the rank correlation of waits is {correlation}",
    TwinRelation.IN_CYCLE: "{share} of jobs start within a backfill cycle of their real start",
    TwinRelation.WORST_ACCOUNT: _WORST + "({off})",
    TwinRelation.WORST_OF_NO_WAIT: _WORST + "({wait} where it did not wait)",
    TwinRelation.ANOTHER_ORDER: "and accounts have another order than in reality",
    TwinRelation.REVERSED: "accounts {pairs} change places",
    TwinRelation.REVERSED_MORE: "accounts {pairs} and {more} change places",
    NearnessRelation.NEAR_STARTS: (
        "{near} of jobs start within a backfill cycle ({cycle}) of their recorded start, {nearer} within "
        "that or a tenth of the recorded wait"
    ),
    NearnessRelation.HALF_DIFFER: "half of the starts differ by {difference} or less",
    NearnessRelation.MAKESPAN: "the makespan is {recorded} by the log and {simulated} by the model",
    NearnessRelation.UTILIZATION: "the utilization is {recorded} by the log and {simulated} by the model",
    NearnessRelation.SAME_ORDER: "accounts have the same order by their mean waits",
    NearnessRelation.NOT_SAME_ORDER: "accounts have another order by their mean waits",
    NearnessRelation.NOT_MODELLED: "{unlike} {what}",
    TwinRelation.OVER: _OVER + "nothing of it was fitted to this log)",
    TwinRelation.OVER_LATER: _OVER + "its delays were fitted to earlier jobs)",
}
"""The sentence of each kind, without digits of its own, with parts as in `engine.claims.words`."""
