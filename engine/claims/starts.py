"""Kinds of claims about the start of a job that waits, and about what changes of its request bring."""

from __future__ import annotations

from enum import StrEnum


class StartRelation(StrEnum):
    """When a job of a queue starts, or what a changed request of a job did or would do."""

    ASKS = "a job asks for what follows"
    PROCESSORS = "processors that it asks for"
    PROCESSORS_ON_NODES = "processors that it asks for, and their nodes"
    RAM_OF_NODE = "RAM that it asks for on each node"
    GPUS_OF_NODE = "GPUs that it asks for on each node"
    FOR_TIME = "the time limit that it asks for"
    FOR_ANY_TIME = "it has no time limit"
    HAS_WAITED = "how long it has waited"
    HAS_RUN = "how long it has run"
    HAS_RUN_WITH_LIMIT = "the same, and when its time limit ends it"
    RUNS = "it runs"
    NOT_PLANNED = "the plan by time limits has no start of it"
    PLANNED = "its start in the plan, in which all jobs use their time limits"
    EXPECTED = "its median start in replays, and a span that holds a known share of such starts"
    EXPECTED_UNSURE = "the same with a span of which no such share is known"
    PLANNED_AT = "the date of its planned start"
    EXPECTED_AT = "the date before which half of such starts come"
    SPAN = "the dates between which a share of such starts come"
    EFFECT_NEVER = "changed, it has no planned start"
    EFFECT_PLANNED = "changed, it has a planned start, which it has not as it is"
    EFFECT_SAME = "changed, it has the same planned start"
    EFFECT_EARLIER = "changed, its planned start is earlier"
    EFFECT_LATER = "changed, its planned start is later"
    HELP_ENDED = "the change by which it would have ended earliest"
    HELP_STARTS = "the change that helps most, by which it starts now or at all"
    HELP_PLANNED = "the change that helps most, by how much earlier its start is planned"
    NO_HELP = "no change that was tried helps"


_HAS_RUN = "it has run for {elapsed}"
_EXPECTED = "{subject} starts {start} ({early} to {late}; "
_CHANGED = "planned start {moment}"

START_SENTENCES: dict[StrEnum, str] = {
    StartRelation.ASKS: "{subject} ({owner}) asks for",
    StartRelation.PROCESSORS: "{processors}",
    StartRelation.PROCESSORS_ON_NODES: "{processors} on {nodes}",
    StartRelation.RAM_OF_NODE: "{ram} of RAM per node",
    StartRelation.GPUS_OF_NODE: "{gpus} per node",
    StartRelation.FOR_TIME: "for {limit}",
    StartRelation.FOR_ANY_TIME: "without a time limit",
    StartRelation.HAS_WAITED: "it has waited {waited}",
    StartRelation.HAS_RUN: _HAS_RUN,
    StartRelation.HAS_RUN_WITH_LIMIT: _HAS_RUN + "; its limit ends it in {left}",
    StartRelation.RUNS: "{subject} runs",
    StartRelation.NOT_PLANNED: "{subject} has no planned start",
    StartRelation.PLANNED: "{subject} starts {start} if all jobs use their time limits",
    StartRelation.EXPECTED: _EXPECTED + "{share} sure)",
    StartRelation.EXPECTED_UNSURE: _EXPECTED + "likelihood unknown)",
    StartRelation.PLANNED_AT: "planned start, if all jobs use their time limits: {planned date}",
    StartRelation.EXPECTED_AT: "expected start (median): {expected date}",
    StartRelation.SPAN: "from {early date} to {late date}",
    StartRelation.EFFECT_NEVER: "it would not start",
    StartRelation.EFFECT_PLANNED: _CHANGED,
    StartRelation.EFFECT_SAME: "the same planned start",
    StartRelation.EFFECT_EARLIER: _CHANGED + ", {by} earlier",
    StartRelation.EFFECT_LATER: _CHANGED + ", {by} later",
    StartRelation.HELP_ENDED: "it would have ended {by} earlier with {change}",
    StartRelation.HELP_STARTS: "it starts {start} with {change}",
    StartRelation.HELP_PLANNED: "it is planned {by} earlier with {change}",
    StartRelation.NO_HELP: "no change that was tried helps",
}
"""The sentence of each kind, without digits of its own, with parts as in `engine.claims.words`."""
