"""Violated expected ends: their number, by queue and by month."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.metrics.evaluation import Evaluation
from engine.metrics.hours import months
from engine.report.section import Compared, Section, Statement, TextTable
from engine.trace import MISSING, Names
from engine.verdict.lateness import late_jobs
from engine.words import format_count

_MOST = 12
"""The most queues in a table: those with the most jobs."""


def ends(compared: Compared) -> Section:
    """Late jobs of each run, the queue and the month where they are most, and tables of both."""
    queues, spans = compared.trace.queue, months(compared.trace)
    statements = [
        Statement(_late(name, evaluation, queues, spans), "heatmap")
        for name, evaluation in zip(compared.names, compared.evaluations, strict=True)
    ]
    tables = [_table(compared, "month", spans, sorted(range(len(spans.names))))]
    jobs = np.bincount(queues.codes[compared.base.jobs], minlength=len(queues.names))
    large = [int(code) for code in np.argsort(-jobs, kind="stable")[:_MOST] if jobs[code]]
    if len(large) > 1:
        tables.insert(0, _table(compared, "queue", queues, large))
    return Section("Expected ends that were violated", statements, tables)


def _late(name: str, evaluation: Evaluation, queues: Names, spans: Names) -> str:
    late = evaluation.jobs & evaluation.violations.violated
    jobs, many = int(evaluation.jobs.sum()), int(late.sum())
    if not many:
        return f"{name}: no job ends later than its user may expect."
    text = f"{name}: {format_count(many)} of {format_count(jobs)} jobs ({100 * many / jobs:.1f} %) end late"
    # Who waits for a result does not notice these.
    slight = many - int(late_jobs(evaluation.schedule, evaluation.violations, late).sum())
    if slight:
        text += f", {format_count(slight)} of these by less than a minute or a tenth of their runtime"
    places = []
    if len(np.unique(queues.codes[evaluation.jobs])) > 1:
        places.append(_most("queue", queues, evaluation, late))
    if len(spans.names) > 1:
        places.append(_most("month", spans, evaluation, late))
    return f"{'; '.join([text, *places])}."


def _most(kind: str, groups: Names, evaluation: Evaluation, late: NDArray[np.bool_]) -> str:
    """The group with the most late jobs, which part of all late ones these are, and of the group's jobs."""
    many = np.bincount(groups.codes[late], minlength=len(groups.names))
    code, total = int(many.argmax()), int(many.sum())
    of = int((groups.codes[evaluation.jobs] == code).sum())
    much = "most of them" if 2 * many[code] > total else f"the most of any {kind}"
    where = f"{kind} {_name(groups, code)}" if kind == "queue" else _name(groups, code)
    part = f"{100 * many[code] / total:.1f} % of them"
    own = f"{format_count(int(many[code]))} of its {format_count(of)} jobs"
    return f"{much} in {where} ({part}, {own})"


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
