"""Carries out a study: simulates and measures each run without a cached row."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import nullcontext
from pathlib import Path
from types import MappingProxyType

from engine.atomic import make_own_folder, replaceable
from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.simulation.control import ENDED, Cancelled, Control
from engine.sweep.result_table import RESULTS
from engine.sweep.row import blank_row, row_of
from engine.sweep.row_cache import Row, read_row, refuse_no_row, write_results, write_row
from engine.sweep.run_input import RunInput, trace_digest
from engine.sweep.runners import Lost, Runner, made, thread_runner
from engine.sweep.study_file import StudyFile
from engine.trace import Trace
from engine.trace.scale import scaled, scaled_name

RUNS = "runs"
"""The folder of single runs in the folder of a study's results."""
_WRITE_EVERY_S = 5.0
_NONE: Mapping[int, str] = MappingProxyType({})


def carry_out(
    study: StudyFile,
    trace: Trace,
    cluster: Cluster,
    folder: Path,
    *,
    control: Control | None = None,
    report: Callable[[float], None] = lambda done: None,
    came: Callable[[int, Row], None] = lambda index, row: None,
    runner: Runner | None = None,
    before: Sequence[Row] = (),
    asked: bool = False,
    withheld: Mapping[int, str] = _NONE,
) -> list[Row]:
    """A row for each run, in the order of the study; cached in `folder`, whose RESULTS grow as runs end.

    A run that fails has a row with its `error`. `report` is called with the finished part, 0 to 1, and `came`
    with each row and the index of its run, in the caller's thread; `control` counts the ended jobs of runs
    that were not cached. `runner` executes the runs, by default in threads. RESULTS begin with the rows
    `before`, of other traces. A site runs on the machine of its files, unless `cluster` was `asked` for.
    Runs that are `withheld`, by their indices, are not made: their error is the reason. Raises Cancelled,
    OSError if the folder cannot be written, and InputError if a file of a run cannot be read.
    """
    control = control or Control()
    runs = folder / RUNS
    folder.mkdir(parents=True, exist_ok=True)
    make_own_folder(runs)
    # Refused before the first run, not after the last.
    replaceable(folder / RESULTS, own_name=True)
    inputs = _inputs(study, cluster, asked)
    names = _names(inputs, trace)
    rows = _cached(study, trace, runs, names)
    for index, why in withheld.items():
        run = study.runs[index]
        name = scaled_name(trace.name, run.conditions.scaling)
        rows[index] = {**blank_row(run, study.metrics, study.keys, name), "error": why}
    for index, row in rows.items():
        came(index, row)
    # A row that was kept, or is withheld, is not made again.
    todo = [index for index in range(len(names)) if index not in rows]
    control.jobs = len(todo) * len(trace)
    written = time.monotonic()
    with thread_runner() if runner is None else nullcontext(runner) as making:
        for index, row in _made(study, inputs, todo, trace, control, making):
            rows[index] = row
            # A failure is not kept: the next run tries it again.
            if not row["error"]:
                write_row(runs, names[index], row)
            came(index, row)
            report(len(rows) / len(names))
            # All results are written each time: after each of many short runs that would take too long.
            if time.monotonic() - written > _WRITE_EVERY_S:
                write_results([*before, *(rows[index] for index in sorted(rows))], folder / RESULTS)
                written = time.monotonic()
    rows_in_order = [rows[index] for index in range(len(names))]
    write_results([*before, *rows_in_order], folder / RESULTS)
    return rows_in_order


def kept_rows(
    study: StudyFile, trace: Trace, cluster: Cluster, folder: Path, asked: bool = False
) -> dict[int, Row]:
    """The rows that `carry_out` has cached there before, by the index of their run. Raises OSError."""
    try:
        inputs = _inputs(study, cluster, asked)
    except InputError:  # a file is missing: `carry_out` names it
        return {}
    return _cached(study, trace, folder / RUNS, _names(inputs, trace))


def _made(
    study: StudyFile,
    inputs: Sequence[RunInput],
    todo: Sequence[int],
    trace: Trace,
    control: Control,
    runner: Runner,
) -> Iterator[tuple[int, Row]]:
    """The rows of the runs `todo`, by their indices, as they end. Closing the iterator stops the remaining
    runs.
    """
    # Each scaled trace is made once, and shared with all workers.
    traces = {
        scaling: scaled(trace, scaling)
        for scaling in {study.runs[index].conditions.scaling for index in todo}
    }
    shared = {scaling: runner.share(read) for scaling, read in traces.items()}
    controls = {index: Control() for index in todo}

    def begin(index: int, again: bool) -> Future[Row]:
        run, run_input = study.runs[index], inputs[index]
        if run_input.policy.file:  # a worker elsewhere may not have the file, and nothing is simulated
            done: Future[Row] = Future()
            done.set_result(row_of(run, run_input, study.keys, traces[run_input.scaling], controls[index]))
            return done
        # The trace may be lost with the worker, and is shared once more.
        if again:
            shared[run_input.scaling] = runner.share(traces[run_input.scaling])
        # Only threads of this process can be followed and cancelled through shared memory.
        followed = controls[index] if runner.local else None
        return runner.pool.submit(row_of, run, run_input, study.keys, shared[run_input.scaling], followed)

    def look() -> None:
        if control.cancelled:
            raise Cancelled
        control.array[ENDED] = sum(int(part.array[ENDED]) for part in controls.values())

    try:
        for index, row in made(runner, todo, begin, look):
            run = study.runs[index]
            if isinstance(row, Lost):
                name = traces[run.conditions.scaling].name
                row = {**blank_row(run, study.metrics, study.keys, name), "error": row.why}
            yield index, row
    # Whatever ends the study, runs under way are stopped.
    finally:
        for part in controls.values():
            part.cancel()


def _inputs(study: StudyFile, cluster: Cluster, asked: bool) -> list[RunInput]:
    """The input of each run. Raises InputError if a file of a run cannot be read."""
    return [RunInput.of(run, cluster, study.metrics, asked) for run in study.runs]


def _names(inputs: Sequence[RunInput], trace: Trace) -> list[str]:
    known = trace_digest(trace)
    return [each.name(known) for each in inputs]


def _cached(study: StudyFile, trace: Trace, runs: Path, names: Sequence[str]) -> dict[int, Row]:
    """The cached rows by the index of their run. Raises OSError where what is there is no file of ours."""
    cached = {}
    for index, (run, name) in enumerate(zip(study.runs, names, strict=True)):
        blank = blank_row(run, study.metrics, study.keys, scaled_name(trace.name, run.conditions.scaling))
        refuse_no_row(runs, name)  # before any run is simulated
        if (row := read_row(runs, name, blank, study.metrics)) is not None:
            cached[index] = row
    return cached
