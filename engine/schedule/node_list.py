"""On which nodes jobs ran, as a cell of a table: `0:8c512m 3-5:2c128m`.

Nodes are numbered from 0; behind the colon stands what the job held of each, CPUs and, where the machine
limits it, MiB of RAM. Nodes side by side of which it held the same are told together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np

from engine.errors import InputError
from engine.limits import MAX_NODE_RAM
from engine.trace import Pieces

NODE_LIST = "node_list"
"""The name of the column."""

MAX_ROWS = 1 << 24
"""Pieces of all jobs of a table together; times the most that a cell may tell of it is below 2^61."""

_ITEM = re.compile(r"(\d{1,7})(?:-(\d{1,7}))?:(\d{1,9})c(?:(\d{1,11})m)?", re.ASCII)

_Span = tuple[int, int, int, int]
"""The first and the last node, and CPUs and MiB of RAM (or -1) of each."""


class NodeLists(Sequence[str]):
    """The cells of all jobs, each spelled when it is asked for: there may be millions."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces

    def __len__(self) -> int:
        return len(self._pieces.offset) - 1

    @overload
    def __getitem__(self, which: int) -> str: ...
    @overload
    def __getitem__(self, which: slice) -> list[str]: ...
    def __getitem__(self, which: int | slice) -> str | list[str]:
        if isinstance(which, slice):
            return [self._spell(job) for job in range(len(self))[which]]
        return self._spell(range(len(self))[which])

    def _spell(self, job: int) -> str:
        own = slice(int(self._pieces.offset[job]), int(self._pieces.offset[job + 1]))
        node, cpus = (self._pieces[name][own].tolist() for name in ("node", "cpus"))
        ram = [-1] * len(node)
        if "ram" in self._pieces.columns:
            ram = np.minimum(self._pieces["ram"][own], MAX_NODE_RAM).tolist()
        return " ".join(_spell_span(*span) for span in _spans(zip(node, cpus, ram, strict=True)))


def read_node_lists(cells: Sequence[str]) -> Pieces:
    """What these cells say, a job each: columns `node`, `cpus`, and `ram` where all of them tell it.

    Raises InputError for a cell that is not of this form, and for more rows than MAX_ROWS.
    """
    spans: list[_Span] = []
    sizes = np.zeros(len(cells), np.int64)
    for index, cell in enumerate(cells):
        own = [_read_span(item) for item in cell.split()]
        sizes[index] = sum(last - first + 1 for first, last, _, _ in own)
        spans += own
    if sizes.sum() > MAX_ROWS:
        raise InputError(f"lists of {sizes.sum():,} nodes are over the limit of {MAX_ROWS:,}")
    first, last, cpus, ram = np.array(spans, np.int64).reshape(-1, 4).T
    count = last - first + 1
    before = np.cumsum(count) - count
    node = np.repeat(first - before, count) + np.arange(count.sum())
    columns = {"node": node, "cpus": np.repeat(cpus, count)}
    if (ram >= 0).all():
        columns["ram"] = np.repeat(ram, count)
    return Pieces(np.concatenate(([0], np.cumsum(sizes))), columns)


def _spans(pieces: Iterator[tuple[int, int, int]]) -> list[_Span]:
    spans: list[_Span] = []
    for node, cpus, ram in pieces:
        if spans and spans[-1][1:] == (node - 1, cpus, ram):
            spans[-1] = (spans[-1][0], node, cpus, ram)
        else:
            spans.append((node, node, cpus, ram))
    return spans


def _spell_span(first: int, last: int, cpus: int, ram: int) -> str:
    nodes = str(first) if first == last else f"{first}-{last}"
    return f"{nodes}:{cpus}c" + (f"{ram}m" if ram >= 0 else "")


def _read_span(item: str) -> _Span:
    match = _ITEM.fullmatch(item)
    if match is None:
        raise InputError(f"cannot read the nodes {item[:40]!r}; they are spelled like 0:8c or 3-5:2c128m")
    first, last, cpus, ram = match.groups()
    span = int(first), int(last or first), int(cpus), int(ram or -1)
    if span[1] < span[0]:
        raise InputError(f"the nodes {item!r} end before they begin")
    return span
