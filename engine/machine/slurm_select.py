"""What a `slurm.conf` says of how jobs take nodes: whole ones or parts, and whether memory is a resource.

By SelectType, SelectTypeParameters and OverSubscribe of partitions, as slurm.conf(5) of Slurm 22.05 has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class NodeUse:
    """How jobs take nodes.

    `consumes_ram` says whether RAM is a consumable resource; where it is not, `because` is the setting that
    makes it none, as it is written. `all_whole` says that every job gets whole nodes, `whole` names the
    partitions whose jobs do.
    """

    consumes_ram: bool = True
    all_whole: bool = False
    whole: frozenset[str] = frozenset()
    because: str = ""


SHARED = NodeUse()
"""Nodes are shared, and RAM is a consumable resource."""


def node_use(options: Mapping[str, str], partitions: Mapping[str, Mapping[str, str]]) -> NodeUse:
    """How jobs take nodes by these options and partitions, each with its keys in lower case.

    Without SelectType nodes are shared: newer versions mean cons_tres by that, older ones linear. A plugin
    other than linear consumes RAM unless its parameters name CPUs, cores or sockets without `_Memory`.
    """
    plugin = options.get("selecttype", "").lower()
    text = options.get("selecttypeparameters", "")
    words = [word.strip().lower() for word in text.split(",")]
    linear = "linear" in plugin or (
        "cray" in plugin and not any(word.startswith("other_cons") for word in words)
    )
    memory = any(word.endswith("memory") for word in words)
    alone = any(word in ("cr_cpu", "cr_core", "cr_socket", "cr_board") for word in words)
    shown = f"SelectTypeParameters={text}" if text else f"SelectType={options.get('selecttype', '')}"
    return NodeUse(
        consumes_ram=memory or not (alone or linear),
        all_whole=linear,
        whole=frozenset(
            name
            for name, keys in partitions.items()
            if keys.get("oversubscribe", keys.get("shared", "")).upper() == "EXCLUSIVE"
        ),
        because="" if memory or not (alone or linear) else shown,
    )
