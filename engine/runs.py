"""Runs of a log under several policies, judged and measured together, with their tables."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.answer import Answer, LoggedJob, answer
from engine.errors import InputError
from engine.filter import Expression, FilterError
from engine.filter.complete import unknown_names
from engine.filter.parse import parse_own_filter
from engine.machine.cluster import Cluster
from engine.metrics.compare import change as relative_change
from engine.metrics.evaluation import Evaluation, evaluate, summaries_of
from engine.metrics.metric_names import parse_metric
from engine.own.declare import Declaration
from engine.policy.baseline import usual_baseline
from engine.policy.share import parse_share
from engine.quantities import offered
from engine.quantities.job_table import Table, schedule_table
from engine.quantities.own_quantity import check_columns
from engine.reading.log import Log
from engine.reading.measure import measured_jobs
from engine.schedule.explain import Explanation, explain
from engine.schedule.schedule import Schedule
from engine.shown_text import html_text
from engine.slurm.scheduler.verdicts import SiteVerdicts, phase_spreads, site_verdicts
from engine.spelling import nearest
from engine.trace import Trace
from engine.words import counted

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class Measuring:
    """The settings of comparisons and metrics, each spelled as on the command line.

    `share` is the users' expected share, `span` (FROM:TO) and `only` (a filter) select the measured jobs,
    `metrics` names metrics that take a parameter, `penalty` weighs the use of several resources.
    """

    share: str = "fair"
    span: str = ""
    only: str = ""
    metrics: tuple[str, ...] = ()
    penalty: str = "max"

    def filter(self, trace: Trace) -> Expression | None:
        """The filter; None if there is none. Raises InputError, also for unknown names."""
        if not self.only:
            return None
        try:
            expression = parse_own_filter(self.only)
        except FilterError as error:
            raise InputError(f"{self.only}: {error.message}") from None
        if unknown := unknown_names(expression, trace):
            raise InputError(f"{self.only}: {trace.name} has {unknown[0]}")
        return expression


@dataclass(frozen=True, eq=False)
class OneRun:
    """A run under the name that it was asked for by, judged and measured among the others."""

    name: str
    log: Log
    evaluation: Evaluation

    @property
    def schedule(self) -> Schedule:
        """When and where each job ran."""
        return self.evaluation.schedule

    @property
    def machine(self) -> Cluster:
        """The machine that it is on: of a site that of its files, unless another was asked for."""
        return self.schedule.cluster

    @cached_property
    def jobs(self) -> DataFrame:
        """A row for each job: its fields in the log, and its outcome; times are in s from the log's zero.

        `attrs["units"]` has the unit of each column. Values of jobs that were not run are missing.
        """
        frame = frame_of([*schedule_table(self.schedule), ("measured", self.evaluation.jobs)])
        units = {
            name: quantity.unit for name, quantity in offered("schedule").items() if name in frame.columns
        }
        frame.attrs.update(units=units, zero=self.log.trace.zero)
        return frame

    @cached_property
    def eet(self) -> DataFrame:
        """A table with a row for each job: its expected end, and by how much it ended later; s."""
        trace, violations = self.log.trace, self.evaluation.violations
        missing = ~self.schedule.ran
        columns = [
            ("job_id", np.asarray(trace.job_id)),
            ("user", np.array(trace.user.names, object)[trace.user.codes]),
            ("eet", np.ma.array(violations.eet, mask=missing)),
            ("end", np.ma.array(self.schedule.end, mask=missing)),
            ("tardiness", np.ma.array(violations.tardiness, mask=missing)),
        ]
        return frame_of(columns)

    @property
    def metrics(self) -> dict[str, float | int | None]:
        """All metrics by name, as `compare --json` has them."""
        return dict(self.evaluation.summary)

    def explain(self, job_id: int | str) -> Explanation:
        """Why a job waited, as reasons that add up to its wait. Raises InputError where it is not there."""
        return explain(self.schedule, self.log.job(job_id))

    def answer(self, job_id: int | str) -> Answer[LoggedJob]:
        """The answer to a job's user: the reasons of its wait, and changes with an earlier start."""
        return answer(self.schedule, self.log.job(job_id))

    def __repr__(self) -> str:
        return f"<run {self.name} of {self.log.trace.name}: {counted(int(self.schedule.ran.sum()), 'job')}>"


class UnknownRunError(InputError, KeyError):
    """A run that is not there, in words; a KeyError too, as mappings raise."""

    __str__ = Exception.__str__  # a KeyError would quote the sentence


@dataclass(frozen=True, eq=False)
class RunSet(Mapping[str, OneRun]):
    """Runs of a log by name, compared and measured on the same jobs."""

    log: Log
    runs: tuple[OneRun, ...]
    measuring: Measuring = field(default_factory=Measuring)
    not_shown: Mapping[str, str] = field(default_factory=dict)  # runs that were left out, and why

    def __getitem__(self, name: str | Declaration) -> OneRun:
        name = str(name)  # of own code that was imported, its spelling
        for run in self.runs:
            if name in (run.name, run.schedule.policy.spelling):
                return run
        if name in self.not_shown:
            raise UnknownRunError(f"{name}: {self.not_shown[name]}")
        hint = nearest(name, self) or f"; there are {', '.join(self)}"
        raise UnknownRunError(f"there is no run {name!r}{hint}")

    def __iter__(self) -> Iterator[str]:
        return (run.name for run in self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    @cached_property
    def metrics(self) -> DataFrame:
        """One row per metric by its name, with `unit`, and one column per run. Parts of a whole are in %.

        Metrics that have no value in any run are left out.
        """
        import pandas as pd

        summaries = summaries_of([run.evaluation for run in self.runs])
        metrics = [parse_metric(name) for name in summaries[0]]
        table: dict[str, Any] = {"unit": ["%" if metric.share else metric.unit for metric in metrics]}
        for run, summary in zip(self.runs, summaries, strict=True):
            values = [summary[metric.name] for metric in metrics]
            table[run.name] = [
                None if value is None else 100 * value if metric.share else value
                for metric, value in zip(metrics, values, strict=True)
            ]
        frame = pd.DataFrame(table, index=pd.Index([metric.name for metric in metrics], name="metric"))
        names = [run.name for run in self.runs]
        frame[names] = frame[names].astype(float)
        return frame.dropna(how="all", subset=names)

    @cached_property
    def verdicts(self) -> SiteVerdicts:
        """How far runs of sites are to be believed; each is repeated over phases of slurmctld's loops."""
        names, schedules = [run.name for run in self.runs], [run.schedule for run in self.runs]
        return site_verdicts(names, schedules, phase_spreads(schedules))

    @property
    def verdict(self) -> str:
        """How near the first site's model comes to the log, and what of the changes between sites chance
        explains: a sentence a line; empty without a site.
        """
        jobs = self.runs[0].evaluation.jobs
        return "\n".join(filter(None, [self.verdicts.verdict, *self.verdicts.lines(jobs)]))

    def against(self, baseline: str | None = None) -> DataFrame:
        """The change of each metric against a run, in %; one row per metric, a column each other run.

        By default that is the run of a site's own policy, else of EASY, else the first simulated one.
        """
        import pandas as pd

        usual = usual_baseline([run.schedule.policy for run in self.runs])
        compared = self.runs[usual] if baseline is None else self[baseline]
        base = compared.evaluation.summary
        others = [run for run in self.runs if run is not compared]
        # A metric that is 0 or unknown in the baseline has no change.
        changes = {
            run.name: [relative_change(run.evaluation.summary[name], base[name]) for name in base]
            for run in others
        }
        frame = pd.DataFrame(changes, index=pd.Index(list(base), name="metric"), dtype=float)
        return frame.dropna(how="all")

    def __repr__(self) -> str:
        return f"<runs of {self.log.trace.name}: {', '.join(self)}>"

    def _repr_html_(self) -> str:
        """The table of metrics, with the number of digits of each metric."""
        summaries = summaries_of([run.evaluation for run in self.runs])
        head = "".join(f"<th>{html_text(run.name)}</th>" for run in self.runs)
        rows = []
        for metric in map(parse_metric, summaries[0]):
            values = [summary[metric.name] for summary in summaries]
            if any(value is not None for value in values):
                cells = "".join(f"<td>{html_text(metric.show(value))}</td>" for value in values)
                rows.append(
                    f"<tr><th>{html_text(metric.label)}</th><td>{html_text(metric.unit)}</td>{cells}</tr>"
                )
        return (
            f"<table><thead><tr><th>{html_text(self.log.trace.name)}</th><th>unit</th>{head}</tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table>"
        )


def measured(log: Log, schedules: Sequence[tuple[str, Schedule]], how: Measuring) -> RunSet:
    """Schedules of the log with their names, judged and measured. Raises InputError."""
    from engine.simulation.run import reference_schedule

    known = [schedule for _, schedule in schedules]
    span = measured_jobs(how.span, log.trace) if how.span else None
    extra = [parse_metric(text).name for text in how.metrics]
    only = how.filter(log.trace)
    if only is not None:
        check_columns((part.field for part in only.comparisons()), known)
    # Fair shares are relative to a schedule, which is the same for all runs.
    reference = reference_schedule(log.trace, log.cluster, known)
    evaluations = evaluate(
        known,
        parse_share(how.share),
        reference,
        span,
        extra,
        only,
        penalty=how.penalty,
        threads=os.cpu_count() or 1,
    )
    runs = (
        OneRun(name, log, evaluation) for (name, _), evaluation in zip(schedules, evaluations, strict=True)
    )
    return RunSet(log, tuple(runs), how)


def frame_of(table: Table) -> DataFrame:
    """The table as a pandas table; masked integer columns stay integers."""
    import pandas as pd

    def column(values: Any) -> Any:
        if not isinstance(values, np.ma.MaskedArray):
            return values if isinstance(values, np.ndarray) else list(values)
        kind = {"i": "Int64", "u": "Int64", "b": "boolean"}.get(values.dtype.kind)
        if kind is None:
            return values.filled(np.nan)
        # Without a gap plain integers will do, which all tools read.
        if not values.mask.any():
            return values.data
        mask = np.ma.getmaskarray(values)
        if kind == "boolean":
            return pd.arrays.BooleanArray(values.data, mask)
        return pd.arrays.IntegerArray(values.data.astype(np.int64), mask)

    return pd.DataFrame({name: column(values) for name, values in table})
