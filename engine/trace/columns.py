"""The table of what logs may say that a job used: a line for each column of records and traces.

Readers, tables with units, parts of heterogeneous jobs, cleaning and exports go by this table. A new column
is a line here, and a field each of `JobRow`, `Records` and `Trace`; what is said of it in words is in
`engine.quantities`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine.limits import MAX_CPUS, MAX_DURATION, MAX_EXTRA, MAX_TASK_RAM

_TIME, _RAM = MAX_DURATION * MAX_CPUS, MAX_TASK_RAM * MAX_CPUS

SECONDS, MEBIBYTES, JOULES, GPUS, MARK = "s", "MiB", "J", "GPUs", ""


class UsedColumn(NamedTuple):
    """A column of what jobs used: numbers with MISSING for unknown values, or a mask (the unit is MARK).

    `most` is the largest valid sum over the parts of a job; 0 where the largest part counts, not the sum.
    """

    name: str
    unit: str
    dtype: type[np.generic]
    most: int = 0

    def of_values(self, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Numbers, shape (n,), as the column holds them."""
        return np.asarray(values > 0 if self.unit == MARK else values.astype(self.dtype))


USED_COLUMNS: dict[str, UsedColumn] = {
    column.name: column
    for column in (
        UsedColumn("cpu_used", SECONDS, np.float64, _TIME),
        UsedColumn("ram_used", MEBIBYTES, np.int64, _RAM),
        UsedColumn("ram_used_bound", MARK, np.bool_),
        UsedColumn("ram_of_use", MARK, np.bool_),
        UsedColumn("task_ram", MEBIBYTES, np.int64),
        UsedColumn("task_ram_mean", MEBIBYTES, np.int64),
        UsedColumn("gpu_used", GPUS, np.float64, MAX_EXTRA * MAX_CPUS),
        UsedColumn("gpu_ram_used", MEBIBYTES, np.int64, _RAM),
        UsedColumn("energy", JOULES, np.int64, _TIME),
    )
}
"""All such columns by name; each is None in records and traces if the log does not have it."""

USED = tuple(USED_COLUMNS)
"""Their names."""

USED_MASKS = tuple(column.name for column in USED_COLUMNS.values() if column.unit == MARK)
"""The names of those that are masks."""
