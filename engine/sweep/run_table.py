"""The table of results of runs of one or several logs: their metrics, or quantities of their jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.errors import InputError
from engine.metrics.evaluation import Evaluation
from engine.metrics.metric_names import FAMILIES, parse_metric
from engine.policy.keys import KEY
from engine.quantities import Jobs, Quantity, offered
from engine.spelling import format_number, nearest
from engine.sweep.parameters import LOG, POLICY
from engine.sweep.result_table import ResultTable
from engine.trace import Names

MOST_JOBS = 1_000_000
"""Rows of a table of jobs; more are no figure, and take too much memory."""


@dataclass(frozen=True, eq=False)
class MeasuredRun:
    """A run of a log under a name, with its measures."""

    log: str
    name: str
    evaluation: Evaluation

    def parameter(self, name: str) -> str | None:
        """The value of a parameter of runs: its log, its policy as named, or a key; None of others."""
        policy = self.evaluation.schedule.policy
        if name in (LOG, POLICY):
            return self.log if name == LOG else self.name
        return policy.format_key(name) if name in KEY and policy.simulated else None


def metrics_to_compute(measures: Sequence[str]) -> tuple[str, ...]:
    """Those of the measures that are metrics with a number or a word, and have to be asked for."""
    return tuple(name for name in measures if name.partition(":")[0] in FAMILIES and ":" in name)


def table_of_runs(runs: Sequence[MeasuredRun], measures: Sequence[str], names: Sequence[str]) -> ResultTable:
    """The table of these measures: a row a run of metrics, or a row a measured job of quantities.

    `names` are the parameters that are used: `log`, `policy`, keys of policies, and of jobs also quantities,
    such as `user` or `queue`. Raises InputError for unknown names, and for metrics beside quantities.
    """
    quantities = offered("filter")
    jobs = [name for name in measures if name in quantities and not _is_metric(name)]
    source = ", ".join(dict.fromkeys(run.log for run in runs))
    if not jobs:
        return _metrics_table(source, runs, measures, names)
    if len(jobs) < len(measures):
        (other, *_) = (name for name in measures if name not in jobs)
        raise InputError(f"{other} is a metric of runs, {jobs[0]} a quantity of jobs; give a figure each")
    return _jobs_table(source, runs, {name: quantities[name] for name in measures}, names)


def _is_metric(name: str) -> bool:
    try:
        parse_metric(name)
    except InputError:
        return False
    return True


def _metrics_table(
    source: str, runs: Sequence[MeasuredRun], measures: Sequence[str], names: Sequence[str]
) -> ResultTable:
    known = {name: None for run in runs for name in run.evaluation.summary}
    for name in measures:
        if name not in known:
            parse_metric(name)  # raises its own error, with the spelling of a family
            raise InputError(f"runs have no measure {name!r}{nearest(name, known)}")
    words = tuple(_words(run, names) for run in runs)
    values = {
        name: np.array([_number(run.evaluation.summary.get(name)) for run in runs], np.float64)
        for name in measures
    }
    return ResultTable(source, words, values)


def _words(run: MeasuredRun, names: Sequence[str]) -> dict[str, str]:
    """The parameters of a run: its log and policy always, others where they are used. Raises InputError."""
    words = {LOG: run.log, POLICY: run.name}
    for name in names:
        text = run.parameter(name)
        if text is not None:
            words[name] = text
        elif name in KEY:
            words[name] = "–"  # the log's own schedule has no keys
    return words


def _number(value: float | None) -> float:
    return np.nan if value is None else float(value)


def _jobs_table(
    source: str, runs: Sequence[MeasuredRun], measures: dict[str, Quantity], names: Sequence[str]
) -> ResultTable:
    """A row for each measured job that ran, run after run."""
    words: list[dict[str, str]] = []
    columns: dict[str, list[Floats]] = {name: [] for name in measures}
    of_jobs = offered("filter")
    for run in runs:
        evaluation = run.evaluation
        schedule, kept = evaluation.schedule, np.flatnonzero(evaluation.jobs & evaluation.schedule.ran)
        if len(words) + len(kept) > MOST_JOBS:
            raise InputError(
                f"these runs have more than {MOST_JOBS:,} jobs; measure fewer by --filter or --jobs"
            )
        violations = evaluation.violations
        jobs = Jobs(
            schedule.trace, schedule, violations.tardiness, eet=violations.eet, penalty=evaluation.penalty
        )
        words_of_run = _words(run, names)
        # A column that is a property of the run is the same for all of its jobs.
        texts = {
            name: _texts(of_jobs[name].values(jobs), kept, name)
            for name in dict.fromkeys(names)
            if name not in words_of_run and name in of_jobs
        }
        words += (
            [
                {**words_of_run, **dict(zip(texts, row, strict=True))}
                for row in zip(*texts.values(), strict=True)
            ]
            if texts
            else [words_of_run] * len(kept)
        )
        for name, quantity in measures.items():
            values = quantity.values(jobs)
            if not isinstance(values, np.ndarray):
                raise InputError(
                    f"{name} has no numbers: {values}"
                    if isinstance(values, str)
                    else f"{name} has no numbers"
                )
            columns[name].append(values[kept].astype(np.float64))
    columns_of_runs = {name: np.concatenate(parts) for name, parts in columns.items()}
    return ResultTable(source, tuple(words), columns_of_runs, counted="job")


def _texts(values: Any, kept: NDArray[np.intp], name: str) -> list[str]:
    """A parameter of jobs as words. Raises InputError where the log lacks it."""
    if isinstance(values, Names):
        return [values.shown[code] for code in values.codes[kept].tolist()]
    if not isinstance(values, np.ndarray):
        raise InputError(f"jobs of these runs have no {name}")
    return [
        "" if np.isnan(value) else format_number(value) for value in values[kept].astype(np.float64).tolist()
    ]
