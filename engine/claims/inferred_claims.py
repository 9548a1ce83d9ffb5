"""Kinds of claims about a wait whose reasons nobody recorded, and about what happened during a wait."""

from __future__ import annotations

from enum import StrEnum


class InferredRelation(StrEnum):
    """What starts and ends of other jobs suggest of a job's wait, and the reason that its log names."""

    BARRED = "for so long the log says that it might not start"
    TOO_FEW = "for so long too few processors seem to have been idle"
    TOO_LITTLE_RAM = "for so long enough processors, but too little RAM"
    ENOUGH = "for so long enough of both, so that something else held it"
    NAMED_REASON = "the reason that the log names"
    OTHERS_WAITED = "so many jobs waited when it came"
    USER_HELD = "so many processors its user held when it came"
    PASSED = "the jobs that came later and started before it"
    PASSED_MORE = "some of the jobs that came later by name, and the number of the others"


class EventRelation(StrEnum):
    """What happened to a job between its submission and its start, by the decision log."""

    RESERVED = "the first reservation of the job"
    RESERVED_ANEW = "how often its reservation moved, and the last time"
    LATER_PLANS_UNTOLD = "its later plans were not recorded"
    STARTED_THEN = "it started at the last planned start"
    STARTED_AFTER = "it started later than that"
    STARTED_BEFORE = "it started earlier than that"
    OVERTAKEN = "the jobs that went past it"
    OVERTAKEN_MORE = "some of the jobs that went past it by name, and the number of the others"
    BACKFILLED = "it went past a job that had waited longer"
    SAID = "a reason that its scheduler gave, which is code of the user's own"
    SAID_MORE = "how often its scheduler gave further reasons"
    SAID_UNTOLD = "not all that its scheduler said of it was kept"


_PASSED = "{passed} that came later started before it: {jobs}"
_OVERTAKEN = "{overtaking} of {users} went past it: {jobs}"

INFERRED_SENTENCES: dict[StrEnum, str] = {
    InferredRelation.BARRED: (
        "for {time} it was held, was not to begin yet or depended on another job, as the log says"
    ),
    InferredRelation.TOO_FEW: "for {time} too few processors seem to have been idle",
    InferredRelation.TOO_LITTLE_RAM: "for {time} too little RAM seems to have been free",
    InferredRelation.ENOUGH: (
        "for {time} enough seems to have been idle, so that something else probably held it: a limit, its "
        "priority, a reservation, or the nodes it needed"
    ),
    InferredRelation.NAMED_REASON: "the log names a reason: {reason}",
    InferredRelation.OTHERS_WAITED: "{others} waited when it came",
    InferredRelation.USER_HELD: "its user held {processors} when it came",
    InferredRelation.PASSED: _PASSED,
    InferredRelation.PASSED_MORE: _PASSED + ", and {more} more",
    EventRelation.RESERVED: "first reserved at {made date}: to start by {planned date}",
    EventRelation.RESERVED_ANEW: ("the reservation moved {times}, last at {made date} to {planned date}"),
    EventRelation.LATER_PLANS_UNTOLD: "its later plans were not recorded",
    EventRelation.STARTED_THEN: "it started just then",
    EventRelation.STARTED_AFTER: "it started {off} after that",
    EventRelation.STARTED_BEFORE: "it started {off} before that",
    EventRelation.OVERTAKEN: _OVERTAKEN,
    EventRelation.OVERTAKEN_MORE: _OVERTAKEN + ", and {more} more",
    EventRelation.BACKFILLED: "it was backfilled past job {job}, which had waited {waited}",
    EventRelation.SAID: "at {said date} {scheduler} says: {words}",
    EventRelation.SAID_MORE: "later {scheduler} says something else {more}",
    EventRelation.SAID_UNTOLD: "not all reasons of {scheduler} were kept",
}
"""The sentence of each kind, without digits of its own, with parts as in `engine.claims.words`."""
