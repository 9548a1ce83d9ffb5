"""The version of Slurm that a `slurm.conf` is written for, if it can be determined."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from engine.errors import InputError
from engine.input import read_text
from engine.limits import MAX_CONF_BYTES
from engine.slurm.conf.kind import PRINTED, conf_kind
from engine.slurm.options.option import ConfigPart
from engine.slurm.options.releases import OLD, Version
from engine.slurm.options.table import official_name

_PRINTED = ("config.txt", "scontrol.txt", "scontrol_show_config.txt")
"""Usual names of files that hold what `scontrol show config` printed."""

_SLURM_VERSION = re.compile(r"^SLURM_VERSION\s*=\s*(\d\d)\.(\d\d)", re.MULTILINE | re.ASCII)
_NAMED = re.compile(
    r"\bslurm(?:-wlm|ctld)? ?(?:version)? ?[:=v]? ?(\d\d)\.(\d\d)\b", re.IGNORECASE | re.ASCII
)
_SINCE = {"certmgrtype": (25, 5), "tlstype": (25, 5), "hashplugin": (24, 5), "dataparserparameters": (24, 5)}
"""Settings with the first release that takes them."""

_OF_OLD = ("fastschedule", "cryptotype", "controlmachine")
"""Settings that later releases than OLD do without, or call otherwise: FastSchedule is gone from 20.02 on,
CryptoType is CredType, and ControlMachine is SlurmctldHost."""

_UNTIL = {"launchtype": (22, 5), "extsensorstype": (23, 2), "extsensorsfreq": (23, 2), "routeplugin": (23, 2)}
"""Settings with the last release that takes them."""


def version_of(path: Path, options: Mapping[str, str]) -> tuple[Version | None, str]:
    """The version that a file is for, and the source in words; None if unknown.

    The sources are the output of `scontrol show config`, if it is in the same folder as `config.txt`,
    comments of the file itself, and settings that only some versions have. `options` are by key in lower
    case.
    """
    # What slurmctld printed of itself is certain, a comment is what somebody wrote, and a setting only
    # bounds the release.
    for name in _PRINTED:
        beside = path.with_name(name)
        if conf_kind(beside) == PRINTED and (match := _SLURM_VERSION.search(_text(beside))):
            return (int(match[1]), int(match[2])), f"{name} beside it is of Slurm {match[1]}.{match[2]}"
    for line in _text(path).split("\n"):
        if match := _NAMED.search(line.partition("#")[2]):
            return (int(match[1]), int(match[2])), f"a comment names Slurm {match[1]}.{match[2]}"
    if "select/cons_res" in options.get("selecttype", "").lower():
        return (23, 2), "select/cons_res is not known from Slurm 23.11 on"
    # A setting that was removed tells the last release that knew it; a new setting tells the first.
    for known, words in ((_UNTIL, "not known after"), (_SINCE, "known from")):
        for key, version in known.items():
            if key in options:
                return version, f"{key} is {words} Slurm {version[0]}.{version[1]:02}"
    if old := [key for key in _OF_OLD if key in options]:
        name = official_name(ConfigPart.SETTING, old[0])
        return OLD, f"{name} is of Slurm {OLD[0]}.{OLD[1]:02} and older"
    return None, ""


def _text(path: Path) -> str:
    try:
        return read_text(path, MAX_CONF_BYTES)
    except InputError:
        return ""
