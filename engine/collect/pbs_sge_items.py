"""What is collected of PBS and of Grid Engine: their accounting files, the queue, and the nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from engine.collect.days import Day
from engine.collect.item import Item


def pbs_items(days: Sequence[Day], environment: Mapping[str, str]) -> Iterator[Item]:
    """The items of PBS or Torque, whose accounting has a file for each day.

    Only administrators can read these files at many sites: whoever may can run the same commands.
    """
    home = environment.get("PBS_HOME") or environment.get("PBS_SERVER_HOME") or "/var/spool/pbs"
    yield Item(
        "pbs/nodes.txt",
        ("pbsnodes", "-a"),
        "the machine",
        "the machine is guessed from the log",
        "lines",
        machine=True,
    )
    yield Item(
        "pbs/queues.txt", ("qstat", "-Q", "-f"),
        "queues with their limits", "nobody can look up the limits of queues", "lines",
    )  # fmt: skip
    yield Item(
        "pbs/server.txt", ("qmgr", "-c", "print server"),
        "settings of server and scheduler", "nobody can look up the settings", "lines",
    )  # fmt: skip
    yield Item("queue/qstat.txt", ("qstat", "-f"), "the queue, for `now`", "`now` has no queue", "lines")
    for day in days:
        yield Item(
            f"jobs/pbs-{day.name}.txt",
            ("cat", f"{home}/server_priv/accounting/{day.begin:%Y%m%d}"),
            f"what was recorded on {day.begin:%Y-%m-%d}",
            "these jobs are missing in the log; PBS_HOME says where its files are",
            "words",
            portion=True,
            lasting=day.whole,
            replaces=f"pbs-{day.stem}",
        )


def sge_items(days: Sequence[Day], environment: Mapping[str, str]) -> Iterator[Item]:
    """The items of Grid Engine, whose accounting is one file: a portion is the jobs that ended on a day."""
    cell = f"{environment.get('SGE_ROOT') or '/opt/sge'}/{environment.get('SGE_CELL') or 'default'}"
    yield Item(
        "sge/hosts.txt", ("qhost",), "the machine", "the machine is guessed from the log", machine=True
    )
    yield Item(
        "sge/scheduler.txt",
        ("qconf", "-ssconf"),
        "settings of the scheduler",
        "nobody can look them up",
        "lines",
    )
    yield Item(
        "queue/qstat.txt", ("qstat", "-u", "*"), "the queue, to look at", "nobody can look at the queue"
    )
    for day in days:
        begin, end = _unix(day.begin), _unix(day.end)
        # Univa's times are in ms.
        program = f"{{ t = $11; if (t > 1e11) t /= 1000 }} t >= {begin} && t < {end}"
        yield Item(
            f"jobs/sge-{day.name}.txt",
            ("awk", "-F:", program, f"{cell}/common/accounting"),
            f"the jobs that ended on {day.begin:%Y-%m-%d}",
            "these jobs are missing in the log; SGE_ROOT and SGE_CELL say where it is",
            portion=True,
            lasting=day.whole,
            replaces=f"sge-{day.stem}",
        )


def _unix(moment: datetime) -> int:
    """A local time in s from 1970."""
    return int(moment.timestamp())
