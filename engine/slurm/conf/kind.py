"""Detection of the kind of a Slurm configuration file by its contents."""

from __future__ import annotations

import re
from pathlib import Path

from engine.errors import InputError
from engine.input import exists, read_text
from engine.limits import MAX_CONF_BYTES

SLURM_CONF = "slurm.conf"

PRINTED = "scontrol"
"""The kind of what `scontrol show config` prints; that of nodes and partitions begins so, too."""

_PRINTED = {
    PRINTED: re.compile(r"\s*Configuration data as of "),
    f"{PRINTED} show node": re.compile(r"\s*NodeName=\S+ (?:[A-Z]\w+=\S*\s+){1,3}CPUAlloc="),
    f"{PRINTED} show partition": re.compile(
        r"\s*PartitionName=\S+\s+AllowGroups=\S* AllowAccounts=\S* AllowQos="
    ),
}
_KEY = re.compile(r"^[ \t]*([A-Za-z_]\w{0,60})[ \t]*=", re.MULTILINE | re.ASCII)
_GRES_LINE = re.compile(
    r"^[ \t]*(?:NodeName[ \t]*=[^#\n]*[ \t](?:Name|AutoDetect)[ \t]*=|AutoDetect[ \t]*=|"
    r"Name[ \t]*=[^#\n]*[ \t](?:File|Count|Type|Flags|Cores|MultipleFiles)[ \t]*=)",
    re.MULTILINE | re.IGNORECASE,
)
_OTHER_KEYS = {
    "topology.conf": ("switchname", "blockname"),
    "slurmdbd.conf": ("dbdhost", "storageloc", "dbdport", "storagehost", "dbdaddr"),
    "cgroup.conf": (
        "cgroupplugin",
        "constraincores",
        "cgroupautomount",
        "constrainramspace",
        "cgroupmountpoint",
    ),
    "acct_gather.conf": ("energyipmifrequency", "profilehdf5dir", "profileinfluxdbhost"),
    "job_container.conf": ("autobasepath", "basepath"),
}
_OWN_KEYS = (
    *("nodename", "partitionname", "nodeset", "clustername", "slurmctldhost", "controlmachine"),
    *("schedulertype", "schedulerparameters", "selecttype", "prioritytype", "accountingstoragetype"),
    *("priorityweightage", "priorityweightfairshare", "slurmuser", "statesavelocation"),
)
_USE = {
    "gres.conf": "it describes the devices of nodes, and is read with a slurm.conf in the same folder",
    "topology.conf": "it describes the switches of nodes, and is read with a slurm.conf in the same folder",
    "slurmdbd.conf": "it configures the accounting database; its jobs come by `sacct`",
    "cgroup.conf": "it says how jobs are kept within what they were given",
    "acct_gather.conf": "it says how usage is measured",
    "job_container.conf": "it says which folders jobs have to themselves",
    PRINTED: "this is what `scontrol show config` prints, without nodes and partitions: what `scontrol show "
    "node` prints, in the same folder, is read with it",
    f"{PRINTED} show partition": "this is what `scontrol show partition` prints, without nodes",
}


def conf_kind(path: Path) -> str:
    """The usual name of such a file, such as `gres.conf`; PRINTED for the output of Slurm commands.

    Empty for other files, or if it cannot be read.
    """
    try:
        if not path.is_file():
            return ""
        text = read_text(path, MAX_CONF_BYTES)
    except (InputError, OSError, ValueError):  # ValueError: no name that a file can have
        return ""
    return kind_of_text(text)


def kind_of_text(text: str) -> str:
    """As `conf_kind`, of what such a file holds."""
    # What a command printed has a shape of its own; all else is told by its keys.
    for printed, pattern in _PRINTED.items():
        if pattern.match(text):
            return printed
    keys = {key.lower() for key in _KEY.findall(text)}
    # Only slurm.conf defines partitions; other keys may stand in several files.
    if "partitionname" in keys:
        return SLURM_CONF
    for name, known in _OTHER_KEYS.items():
        if not keys.isdisjoint(known):
            return name
    if _GRES_LINE.search(text):
        return "gres.conf"
    # A file of Include lines alone is the head of a slurm.conf that is parted.
    if not keys.isdisjoint(_OWN_KEYS) or (not keys and _includes_alone(text)):
        return SLURM_CONF
    return ""


def _includes_alone(text: str) -> bool:
    """True if all lines are Include lines, except comments and empty lines."""
    lines = [line.split("#")[0].split() for line in text.split("\n")]
    parts = [words for words in lines if words]
    return bool(parts) and all(words[0].lower() == "include" and len(words) == 2 for words in parts)


def refuse_other_conf(path: Path) -> None:
    """Raise InputError with the file to give instead, if this is another Slurm configuration file."""
    kind = conf_kind(path)
    if kind in ("", SLURM_CONF):
        return
    beside = path.with_name(SLURM_CONF)
    instead = f"give {beside}" if exists(beside) and beside != path else "give the slurm.conf"
    named = _USE[kind] if kind.startswith(PRINTED) else f"this is a {kind}, no slurm.conf: {_USE[kind]}"
    raise InputError(f"{path}: {named}; {instead}")
