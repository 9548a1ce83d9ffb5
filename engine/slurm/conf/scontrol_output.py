"""What `scontrol show node`, `show partition` and `show config` print, as lines of a `slurm.conf`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from engine.errors import InputError
from engine.input import exists, is_folder, read_text
from engine.limits import MAX_CONF_BYTES
from engine.slurm.conf.kind import PRINTED, kind_of_text
from engine.slurm.options.releases import Version

NODES, PARTITIONS = f"{PRINTED} show node", f"{PRINTED} show partition"

_MOST_FILES = 200
_KEY = re.compile(r"(?:^|\s)([A-Z]\w*)=(\S*)", re.ASCII)
_SETTING = re.compile(r"^([A-Za-z]\w{0,60})[ \t]*=[ \t]*([^\n\"]*?)[ \t]*$", re.MULTILINE | re.ASCII)
_UNIT = re.compile(r"(\d+) (?:sec|min)")
_VERSION = re.compile(r"(\d\d)\.(\d\d)\b", re.ASCII)
_NOTHING = ("", "(null)", "n/a", "none")
_OF_NODE = {
    "CPUTot": "CPUs",
    "RealMemory": "RealMemory",
    "Gres": "Gres",
    "AvailableFeatures": "Features",
    "Weight": "Weight",
}
_NOT_UP = ("DOWN", "DRAIN", "FAIL", "FUTURE", "DRAINED", "DRAINING", "FAILING")
_OF_PARTITION = (
    *("Default", "DefaultTime", "GraceTime", "LLN", "MaxCPUsPerNode", "MaxNodes", "MaxTime", "MinNodes"),
    *("OverSubscribe", "PreemptMode", "PriorityJobFactor", "PriorityTier", "QoS", "State"),
)
_USUAL = {
    *(("Default", "NO"), ("GraceTime", "0"), ("LLN", "NO"), ("MaxCPUsPerNode", "UNLIMITED")),
    *(("MaxNodes", "UNLIMITED"), ("MinNodes", "0"), ("OverSubscribe", "NO"), ("PreemptMode", "OFF")),
    *(("State", "UP"), ("MaxTime", "UNLIMITED"), ("MinNodes", "1")),
}
_SETTINGS = (
    *("AccountingStorageEnforce", "AuthInfo", "ClusterName", "EnforcePartLimits", "FairShareDampeningFactor"),
    *("JobRequeue", "KillWait", "OverTimeLimit", "PreemptExemptTime", "PreemptMode", "PreemptType"),
    *("PriorityCalcPeriod", "PriorityDecayHalfLife", "PriorityFavorSmall", "PriorityFlags"),
    *("PriorityMaxAge", "PriorityType", "PriorityWeightAge", "PriorityWeightFairShare"),
    *("PriorityWeightJobSize", "PriorityWeightPartition", "PriorityWeightQOS", "PriorityWeightTRES"),
    *("SchedulerParameters", "SchedulerType", "SelectType", "SelectTypeParameters", "TopologyPlugin"),
    *("ResumeProgram", "ResumeTimeout", "SuspendExcNodes", "SuspendExcParts", "SuspendExcStates"),
    *("SuspendProgram", "SuspendTime"),
)
"""The settings of which starts depend, and those of power saving; others, printed with their defaults, are
passed over."""


def printed_beside(path: Path) -> dict[str, str]:
    """What is printed of the site whose nodes are in this file: the texts in its folder, by kind.

    Of several of a kind the one with the shortest name counts.
    """
    texts = {NODES: read_text(path, MAX_CONF_BYTES)}
    try:
        files = [file for file in path.parent.iterdir() if exists(file) and not is_folder(file)]
    except OSError:
        return texts
    # The shortest name is the plainest: copies are usually named with something added.
    for file in sorted(files, key=lambda printed: (len(printed.name), printed.name))[:_MOST_FILES]:
        try:
            text = read_text(file, MAX_CONF_BYTES)
        # A folder may hold anything: what cannot be read as text is not of this site.
        except (InputError, OSError):
            continue
        kind = kind_of_text(text)
        if kind.startswith(PRINTED):
            texts.setdefault(kind, text)
    return texts


def conf_of_printed(texts: Mapping[str, str]) -> str:
    """The lines of a `slurm.conf` that say the same, of texts by kind: nodes, and partitions and settings."""
    nodes = list(_blocks(texts.get(NODES, ""), "NodeName"))
    lines = [*_settings(texts.get(PRINTED, "")), *map(_node, nodes)]
    if PARTITIONS in texts:
        lines += [_partition(keys) for keys in _blocks(texts[PARTITIONS], "PartitionName")]
    else:  # nodes say in which partitions they are
        members: dict[str, list[str]] = {}
        for keys in nodes:
            for name in filter(None, keys.get("Partitions", "").split(",")):
                members.setdefault(name, []).append(keys["NodeName"])
        lines += [f"PartitionName={name} Nodes={','.join(hosts)}" for name, hosts in members.items()]
    return "\n".join(lines) + "\n"


def printed_version(texts: Mapping[str, str]) -> Version | None:
    """The version of Slurm that printed its settings."""
    match = _VERSION.match(dict(_SETTING.findall(texts.get(PRINTED, ""))).get("SLURM_VERSION", ""))
    return None if match is None else (int(match[1]), int(match[2]))


def _blocks(text: str, first: str) -> Iterator[dict[str, str]]:
    """The keys of each entry, which begins with its name."""
    for block in re.split(rf"(?:^|\n)(?={first}=)", text):
        keys = dict(_KEY.findall(block))
        if keys.get(first):
            yield keys


def _given(value: str | None) -> bool:
    return value is not None and value.lower() not in _NOTHING


def _node(keys: Mapping[str, str]) -> str:
    words = [f"NodeName={keys['NodeName']}"]
    for name, key in _OF_NODE.items():
        value = keys.get(name)
        if value is not None and _given(value):
            words.append(f"{key}={re.sub(r'[(][^)]*[)]', '', value)}")  # gpu:4(S:0-1): the sockets
    if _is_down(keys):
        future = keys["State"].upper().startswith("FUTURE")
        words.append(f"State={'FUTURE' if future else 'DOWN'}")
    return " ".join(words)


def down_nodes(text: str) -> tuple[str, ...]:
    """The names of the nodes that `scontrol show node` prints as down or drained."""
    return tuple(keys["NodeName"] for keys in _blocks(text, "NodeName") if _is_down(keys))


def partition_states(text: str) -> dict[str, str]:
    """The state of each partition that `scontrol show partition` prints."""
    return {keys["PartitionName"]: keys.get("State", "UP") for keys in _blocks(text, "PartitionName")}


def _is_down(keys: Mapping[str, str]) -> bool:
    """Whether no job starts on a node: it is down, or is drained or about to be."""
    # Flags follow, such as * of a node that does not respond.
    words = {word.rstrip("*~#!%$@^-") for word in keys.get("State", "").upper().split("+")}
    return not words.isdisjoint(_NOT_UP)


def _partition(keys: Mapping[str, str]) -> str:
    words = [f"PartitionName={keys['PartitionName']}"]
    if _given(keys.get("Nodes")):
        words.append(f"Nodes={keys['Nodes']}")
    for name in _OF_PARTITION:
        value = keys.get(name)
        if value is not None and _given(value) and (name, value.upper()) not in _USUAL:
            words.append(f"{name}={value}")
    return " ".join(words)


def _settings(text: str) -> Iterator[str]:
    printed = {name.lower(): value for name, value in _SETTING.findall(text)}
    for name in _SETTINGS:
        value = printed.get(name.lower())
        if value is not None and (_given(value) or (name == "PreemptType" and value)):
            unit = _UNIT.fullmatch(value)
            yield f'{name}="{unit[1] if unit else value}"'
