"""Features of nodes as in Slurm, and the meaning of a job's constraint (`--constraint`).

`A&B` requires both, `A|B` either; operators bind from left to right, and parentheses group. Brackets and
counts apply to all nodes of a job together: `[A|B]` requires the same feature of the two for all of them,
`[A*2&B*4]` the given numbers of nodes, and `A*2` at least two nodes with A. They are approximated: a task may
run on nodes with any of the bracketed features, and counts outside of brackets are ignored.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from engine.arrays import Mask
from engine.errors import InputError
from engine.machine.cluster import Cluster

_TOKEN = re.compile(r"\s*([()&|,]|[^()&|,\[\]*\s]+)")
_COUNTED, _COUNTED_AND = re.compile(r"\*\d{0,9}"), re.compile(r"\*\d{1,9}\s*&")
_MOST_TOKENS = 200

OBEYED, NEARLY, NOT = range(3)
"""Degrees to which a constraint can be obeyed."""


class Meant(NamedTuple):
    """The groups of nodes that a constraint lets a task run on, shape (groups,); OBEYED, NEARLY or NOT."""

    groups: Mask
    obeyed: int


def read_features(text: str, cluster: Cluster) -> Meant:
    """The meaning of a constraint on a machine with features; without features constraints are ignored.

    A constraint that cannot be read, or that no node meets (for example because features were renamed), is
    ignored: it allows all groups.
    """
    every = np.ones(len(cluster.groups), np.bool_)
    if not text:
        return Meant(every, OBEYED)
    if cluster.pooled or not cluster.has_features:
        return Meant(every, NOT)
    try:
        groups, exact = _meant(text, cluster)
    # A constraint that cannot be read would refuse the job for ever: it is ignored, and counted.
    except InputError:
        return Meant(every, NOT)
    if not groups.any():
        return Meant(every, NOT)
    return Meant(groups, OBEYED if exact else NEARLY)


def _meant(text: str, cluster: Cluster) -> tuple[Mask, bool]:
    """The groups of nodes that meet a constraint, and True if this is its complete meaning. Raises
    InputError.
    """
    before, opened, rest = text.partition("[")
    inside, closed, after = rest.partition("]")
    if not opened:
        if "*" in text:
            return np.ones(len(cluster.groups), np.bool_), False
        return _Reader(text, cluster).whole(), True
    if not closed or "*" in before + after:
        raise InputError("no bracket, or counts beside it")
    either = _COUNTED.sub("", _COUNTED_AND.sub("|", inside))
    return _Reader(f"{before}({either}){after}", cluster).whole(), False


class _Reader:
    """A constraint without brackets and counts, word by word."""

    def __init__(self, text: str, cluster: Cluster) -> None:
        self._features = [frozenset(group.features) for group in cluster.groups]
        self._tokens: list[str] = []
        at, text = 0, text.strip().strip("\"'")
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            if match is None or len(self._tokens) == _MOST_TOKENS:
                raise InputError("no constraint")
            self._tokens.append(match[1])
            at = match.end()
        self._at = 0

    def whole(self) -> Mask:
        """The groups that meet all of it."""
        groups = self._sequence()
        if self._at < len(self._tokens):
            raise InputError("more than a constraint")
        return groups

    def _sequence(self) -> Mask:
        groups = self._term()
        while self._at < len(self._tokens) and self._tokens[self._at] in "&|,":
            either = self._tokens[self._at] == "|"
            self._at += 1
            other = self._term()
            groups = groups | other if either else groups & other
        return groups

    def _term(self) -> Mask:
        token = self._tokens[self._at] if self._at < len(self._tokens) else ""
        self._at += 1
        if token == "(":
            groups = self._sequence()
            if self._at >= len(self._tokens) or self._tokens[self._at] != ")":
                raise InputError("an open parenthesis")
            self._at += 1
            return groups
        if token in ("", "&", "|", ",", ")"):
            raise InputError("no feature")
        return np.array([token in features for features in self._features], np.bool_)
