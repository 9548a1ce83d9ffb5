"""The usage of Slurm's jobs: from their own lines, otherwise from those of their steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints, Mask
from engine.limits import MAX_CPUS, MAX_TASK_RAM
from engine.logs.sacct.steps import Fold, SlurmSteps, first_positive, step_owners
from engine.trace.columns import MARK, USED_COLUMNS, JobUse
from engine.trace.records import note_lines
from engine.trace.trace import MISSING, Note

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T", bound=np.generic)

_MIB = 1 << 20
_HOUR = 3600.0  # s; longer CPU times are printed without parts of a second
_MOST_JOULE = 10**15


@dataclass(frozen=True, eq=False, kw_only=True)
class Used(JobUse):
    """The usage of n jobs, with notes on it."""

    notes: tuple[Note, ...] = ()

    def take(self, index: NDArray[Any]) -> Used:
        """The chosen jobs only."""
        chosen: dict[str, Any] = {name: column[index] for name, column in self.used.items()}
        return replace(self, **chosen)

    def of_owners(self, owner: Ints) -> Used:
        """The usage of whole runs, of which each job is a part; `owner`, (n,), are the parts that stand for
        these: what adds up over time is added, of all others the most counts.
        """
        changed: dict[str, Any] = {}
        for name, values in self.used.items():
            column = USED_COLUMNS[name]
            if column.adds:
                added = sums_over(np.maximum(values, 0), owner)
                changed[name] = np.where(added > 0, added, values)
            elif column.unit != MARK:
                changed[name] = values.copy()
                np.maximum.at(changed[name], owner, values)
        return replace(self, **changed)


def sums_over(values: NDArray[T], owner: Ints) -> NDArray[T]:
    """The sums of values over the rows of each owner, all shape (n,)."""
    added = np.zeros(len(values), values.dtype)
    np.add.at(added, owner, values)
    return added


def used_of(
    ids: pa.BinaryArray,
    row: Ints,
    line: Ints,
    own: Mapping[str, Floats],
    allocated_energy: Ints | None,
    steps: SlurmSteps | None,
) -> Used:
    """The usage of jobs, given ids, rows and lines, shape (n,), and their `own` numbers of `read_usage`.

    CPU time and energy are those of the job's own line (for energy also the `allocated_energy`, J, shape
    (n,)), otherwise the sums of its steps; energy without `extern`, which repeats that of the node. RAM is
    the maximum over steps: the measured total, otherwise that of the largest task times the number of tasks,
    which is a bound.
    """
    n = len(line)
    # Steps are brought to their jobs once, for all columns.
    fold = Fold(n, own, steps, step_owners(ids, row, steps))
    ram, bound, note = _ram(fold, line)
    cpu = _cpu(fold)
    return Used(
        cpu_used=cpu,
        ram_used=ram,
        ram_used_bound=bound,
        task_ram=_mebibytes(fold.most("max_rss", "max_mem")),
        task_ram_mean=_mebibytes(fold.most("mean_rss", "mean_mem")),
        gpu_used=_gpu(fold),
        gpu_ram_used=_mebibytes(fold.most("total_gpu_mem", "max_gpu_mem")),
        energy=_energy(fold, allocated_energy),
        notes=(note, _no_usage(fold, cpu)),
    )


def _cpu(fold: Fold) -> Floats | None:
    """s of CPU time, as exactly as sacct prints them; None where no job has used any."""

    def total(numbers: Mapping[str, Floats]) -> Floats | None:
        user, system = numbers.get("user_cpu"), numbers.get("system_cpu")
        return first_positive([numbers.get("cpu"), None if user is None or system is None else user + system])

    own = total(fold.own)
    steps = None if fold.steps is None else total(fold.steps.numbers)
    summed = None if steps is None else fold.sum_of_steps(steps, fold.known)
    cpu = first_positive([own, summed])
    if cpu is None or not (cpu > 0).any():
        return None
    exact = np.floor(np.where(cpu < _HOUR, cpu * 1000 + 1e-6, cpu))
    return np.where(np.isnan(cpu), MISSING, np.where(cpu < _HOUR, exact / 1000, exact))


def _ram(fold: Fold, line: Ints) -> tuple[Ints | None, Mask | None, Note]:
    """MiB used at once, True for bounds, and a note on jobs whose steps have too little information."""
    measured = fold.most("total_mem")
    bounds: list[Floats] = []
    untold = np.zeros(fold.n, np.bool_)
    own, tasks = first_positive([fold.own.get("max_rss"), fold.own.get("max_mem")]), fold.own.get("tasks")
    if own is not None and tasks is not None:
        # The largest of its tasks times their number bounds what a step used at once.
        bounds.append(_product(own, tasks, fold.own.get("total_mem")))
    largest = first_positive([fold.of_steps("max_rss"), fold.of_steps("max_mem")])
    if largest is not None and fold.steps is not None:
        product = _product(largest, _tasks(fold.steps), fold.of_steps("total_mem"))
        bounds.append(fold.most_of_steps(product))
        total = fold.of_steps("total_mem")
        # A step without a number of tasks may have used any multiple of its largest: its job is left out.
        lacks = fold.known & (largest > 0) & np.isnan(product)
        lacks &= True if total is None else ~(total > 0)
        untold[fold.owner[lacks]] = True
    note = note_lines(
        "ram_used_tasks",
        "RAM used is not known: there is MaxRSS of steps of several CPUs, but no NTasks (print it, too)",
        untold,
        line,
    )
    bound = np.fmax.reduce(bounds) if bounds else None
    if measured is None and bound is None:
        return None, None, note
    exact = np.full(fold.n, np.nan) if measured is None else np.where(untold, np.nan, measured)
    most = np.full(fold.n, np.nan) if bound is None else np.where(untold, np.nan, bound)
    ram = _mebibytes(np.fmax(exact, most))
    if ram is None:
        return None, None, note
    # A value is marked as a bound only where it is above what was measured.
    return ram, (most > 0) & ~(exact >= most), note


def _product(largest: Floats, tasks: Floats, total: Floats | None) -> Floats:
    """An upper bound of the bytes used by all tasks; NaN if the total is known, or a factor is not."""
    product = np.where((largest > 0) & (tasks > 0), largest * tasks, np.nan)
    return product if total is None else np.where(total > 0, np.nan, product)


def _tasks(steps: SlurmSteps) -> Floats:
    """Tasks of each step, shape (m,); if unknown, 1 for a `batch` step or a single CPU, otherwise NaN."""
    task_counts = steps.numbers.get("tasks", np.full(len(steps), np.nan))
    single = steps.named("batch") | (steps.each("NCPUS") == 1) | (steps.each("AllocCPUS") == 1)
    return np.where(task_counts > 0, task_counts, np.where(single, 1.0, np.nan))


def _gpu(fold: Fold) -> Floats | None:
    """GPUs that were busy, as 1.5, the most of any step; None where no GPU ever was."""
    columns = [fold.most("total_gpu")]
    mean = fold.of_steps("mean_gpu")
    if mean is not None and fold.steps is not None:
        columns.append(fold.most_of_steps(mean * _tasks(fold.steps)))
    percent = first_positive(columns)
    if percent is None or not (percent > 0).any():
        return None
    return np.where(np.isnan(percent), MISSING, percent / 100)


def _energy(fold: Fold, allocated: Ints | None) -> Ints | None:
    """J of each job; None if no job has any. 0 means that energy was not measured."""
    own = first_positive(
        [
            fold.own.get("energy"),
            fold.own.get("rounded_energy"),
            None if allocated is None else allocated.astype(np.float64),
        ]
    )
    steps = first_positive([fold.of_steps("energy"), fold.of_steps("rounded_energy")])
    # The step `extern` measures the whole node again: it would count twice.
    summed = None
    if steps is not None and fold.steps is not None:
        summed = fold.sum_of_steps(steps, ~fold.steps.named("extern"))
    # The job's own number goes before the sum of its steps.
    energy = first_positive([own, summed])
    if energy is None or not (energy > 0).any():
        return None
    return np.where(energy > 0, np.minimum(np.nan_to_num(energy), _MOST_JOULE), MISSING).astype(np.int64)


def _mebibytes(amount: Floats | None) -> Ints | None:
    """The bytes in MiB, rounded up; MISSING without a value. None if no job has a value."""
    if amount is None or not (amount > 0).any():
        return None
    mib = np.minimum(np.ceil(np.nan_to_num(amount) / _MIB), float(MAX_TASK_RAM) * MAX_CPUS)
    return np.where(mib > 0, mib, MISSING).astype(np.int64)


def _no_usage(fold: Fold, cpu: Floats | None) -> Note:
    """A note that all CPU times in the log are 0: its cluster recorded none."""
    is_known = any(name in fold.own for name in ("cpu", "user_cpu")) and cpu is None
    text = "CPU times are left out: they are 0 of all jobs, as where the cluster gathers none"
    return Note("no_cpu_used", text, fold.n if is_known else 0)
