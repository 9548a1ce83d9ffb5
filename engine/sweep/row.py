"""A run of a study as a row of its table: a pure function of the run's input and the trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.compiler.compile_request import run_clock
from engine.errors import InputError
from engine.simulation.control import Control
from engine.sweep.row_cache import Row
from engine.sweep.run_input import RunInput, Value
from engine.sweep.study_file import PlannedRun
from engine.trace import Trace


def row_of(
    run: PlannedRun, run_input: RunInput, keys: Sequence[str], trace: Trace, control: Control | None = None
) -> Row:
    """The row of a run on a trace that is scaled already, with an error where it fails.

    `control` cancels it.
    """
    began = run_clock()
    try:
        values = run_input.values(trace, control or Control())
    except InputError as failed:
        blank = blank_row(run, run_input.metrics, keys, trace.name)
        return {**blank, "seconds": _elapsed(began), "error": str(failed)}
    return _row(run, keys, trace.name, values, _elapsed(began))


def blank_row(run: PlannedRun, metrics: Sequence[str], keys: Sequence[str], trace: str) -> Row:
    """The row of a run on a trace of this name, as scaled, without any number."""
    return _row(run, keys, trace, dict.fromkeys(metrics), 0.0)


def _elapsed(began: float) -> float:
    return round(run_clock() - began, 6)


def _row(
    run: PlannedRun, keys: Sequence[str], trace: str, values: Mapping[str, Value], seconds: float
) -> Row:
    under = run.conditions
    return {
        "trace": trace,
        "theta": under.scaling.theta,
        "rho": under.scaling.rho,
        "machine": under.machine,
        "share": under.share,
        "react": "on" if under.react else "off",
        "policy": run.base,
        **{key: run.policy.format_key(key) for key in keys},
        **values,
        "seconds": seconds,
        "error": "",
    }
