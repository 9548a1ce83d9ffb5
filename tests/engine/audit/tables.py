"""Schedules as an audit reads them, written down by hand."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.audit.columns import Raw
from engine.audit.report import AuditFinding, AuditReport
from engine.audit.table import ScheduleTable, join
from engine.trace import Trace


def make_table(
    trace: Trace,
    start: Sequence[float],
    *,
    ids: Sequence[object] | None = None,
    end: Sequence[float] | None = None,
    submit: Sequence[float] | None = None,
    procs: Sequence[float] | None = None,
    wait: Sequence[float] | None = None,
    runtime: Sequence[float] | None = None,
) -> ScheduleTable:
    """A table of these rows; each runs for its job's runtime where no ends are given; NaN is missing."""
    names = [str(name) for name in (ids if ids is not None else trace.job_id.tolist())]
    columns = {"start": np.array(start, float)}
    if end is None and ids is None:
        end = (columns["start"] + trace.runtime).tolist()
    others = {"end": end, "submit": submit, "procs": procs, "wait": wait, "runtime": runtime}
    columns |= {name: np.array(values, float) for name, values in others.items() if values is not None}
    return join(Raw(Path("schedule.csv"), names, columns), trace)


def found(report: AuditReport) -> dict[str, int]:
    """How many faults of each kind."""
    return {finding.kind: finding.count for finding in report.findings}


def only(report: AuditReport) -> AuditFinding:
    """The one finding."""
    (single,) = report.findings
    return single
