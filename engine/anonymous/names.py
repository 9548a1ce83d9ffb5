"""Other names for users, accounts, groups, jobs, nodes, clusters and reservations, in the same order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from engine.errors import InputError
from engine.slurm.values.host_list import compress_hosts, expand_hosts

KINDS = {
    "user": "user",
    "account": "acct",
    "group": "group",
    "job": "job",
    "cluster": "cluster",
    "reservation": "resv",
    "switch": "switch",
}
"""Kinds of names, and how the new names begin."""

KEPT = frozenset(
    ("", "root", "(null)", "n/a", "none", "unknown", "all", "default", "batch", "extern", "interactive")
)
"""Words of the formats, in small letters, which are nobody's names."""

_NO_NODES = ("none assigned", "(null)", "all", "default")


class NewNames:
    """The new name of each name that was `seen`; all names have to be seen before the first is asked for.

    The new names of a kind are in the same order as the old ones, since ties go by names in some policies.
    Nodes keep the number at the end of their names: nodes of one prefix are neighbours, and their order is
    that of prefix and number.
    """

    def __init__(self) -> None:
        self._seen: dict[str, set[str]] = defaultdict(set)
        self._prefixes: set[str] = set()
        self._new: dict[str, dict[str, str]] = {}

    def see(self, kind: str, names: Iterable[str]) -> None:
        """Note the names of a kind."""
        self._seen[kind].update(name for name in names if name.lower() not in KEPT)

    def see_hosts(self, text: str) -> None:
        """Note the nodes of a list, as `c[001-096],fat01`. Raises InputError."""
        for name in _hosts(text):
            self._prefixes.add(name.rstrip("0123456789"))

    def new(self, kind: str, name: str) -> str:
        """The new name of a name; words of the formats stay."""
        if name.lower() in KEPT:
            return name
        if kind not in self._new:
            self._new[kind] = _ranked(self._seen[kind], KINDS[kind])
        return self._new[kind][name]

    def new_hosts(self, text: str) -> str:
        """A list of nodes with their new names, in the same order."""
        if text.strip().lower() in _NO_NODES:
            return text
        return compress_hosts([self.new_host(name) for name in _hosts(text)])

    def new_host(self, name: str) -> str:
        """The new name of a node."""
        if "host" not in self._new:
            self._new["host"] = {prefix: f"{new}n" for prefix, new in _ranked(self._prefixes, "h").items()}
        prefix = name.rstrip("0123456789")
        return self._new["host"][prefix] + name[len(prefix) :]

    def rows(self) -> list[tuple[str, str, str]]:
        """All names that were replaced: kind, old name, new name; of nodes what their names begin with."""
        found = [(kind, name, self.new(kind, name)) for kind in KINDS for name in sorted(self._seen[kind])]
        return found + [("node", prefix, self.new_host(prefix)) for prefix in sorted(self._prefixes)]


def _ranked(names: Iterable[str], begin: str) -> dict[str, str]:
    """New names by rank, with as many digits as the last needs."""
    order = sorted(names)
    digits = max(len(str(len(order))), 3)
    return {name: f"{begin}{number:0{digits}}" for number, name in enumerate(order, 1)}


def _hosts(text: str) -> list[str]:
    if text.strip().lower() in ("", *_NO_NODES):
        return []
    try:
        return expand_hosts(text.strip())
    except InputError:
        return [text.strip()]
