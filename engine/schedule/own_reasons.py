"""The reasons that a scheduler of a user's own gives for waits: its words, beside the decision log."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints

LONGEST_REASON = 120
"""Characters of a reason that are kept."""

MOST_OF_JOB = 20
"""Reasons of a job that are kept; one that is given again and again is kept once, when it is new."""

MOST_REASONS = 100_000
"""Reasons of a schedule that are kept."""


class SaidReason(NamedTuple):
    """A reason that was given at a time, s: a text of the user's code, which is untrusted."""

    time: int
    text: str


@dataclass(frozen=True, eq=False)
class Said:
    """The reasons that were given for waiting jobs, a row each, in order of time; columns have shape (rows,).

    `by` is the name of the user's file, as it is shown. A further reason of a job in `cut_short` was not
    kept.
    """

    by: str
    time: Ints  # s
    job: Ints  # index into the trace
    text: Ints  # index into `texts`
    texts: tuple[str, ...]  # untrusted
    cut_short: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return len(self.time)

    def of_job(self, job: int) -> tuple[SaidReason, ...]:
        """The reasons that were given for a job, in order of time."""
        order, offset = self._by_job
        rows = order[offset[job] : offset[job + 1]] if job < len(offset) - 1 else order[:0]
        return tuple(SaidReason(int(self.time[row]), self.texts[self.text[row]]) for row in rows.tolist())

    def of_own(self, is_own: NDArray[np.bool_], like: Ints) -> Said:
        """The reasons of some of the jobs only, under other numbers: job k of them becomes `like[k]`."""
        kept = np.flatnonzero(is_own[self.job])
        cut_short = frozenset(int(like[job]) for job in self.cut_short if is_own[job])
        return Said(self.by, self.time[kept], like[self.job[kept]], self.text[kept], self.texts, cut_short)

    @cached_property
    def _by_job(self) -> tuple[Ints, Ints]:
        """The rows of each job, and the first of them."""
        from engine.row_groups import grouped  # it loads the compiler

        return grouped(self.job, int(self.job.max(initial=-1)) + 1)


class SaidRows:
    """Reasons as they are given in a simulation, within the bounds of what is kept."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, int, int]] = []  # time, job, place of the text
        self._texts: dict[str, int] = {}  # each text once: most schedulers have a few
        self._last: dict[int, int] = {}  # the text that each job has now
        self._count: dict[int, int] = {}
        self._cut_short: set[int] = set()

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, time: int, job: int, text: str) -> None:
        """Keep a reason if it is another one than the job's last."""
        text = text[:LONGEST_REASON]
        place = self._texts.get(text)
        if place is not None and self._last.get(job) == place:
            return
        count = self._count.get(job, 0)
        if count >= MOST_OF_JOB or len(self._rows) >= MOST_REASONS:
            self._cut_short.add(job)
            return
        # A text gets its place only with a row: what is not kept takes no memory.
        place = self._texts.setdefault(text, len(self._texts))
        self._rows.append((time, job, place))
        self._last[job], self._count[job] = place, count + 1

    def message(self) -> dict[str, Any]:
        """The rows as a value of JSON."""
        return {"rows": self._rows, "texts": list(self._texts), "cut_short": sorted(self._cut_short)}


def said_from(message: Any, by: str, jobs: int) -> Said:
    """The reasons of `SaidRows.message` for a trace of so many jobs. The process that sent it is untrusted.

    Raises ValueError where a row is none, or bounds are exceeded.
    """
    # The message comes from a process with the user's code in it: its form is checked before its content.
    try:
        texts = tuple(str(text) for text in message["texts"])
        rows = np.array(message["rows"], np.int64).reshape(-1, 3)
        cut_short = frozenset(job for job in map(int, message["cut_short"]) if 0 <= job < jobs)
    except (KeyError, TypeError, OverflowError) as error:
        raise ValueError(f"no reasons: {error}") from error
    time, job, text = np.ascontiguousarray(rows.T)
    if (
        len(rows) > MOST_REASONS
        or len(texts) > len(rows)
        or any(len(text) > LONGEST_REASON for text in texts)
    ):
        raise ValueError("more reasons than are kept")
    # The rows must point to jobs and texts that are there, in order of time, since readers search in them.
    known = (job >= 0) & (job < jobs) & (text >= 0) & (text < len(texts))
    if not known.all() or (np.diff(time) < 0).any():
        raise ValueError("reasons of no job, or without a text")
    return Said(by, time, job, text, texts, cut_short)


def most_said(said: Said, jobs: Ints, most: int) -> list[tuple[str, int]]:
    """The reasons that were given for the most of these jobs, at most so many, with the number of jobs."""
    of_jobs = np.isin(said.job, jobs)
    pairs = np.unique(np.stack((said.text[of_jobs], said.job[of_jobs])), axis=1)
    counts = np.bincount(pairs[0], minlength=len(said.texts))
    order = np.argsort(-counts, kind="stable")[:most]
    return [(said.texts[place], int(counts[place])) for place in order.tolist() if counts[place]]
