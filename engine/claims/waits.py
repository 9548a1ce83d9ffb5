"""Kinds of claims about the wait of one job, whose sentences follow a length of time, and about the waits of
groups of jobs."""

from __future__ import annotations

from enum import StrEnum


class WaitRelation(StrEnum):
    """Why a job waited for a part of its wait. Amounts over a time are those of the schedule; amounts `at
    first` are those of the pass that first gave this reason.
    """

    UNTIL_PASS = "no pass had considered the job"
    PROCESSORS_MISSING = "as many processors were missing all along"
    PROCESSORS_MISSING_RANGE = "processors were missing, least and most"
    PROCESSORS_MISSING_UP_TO = "processors were missing, until enough were free before a pass"
    PROCESSORS_MISSING_AT_FIRST = "processors of the job's nodes were missing at first"
    RAM_MISSING = "as much RAM was missing all along"
    RAM_MISSING_RANGE = "RAM was missing, least and most"
    RAM_MISSING_UP_TO = "RAM was missing, until enough was free before a pass"
    RAM_MISSING_AT_FIRST = "RAM of the job's nodes was missing at first"
    RESOURCE_MISSING = "as much of another resource was missing all along"
    RESOURCE_MISSING_RANGE = "another resource was missing, least and most"
    RESOURCE_MISSING_UP_TO = "another resource was missing, until enough was free before a pass"
    RESOURCE_MISSING_AT_FIRST = "another resource of the job's nodes was missing at first"
    POWER_MISSING = "the cap on power left too little of it"
    POWER_MISSING_BY_HOUR = "the cap on power, which changes by the clock, left too little of it"
    SCATTERED = "enough was free, but not where its tasks could go"
    NO_ROOM = "its tasks had no room on any nodes, and for a part of the time not enough was free in all"
    KEPT_FREE = "in the way of a waiting job's reservation"
    KEPT_FREE_AND_OTHERS = "in the way of reservations of several jobs, each while that job waited"
    KEPT_FREE_UNNAMED = "in the way of reservations of jobs that are not named"
    OWN_RESERVATION = "its own reservation began later"
    USER_JOBS = "held by the limit of a user's jobs"
    USER_PROCESSORS = "held by the limit of a user's processors"
    QUEUE_PROCESSORS = "held by the limit of a queue's processors"
    PRICE = "energy cost more than it waits for"
    BEHIND = "as many jobs submitted earlier waited all along"
    BEHIND_RANGE = "jobs submitted earlier waited, least and most"
    BEHIND_AT_FIRST = "jobs were ahead in the queue at first"
    BEHIND_BY_SCORE = "jobs of higher score were ahead at first"
    UNTRIED = "a pass looks at so many jobs"
    UNTRIED_OF_USER = "a pass looks at so many jobs of a user"
    STOPPED = "it ran until a node failed"
    STOPPED_MORE = "it ran until nodes failed"
    PREEMPTED = "it ran until a job preempted it"
    PREEMPTED_MORE = "it ran until jobs preempted it"
    UNTOLD = "the log had no room for the reasons"


WAIT_SENTENCES: dict[StrEnum, str] = {
    WaitRelation.UNTIL_PASS: "until the next scheduling pass",
    WaitRelation.PROCESSORS_MISSING: "short of processors ({most} of its {asked} missing)",
    WaitRelation.PROCESSORS_MISSING_RANGE: "short of processors ({least} to {most} of its {asked} missing)",
    WaitRelation.PROCESSORS_MISSING_UP_TO: "short of processors (up to {most} of its {asked} missing)",
    WaitRelation.PROCESSORS_MISSING_AT_FIRST: "short of processors ({most} of its {asked} missing at first)",
    WaitRelation.RAM_MISSING: "short of RAM ({most} missing)",
    WaitRelation.RAM_MISSING_RANGE: "short of RAM ({least} to {most} missing)",
    WaitRelation.RAM_MISSING_UP_TO: "short of RAM (up to {most} missing)",
    WaitRelation.RAM_MISSING_AT_FIRST: "short of RAM ({most} missing at first)",
    WaitRelation.RESOURCE_MISSING: "short of {resource} ({most} of its {asked} missing)",
    WaitRelation.RESOURCE_MISSING_RANGE: "short of {resource} ({least} to {most} of its {asked} missing)",
    WaitRelation.RESOURCE_MISSING_UP_TO: "short of {resource} (up to {most} of its {asked} missing)",
    WaitRelation.RESOURCE_MISSING_AT_FIRST: "short of {resource} ({most} of its {asked} missing at first)",
    WaitRelation.POWER_MISSING: "held by the cap on power of {cap} kW ({most} kW missing at first)",
    WaitRelation.POWER_MISSING_BY_HOUR: "held by the cap on power of its hours ({most} kW missing at first)",
    WaitRelation.SCATTERED: "while enough was free, but scattered over nodes where its tasks could not go",
    WaitRelation.NO_ROOM: "while its tasks had no room on the nodes where they could go",
    WaitRelation.KEPT_FREE: "kept free for {job}",
    WaitRelation.KEPT_FREE_AND_OTHERS: "kept free for {job} and {others}",
    WaitRelation.KEPT_FREE_UNNAMED: "kept free for reservations of other jobs",
    WaitRelation.OWN_RESERVATION: "until its own reservation began",
    WaitRelation.USER_JOBS: "held by the limit of {most} a user",
    WaitRelation.USER_PROCESSORS: "held by the limit of {most} a user",
    WaitRelation.QUEUE_PROCESSORS: "held by the limit of {most} a queue",
    WaitRelation.PRICE: "held until energy costs at most {most}",
    WaitRelation.BEHIND: "behind {most} submitted earlier",
    WaitRelation.BEHIND_RANGE: "behind {least} to {most} submitted earlier",
    WaitRelation.BEHIND_AT_FIRST: "at first behind {most} {order}",
    WaitRelation.BEHIND_BY_SCORE: "score {score}, behind {most} of higher score at first",
    WaitRelation.UNTRIED: "not tried, since a pass looks at {most} only",
    WaitRelation.UNTRIED_OF_USER: "not tried, since a pass looks at {most} of a user only",
    WaitRelation.STOPPED: "running, until node {nodes} failed: {after}",
    WaitRelation.STOPPED_MORE: "running, until nodes {nodes} failed: {after}",
    WaitRelation.PREEMPTED: "running, until {job} preempted it: it had to begin again",
    WaitRelation.PREEMPTED_MORE: "running, until {job} and {others} preempted it: it had to begin again",
    WaitRelation.UNTOLD: "not logged: the reasons changed more often than the log has room for",
}
"""The sentence of each kind, without digits of its own, with parts as in `engine.claims.words`."""


class GroupRelation(StrEnum):
    """What most of a group's waiting is for, or much of it about which something can be done."""

    RESOURCES = "resources"
    PRIORITY = "priority"
    LIMITS = "limits"
    LIMIT = "a limit of the policy"
    LIMIT_OF_JOBS = "a limit on the jobs of an owner"
    LIMIT_OF_AMOUNT = "a limit on what the jobs of an owner use"
    LIMIT_OF_TIME = "a limit on what the jobs of an owner use, times minutes"
    RESERVATIONS = "reservations"
    DEPENDENCIES = "dependencies"
    NOT_REACHED = "not reached"
    HELD = "held"
    STOPPED_RUNS = "stopped runs"
    NEXT_PASS = "next pass"
    NOT_KNOWN = "not known"


_GROUP = "{group} waits {all} in all, {part} of all waiting; {share} of this {is} "

GROUP_SENTENCES: dict[StrEnum, str] = {
    GroupRelation.RESOURCES: _GROUP + "because its jobs did not fit into what was free",
    GroupRelation.PRIORITY: _GROUP + "behind jobs ahead in the queue",
    GroupRelation.LIMITS: _GROUP + "at limits",
    GroupRelation.LIMIT: _GROUP + "at the limit {limit}",
    GroupRelation.LIMIT_OF_JOBS: _GROUP + "at the limit of {most} of {owner}",
    GroupRelation.LIMIT_OF_AMOUNT: _GROUP + "at the limit of {most} {resource} of {owner}",
    GroupRelation.LIMIT_OF_TIME: _GROUP + "at the limit of {most} {resource} of {owner}",
    GroupRelation.RESERVATIONS: _GROUP + "for what was kept for others",
    GroupRelation.DEPENDENCIES: _GROUP + "for jobs that it depends on",
    GroupRelation.NOT_REACHED: _GROUP + "for passes that did not reach it",
    GroupRelation.HELD: _GROUP + "on hold",
    GroupRelation.STOPPED_RUNS: _GROUP + "in runs that were stopped",
    GroupRelation.NEXT_PASS: _GROUP + "for the next pass",
    GroupRelation.NOT_KNOWN: _GROUP + "for something that the log does not tell",
}
"""The sentence of each kind about a group, without digits of its own."""
