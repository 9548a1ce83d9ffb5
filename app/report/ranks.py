"""The tables of policies that were ranked on logs: a row for each, one for each on each log, and the logs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from app.export.formats import TitledTable, write_formats
from app.export.provenance import program_words
from app.report.folder import write_folder
from app.report.logs import logs_table
from engine.metrics.metric_names import parse_metric
from engine.quantities.job_table import Table
from engine.search.answer import Advantage
from engine.search.ranking import SHOWN, RankedLog, RankedSpan, Standing
from engine.words import in_sentence, listed

_SPANS = "Ranks on the last third of each log, and in brackets from the best to the worst that weeks allow"


def write_ranks(
    ranked: Sequence[RankedLog],
    baseline: str,
    by: str,
    folder: Path,
    force: bool = False,
    words: Mapping[str, str] | None = None,
) -> None:
    """Write the tables into a folder, new or empty, or with `force` an earlier result; each in all formats.

    `board` has a row for each policy, `ranks` one for each policy on each span of each log, `logs` what tells
    the logs apart. `words` are given names. Raises InputError, OSError.
    """

    def fill(part: Path) -> None:
        for name, table in rank_tables(ranked, baseline, by):
            write_formats(part / name, table.under_names(words or {}))

    about = {
        "ranked_by": by,
        "baseline": baseline,
        "policies": [standing.policy.spelling for standing in ranked[0].test.standings],
        "logs": [each.log.trace.name for each in ranked],
    }
    write_folder(folder, fill, about, force)


def rank_tables(ranked: Sequence[RankedLog], baseline: str, by: str) -> Iterator[tuple[str, TitledTable]]:
    """The tables, by the names of their files."""
    logs = listed([each.log.trace.shown_name for each in ranked])
    about = f"by {in_sentence(parse_metric(by).label)}, against {baseline}, on {logs}. {program_words()}."
    for name, table, what in (
        ("board", _board(ranked), _SPANS),
        (
            "ranks",
            _ranks(ranked, by),
            "Ranks on both spans of each log, with metrics over the jobs of the span",
        ),
        ("logs", _logs(ranked), "The logs, and their spans"),
    ):
        yield name, replace(table, caption=f"{what}; {about}")


def _board(ranked: Sequence[RankedLog]) -> TitledTable:
    """A row for each policy, the smallest mean rank first: its ranks, and on how many logs it is shown to
    differ from the baseline.
    """
    logs = [each.log.trace.name for each in ranked]
    titles = ["Policy", "Mean rank", "Best", "Worst", "Logs better", "Logs worse", *logs]
    lines = []
    for k, standing in enumerate(ranked[0].test.standings):
        standings = [each.test.standings[k] for each in ranked]
        ranks = [each.rank for each in standings]
        sides = [0 if each.change is None else each.change.side for each in standings]
        numbers = [float(np.mean(ranks)), min(ranks), max(ranks), sides.count(-1), sides.count(1)]
        lines.append((numbers[0], standing.policy.spelling, numbers, standings))
    # Policies of the same mean rank stand in the order of their spellings, so that every run writes the same.
    lines.sort(key=lambda line: line[:2])
    rows = [
        [name, f"{numbers[0]:.1f}", *(f"{number:.0f}" for number in numbers[1:]), *map(_rank, standings)]
        for _, name, numbers, standings in lines
    ]
    bare: list[tuple[str, Any]] = [("Policy", [name for _, name, _, _ in lines])]
    for place, title in enumerate(titles[1:6]):
        values = np.array([numbers[place] for _, _, numbers, _ in lines])
        bare.append((title, values if place == 0 else values.astype(np.int64)))
    for place, log in enumerate(logs):
        bare += _rank_columns(log, [standings[place] for *_, standings in lines])
    return TitledTable(titles, rows, bare)


def _rank(standing: Standing) -> str:
    if standing.best is None:
        return f"{standing.rank}"
    return f"{standing.rank} ({standing.best}–{standing.worst})"


def _rank_columns(title: str, standings: Sequence[Standing]) -> Table:
    """A rank and both of its bounds, each in a column; bounds that are not known are masked."""
    return [
        (title, np.array([standing.rank for standing in standings], np.int64)),
        (f"{title}, best", _whole([standing.best for standing in standings])),
        (f"{title}, worst", _whole([standing.worst for standing in standings])),
    ]


def _whole(values: Sequence[int | None]) -> Any:
    missing = [value is None for value in values]
    return np.ma.masked_array([value or 0 for value in values], missing, np.int64)


def _ranks(ranked: Sequence[RankedLog], by: str) -> TitledTable:
    """A row for each policy on each span of each log, in the order of the ranks there."""
    metrics = [parse_metric(name) for name in dict.fromkeys((by, *SHOWN))]
    heads = [f"{metric.label}, {metric.unit}" if metric.unit else metric.label for metric in metrics]
    titles = ["Log", "Policy", "Span", "Rank", "Change, %", "95 %", *heads]
    # Standings are sorted by rank within each span, so that a table is read from best to worst.
    ranks_of_runs = [
        (each.log.trace.name, words, standing)
        for each in ranked
        for words, span in (("test", each.test), ("train", each.train))
        for standing in sorted(span.standings, key=lambda one: one.rank)
    ]
    rows = [
        [
            log,
            standing.policy.spelling,
            span,
            _rank(standing),
            *_change(standing.change),
            *(metric.show(standing.metrics[metric.name]) for metric in metrics),
        ]
        for log, span, standing in ranks_of_runs
    ]
    # The same rows as bare numbers, for files: the printed numbers are rounded and have intervals in words.
    bare: list[tuple[str, Any]] = [(title, [row[k] for row in rows]) for k, title in enumerate(titles[:3])]
    bare += _rank_columns("Rank", [standing for *_, standing in ranks_of_runs])
    for title, part in (("", "change"), (", low", "low"), (", high", "high")):
        changes = (standing.change for *_, standing in ranks_of_runs)
        values = [None if change is None else getattr(change, part) for change in changes]
        bare.append((f"Change, %{title}", np.array([np.nan if v is None else v for v in values])))
    for metric, head in zip(metrics, heads, strict=True):
        values = [standing.metrics[metric.name] for *_, standing in ranks_of_runs]
        bare.append((head, np.array([np.nan if v is None else v for v in values], np.float64)))
    return TitledTable(titles, rows, bare)


def _change(advantage: Advantage | None) -> tuple[str, str]:
    """A change with its interval, each empty where there is none."""
    if advantage is None:
        return "", ""
    if advantage.low is None or advantage.high is None:
        return f"{advantage.change:+.1f}", ""
    return f"{advantage.change:+.1f}", f"{advantage.low:+.1f} to {advantage.high:+.1f}"


def _logs(ranked: Sequence[RankedLog]) -> TitledTable:
    """What papers tell of a log, and the jobs, weeks and load of its spans, and what its jobs asked for."""
    titles, rows = logs_table([(each.log.trace, each.log.cluster) for each in ranked], ())
    for name, span_of in (("train", "train"), ("test", "test")):
        titles += [f"Jobs of {name}", f"Weeks of {name}", f"Load of {name}, %"]
        for row, each in zip(rows, ranked, strict=True):
            span: RankedSpan = getattr(each, span_of)
            row += [f"{span.jobs:,}", f"{span.weeks}", "" if span.load is None else f"{100 * span.load:.1f}"]
    titles.append("Jobs with a walltime, %")
    for row, each in zip(rows, ranked, strict=True):
        limited = each.log.trace.limited
        row.append(f"{100.0 if limited is None else 100 * float(limited.mean()):.1f}")
    return TitledTable(titles, rows)
