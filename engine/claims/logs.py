"""Kinds of claims about a log and its machine, whose sentences follow a label."""

from __future__ import annotations

from enum import StrEnum


class LogRelation(StrEnum):
    """What a log holds, and what it asks of its machine."""

    JOBS = "its jobs, users and queues"
    JOBS_WITHOUT_USER = "the same, and the jobs whose user has no name"
    JOBS_WITHOUT_QUEUE = "its jobs and users, where no job has a queue"
    JOBS_WITHOUT_BOTH = "its jobs and users, and those without a name, where no job has a queue"
    SUBMITTED = "the moments of the first submission and the last"
    MACHINE = "the processors of the machine"
    MACHINE_OF_NODES = "the same, and its nodes"
    LOAD = "the part of the processors that jobs need between the first submission and the last"
    FAILURES = "failures of nodes in that time, and the part of the processors that were down"
    MEAN_JOB = "the part of the log's machine that the mean job takes"
    MEAN_OF_ARCHIVE = "that part in known logs, and a confidence interval of its mean over the archive's"


LOG_SENTENCES: dict[StrEnum, str] = {
    LogRelation.JOBS: "{jobs} of {users} in {queues}",
    LogRelation.JOBS_WITHOUT_USER: "{jobs} of {users} ({nameless} without a name) in {queues}",
    LogRelation.JOBS_WITHOUT_QUEUE: "{jobs} of {users}, without queues",
    LogRelation.JOBS_WITHOUT_BOTH: "{jobs} of {users} ({nameless} without a name), without queues",
    LogRelation.SUBMITTED: "{first date} to {last date}",
    LogRelation.MACHINE: "{machine}: {processors}",
    LogRelation.MACHINE_OF_NODES: "{machine}: {processors} on {nodes}",
    LogRelation.LOAD: "{load} of the processors, over the time of the submissions",
    LogRelation.FAILURES: "{failures} of {nodes}, {down} of the processors down, over the same time",
    LogRelation.MEAN_JOB: "phi {phi} %: the part of the log's machine that the mean job takes",
    LogRelation.MEAN_OF_ARCHIVE: "{known}; mean of the archive's logs: {low} to {high} %, {level} CI",
}
"""The sentence of each kind, without digits of its own, with parts as in `engine.claims.words`."""
