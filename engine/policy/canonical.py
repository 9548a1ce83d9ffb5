"""Values of keys that are lists: weights, nodes of queues, sizes of partitions."""

from __future__ import annotations

import re
from functools import lru_cache

from engine.errors import InputError
from engine.spelling import nearest, spell_number

_WEIGHT = re.compile(r"(\w+)=(\d{1,6}(?:\.\d{1,6})?)")
_BINDING = re.compile(r"([^@;+]+)@([^@;]+)")


@lru_cache(maxsize=64)  # each simulation asks
def weights_of(text: str, known: tuple[str, ...]) -> tuple[float, ...]:
    """The weight of each of what is known, 0 where it is not named."""
    named = {name: float(weight) for name, weight in _WEIGHT.findall(text)}
    return tuple(named.get(name, 0.0) for name in known)


def bindings_of(text: str) -> dict[str, tuple[str, ...]]:
    """The node groups of each queue that is bound to some."""
    return {queue: tuple(groups.split("+")) for queue, groups in _BINDING.findall(text)}


def canonical_weights(key: str, text: str, known: tuple[str, ...]) -> str:
    """Weights in the order of what is known, those of 0 left out."""
    named: dict[str, float] = {}
    for part in text.split(";"):
        match = _WEIGHT.fullmatch(part.strip())
        if match is None:
            raise InputError(f"{key} cannot be {text!r}; spell them like {known[0]}=1;{known[2]}=0.5")
        if match[1] not in known:
            raise InputError(f"{key} have no {match[1]!r}{nearest(match[1], known)}")
        if match[1] in named:
            raise InputError(f"{key} give {match[1]} twice")
        named[match[1]] = float(match[2])
    if not any(named.values()):
        raise InputError(f"{key} need at least one that is above 0")
    return ";".join(f"{name}={spell_number(named[name])}" for name in known if named.get(name))


def canonical_bindings(text: str) -> str:
    """Bindings sorted by queue."""
    if text == "any":
        return text
    bound: dict[str, str] = {}
    for part in text.split(";"):
        match = _BINDING.fullmatch(part.strip())
        if match is None or not all(match[2].split("+")):
            raise InputError(f"queue_nodes cannot be {text!r}; spell it like short@1;long@2+3, or any")
        if match[1] in bound:
            raise InputError(f"queue_nodes binds queue {match[1]} twice")
        bound[match[1]] = match[2]
    return ";".join(f"{queue}@{groups}" for queue, groups in sorted(bound.items()))


def canonical_partitions(text: str) -> str:
    """Sizes in ascending order."""
    if text == "any":
        return text
    if not re.fullmatch(r"\d{1,6}(\+\d{1,6})*", text):
        raise InputError(f"partitions cannot be {text!r}; spell it like 1+2+4+8, or any")
    sizes = sorted({int(size) for size in text.split("+")})
    if sizes[0] < 1 or any(size % sizes[0] for size in sizes):
        raise InputError(f"partitions={text}: every size must be a multiple of the smallest one")
    return "+".join(map(str, sizes))
