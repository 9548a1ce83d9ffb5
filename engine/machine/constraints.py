"""Node specifications such as `cl_x:^x7.site.org#excl`: the nodes that a task may run on.

Words are joined by `:`, a leading `^` excludes, modifiers follow after `#`. A word names a node group by its
name, with or without `cl_` before it, or a single node: the k-th node of group x, from 1, is called `xk`,
whatever domain follows and with or without `host=` before it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Mask
from engine.machine.cluster import Cluster

EXCLUSIVE = "excl"
"""The modifier by which a job takes whole nodes."""

_DIGITS = 9  # of a node's number at most


class Constraint(NamedTuple):
    """The meaning of a specification on a given cluster.

    `nodes`, shape (nodes,), are the nodes that match every word; `exclusive`: each task takes a whole node;
    `ignored`: some word or modifier has no meaning there.
    """

    nodes: Mask
    exclusive: bool
    ignored: bool


class NodeNames:
    """The names of groups and nodes of a cluster; a pool has none."""

    def __init__(self, cluster: Cluster) -> None:
        self._groups: dict[str, list[range]] = {}
        first = 0
        for group in cluster.groups:
            if group.name and not cluster.pooled:
                self._groups.setdefault(group.name, []).append(range(first, first + group.count))
            first += group.count

    def named(self, word: str) -> list[range]:
        """The nodes of the groups with this name, or else the nodes with this name; empty if none."""
        groups = self._groups.get(word, []) + self._groups.get(word.removeprefix("cl_"), [])
        if groups:
            return groups
        host = word.removeprefix("host=").partition(".")[0]
        letters = len(host.rstrip("0123456789"))
        # A host is the name of a group and a number. The name itself may end in digits: all splits count.
        matching = []
        for position in range(max(letters, len(host) - _DIGITS), len(host)):  # where the number begins
            number = int(host[position:]) - 1
            matching += [
                nodes[number : number + 1] for nodes in self._groups.get(host[:position], []) if number >= 0
            ]
        return [nodes for nodes in matching if nodes]

    def ignores(self, text: str) -> bool:
        """True if some word or modifier of a constraint has no meaning."""
        words, modifiers = _parts(text)
        return any(modifier != EXCLUSIVE for modifier in modifiers) or not all(
            self.named(word.removeprefix("^")) for word in words
        )


def read_constraint(text: str, cluster: Cluster) -> Constraint:
    """The nodes that meet every word that names any nodes; on a pool words have no meaning."""
    nodes = np.ones(cluster.nodes, np.bool_)
    if cluster.pooled:
        return Constraint(nodes, exclusive=False, ignored=bool(text))
    names = NodeNames(cluster)
    words, modifiers = _parts(text)
    for word in words:
        groups = names.named(word.removeprefix("^"))
        # A word that names nothing on this machine restricts nothing.
        if groups:
            meant = np.zeros(len(nodes), np.bool_)
            for span in groups:
                meant[span.start : span.stop] = True
            nodes &= ~meant if word.startswith("^") else meant
    return Constraint(nodes, EXCLUSIVE in modifiers, names.ignores(text))


def _parts(text: str) -> tuple[list[str], list[str]]:
    """The words of a constraint, and its modifiers."""
    first, *modifiers = text.split("#")
    return [word for word in first.split(":") if word], modifiers
