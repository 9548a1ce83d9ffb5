"""Kinds of claims about spans of predicted starts: what they are made of, and how many starts they hold."""

from __future__ import annotations

from enum import StrEnum


class SpanRelation(StrEnum):
    """What is known of spans of starts: by predictions whose jobs have started, or by how they are made."""

    CALIBRATED = "scores of predictions that were calibrated on other times of a log"
    CALIBRATED_BEFORE = "scores of predictions that were calibrated on earlier times of a schedule"
    LONG_QUEUE = "more jobs wait than at nearly all instants of a schedule"
    BY_PRIORITIES = "jobs of that log go by the site's priorities"
    BY_SUBMISSION = "jobs of that log go by their submission"
    GAVE_FEW = "a log gave too few predictions to conclude from"
    NOBODY_WAITED = "nobody waited in a log, so that it has no start to predict"
    GAVE_NONE = "a log gave no prediction whose start it tells"
    NOT_HELD = "spans calibrated on a log held too few starts in a stretch of other times"
    NOT_REPLAYED = "a log cannot be replayed on the site"
    FEWER_REPLAYS = "fewer replays were made than at instants of the log"
    KEPT = "predictions that were kept, whose jobs have started"
    HELD_IN_TESTS = "the share of starts that spans held on other logs and on a real Slurm"
    NOT_TESTED = "spans for another share than those that were tested"
    WIDER = "by how much spans are wider than those of replays"
    NO_REPLAY = "no replay was made"
    SHARE = "the share of starts that calibrated spans held where they held fewest"
    REPLAYS = "spans are those of so many replays"
    COARSE_REPLAYS = "spans are those of so many replays in coarse steps"
    MOST_REPLAYS = "spans contain most of so many replays, and the planned start"
    MOST_COARSE_REPLAYS = "spans contain most of so many replays in coarse steps, and the planned start"
    DRAWN_FROM_LOG = "runtimes are drawn from a log"
    DRAWN_FROM_ARCHIVE = "runtimes are drawn from logs of the archive"
    COME_AS_IN_WEEKS = "further jobs come as in each of the last weeks"
    COME_AS_IN_WEEK = "further jobs come as in the last week"
    NONE_COMES = "no further job comes"
    ON_TIME = "what is on time of planned starts that came true"
    SPREAD_OF_REPLAYS = "a table's spans are of so many replays"


_CALIBRATED = (
    "on {subject}: of {predictions} at {instants}, each calibrated on *other* times alone, {held} came "
    "within such spans, and {least} in the stretch of time in which fewest did ({raw} within those of the "
    "replays); the predicted start was off by {off} on average, the planned start by {planned off}"
)
_UNKNOWN = "not calibrated, so how many starts are within it is not known"
_COARSE = " in coarse steps, since many jobs wait"
_REPLAYS = "they are those of {replays}"
_MOST = "{span} contains most of {replays}"
_DRAWN = "in replays runtimes are drawn from what jobs of {drawn} used of their time limits"

SPAN_SENTENCES: dict[StrEnum, str] = {
    SpanRelation.CALIBRATED: _CALIBRATED.replace("*other*", "other"),
    SpanRelation.CALIBRATED_BEFORE: _CALIBRATED.replace("*other*", "earlier"),
    SpanRelation.LONG_QUEUE: (
        "{waiting} {waiting:waits|wait}, as many as at {as long} of {instants} of {subject}: nothing is "
        "concluded from fewer than {fewest}"
    ),
    SpanRelation.BY_PRIORITIES: "its jobs go by the site's priorities then",
    SpanRelation.BY_SUBMISSION: "its jobs go by submission",
    SpanRelation.GAVE_FEW: (
        "{subject} gave only {predictions} of {jobs}, at {apart} between which most waiting jobs had "
        "changed: nothing is concluded from fewer than {fewest}"
    ),
    SpanRelation.NOBODY_WAITED: "no job waited in {subject}, so that no prediction could be tested",
    SpanRelation.GAVE_NONE: (
        "{subject} gave no prediction of a start that it tells, so that no prediction could be tested"
    ),
    SpanRelation.NOT_HELD: (
        "spans calibrated on {subject} held only {held} of the starts in one stretch of other times, of "
        "{cover} that they were to hold"
    ),
    SpanRelation.NOT_REPLAYED: "{subject} cannot be replayed on this site: {error}",
    SpanRelation.FEWER_REPLAYS: (
        "time sufficed for {replays}, and at each instant of the log {then} were made"
    ),
    SpanRelation.KEPT: "by {kept} whose jobs have started",
    SpanRelation.HELD_IN_TESTS: (
        _UNKNOWN + ": in tests, such spans contained {least} to {most} of the starts in {logs} archived "
        "logs, and {least real} to {most real} in {runs} runs of a real Slurm"
    ),
    SpanRelation.NOT_TESTED: _UNKNOWN,
    SpanRelation.WIDER: (
        "since a model errs, it begins and ends at the times from now of replays and plan, divided or "
        "multiplied by {factor}"
    ),
    SpanRelation.NO_REPLAY: "no replay was made",
    SpanRelation.SHARE: "at least about {share} of such spans contain the start",
    SpanRelation.REPLAYS: _REPLAYS,
    SpanRelation.COARSE_REPLAYS: _REPLAYS + _COARSE,
    SpanRelation.MOST_REPLAYS: _MOST + " and the planned start",
    SpanRelation.MOST_COARSE_REPLAYS: _MOST + _COARSE + ", and the planned start",
    SpanRelation.DRAWN_FROM_LOG: _DRAWN,
    SpanRelation.DRAWN_FROM_ARCHIVE: _DRAWN.replace("{drawn}", "{logs} archived logs"),
    SpanRelation.COME_AS_IN_WEEKS: "further jobs come as in each of the last {weeks} of the log",
    SpanRelation.COME_AS_IN_WEEK: "further jobs come as in the last week of the log",
    SpanRelation.NONE_COMES: "no further job comes",
    SpanRelation.ON_TIME: (
        "beside them stands how the first planned starts of jobs with like walltimes came true that had "
        "started by then: a start within {tolerance} of the plan is on time"
    ),
    SpanRelation.SPREAD_OF_REPLAYS: (
        "from, median and to are of {replays}, in which each job runs for a part of its walltime as jobs did "
        "that had ended by then"
    ),
}
"""The sentence of each kind, without digits of its own, with parts as in `engine.claims.words`."""
