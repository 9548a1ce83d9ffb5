"""Classification of sacct's lines into records, parts of records, and others, if some are odd."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.arrays import Mask
from engine.logs.sacct.prints.cells import Split, Splitter
from engine.logs.sacct.prints.grammar import ID, kind_of
from engine.logs.sacct.prints.records import read_odd


@dataclass
class Mended:
    """The classification of some lines, by their positions.

    Lines at `regular` are records unchanged, those at `records` are records by these splits, which may
    include the following lines. `used` lines are processed: later lines may continue beyond this block.
    """

    used: int
    regular: Mask
    records: dict[int, Split] = field(default_factory=dict)
    joined: list[int] = field(default_factory=list)
    bad: list[int] = field(default_factory=list)


def mend(lines: Sequence[str], fitting: Mask, valid: Mask, splitter: Splitter, final: bool) -> Mended:
    """Classify lines, of which those marked `fitting` have the right number of cells.

    Of these the `valid` lines have possible contents in each field. All shape (n,).
    """
    n = len(lines)
    filled = np.array([bool(line) and not line.isspace() for line in lines], np.bool_)
    found = Mended(n, fitting & valid)
    # First what a single line can tell by itself.
    for k in np.flatnonzero(filled & ~found.regular).tolist():
        split = splitter.split(lines[k])
        if split is not None:
            found.records[k] = split
    known = found.regular.copy()
    known[list(found.records)] = True
    # The last lines may go on in the next block: they stay for it.
    if not final:
        found.used = _used(known, filled, kind_of(splitter.fields[-1]).free)
    # Between known lines stand parts of torn lines, which are joined.
    for begin, end in _regions(known[: found.used], filled[: found.used]):
        _join(lines, begin, end, known, splitter, found)
    position = list(splitter.fields).index("JobID")
    for k in [k for k in found.bad if fitting[k]]:
        if ID.strict.fullmatch(lines[k].split(splitter.delimiter)[position].strip()):
            found.regular[k] = True  # values that cannot be read, but all of them where they should be
    found.bad = sorted(k for k in found.bad if not found.regular[k])
    for k in [k for k in found.records if k >= found.used]:
        del found.records[k]
    found.regular[found.used :] = False
    return found


def _used(known: Mask, filled: Mask, goes_on: bool) -> int:
    """The number of lines before those that may be parts of a record that ends beyond the block."""
    n = len(known)
    last = np.flatnonzero(known)
    begin = int(last[-1]) if len(last) else 0
    torn = bool(filled[begin + 1 :].any()) if len(last) else True
    return begin if begin and (torn or goes_on) else n


def _regions(known: Mask, filled: Mask) -> list[tuple[int, int]]:
    """From where to where there are odd lines, each time with the record before them."""
    odd = np.flatnonzero(filled & ~known)
    if not len(odd):
        return []
    records = np.flatnonzero(known)
    # Odd lines behind the same record make a region, as they may belong to it.
    before = np.searchsorted(records, odd)
    breaks = np.flatnonzero(np.diff(before)) + 1
    regions = []
    for part in np.split(odd, breaks):
        k = int(np.searchsorted(records, part[0]))
        begin = int(records[k - 1]) if k else int(part[0])
        regions.append((begin, int(part[-1]) + 1))
    return regions


def _join(lines: Sequence[str], begin: int, end: int, known: Mask, splitter: Splitter, found: Mended) -> None:
    """Put the odd lines of a region together, if they are records then, also with the record before them."""
    odd = read_odd(lines[begin:end], splitter)
    joined = {begin + k for k in odd.joined}
    found.joined += sorted(joined)
    for k, split in odd.records.items():
        position = begin + k
        if position == begin and known[begin] and position + 1 not in joined:
            continue  # leave the line as it is
        found.regular[position] = False
        found.records[position] = split
    found.bad += [begin + k for k in odd.bad if not known[begin + k]]
