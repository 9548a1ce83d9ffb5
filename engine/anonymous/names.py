"""Other names for users, accounts, groups, jobs, nodes, clusters and reservations, in the same order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from engine.errors import InputError
from engine.slurm.values.host_list import compress_hosts, expand_hosts
from engine.words import natural

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
    that of prefix and number. A name with a domain, `n1.site.org`, is the node of the name without it.
    """

    def __init__(self) -> None:
        self._seen: dict[str, set[str]] = defaultdict(set)
        self._prefixes: set[str] = set()
        self._domains: set[str] = set()
        self._new: dict[str, dict[str, str]] = {}

    def see(self, kind: str, names: Iterable[str]) -> None:
        """Note the names of a kind."""
        self._seen[kind].update(name for name in names if name.lower() not in KEPT)

    def see_hosts(self, text: str) -> None:
        """Note the nodes of a list, as `c[001-096],fat01`. Raises InputError."""
        for name in _hosts(text):
            prefix, _, domain = _parts(name)
            self._prefixes.add(prefix)
            if domain:
                self._domains.add(domain)

    def new(self, kind: str, name: str) -> str:
        """The new name of a name; words of the formats stay."""
        if name.lower() in KEPT:
            return name
        if kind not in self._new:
            self._new[kind] = _ranked(sorted(self._seen[kind]), KINDS[kind])
        return self._new[kind][name]

    def new_hosts(self, text: str) -> str:
        """A list of nodes with their new names, in the same order."""
        if text.strip().lower() in _NO_NODES:
            return text
        return compress_hosts([self.new_host(name) for name in _hosts(text)])

    def new_host(self, name: str) -> str:
        """The new name of a node."""
        if "host" not in self._new:
            # Nodes of a log are in the order of their numbers, `r2n1` before `r10n1`: so are their prefixes.
            ranked = _ranked(sorted(self._prefixes, key=natural), "h")
            self._new["host"] = {prefix: f"{new}n" for prefix, new in ranked.items()}
            self._new["domain"] = {
                name: f"{new}d" for name, new in _ranked(sorted(self._domains), "d").items()
            }
        prefix, number, domain = _parts(name)
        return f"{self._new['host'][prefix]}{number}" + (f".{self._new['domain'][domain]}" if domain else "")

    def rows(self) -> list[tuple[str, str, str]]:
        """All names that were replaced: kind, old name, new name; of nodes what their names begin with, and
        their domains.
        """
        rows = [(kind, name, self.new(kind, name)) for kind in KINDS for name in sorted(self._seen[kind])]
        rows += [("node", prefix, self.new_host(prefix)) for prefix in sorted(self._prefixes)]
        return rows + [("domain", name, self._new["domain"][name]) for name in sorted(self._domains)]


class SeenNames(NewNames):
    """Passes the names that it is asked for on to another, which sees them, and leaves them as they are."""

    def __init__(self, names: NewNames) -> None:
        super().__init__()
        self._names = names

    def new(self, kind: str, name: str) -> str:
        """The name itself."""
        self._names.see(kind, [name])
        return name

    def new_hosts(self, text: str) -> str:
        """The list itself."""
        self._names.see_hosts(text)
        return text


def _ranked(names: Sequence[str], begin: str) -> dict[str, str]:
    """New names by rank, with as many digits as the last needs, none of which is one of the old names."""
    digits = max(len(str(len(names))), 3)
    while True:
        new = {name: f"{begin}{number:0{digits}}" for number, name in enumerate(names, 1)}
        if new.keys().isdisjoint(new.values()):
            return new
        begin += "x"


def _parts(host: str) -> tuple[str, str, str]:
    """What the name of a node begins with, its number, and its domain: `n`, `1`, `site.org`."""
    name, _, domain = host.partition(".")
    prefix = name.rstrip("0123456789")
    return prefix, name[len(prefix) :], domain


def _hosts(text: str) -> list[str]:
    if text.strip().lower() in ("", *_NO_NODES):
        return []
    try:
        return expand_hosts(text.strip())
    except InputError:
        return [text.strip()]
