"""Violated expected ends: their number, by queue and by month."""

from __future__ import annotations

import numpy as np

from engine.metrics.hours import months
from engine.report.section import Compared, Section, Statement, TextTable
from engine.trace import MISSING, Names
from engine.verdict.late_jobs import lateness_claims
from engine.verdict.verdict import judged_runs
from engine.words import format_count

_MOST = 12
"""The most queues in a table: those with the most jobs."""


def ends(compared: Compared) -> Section:
    """Late jobs of each run, the queue and the month where they are most, and tables of both."""
    queues, spans = compared.trace.queue, months(compared.trace)
    runs = judged_runs(compared.names, compared.evaluations)
    statements = [
        Statement(lateness_claims(run, place, queues, spans), "heatmap")
        for place, run in enumerate(runs)
        if run.jobs.any()
    ]
    # Months come in their own order, queues by their size.
    tables = [_table(compared, "month", spans, sorted(range(len(spans.names))))]
    jobs = np.bincount(queues.codes[compared.base.jobs], minlength=len(queues.names))
    large = [int(code) for code in np.argsort(-jobs, kind="stable")[:_MOST] if jobs[code]]
    if len(large) > 1:
        tables.insert(0, _table(compared, "queue", queues, large))
    return Section("Expected ends that were violated", statements, tables)


def _table(compared: Compared, what: str, groups: Names, shown: list[int]) -> TextTable:
    """Late jobs, and their share, of each group under each run."""
    rows = [[what.capitalize(), "Jobs", *compared.names]]
    jobs = np.bincount(groups.codes[compared.base.jobs], minlength=len(groups.names))
    counts = [
        np.bincount(
            groups.codes[evaluation.jobs & evaluation.violations.violated], minlength=len(groups.names)
        )
        for evaluation in compared.evaluations
    ]
    for code in shown:
        if jobs[code]:
            cells = [
                f"{format_count(int(count[code]))} ({100 * count[code] / jobs[code]:.1f} %)"
                for count in counts
            ]
            rows.append([_name(groups, code), format_count(int(jobs[code])), *cells])
    return TextTable(f"late-by-{what}", f"Late jobs by {what}", rows)


def _name(groups: Names, code: int) -> str:
    name = groups.shown[code]
    return "without a name" if name == str(MISSING) else name
