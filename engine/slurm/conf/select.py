"""The use of nodes by jobs according to a `slurm.conf`: whole nodes or parts, with or without memory.

It depends on SelectType, SelectTypeParameters and OverSubscribe of partitions, as in slurm.conf(5) of Slurm
22.05.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.slurm.options.option import ConfigPart
from engine.slurm.options.releases import ASSUMED, Version
from engine.slurm.options.table import option_of

_PARTS = ("cr_cpu", "cr_core", "cr_socket", "cr_board")
"""Parameters that make parts of nodes resources; memory is one only with `_Memory` appended."""


@dataclass(frozen=True)
class NodeUse:
    """The use of nodes by jobs.

    `consumes_ram`: RAM is a consumable resource; if not, `because` is the responsible setting, as written.
    `all_whole`: every job gets whole nodes; `whole` names the partitions whose jobs do. `guessed`: the file
    determines neither `consumes_ram` nor its version.
    """

    consumes_ram: bool = True
    all_whole: bool = False
    whole: frozenset[str] = frozenset()
    because: str = ""
    guessed: bool = False


SHARED = NodeUse()
"""Nodes are shared, and RAM is a consumable resource."""


def node_use(
    options: Mapping[str, str], partitions: Mapping[str, Mapping[str, str]], version: Version | None = None
) -> NodeUse:
    """The use of nodes by these options and partitions, each with its keys in lower case.

    Without SelectType the release decides, by `version` or, if that is unknown, ASSUMED. A
    plugin other than linear consumes RAM unless its parameters name CPUs, cores or sockets without `_Memory`.
    """
    plugin = options.get("selecttype", "").lower()
    text = options.get("selecttypeparameters", "")
    words = [word.strip().lower() for word in text.split(",")]
    memory = any(word.endswith("memory") for word in words)
    alone = any(word in _PARTS for word in words)
    # Some parameters belong to a single plugin, so that they tell the plugin where SelectType does not.
    unset = not plugin and not any(word.removesuffix("_memory") in _PARTS for word in words)
    # select/linear gives whole nodes. select/cray stands on linear unless told to stand on cons_res or
    # cons_tres.
    linear = (
        (unset and "linear" in option_of(ConfigPart.SETTING, "SelectType").usual_in(version or ASSUMED))
        or "linear" in plugin
        or ("cray" in plugin and not any(word.startswith("other_cons") for word in words))
    )
    # Other plugins count memory unless their words name CPUs, cores or sockets without memory.
    consumes_ram = memory or not (alone or linear)
    shown = f"SelectTypeParameters={text}" if text else f"SelectType={plugin or 'select/linear'}"
    return NodeUse(
        consumes_ram=consumes_ram,
        all_whole=linear,
        whole=frozenset(
            name
            for name, keys in partitions.items()
            if keys.get("oversubscribe", keys.get("shared", "")).upper() == "EXCLUSIVE"
        ),
        because="" if consumes_ram else shown,
        guessed=unset and version is None,
    )
