"""GPUs of jobs, distributed over their tasks, so that each is on the node of a task."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.arrays import Ints
from engine.trace.names import read_only
from engine.trace.trace import Pieces

GPU = "gpu"
"""The name of the resource in descriptions of clusters: `8gpu`."""


def tasks_with_gpus(tasks: Pieces, gpus: Ints) -> Pieces:
    """The task groups with a column of GPUs per task; `gpus` are those of each job, shape (n,), <= 0 for
    none.

    They are distributed evenly, with the remainder to the first tasks: a job of 4 single CPUs with 2 GPUs is
    two tasks with a GPU and two without. A group may be split in two.
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
    # Tasks of a group are alike: where only some tasks have a GPU more, the group is parted in two.
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


def with_known_gpus(tasks: Pieces, gpus: Ints) -> Pieces:
    """The task groups with GPUs as the log has them of each group, if these are all `gpus` of the job, (n,);
    otherwise as `tasks_with_gpus` distributes them.
    """
    spread = tasks_with_gpus(tasks, gpus)
    if GPU not in tasks.columns:
        return spread
    total = np.concatenate(([0], np.cumsum(tasks["count"] * tasks[GPU])))
    known = total[tasks.offset[1:]] - total[tasks.offset[:-1]] == np.maximum(gpus, 0)
    return chosen_groups((tasks, spread), np.where(known, 0, 1))


def chosen_groups(blocks: Sequence[Pieces], which: Ints) -> Pieces:
    """The groups of each job from the table of the same jobs that is chosen for it, shape (n,)."""
    n = len(which)
    starts = np.cumsum([0, *(block.offset[-1] for block in blocks)])
    # All tables stand behind each other, so that a job of table t is entry t n + job.
    offset = np.concatenate(
        [block.offset[:-1] + start for block, start in zip(blocks, starts[:-1], strict=True)]
    )
    together = Pieces(
        np.append(offset, starts[-1]).astype(np.int64),
        {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0].columns},
    )
    return together.take(which * n + np.arange(n))
