"""Names of node groups, made of the host names of their nodes: each group has a name of its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from engine.slurm.values.host_list import compress_hosts

_LETTERS = re.compile(r"[A-Za-z_.-]*[A-Za-z]", re.ASCII)
_LONGEST = 24
"""Characters of a list of hosts that is short enough to be a name."""


def group_names(hosts: Sequence[Sequence[str]], partitions: Sequence[Sequence[str]]) -> list[str]:
    """Different names for groups, given their host names and the partitions that they belong to.

    A name is the first of these that no other group has: the common beginning of its host names, `fat`; the
    list of its hosts if that is short, `c[001-080]`; the beginning and its partitions, `c/long/short`; the
    beginning and a number, `c#2`.
    """
    starts = [_beginning(names) for names in hosts]
    lists = [_short_list(names) for names in hosts]
    member = [
        "/".join((start, *partitions_of_host)) if partitions_of_host else ""
        for start, partitions_of_host in zip(starts, partitions, strict=True)
    ]
    group_of_hosts = [""] * len(hosts)
    # From the shortest kind of name to the longest: each group takes the first that is its alone.
    for choice in (starts, lists, member):
        taken = Counter(choice) + Counter(group_of_hosts)
        for k, name in enumerate(choice):
            if name and not group_of_hosts[k] and taken[name] == 1:
                group_of_hosts[k] = name
    # Groups that no kind of name tells apart get a number behind the beginning of their hosts.
    used = set(group_of_hosts)
    for k, start in enumerate(starts):
        group_of_hosts[k] = group_of_hosts[k] or _numbered(start or "nodes", used.__contains__)
        used.add(group_of_hosts[k])
    return group_of_hosts


def _beginning(names: Sequence[str]) -> str:
    """The common letters at the beginning of these names; for a single name the whole name; otherwise
    nothing.
    """
    if len(names) == 1:
        return "" if names[0].isdigit() else names[0]
    match = _LETTERS.match(names[0]) if names else None
    return match[0] if match and all(name.startswith(match[0]) for name in names) else ""


def _short_list(names: Sequence[str]) -> str:
    """The list of these hosts, if it is a single short range."""
    text = compress_hosts(names[: 1 << 16])
    fits = len(text) <= _LONGEST and "," not in text and len(names) <= 1 << 16
    return text if fits and not text.isdigit() else ""  # digits could be mistaken for a group's number


def _numbered(start: str, is_taken: Callable[[str], bool]) -> str:
    number = 1
    while is_taken(f"{start}#{number}"):
        number += 1
    return f"{start}#{number}"
