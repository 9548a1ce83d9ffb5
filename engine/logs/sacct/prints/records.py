"""Records of sacct with line breaks or delimiters in fields: joining of lines, and splitting into fields.

Lines that are not records by themselves are joined so that as few lines as possible are left over, in as
many records as possible. A line that begins like a record is never joined to another.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from engine.logs.sacct.prints.cells import MAX_EXTRA, Split, Splitter

_MAX_LINES = 2_000  # of a record
_TRIED = 30  # possible ends of a record that are tried, in their order


@dataclass
class OddLines:
    """The result for odd lines: records by the position of their first line, continuation lines, and the
    rest.
    """

    records: dict[int, Split] = field(default_factory=dict)
    joined: list[int] = field(default_factory=list)
    bad: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class _Way:
    """The best way to read the lines from a line on: lines left over, records, and the start of the next
    record.
    """

    left: int
    records: int
    end: int
    split: Split | None = None

    @property
    def cost(self) -> tuple[int, int]:
        return self.left, -self.records


def read_odd(lines: Sequence[str], splitter: Splitter) -> OddLines:
    """The records of some lines, no record of which crosses their boundaries."""
    n = len(lines)
    parted = [0, *accumulate(line.count(splitter.delimiter) for line in lines)]
    begins = [splitter.begins(line) for line in lines]
    until = [n] * (n + 1)  # where at the latest a record ends that begins here
    for k in range(n - 1, -1, -1):
        until[k] = k + 1 if k + 1 < n and begins[k + 1] else until[k + 1] if k + 1 < n else n
    # From the last line to the first: the best way to read all lines from here on is a record, and then the
    # best way behind it.
    ways: list[_Way] = [_Way(0, 0, n)] * (n + 1)
    for k in range(n - 1, -1, -1):
        ways[k] = _way(lines, k, until[k], parted, splitter, ways)
    found = OddLines()
    at = 0
    # Forwards again along the best ways.
    while at < n:
        way = ways[at]
        if way.split is not None:
            found.records[at] = way.split
            found.joined += range(at + 1, way.end)
        elif lines[at] and not lines[at].isspace():
            found.bad.append(at)
        at = way.end
    return found


def _way(
    lines: Sequence[str],
    at: int,
    until: int,
    parted: Sequence[int],
    splitter: Splitter,
    ways: Sequence[_Way],
) -> _Way:
    """The best way to read the lines from this line on, given the best ways from all later lines."""
    blank = not lines[at] or lines[at].isspace()
    behind = ways[at + 1]
    # The worst way is to leave this line out.
    best = _Way(behind.left + (not blank), behind.records, at + 1)
    if blank:
        return best
    if not splitter.may_begin(lines[at]):
        return best
    # A record has a delimiter less than fields: only ends within that number, and a few more, can do.
    needed = parted[at] + len(splitter.fields) - 1
    until = min(until, at + _MAX_LINES) + 1
    ends = range(
        bisect_left(parted, needed, at + 1, until), bisect_right(parted, needed + MAX_EXTRA, at + 1, until)
    )
    for end in {*ends[:_TRIED], *ends[-1:]}:
        behind = ways[end]
        # Splitting is dear, so it is only done where the way could become the best.
        if (behind.left, -behind.records - 1) < best.cost:
            split = splitter.split("\n".join(lines[at:end]))
            if split is not None:
                best = _Way(behind.left, behind.records + 1, end, split)
    return best
