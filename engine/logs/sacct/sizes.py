"""Sizes of a run: the lines of a job that was resized while it ran (`scontrol update JobId=7 NumNodes=2`).

Slurm ends the line of a size with the state RESIZING, and begins another with the same id at that second,
which it also prints as the submission of that line.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.logs.text.slurm_words import state_word
from engine.trace.names import Names
from engine.trace.trace import MISSING

RESIZED = (
    "resized",
    "lines of jobs whose size changed before the end: each is one run, with its largest size all the time",
)
"""Rule and text of the note on lines of sizes that are part of another line's run."""

_RESIZING = frozenset(("RESIZING", "RS"))
_APART = 5  # s between the end of a size and the start of the next, at most


class SizedLines(NamedTuple):
    """n lines of jobs, each of a job at one of its sizes."""

    ids: NDArray[Any]
    owners: tuple[Names, ...]  # lines of a job have the same
    state: Names
    submit: Ints  # s, as the others
    start: Ints
    end: Ints
    size: Ints  # processors
    line: Ints


class SizedRuns(NamedTuple):
    """Which lines are one run: for each line, shape (n,), a line by its index."""

    owner: Ints  # the line that stands for the run: the first with its largest size
    first: Ints  # that of its first size
    last: Ints  # that of its last size

    @property
    def kept(self) -> Ints:
        """The lines that stand for a run, ascending."""
        return np.unique(self.owner)

    def times_of_largest(self, lines: SizedLines) -> Ints:
        """When each run had its largest size, its start and end, shape (2, n); MISSING of runs of one size.

        What was in use on a node at once is told by these times: before and after, others ran there.
        """
        of_several = self.first != self.last
        return np.where(of_several, (lines.start[self.owner], lines.end[self.owner]), MISSING)


def sized_runs(lines: SizedLines) -> SizedRuns:
    """The runs that lines of jobs are of, most with a single line."""
    every = np.arange(len(lines.line))
    runs = SizedRuns(every, every.copy(), every.copy())
    between = np.array([state_word(text) in _RESIZING for text in lines.state.names] or [False])
    between = between[lines.state.codes]
    if not between.any():
        return runs
    # Lines of the same id stand behind each other in this order, the sizes of a run by their starts.
    changing = np.flatnonzero(np.isin(lines.ids, np.unique(lines.ids[between])))
    keys = (lines.line[changing], lines.start[changing], lines.ids[changing])
    order = changing[np.lexsort(keys)].tolist()
    owner, run = every.copy(), order[:1]
    for row in [*order[1:], -1]:
        if row >= 0 and between[run[-1]] and _continues(lines, run[-1], row):
            run.append(row)
            continue
        # The line of the largest size stands for the run: it has its nodes, memory and GPUs.
        owner[run] = max(run, key=lambda at: int(lines.size[at]))
        runs.first[run], runs.last[run] = run[0], run[-1]
        run = [row]
    return runs._replace(owner=owner)


def _continues(lines: SizedLines, row: int, later: int) -> bool:
    """Whether a later line is the same job at its next size: it begins where this size ends."""
    same = lines.ids[row] == lines.ids[later]
    same = same and all(names.codes[row] == names.codes[later] for names in lines.owners)
    submitted = lines.submit[later] in (lines.submit[row], lines.start[later])
    return bool(same and submitted and abs(int(lines.start[later] - lines.end[row])) <= _APART)
