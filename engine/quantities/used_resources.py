"""The use of requested resources by jobs, if the log has it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.quantities.quantity import Jobs, LogNeed, Quantity, QuantityName, Unit
from engine.trace import MISSING, Names
from engine.trace.columns import EVERYWHERE, GPUS, JOULES, MEBIBYTES, SECONDS, USED_COLUMNS, ShownIn
from engine.words import in_sentence

_BASES = ("", "measured", "bound")
_UNITS: dict[str, Unit] = {SECONDS: "processor-s", MEBIBYTES: "MiB", JOULES: "J", GPUS: "ratio"}
"""The units of quantities by those of columns; seconds are of all processors together."""


_RAM_SHARE = LogNeed(
    "the log does not give the RAM requested and used",
    lambda trace: trace.ram_used is not None and trace.has_ram,
)
_GPU_SHARE = LogNeed(
    "the log does not give the GPUs requested and their use",
    lambda trace: trace.gpu_used is not None and trace.gpus is not None,
)
_WALLTIME = LogNeed(
    "no job of the log asked for a walltime",
    lambda trace: trace.limited is None or bool(trace.limited.any()),
)


def _known(column: NDArray[np.int64] | Floats | None) -> Floats:
    """A column that the trace must have, as floats, shape (n,); NaN for jobs without a value."""
    assert column is not None
    return np.where(column == MISSING, np.nan, column)


def _held(jobs: Jobs) -> Floats:
    """Processor-seconds that each job was given in the log, shape (n,)."""
    return jobs.trace.recorded_procs.astype(np.float64) * jobs.trace.recorded_runtime


def _ram_held(jobs: Jobs) -> Floats:
    """MiB-seconds of RAM that each job had, shape (n,)."""
    return np.maximum(jobs.trace.ram, 0).astype(np.float64) * jobs.trace.recorded_runtime


def _gpus_held(jobs: Jobs) -> Floats:
    """GPU-seconds that each job had, shape (n,)."""
    assert jobs.trace.gpus is not None
    return np.maximum(jobs.trace.gpus, 0).astype(np.float64) * jobs.trace.recorded_runtime


def _percent_of(amount: Floats, share_of: Floats) -> Floats:
    """The amounts in % of `share_of`, shape (n,); NaN where that is 0 or missing."""
    return np.where(share_of > 0, 100.0 * amount, np.nan)


def _ram_seconds(jobs: Jobs) -> Floats:
    """100 times the MiB-seconds that each job used, shape (n,); NaN where it asked for no RAM."""
    trace = jobs.trace
    amount = _percent_of(_known(trace.ram_used) * trace.recorded_runtime, _ram_held(jobs))
    return amount if trace.ram_of_use is None else np.where(trace.ram_of_use, np.nan, amount)


def _gpu_seconds(jobs: Jobs) -> Floats:
    return _percent_of(_known(jobs.trace.gpu_used) * jobs.trace.recorded_runtime, _gpus_held(jobs))


def _time_used(jobs: Jobs) -> Floats:
    trace = jobs.trace
    limited = np.ones(len(trace), np.bool_) if trace.limited is None else trace.limited
    return np.where(limited, 100.0 * trace.recorded_runtime, np.nan)


def _basis(jobs: Jobs) -> Names:
    """The basis of the used RAM of a job: measured, or a bound; empty if unknown."""
    used, bound = _known(jobs.trace.ram_used), jobs.trace.ram_used_bound
    codes = np.where(np.isnan(used), 0, 1 if bound is None else 1 + bound)
    return Names(codes.astype(np.int32), _BASES)


def _group_names(name: str, title: str) -> dict[ShownIn, QuantityName]:
    """The names for tables of groups, whose values are shares of sums and not means of shares."""
    return {"table": QuantityName(name, title), "groups": QuantityName(name, title)}


def _given(name: str) -> LogNeed:
    """The need of a column of what jobs used."""
    said = f"the log does not give the {in_sentence(USED_COLUMNS[name].title)}"
    return LogNeed(said, lambda trace: name in trace.used)


def _of_column(name: str) -> Quantity:
    """The quantity that a column of what jobs used is by itself."""
    column = USED_COLUMNS[name]
    return Quantity(
        name,
        column.title,
        _UNITS[column.unit],
        column.text,
        lambda jobs: _known(jobs.trace.used[name]),
        (_given(name),),
        combine="sum" if column.adds else "mean",
        shown=column.shown,
    )


_BESIDE: dict[str, tuple[Quantity, ...]] = {
    "cpu_used": (
        Quantity(
            "cpu_efficiency",
            "CPU efficiency",
            "% used",
            "CPU time that it used, in % of the processors that it was given times its runtime",
            lambda jobs: _percent_of(_known(jobs.trace.cpu_used), _held(jobs)),
            (_given("cpu_used"),),
            "CPU time / (r D) x 100, of groups sums over sums",
            over=_held,
            called=_group_names("cpu_efficiency", "CPU efficiency"),
        ),
    ),
    "ram_used": (
        Quantity(
            "ram_basis",
            "RAM used is",
            "name",
            "whether the RAM that it used was measured, or is a bound: it may have been less",
            _basis,
            (_given("ram_used"),),
            shown=frozenset({"filter", "schedule"}),
        ),
        Quantity(
            "ram_efficiency",
            "RAM efficiency",
            "% used",
            "the most RAM that it used at once, in % of the RAM that it asked for",
            _ram_seconds,
            (_RAM_SHARE,),
            "RAM used D / (m D) x 100, of groups sums over sums",
            over=_ram_held,
            called=_group_names("ram_efficiency", "RAM efficiency"),
        ),
    ),
    "gpu_used": (
        Quantity(
            "gpu_efficiency",
            "GPU efficiency",
            "% used",
            "how busy it kept its GPUs, in %",
            _gpu_seconds,
            (_GPU_SHARE,),
            "GPUs busy D / (GPUs D) x 100, of groups sums over sums",
            over=_gpus_held,
            called=_group_names("gpu_efficiency", "GPU efficiency"),
        ),
    ),
    "gpu_ram_used": (
        Quantity(
            "walltime_used",
            "Walltime used",
            "% used",
            "the runtime in the log, in % of the requested walltime",
            _time_used,
            (_WALLTIME,),
            "D / L x 100, of groups sums over sums",
            over=lambda jobs: jobs.trace.walltime.astype(np.float64),
            shown=EVERYWHERE - {"schedule"},
            called=_group_names("walltime_used", "Walltime used"),
        ),
    ),
}
"""What is worked out of columns, by the column that it is offered after."""

USED = tuple(
    quantity
    for name, column in USED_COLUMNS.items()
    for quantity in (*((_of_column(name),) if column.title else ()), *_BESIDE.get(name, ()))
)
"""Quantities of the resources that jobs used, each missing if the log does not have it."""
