"""The requests in a command line of Slurm (`SubmitLine`): tasks, nodes, whole nodes, features, arrays.

Accounting has the number of allocated CPUs of a job, but not how they may be distributed among nodes. The
command line has the options that were given there; options in the script (`#SBATCH`) are missing, so absent
options may still have been requested. Quotes are lost in accounting: words are separated at blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from engine.slurm.values.amounts import amount_of

_MOST = 10**7  # tasks, nodes, CPUs
_MAX_WORDS = 400
_MAX_FEATURES = 500  # characters

_LIKELY = re.compile(r"\s-(?:[nNcCa]|-(?:n?tasks|nodes|cpus-per-task|exclusive|constraint|mem|array))")
_RANGE = re.compile(r"(\d{1,9}[kKmM]?)(?:-(\d{1,9}[kKmM]?))?", re.ASCII)
_AT_ONCE = re.compile(r"%(\d{1,9})[\"']?$", re.ASCII)

_LONG = {
    "ntasks": "n",
    "nodes": "N",
    "cpus-per-task": "c",
    "constraint": "C",
    "ntasks-per-node": "per_node",
    "tasks-per-node": "per_node",
    "mem": "mem",
    "array": "a",
}
_FLAGS = frozenset(
    (
        *("parsable", "hold", "requeue", "no-requeue", "wait", "verbose", "quiet", "overcommit"),
        *("oversubscribe", "share", "contiguous", "spread-job", "use-min-nodes", "test-only"),
        *("ignore-pbs", "reboot", "nice", "no-kill", "immediate", "pty", "unbuffered", "label"),
        *("disable-status", "preserve-env", "multi-prog", "resv-ports", "get-user-env", "propagate"),
        *("x11", "no-shell", "bell", "no-bell", "overlap", "whole", "exact", "interactive"),
        *("kill-on-bad-exit", "exclusive", "no-allocate", "kill-command", "async", "jobid-only"),
        *("debugger-test", "help", "usage", "version"),
    )
)
"""Long options without a value, or only with one after `=`."""

_SHORT_FLAGS = {
    "sbatch": frozenset("HWvQOskIhVu"),
    "srun": frozenset("HvQOskIhVuXEZlK"),
    "salloc": frozenset("HvQOskIhVuK"),
}
"""Short options without a value, for each command."""


class CommandRequest(NamedTuple):
    """The requests in a command line; 0 and empty if absent."""

    tasks: int = 0
    cpus: int = 0  # of a task
    nodes: int = 0  # least number of nodes
    most_nodes: int = 0  # largest number of nodes: `nodes`, unless a range is given
    tasks_per_node: int = 0  # the most tasks per node, if `tasks` is given
    whole: bool = False  # nodes that no other job is on
    by_node: bool = False  # memory is asked for of each node
    features: str = ""  # as written in the option
    at_once: int = 0  # tasks of its array that may run at a time


NOTHING = CommandRequest()
_SOME = ("user", "mcs", "topo")  # of `--exclusive=user`: who else may be on the nodes, or near them


def request_of(text: str, part: int = 0) -> CommandRequest:
    """The requests of a command line; for a heterogeneous job those of its `part`, from 0."""
    # Most command lines ask for nothing that is read here: a look at the letters tells that.
    if not _LIKELY.search(text):
        return NOTHING
    found: dict[str, str] = {}
    component = 0
    for name, value in options_in(text):
        # A colon parts the components of a heterogeneous job.
        if name == ":":
            component += 1
        elif component == part:
            found[name] = value
    nodes = _RANGE.fullmatch(found.get("N", ""))
    least = _count(nodes[1]) if nodes else 0
    # Only sbatch takes -a for an array.
    of_script = text.split(None, 1)[0].rpartition("/")[2] == "sbatch"
    at_once = _AT_ONCE.search(found.get("a", "")) if of_script else None
    return CommandRequest(
        tasks=_count(found.get("n", "")),
        cpus=_count(found.get("c", "")),
        nodes=least,
        most_nodes=max(_count(nodes[2] or "") if nodes else 0, least),
        tasks_per_node=_count(found.get("per_node", "")),
        whole=found.get("exclusive", "none") == "",
        by_node="mem" in found,
        features=found.get("C", "").strip("\"'")[:_MAX_FEATURES],
        at_once=int(at_once[1]) if at_once else 0,
    )


def shares_with_some(text: str) -> bool:
    """True if a command line asks for nodes on which only some others run, as those of the same user."""
    return "--exclusive=" in text and dict(options_in(text)).get("exclusive", "") in _SOME


def options_in(text: str) -> Iterator[tuple[str, str]]:
    """The options of a command line before its script, as `request_of` reads them; none of other lines."""
    words = text.split(None, _MAX_WORDS)[:_MAX_WORDS]
    command = words[0].rpartition("/")[2] if words else ""
    if command in _SHORT_FLAGS:
        yield from _options(words[1:], _SHORT_FLAGS[command])


def _options(words: list[str], flags: frozenset[str]) -> Iterator[tuple[str, str]]:
    """The options before the script, by the names of `_LONG`, and `:` between the parts of a job.

    `flags` are the letters of options without a value.
    """
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == ":":
            yield word, ""
        elif word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            if name in ("", "wrap"):
                return  # what follows is the command of the job
            # A value may stand in the next word, unless the option takes none.
            if not equals and name not in _FLAGS:
                value = words[at] if at < len(words) else ""
                at += 1
            yield _LONG.get(name, name), value
        elif word.startswith("-") and len(word) > 1:
            letter, value = word[1], word[2:]
            if letter not in flags and not value:
                value = words[at] if at < len(words) else ""
                at += 1
            yield letter, value
        # The first word that is no option is the script or the command.
        else:
            return


def _count(text: str) -> int:
    """The whole number, with k or m for thousands or millions as in Slurm; 0 for other texts."""
    return min(int(amount_of(text) or 0), _MOST)
