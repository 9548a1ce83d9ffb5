"""Kinds of claims about what holds a job of the present queue, by the first passes of its plan."""

from __future__ import annotations

from enum import StrEnum


class HoldRelation(StrEnum):
    """What holds a waiting job now. Amounts are those that the pass saw which gave this reason."""

    NOTHING = "the next pass starts it"
    PROCESSORS = "so many of its processors are not free on the nodes"
    PROCESSORS_OF_PARTITION = "the same, on those of its partition"
    RAM = "so much RAM is missing on its nodes"
    RESOURCE = "so much of another resource is missing on its nodes"
    NODES = "so many nodes with enough free are missing"
    SCATTERED = "enough is free, but not where its tasks can go"
    CLEANING = "nodes are cleaned up"
    BEHIND = "another job goes first"
    BEHIND_BY_PRIORITY = "another job of higher priority goes first"
    PLANNED = "free nodes are planned for another job"
    KEPT = "nodes are kept for a reservation"
    AWAY = "nodes are away"
    NOT_OPEN = "its reservation is not open"
    NOT_BEGUN = "its reservation has not begun"
    BEGINS_LATER = "its own begin time is not there"
    BEGINS_IN = "its own begin time is so far away"
    JOBS_OF_OWNER = "the limit on running jobs of an owner"
    JOBS_PASSED = "the same, which jobs pass to which another limit applies"
    AMOUNT_OF_OWNER = "the limit on what an owner uses, which is reached"
    AMOUNT_PASSED = "the same of what it uses, which jobs pass to which another limit applies"
    AMOUNT_WITH_IT = "the limit on what an owner uses, which the job would pass"
    SPENT = "the limit on what an owner has used, times minutes"
    AHEAD = "the limit on what an owner's running jobs may still take, times minutes"
    NOT_REACHED = "passes do not reach it"
    DEPENDENCY = "it waits for another job"
    NOT_KNOWN = "the plan has no reason"
    SLURM_SAYS = "the reason that Slurm's print of the queue gives"


_PROCESSORS = "it asks for {asked}, and {missing} of them {missing:is|are} not free on the nodes"
_AMOUNT = "{owner} uses {used} of {most} {resource}"
_PASSED = "to which a limit of {quality} applies instead"
_TIME = "{most} {resource}, all that is allowed"

HOLD_SENTENCES: dict[StrEnum, str] = {
    HoldRelation.NOTHING: "nothing holds it: the next pass of the scheduler starts it",
    HoldRelation.PROCESSORS: _PROCESSORS,
    HoldRelation.PROCESSORS_OF_PARTITION: _PROCESSORS + " of {partition}",
    HoldRelation.RAM: "{missing} of RAM is missing on its nodes",
    HoldRelation.RESOURCE: "{missing} {resource} {missing:is|are} missing on its nodes",
    HoldRelation.NODES: "{missing} with enough free on each {missing:is|are} missing",
    HoldRelation.SCATTERED: "enough is free, but not on nodes where its tasks can go",
    HoldRelation.CLEANING: "nodes are still cleaned up after other jobs",
    HoldRelation.BEHIND: "{job} goes first",
    HoldRelation.BEHIND_BY_PRIORITY: "{job} goes first (priority {higher} against {own})",
    HoldRelation.PLANNED: "the free nodes are planned for {job}, which it would delay",
    HoldRelation.KEPT: "nodes are kept for the reservation {reservation}",
    HoldRelation.AWAY: "nodes that it needs are away",
    HoldRelation.NOT_OPEN: "its reservation {reservation} is not open",
    HoldRelation.NOT_BEGUN: "its reservation {reservation} has not begun",
    HoldRelation.BEGINS_LATER: "its own begin time has not come",
    HoldRelation.BEGINS_IN: "its own begin time is {left} from now",
    HoldRelation.JOBS_OF_OWNER: "{owner} runs {used} of {most}",
    HoldRelation.JOBS_PASSED: "{owner} runs {used} of {most}, including {passed} " + _PASSED,
    HoldRelation.AMOUNT_OF_OWNER: _AMOUNT,
    HoldRelation.AMOUNT_PASSED: _AMOUNT + ", including {passed} by jobs " + _PASSED,
    HoldRelation.AMOUNT_WITH_IT: _AMOUNT + ", and it asks for {more}",
    HoldRelation.SPENT: "{owner} has used up " + _TIME,
    HoldRelation.AHEAD: "{owner} may still take " + _TIME,
    HoldRelation.NOT_REACHED: "{why}",
    HoldRelation.DEPENDENCY: "{why}",
    HoldRelation.NOT_KNOWN: "unknown",
    HoldRelation.SLURM_SAYS: "Slurm says: {said}",
}
"""The sentence of each kind, without digits of its own, with parts as in `engine.claims.words`."""
