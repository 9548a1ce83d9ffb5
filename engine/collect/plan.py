"""Which batch system is collected, and the plan for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from shutil import which

from engine.collect.days import Day
from engine.collect.item import Plan
from engine.collect.pbs_sge_items import pbs_items, sge_items
from engine.collect.slurm_items import ENVIRONMENT, NEEDED, slurm_items, wanted_fields
from engine.errors import InputError
from engine.words import listed

SYSTEMS = {"slurm": ("sacct", "scontrol"), "pbs": ("pbsnodes", "qmgr"), "sge": ("qconf", "qhost")}
"""Batch systems, with commands that they alone have."""


def system_here() -> str:
    """The batch system whose commands this computer has. Raises InputError if it has none."""
    for system, commands in SYSTEMS.items():
        if any(which(command) for command in commands):
            return system
    known = listed([command for commands in SYSTEMS.values() for command in commands])
    raise InputError(
        f"no batch system here: none of {known} is on the PATH; --print writes a script for a login node"
    )


def known_fields(run: Callable[[Sequence[str]], str]) -> frozenset[str] | None:
    """The fields that this sacct prints, in small letters; None where it does not list them."""
    try:
        names = run((*ENVIRONMENT, "sacct", "--helpformat")).lower().split()
    except InputError:
        return None
    return frozenset(names) if "jobid" in names else None


def plan_of(
    system: str,
    days: Sequence[Day],
    asked: Sequence[str],
    environment: Mapping[str, str],
    known: frozenset[str] | None = None,
) -> Plan:
    """The plan for a batch system; `known` are the fields of its sacct, if listed. Raises InputError."""
    if system == "pbs":
        return Plan(system, tuple(pbs_items(days, environment)), tuple(asked))
    if system == "sge":
        return Plan(system, tuple(sge_items(days, environment)), tuple(asked))
    names = [name for group in wanted_fields(asked) for name in group.names.split()]
    lacking = [] if known is None else [name for name in names if name.lower() not in known]
    if needed := [name for name in lacking if name in NEEDED]:
        raise InputError(f"this sacct has no field {needed[0]}, without which there is no log")
    fields = [name for name in names if name not in lacking]
    return Plan(system, tuple(slurm_items(days, ",".join(fields))), tuple(asked), tuple(lacking))
