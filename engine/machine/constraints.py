"""Which nodes a task may run on: what a node specification says of nodes, such as `cl_x:^x7.site.org#excl`.

Words are joined by `:`, a leading `^` excludes, modifiers follow behind `#`. A word names a
node group by its name, with or without `cl_` before it, or one node: the k-th node of group
x, from 1, is called `xk`, whatever domain follows and with or without `host=` before it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.machine.cluster import Cluster

Mask = NDArray[np.bool_]

EXCLUSIVE = "excl"
"""The modifier by which a job takes whole nodes."""


class Constraint(NamedTuple):
    """What a text says on some cluster.

    `nodes`, shape (nodes,), are those that meet every word; `exclusive` says that each task
    takes a whole node; `ignored` that some word or modifier means nothing there.
    """

    nodes: Mask
    exclusive: bool
    ignored: bool


def read_constraint(text: str, cluster: Cluster) -> Constraint:
    """The nodes that meet every word which names any. On a pool nothing means anything."""
    nodes = np.ones(cluster.nodes, np.bool_)
    if cluster.pooled:
        return Constraint(nodes, exclusive=False, ignored=bool(text))
    first, *modifiers = text.split("#")
    ignored = any(modifier != EXCLUSIVE for modifier in modifiers)
    for word in filter(None, first.split(":")):
        named = _named(word.removeprefix("^"), cluster)
        if not named.any():
            ignored = True
        else:
            nodes &= ~named if word.startswith("^") else named
    return Constraint(nodes, EXCLUSIVE in modifiers, ignored)


def _named(word: str, cluster: Cluster) -> Mask:
    """The nodes of the group of this name; else the node of this name; else none."""
    groups, node = (np.zeros(cluster.nodes, np.bool_) for _ in range(2))
    host = word.removeprefix("host=").partition(".")[0]
    first = 0
    for group in cluster.groups:
        if group.name and word in (group.name, f"cl_{group.name}"):
            groups[first : first + group.count] = True
        number = re.fullmatch(re.escape(group.name) + r"([0-9]{1,9})", host)
        if group.name and number and 1 <= int(number[1]) <= group.count:
            node[first + int(number[1]) - 1] = True
        first += group.count
    return groups if groups.any() else node
