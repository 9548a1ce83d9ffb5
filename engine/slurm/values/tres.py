"""Trackable resources (TRES) as Slurm writes them: `cpu=8,mem=24000M,node=1,gres/gpu:a100=2`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from engine.slurm.values.amounts import amount_of, mebibytes

_OWN_NAMES = {"cpu": "cpus", "mem": "ram"}
_WEIGHT = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)([kmgtp]?)", re.ASCII | re.IGNORECASE)


def tres_texts(text: str) -> Mapping[str, str]:
    """The amounts as they are written, by the names of the resources in lower case."""
    texts: dict[str, str] = {}
    for part in text.split(","):
        name, sign, value = part.partition("=")
        if sign:
            texts.setdefault(name.strip().lower(), value.strip())
    return texts


def tres_amount(text: str, name: str) -> str:
    """The amount of a resource in `cpu=8,mem=24000M,node=1` or `CPU=8`; empty if absent."""
    return tres_texts(text).get(name, "")


def amounts_of(text: str | None) -> dict[str, int]:
    """Amounts by the names that resources of nodes have, of `cpu=10,mem=4G,gres/gpu=2`; RAM in MiB."""
    amounts = {}
    for name, value in tres_texts(text or "").items():
        number = mebibytes(value) if name == "mem" else amount_of(value)
        if number is not None:
            amounts[_own_name(name)] = int(number)
    return amounts


def weights_of(text: str) -> dict[str, float]:
    """The weights of `CPU=1.0,Mem=0.25G,GRES/gpu=2.0` by the same names; of RAM for each MiB."""
    weights = {}
    for name, value in tres_texts(text).items():
        match = _WEIGHT.fullmatch(value)
        if match is not None:
            unit = mebibytes(f"1{match[2]}") if name == "mem" else 1.0
            weights[_own_name(name)] = float(match[1]) / (unit or 1.0)
    return weights


def _own_name(name: str) -> str:
    return _OWN_NAMES.get(name, name.removeprefix("gres/"))
