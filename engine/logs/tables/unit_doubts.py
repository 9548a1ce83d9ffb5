"""Units in which the numbers of a log cannot be: the question, and the option that answers it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask
from engine.logs.tables.columns import ColumnsError
from engine.trace.clean_notes import MOST_RAM

Numbers = NDArray[Any]

_OVER_LIMIT = 2
"""Jobs that run for longer than so many of their limits were not stopped by these."""


class UnitsError(ColumnsError):
    """Numbers of a log cannot be in the unit that they are read in: the user has to say theirs.

    `example` is such a unit, as `walltime=min`.
    """

    def __init__(self, where: str, what: str, units: Mapping[str, str], usual: Mapping[str, str]) -> None:
        one = "its unit" if len(units) == 1 else "their units"
        self.example = _spelled(units)
        super().__init__(f"{where}: {what}; say {one} with --units {self.example}, or {_spelled(usual)}")


class UnitDoubt(NamedTuple):
    """A role whose numbers cannot be in their usual unit: what most jobs would do, and another unit."""

    role: str
    what: str
    usual: str
    other: str

    def error(self, where: str, column: str) -> UnitsError:
        """The question about a column, named in words."""
        what = f"more than half of the jobs {self.what} if {column} is in {self.usual}"
        return UnitsError(where, what, {self.role: self.other}, {self.role: self.usual})


def unit_doubts(
    runtime: Numbers, walltime: Numbers, ram: Numbers, procs: Numbers, ram_unit: str
) -> Iterator[UnitDoubt]:
    """What cannot be of the runtimes and limits of jobs, in s, and of their RAM, in MiB of the whole job.

    All have shape (n,); what is not above 0 is missing. `ram_unit` is the usual unit of RAM in the log.
    """
    limited, sized = (walltime > 0) & (runtime > 0), (ram > 0) & (procs > 0)
    if _most(runtime > _OVER_LIMIT * walltime.astype(np.int64), limited):
        yield UnitDoubt("walltime", "ran for more than twice their limit", "s", "min")
    if _most(ram > MOST_RAM * np.maximum(procs, 1).astype(np.int64), sized):
        smaller = "b" if ram_unit == "kb" else "kb"
        yield UnitDoubt("ram", f"have more than {MOST_RAM >> 10} GiB of RAM a processor", ram_unit, smaller)


def _most(mask: Mask, of: Mask) -> bool:
    """True if a condition holds for more than half of some jobs, which are two at least."""
    jobs = int(np.count_nonzero(of))
    return jobs > 1 and 2 * int(np.count_nonzero(mask & of)) > jobs


def _spelled(units: Mapping[str, str]) -> str:
    return ",".join(f"{role}={unit}" for role, unit in units.items())
