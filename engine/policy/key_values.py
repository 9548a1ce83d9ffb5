"""Typed values of keys that have a syntax of their own: weights, values of queues, sizes of partitions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from engine.errors import InputError
from engine.spelling import format_number, nearest

T = TypeVar("T", int, float, tuple[str, ...])

_WEIGHT = re.compile(r"(\w+)=(\d{1,6}(?:\.\d{1,6})?)")
_NODES = re.compile(r"([^@;+]+)@([^@;]+)")


@dataclass(frozen=True)
class Weights:
    """The weights above 0, each with the name of what it weighs, in the order in which they are summed."""

    pairs: tuple[tuple[str, float], ...]

    def __contains__(self, name: str) -> bool:
        return any(name == named for named, _ in self.pairs)

    def of(self, names: Sequence[str]) -> tuple[float, ...]:
        """The weight of each name; 0 for names without one."""
        weights = dict(self.pairs)
        return tuple(weights.get(name, 0.0) for name in names)

    def __str__(self) -> str:
        return ";".join(f"{name}={format_number(weight)}" for name, weight in self.pairs)


def weights_reader(key: str, names: Sequence[str]) -> Callable[[str], Weights]:
    """A function that reads the weights of a key, such as `age=1;size=0.5`, of these names. It raises
    InputError.
    """

    def read(text: str) -> Weights:
        weights: dict[str, float] = {}
        for part in text.split(";"):
            match = _WEIGHT.fullmatch(part.strip())
            if match is None:
                raise InputError(f"{key} cannot be {text!r}; spell them like {names[0]}=1;{names[2]}=0.5")
            if match[1] not in names:
                raise InputError(f"{key} have no {match[1]!r}{nearest(match[1], names)}")
            if match[1] in weights:
                raise InputError(f"{key} give {match[1]} twice")
            weights[match[1]] = float(match[2])
        if not any(weights.values()):
            raise InputError(f"{key} need at least one that is above 0")
        # Always in the order of the names, so that equal weights have one spelling; those of 0 are left out.
        return Weights(tuple((name, weights[name]) for name in names if weights.get(name)))

    return read


@dataclass(frozen=True)
class OfQueues(Generic[T]):
    """A value for each of some queues, sorted by queue; `none` is the text if no queue has a value."""

    pairs: tuple[tuple[str, T], ...]
    none: str

    def as_dict(self) -> dict[str, T]:
        """The values by queue."""
        return dict(self.pairs)

    def __bool__(self) -> bool:
        return bool(self.pairs)

    def __str__(self) -> str:
        return ";".join(f"{queue}@{_format(value)}" for queue, value in self.pairs) or self.none


def of_queues(values: Mapping[str, T], none: str) -> OfQueues[T]:
    """These values, sorted by queue."""
    return OfQueues(tuple(sorted(values.items())), none)


def _format(value: float | tuple[str, ...]) -> str:
    return "+".join(value) if isinstance(value, tuple) else format_number(value)


ANY_NODES: OfQueues[tuple[str, ...]] = OfQueues((), "any")
"""No queue is bound to nodes."""


def read_queue_nodes(text: str) -> OfQueues[tuple[str, ...]]:
    """The node groups of each queue that is bound to some, such as `short@1;long@2+3`. Raises InputError."""
    if text == "any":
        return ANY_NODES
    bound: dict[str, tuple[str, ...]] = {}
    for part in text.split(";"):
        match = _NODES.fullmatch(part.strip())
        if match is None or not all(match[2].split("+")):
            raise InputError(f"queue_nodes cannot be {text!r}; spell it like short@1;long@2+3, or any")
        if match[1] in bound:
            raise InputError(f"queue_nodes binds queue {match[1]} twice")
        bound[match[1]] = tuple(match[2].split("+"))
    return of_queues(bound, ANY_NODES.none)


def read_partitions(text: str) -> tuple[int, ...]:
    """The numbers of nodes that a job may get, ascending; () for `any`. Raises InputError."""
    if text == "any":
        return ()
    if not re.fullmatch(r"\d{1,6}(\+\d{1,6})*", text):
        raise InputError(f"partitions cannot be {text!r}; spell it like 1+2+4+8, or any")
    sizes = sorted({int(size) for size in text.split("+")})
    # Every partition is a multiple of the smallest, so that partitions can be joined and divided.
    if sizes[0] < 1 or any(size % sizes[0] for size in sizes):
        raise InputError(f"partitions={text}: every size must be a multiple of the smallest one")
    return tuple(sizes)


def format_partitions(sizes: tuple[int, ...]) -> str:
    """The text that `read_partitions` reads."""
    return "+".join(map(str, sizes)) or "any"
