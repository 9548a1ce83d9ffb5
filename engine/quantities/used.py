"""The use of requested resources by jobs, if the log has it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.quantities.quantity import EVERYWHERE, Floats, Jobs, Need, Quantity, QuantityName, ShownIn
from engine.trace import MISSING, Names

_LISTED: frozenset[ShownIn] = frozenset({"filter", "plot", "schedule"})
_SUMMED: frozenset[ShownIn] = EVERYWHERE - {"colour"}
_BASES = ("", "measured", "bound")


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


def _cpu_time(jobs: Jobs) -> Floats:
    return _known(jobs.trace.cpu_used)


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


USED = (
    Quantity(
        "cpu_used",
        "CPU time used",
        "processor-s",
        "CPU time that it used, of all of its processors together",
        _cpu_time,
        (Need.CPU_USED,),
        combine="sum",
        shown=_SUMMED,
    ),
    Quantity(
        "cpu_efficiency",
        "CPU efficiency",
        "% used",
        "CPU time that it used, in % of the processors that it was given times its runtime",
        lambda jobs: _percent_of(_cpu_time(jobs), _held(jobs)),
        (Need.CPU_USED,),
        "CPU time / (r D) x 100, of groups sums over sums",
        over=_held,
        called=_group_names("cpu_efficiency", "CPU efficiency"),
    ),
    Quantity(
        "ram_used",
        "RAM used",
        "MiB",
        "the most RAM that it used at once, or a bound of that where the log has no more (`ram_basis`)",
        lambda jobs: _known(jobs.trace.ram_used),
        (Need.RAM_USED,),
        shown=_LISTED | {"colour"},
    ),
    Quantity(
        "ram_basis",
        "RAM used is",
        "name",
        "whether the RAM that it used was measured, or is a bound: it may have been less",
        _basis,
        (Need.RAM_USED,),
        shown=frozenset({"filter", "schedule"}),
    ),
    Quantity(
        "ram_efficiency",
        "RAM efficiency",
        "% used",
        "the most RAM that it used at once, in % of the RAM that it asked for",
        _ram_seconds,
        (Need.RAM_SHARE,),
        "RAM used D / (m D) x 100, of groups sums over sums",
        over=_ram_held,
        called=_group_names("ram_efficiency", "RAM efficiency"),
    ),
    Quantity(
        "task_ram",
        "RAM of its largest task",
        "MiB",
        "the most RAM that any of its tasks used at once (MaxRSS)",
        lambda jobs: _known(jobs.trace.task_ram),
        (Need.TASK_RAM,),
        shown=_LISTED,
    ),
    Quantity(
        "task_ram_mean",
        "RAM of its mean task",
        "MiB",
        "the most RAM that its tasks used at once on average (AveRSS)",
        lambda jobs: _known(jobs.trace.task_ram_mean),
        (Need.TASK_RAM_MEAN,),
        shown=_LISTED,
    ),
    Quantity(
        "gpu_used",
        "GPUs busy",
        "ratio",
        "how many GPUs it kept busy: 1.5 where one was always and another half of the time",
        lambda jobs: _known(jobs.trace.gpu_used),
        (Need.GPU_USED,),
        shown=_LISTED,
    ),
    Quantity(
        "gpu_efficiency",
        "GPU efficiency",
        "% used",
        "how busy it kept its GPUs, in %",
        _gpu_seconds,
        (Need.GPU_SHARE,),
        "GPUs busy D / (GPUs D) x 100, of groups sums over sums",
        over=_gpus_held,
        called=_group_names("gpu_efficiency", "GPU efficiency"),
    ),
    Quantity(
        "gpu_ram_used",
        "RAM of GPUs used",
        "MiB",
        "the most memory of its GPUs that it used at once",
        lambda jobs: _known(jobs.trace.gpu_ram_used),
        (Need.GPU_RAM_USED,),
        shown=_LISTED,
    ),
    Quantity(
        "walltime_used",
        "Walltime used",
        "% used",
        "the runtime in the log, in % of the requested walltime",
        _time_used,
        (Need.WALLTIME,),
        "D / L x 100, of groups sums over sums",
        over=lambda jobs: jobs.trace.walltime.astype(np.float64),
        shown=EVERYWHERE - {"schedule"},
        called=_group_names("walltime_used", "Walltime used"),
    ),
    Quantity(
        "energy",
        "Energy",
        "J",
        "energy that it consumed, like 300kJ or 5kWh",
        lambda jobs: _known(jobs.trace.energy),
        (Need.ENERGY,),
        combine="sum",
    ),
)
"""Quantities of the resources that jobs used, each missing if the log does not have it."""
