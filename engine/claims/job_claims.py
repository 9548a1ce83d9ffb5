"""Kinds of claims about a job of a schedule: what it asked for, how it waited, and what a change would do."""

from __future__ import annotations

from enum import StrEnum


class LoggedRelation(StrEnum):
    """How a job of a schedule waited, or would have waited with another request."""

    NOT_RUN = "the schedule did not run it"
    AT_ONCE = "it started at its submission"
    WAITED = "how long it waited, and the moment of its start"
    ASKED = "the processors that it asked for"
    ASKED_FOR_TIME = "the same, and its time limit"
    SUBMITTED_NOT_RUN = "the moment of its submission, and that it was not run"
    SUBMITTED_AT_ONCE = "the moment of its submission, which is that of its start"
    SUBMITTED_WAITED = "the moments of its submission and start, and the time between them"
    SAME_START = "changed, it would have started at the same time"
    SOONER = "changed, it would have waited less"
    LATER = "changed, it would have started later"
    SAME_END = "and ended at the same time"
    ENDED_SOONER = "and ended earlier"
    ENDED_LATER = "and ended later"


_ASKED = "{subject} asked for {processors}"
_SUBMITTED = "it was submitted {submit date}"

LOGGED_SENTENCES: dict[StrEnum, str] = {
    LoggedRelation.NOT_RUN: "{by}, {subject} was not run",
    LoggedRelation.AT_ONCE: "{by}, {subject} started at once",
    LoggedRelation.WAITED: "{by}, {subject} waited {waited}, until {start date}",
    LoggedRelation.ASKED: _ASKED,
    LoggedRelation.ASKED_FOR_TIME: _ASKED + " for {limit}",
    LoggedRelation.SUBMITTED_NOT_RUN: _SUBMITTED + " and was not run",
    LoggedRelation.SUBMITTED_AT_ONCE: _SUBMITTED + " and started at once",
    LoggedRelation.SUBMITTED_WAITED: _SUBMITTED + ", waited {waited} and started {start date}",
    LoggedRelation.SAME_START: "it would have started at the same time",
    LoggedRelation.SOONER: "it would have waited {waited}, {less} less",
    LoggedRelation.LATER: "it would have started {later} later",
    LoggedRelation.SAME_END: "and ended at the same time",
    LoggedRelation.ENDED_SOONER: "and ended {by} earlier",
    LoggedRelation.ENDED_LATER: "and ended {by} later",
}
"""The sentence of each kind, without digits of its own, with parts as in `engine.claims.words`."""
