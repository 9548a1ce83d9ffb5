"""The jobs that a metric or a quantity of a user's own is taken of, as columns that cannot be written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError

COLUMNS = (
    *("id", "user", "queue", "group", "submit", "start", "end", "wait", "runtime"),
    *("walltime", "estimate", "procs", "ram"),
)
"""The columns: times in s from the log's zero, `ram` in MiB, `user`, `queue` and `group` as codes."""

RESULT = "result"
"""The column that a quantity is written into."""


class MeasuredColumns:
    """Measured jobs by columns of one length, `jobs.wait` or `jobs["wait"]`, in order of submission.

    `names` has the names of the codes of user, queue and group, `processors` are those of the machine.
    """

    def __init__(
        self, columns: Mapping[str, NDArray[Any]], names: Mapping[str, list[str]], processors: int
    ) -> None:
        self._columns, self.names, self.processors = dict(columns), names, processors
        for array in self._columns.values():
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self._columns["id"])

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._columns[name]

    def __getattr__(self, name: str) -> NDArray[Any]:
        try:
            return self.__dict__["_columns"][name]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(f"jobs have no {name!r}; they have {', '.join(COLUMNS)}") from None


def number(name: str, returned: object) -> float | None:
    """The value of a metric that its function returned; None where it has none. Raises InputError."""
    if returned is None:
        return None
    if isinstance(returned, np.ndarray) and returned.ndim:
        raise InputError(f"{name} returns an array of shape {returned.shape}, not a number")
    try:
        value = float(returned)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise InputError(f"{name} returns {type(returned).__name__}, not a number") from None
    if not np.isfinite(value):
        raise InputError(f"{name} returns {value}, not a number; return None where there is no value")
    return value


def fill(name: str, returned: object, result: NDArray[np.float64], what: str = "jobs") -> None:
    """Write the column that a function returned, a number for each of `what`, into `result`, shape (n,).

    Raises InputError.
    """
    if isinstance(returned, np.ma.MaskedArray):  # what is masked has no value
        returned = np.where(np.ma.getmaskarray(returned), np.nan, np.ma.getdata(returned))
    try:
        column = np.asarray(returned)
    except ValueError:  # lists of several lengths
        raise InputError(f"{name} returns {type(returned).__name__}, not a column of numbers") from None
    if column.dtype.kind not in "biuf":
        raise InputError(f"{name} returns {column.dtype} values, not numbers")
    if column.shape != result.shape:
        raise InputError(
            f"{name} returns shape {column.shape}, not a number for each of {len(result)} {what}"
        )
    if np.isinf(column).any():
        raise InputError(f"{name} returns inf, not a number; return NaN where there is no value")
    result[:] = column
