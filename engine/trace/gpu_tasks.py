"""GPUs of jobs, distributed over their tasks, so that each is on the node of a task."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.trace.records import read_only
from engine.trace.trace import Pieces

Ints = NDArray[np.int64]

GPU = "gpu"
"""The name of the resource in descriptions of clusters: `8gpu`."""


def tasks_with_gpus(tasks: Pieces, gpus: Ints) -> Pieces:
    """The task groups with a column of GPUs per task; `gpus` are those of each job, shape (n,), <= 0 for
    none.

    They are distributed evenly, with the remainder to the first tasks: a job of 4 single CPUs with 2 GPUs is
    two tasks with a GPU and two without. A group may be split in two. The part of a heterogeneous job that
    requested them is not known here: all of its tasks share them.
    """
    sizes = np.diff(tasks.offset)
    job = np.repeat(np.arange(len(gpus)), sizes)
    behind = np.cumsum(tasks["count"])
    before = behind - tasks["count"]
    before -= np.repeat(before[np.minimum(tasks.offset[:-1], max(len(before) - 1, 0))], sizes)  # of the job
    total = np.zeros(len(gpus), np.int64)
    np.add.at(total, job, tasks["count"])
    every, more = np.divmod(np.maximum(gpus, 0), np.maximum(total, 1))
    first = np.clip(more[job] - before, 0, tasks["count"])  # tasks of the group with an additional GPU
    split = (first > 0) & (first < tasks["count"])
    row = np.repeat(np.arange(len(job)), 1 + split)
    second = np.concatenate(([False], row[1:] == row[:-1]))
    columns = {name: column[row] for name, column in tasks.columns.items()}
    rich = np.where(second, 0, first[row])
    part = np.where(second, tasks["count"][row] - first[row], rich)
    columns["count"] = np.where(split[row], part, columns["count"])
    columns[GPU] = every[job[row]] + (rich > 0)
    offset = np.concatenate(([0], np.cumsum(sizes + np.bincount(job[split], minlength=len(gpus)))))
    return Pieces(read_only(offset.astype(np.int64)), {k: read_only(v) for k, v in columns.items()})
