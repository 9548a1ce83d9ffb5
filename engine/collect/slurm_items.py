"""What is collected of a Slurm: the log by sacct, the queue, and the files of the site."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from engine.collect.days import Day
from engine.collect.item import Item


class Fields(NamedTuple):
    """Fields of sacct, and what they bring; those that an older sacct lacks are left out."""

    names: str
    brings: str


FIELDS = (
    Fields("JobID Cluster User Account Partition QOS", "whose job it is, and where it was submitted"),
    Fields("Submit Eligible Start End Elapsed Suspended", "waits and runtimes"),
    Fields("Timelimit", "the requested runtime, by which backfilling plans"),
    Fields("ReqCPUS NCPUS NNodes ReqNodes ReqTRES AllocTRES ReqMem", "processors, RAM, GPUs and whole nodes"),
    Fields("NodeList Constraints", "the machine, and the nodes that a job can use"),
    Fields("Priority Reservation Reason", "columns of the table of jobs, and holds"),
    Fields(
        "TotalCPU MaxRSS AveRSS NTasks TRESUsageInTot ConsumedEnergyRaw", "what jobs used, from their steps"
    ),
    Fields("JobName", "what was run, for groups and estimates"),
    Fields("State", "how jobs ended"),
)
ASKED_FIELDS = {
    "commands": Fields("SubmitLine", "dependencies, limits of arrays, and tasks as they were asked for"),
    "directories": Fields("WorkDir", "nothing that is simulated"),
    "comments": Fields("Comment AdminComment SystemComment", "nothing that is simulated"),
}
NEEDED = ("JobID", "Submit", "Start", "End", "State")
"""Fields without which there is no log."""

_ENDED = "BF,CA,CD,DL,F,NF,OOM,PR,RS,TO"
"""The states in which a job, or a size of it, has ended: each is in the portion in which it ended, and in no
other."""

ENVIRONMENT = ("env", "LC_ALL=C", "SLURM_TIME_FORMAT=standard")
"""Words before each command, so that dates and messages have the usual form."""

_QUEUE = "%i|%F|%K|%u|%a|%P|%q|%T|%V|%S|%M|%l|%D|%C|%m|%b|%Q|%v|%E|%r|%N"
_ASSOC = (
    "Cluster,Account,ParentName,User,Partition,Share,GrpJobs,GrpTRES,GrpSubmit,GrpWall,GrpTRESMins,GrpTRESRunMins,"
    "MaxJobs,MaxTRES,MaxSubmit,MaxWall,MaxTRESMins"
)


def wanted_fields(asked: Iterable[str]) -> Iterator[Fields]:
    """The groups of fields to collect, the state last: it never holds a line break."""
    yield from FIELDS[:-1]
    yield from (ASKED_FIELDS[word] for word in asked)
    yield FIELDS[-1]


def list_fields() -> str:
    """The table of fields in Markdown, with what each brings."""
    rows = [f"| `{field.names.replace(' ', '`, `')}` | {field.brings} |" for field in FIELDS]
    rows += [
        f"| `{field.names.replace(' ', '`, `')}`, with `--with {word}` | {field.brings} |"
        for word, field in ASKED_FIELDS.items()
    ]
    return "\n".join(("| fields of sacct | what they bring |", "| --- | --- |", *rows))


def slurm_items(days: Sequence[Day], fields: str) -> Iterator[Item]:
    """The items of a Slurm; `fields` of sacct with commas between them."""
    yield from _of_site()
    yield Item(
        "queue/squeue.txt",
        (*ENVIRONMENT, "squeue", "-a", "-o", _QUEUE),
        "the queue as it is, for `now`",
        "`now` has no queue",
    )
    for day in days:
        # Of a day that is not over, jobs end until now.
        last = f"{day.begin:%Y-%m-%d}T23:59:59" if day.whole else f"{day.end:%Y-%m-%dT%H:%M:%S}"
        span = ("-S", f"{day.begin:%Y-%m-%d}T00:00:00", "-E", last, f"--state={_ENDED}")
        yield Item(
            f"jobs/sacct-{day.name}.txt",
            (*ENVIRONMENT, "sacct", "-a", "-P", *span, f"--format={fields}"),
            f"the jobs that ended on {day.begin:%Y-%m-%d}",
            "these jobs are missing in the log",
            portion=True,
            lasting=day.whole,
            replaces=f"sacct-{day.stem}",
        )


def _of_site() -> Iterator[Item]:
    """The files of the site, under names that its reader needs not know: it goes by their content."""
    show = (*ENVIRONMENT, "scontrol", "show")
    yield Item("nodes.txt", (*show, "node"), "the machine", "the machine is guessed from the log", "lines")
    yield Item(
        "partitions.txt", (*show, "partition"),
        "partitions with their limits and tiers", "partitions have no limits",
        "lines",
    )  # fmt: skip
    yield Item(
        "config.txt", (*show, "config"),
        "scheduler, priorities and limits", "the scheduler counts with Slurm's defaults", "lines",
    )  # fmt: skip
    yield Item(
        "reservations.txt", (*show, "reservation"),
        "reserved nodes", "reserved nodes count as free", "lines",
    )  # fmt: skip
    yield Item(
        "topology.conf", (*show, "topology"),
        "the switches of nodes", "nodes count as being on one switch, as they do without topology/tree",
        optional=True,
    )  # fmt: skip
    yield Item(
        "qos.txt", (*ENVIRONMENT, "sacctmgr", "-P", "show", "qos"),
        "priorities and limits of qualities of service", "all QOS have priority 0 and no limits",
    )  # fmt: skip
    yield Item(
        "assoc.txt", (*ENVIRONMENT, "sacctmgr", "-P", "show", "assoc", f"format={_ASSOC}"),
        "shares and limits of accounts and users",
        "accounts and users have no limits, and the shares of sshare.txt",
    )  # fmt: skip
    yield Item(
        "sshare.txt", (*ENVIRONMENT, "sshare", "-a", "-l", "-P"),
        "shares of accounts and users, should the database not print them",
        "nothing, unless assoc.txt is missing too: then all have equal shares",
    )  # fmt: skip
