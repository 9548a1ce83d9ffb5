"""The properties of logs as papers list them: machine, jobs, users, load, time, parallelism."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engine.dates import date_of
from engine.machine.cluster import Cluster
from engine.sweep.printed_tables import PrintedLog
from engine.trace import Trace
from engine.trace.scale import offered_load, parallelism

_MONTH = 365.25 * 86_400 / 12

TITLES = ("Log", "Processors", "Jobs", "Users", "Load, %", "First year", "Months", "phi, %")
_PLACES: dict[str, tuple[int, Callable[[float], str]]] = {
    "cpus": (1, "{:,.0f}".format),
    "jobs": (2, "{:,.0f}".format),
    "users": (3, "{:,.0f}".format),
    "load": (4, "{:.0f}".format),
    "months": (6, "{:.0f}".format),
    "phi": (7, "{:.2f}".format),
}


def logs_table(
    logs: Sequence[tuple[Trace, Cluster]], printed: Sequence[PrintedLog]
) -> tuple[list[str], list[list[str]]]:
    """The titles, and a row for each log, below it the paper's, then the logs that only the paper has."""
    rows, known = [], []
    for trace, cluster in logs:
        rows.append(_row(trace, cluster))
        printed_logs = [log for log in printed if trace.name.casefold().startswith(log.name.casefold())]
        rows += map(_printed, printed_logs)
        known += printed_logs
    return list(TITLES), [*rows, *(_printed(log) for log in printed if log not in known)]


def _row(trace: Trace, cluster: Cluster) -> list[str]:
    load, begun = offered_load(trace, cluster.cpus), date_of(trace, float(trace.submit[0]))
    return [
        trace.name,
        f"{cluster.cpus:,}",
        f"{len(trace):,}",
        f"{len(np.unique(trace.user.codes)):,}",
        "" if load is None else f"{100 * load:.1f}",
        "" if begun is None else str(begun.year),
        f"{(trace.submit[-1] - trace.submit[0]) / _MONTH:.1f}",
        f"{100 * parallelism(trace):.2f}",
    ]


def _printed(log: PrintedLog) -> list[str]:
    row = [f"{log.name} (paper)", *[""] * (len(TITLES) - 1)]
    for name, value in log.facts:
        place, show = _PLACES[name]
        row[place] = show(value)
    return row
