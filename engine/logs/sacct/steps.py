"""The steps of Slurm's jobs: the job of each step, and aggregates over the steps of a job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from engine.arrays import Floats, Ints, Mask
from engine.logs.nodes.machine import FirstShares
from engine.logs.text.slurm_words import count_of
from engine.trace.names import Names
from engine.trace.trace import MISSING

if TYPE_CHECKING:
    import pyarrow as pa


STEP_TEXTS = ("AllocCPUS", "NCPUS", "NNodes", "NodeList")
"""Fields that are stored for steps, too, as texts."""


@dataclass(frozen=True, eq=False)
class SlurmSteps:
    """m steps of jobs: the fields of STEP_TEXTS that were given, and the numbers of `read_usage`."""

    ids: pa.BinaryArray  # 12.batch, 12_7.extern, 12+1.0
    row: Ints  # positions among all rows of the source, jobs and steps alike
    texts: Mapping[str, Names]
    numbers: Mapping[str, Floats] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.row)

    def named(self, name: str) -> Mask:
        """The steps with a name, such as `batch`, shape (m,)."""
        import pyarrow.compute as pc

        return np.asarray(pc.ends_with(self.ids, f".{name}").to_numpy(zero_copy_only=False), np.bool_)

    def each(self, name: str) -> Ints:
        """A text column as integers, shape (m,); MISSING for other texts."""
        column = self.texts.get(name)
        if column is None:
            return np.full(len(self), MISSING, np.int64)
        return np.array([count_of(text) for text in column.names] or [MISSING], np.int64)[column.codes]


def step_owners(ids: pa.BinaryArray, row: Ints, steps: SlurmSteps | None) -> Ints:
    """The index of the job of each step, shape (m,); MISSING if it is none of these jobs.

    `row` are the jobs' positions among all rows, shape (n,). Of several runs of a job it is the last that
    precedes the step, otherwise the first.
    """
    import pyarrow.compute as pc

    if steps is None or not len(steps):
        return np.empty(0, np.int64)
    if not len(row):
        return np.full(len(steps), MISSING, np.int64)
    jobs = pc.replace_substring_regex(steps.ids, r"\..*$", "")
    # Steps usually follow directly after their job.
    before = np.maximum(np.searchsorted(row, steps.row) - 1, 0)
    same = np.asarray(pc.equal(jobs, ids.take(before)).to_numpy(zero_copy_only=False), np.bool_)
    if same.all():
        return before
    others = np.flatnonzero(~same)
    before[others] = _owners_anywhere(ids, row, jobs.take(others), steps.row[others])
    return before


def batch_shares(ids: pa.BinaryArray, row: Ints, steps: SlurmSteps | None) -> FirstShares | None:
    """The node of each of n jobs on which its batch script ran, with the CPUs that the job had there.

    The step `batch` has all that the job was allocated on its node. None without steps.
    """
    if steps is None or not len(steps):
        return None
    owner = step_owners(ids, row, steps)
    cpus = steps.each("AllocCPUS")
    cpus = np.where(cpus > 0, cpus, steps.each("NCPUS"))
    batch = np.flatnonzero(steps.named("batch") & (owner >= 0) & (cpus > 0))
    share, code = np.zeros(len(row), np.int64), np.zeros(len(row), np.int32)
    share[owner[batch]] = cpus[batch]
    hosts = steps.texts.get("NodeList")
    if hosts is None:
        return FirstShares(Names(code, ("",)), share)
    code[owner[batch]] = hosts.codes[batch] + 1
    return FirstShares(Names(code, ("", *hosts.names)), share)


def _owners_anywhere(ids: pa.BinaryArray, row: Ints, jobs: pa.BinaryArray, step_row: Ints) -> Ints:
    """The owners of steps that do not follow their job: found by sorting jobs by id and row."""
    import pyarrow.compute as pc

    encoded = ids.dictionary_encode()
    code = np.asarray(encoded.indices.to_numpy(zero_copy_only=False), np.int64)
    wanted = pc.index_in(jobs, value_set=encoded.dictionary).fill_null(MISSING)
    step_code = np.asarray(wanted.to_numpy(zero_copy_only=False), np.int64)
    width = int(max(row.max(), step_row.max())) + 2
    key = code * width + row
    order = np.argsort(key, kind="stable")
    place = np.searchsorted(key[order], step_code * width + step_row, side="right") - 1
    found = np.full(len(step_row), MISSING, np.int64)
    for candidate in (np.minimum(place + 1, len(order) - 1), place):  # the preceding row has priority
        job = order[np.maximum(candidate, 0)]
        found = np.where((candidate >= 0) & (step_code >= 0) & (code[job] == step_code), job, found)
    return found


class Fold:
    """Numbers of n jobs and of their steps, with aggregates over steps."""

    def __init__(self, n: int, own: Mapping[str, Floats], steps: SlurmSteps | None, owner: Ints) -> None:
        self.n = n
        self.own = own
        self.steps = steps if steps is not None and len(steps) else None
        self.owner = owner
        self.known = owner >= 0

    def of_steps(self, name: str) -> Floats | None:
        """A number of each step, shape (m,); NaN where missing."""
        return None if self.steps is None else self.steps.numbers.get(name)

    def sum_of_steps(self, values: Floats, chosen: Mask) -> Floats:
        """The sum over the chosen steps of each job, shape (n,); NaN if no step has a value."""
        chosen = chosen & self.known & ~np.isnan(values)
        sums = np.bincount(self.owner[chosen], values[chosen], self.n)
        return np.where(np.bincount(self.owner[chosen], minlength=self.n) > 0, sums, np.nan)

    def most_of_steps(self, values: Floats) -> Floats:
        """The largest value of any step of each job, shape (n,); NaN if none has a value."""
        chosen = self.known & ~np.isnan(values)
        most = np.full(self.n, -np.inf)
        np.maximum.at(most, self.owner[chosen], values[chosen])
        return np.where(np.isneginf(most), np.nan, most)

    def most(self, *names: str) -> Floats | None:
        """The largest of the job's own and its steps' numbers, each the first of these that is positive."""
        own = first_positive([self.own.get(name) for name in names])
        steps = first_positive([self.of_steps(name) for name in names])
        if steps is None:
            return own
        most = self.most_of_steps(steps)
        return most if own is None else np.fmax(own, most)


def first_positive(columns: list[Floats | None]) -> Floats | None:
    """The first positive number of each row, otherwise its first number, shape (n,); None without columns."""
    given = [column for column in columns if column is not None]
    if not given:
        return None
    found = given[0]
    for column in given[1:]:
        takes = (column > 0) & ~(found > 0) | np.isnan(found)  # NaN is no number
        found = np.where(takes, column, found)
    return found
