"""The figures and tables of a study that was carried out, as its paper has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.export.formats import TitledTable, write_formats
from app.export.provenance import program_words, table_caption
from app.report.folder import write_folder
from app.report.logs import logs_table
from engine.machine.cluster import Cluster
from engine.metrics.metric_names import parse_metric
from engine.quantities.job_table import Table
from engine.sweep.findings import FindingResult, PointMean, answers, means
from engine.sweep.paper_claim import PaperClaim
from engine.sweep.printed_tables import PrintedTable
from engine.sweep.row_cache import Row
from engine.sweep.study_file import StudyFile
from engine.sweep.study_results import StudyResults
from engine.trace import Trace
from engine.words import listed, plural
from views.data.own_data import OwnData
from views.data.shown_runs import ShownRuns
from views.data.view_options import ViewOptions
from views.grammar.choices import usual_encoding, with_choice
from views.grammar.encoding import Encoding
from views.grammar.spelling import encoding_of
from views.grammar.study_figure import StudyFigure

_LINE = 124
"""Letters of a line below a figure."""


@dataclass(frozen=True, eq=False)
class Swept:
    """The result of a study on a log."""

    trace: Trace
    cluster: Cluster
    rows: Sequence[Row]
    beliefs: Sequence[str] = ()  # sentences on the sites of the study


def write_study(
    study: StudyFile,
    swept: Sequence[Swept],
    folder: Path,
    force: bool = False,
    words: Mapping[str, str] | None = None,
    metrics: Sequence[str] = (),
) -> None:
    """Write figures and tables into a folder, which has to be new or empty, or with `force` an earlier
    result.

    The figures of the study's file for each log, as PDF, SVG and PNG; of a file that names none a figure for
    each measure, and a heatmap beside curves where two numbers vary.
    Tables have a column for each log, with the paper's number beside them: `numbers` of all points and the
    given `metrics`, by default all, `findings`, the `logs` themselves, `sites` with how far these are to be
    believed, if there are any, and each table that the paper prints, parts of one title side by side. Those
    for people (LaTeX, Markdown) have rounded values, CSV and JSON bare numbers, one a column. `words` are
    given names. Raises InputError, OSError.
    """
    words = words or {}
    caption = " ".join(table_caption(row.trace, [row.cluster], None) for row in swept[:1])
    if len(swept) > 1:  # each log has a column with its name; their sizes are in the table of logs
        caption = f"{len(swept)} logs: {listed([row.trace.shown_name for row in swept])}. {program_words()}."
    about = f"{study.title}{f' ({study.source})' if study.source else ''}"

    def fill(part: Path) -> None:
        for row in swept:
            _draw(study, row, part, words)
        for name, table in _tables(study, swept, metrics or study.metrics):
            title = f"{table.caption}. " if table.caption else ""
            stem = part / name
            write_formats(
                stem, replace(table, caption=f"{title}{about.rstrip('.')}. {caption}").under_names(words)
            )

    manifest = {"study": study.title, "source": study.source, "logs": [row.trace.name for row in swept]}
    write_folder(folder, fill, manifest, force)


def _tables(
    study: StudyFile, swept: Sequence[Swept], metrics: Sequence[str]
) -> Iterator[tuple[str, TitledTable]]:
    """The tables of a study by the names of their files; captions say what tells them from each other."""
    yield "numbers", numbers(study, swept, metrics)
    yield "findings", TitledTable(*verdicts(study, swept), bare_verdicts(study, swept))
    yield "logs", TitledTable(*logs_table([(row.trace, row.cluster) for row in swept], study.logs))
    if any(row.beliefs for row in swept):
        lines = [[row.trace.name, line] for row in swept for line in row.beliefs]
        yield "sites", TitledTable(["Log", "How far the site is to be believed"], lines)
    # A paper prints a single table where a study file has a part for each metric or policy.
    for title in dict.fromkeys(table.title for table in study.printed):
        parts = [table for table in study.printed if table.title == title]
        yield _as_file(title), printed_tables(study, parts, swept)


def numbers(study: StudyFile, swept: Sequence[Swept], metrics: Sequence[str]) -> TitledTable:
    """A row for each point and metric: a value for each log, and the paper's value.

    Values are means over seeds, in % of the study's reference policy, if it has one. For programs each log
    has a mean and a spread, in the unit of the row.
    """
    points_of_logs = [[point for point in means(study, row.rows) if point.metric in metrics] for row in swept]
    # Metrics come as they were asked for, at each point of the study.
    for points in points_of_logs:
        place = {(p.conditions, p.policy, p.keys): k for k, p in reversed(list(enumerate(points)))}
        points.sort(key=lambda p: (place[p.conditions, p.policy, p.keys], metrics.index(p.metric)))
    keys = [name for name, _ in points_of_logs[0][0].keys] if points_of_logs and points_of_logs[0] else []
    several = len({str(mean.conditions) for mean in points_of_logs[0]}) > 1 if points_of_logs else False
    under = ["Conditions"] if several else []
    heads = ["Policy", *keys, *under, "Metric", "Unit"]
    rows = []
    for same in zip(*points_of_logs, strict=True):
        first = same[0]
        metric = parse_metric(first.metric)
        unit = f"% of {study.against}" if study.against else "%" if metric.share else metric.unit
        cells = [_cell(point, bool(study.against)) for point in same]
        conditions = [str(first.conditions)] if several else []
        named = [first.policy, *(value for _, value in first.keys), *conditions, metric.label, unit]
        rows.append([*named, *cells, _paper(study, first)])
    bare: list[tuple[str, Any]] = [(title, [row[k] for row in rows]) for k, title in enumerate(heads)]
    for log, points in zip(swept, points_of_logs, strict=True):
        for title, part in ((log.trace.name, "value"), (f"{log.trace.name}, standard deviation", "spread")):
            bare.append((title, _floats([_in_unit(study, point, getattr(point, part)) for point in points])))
    bare += _claimed([_claims(study, points[0]) for points in zip(*points_of_logs, strict=True)])
    bare.append(("Paper's claim", [row[-1] for row in rows]))
    return TitledTable([*heads, *(row.trace.name for row in swept), "Paper"], rows, bare)


def _in_unit(study: StudyFile, point: PointMean, value: float | None) -> float | None:
    """A value of a point in the unit of its row: parts of a whole are in %."""
    if value is None or study.against:
        return value
    return 100 * value if parse_metric(point.metric).share else value


def _floats(values: Sequence[float | None]) -> NDArray[np.float64]:
    """A column of numbers, NaN where there is none."""
    return np.array([np.nan if value is None else value for value in values], np.float64)


def bare_verdicts(study: StudyFile, swept: Sequence[Swept]) -> Table:
    """The findings for programs: of each log the verdict, and the value that it was decided on."""
    table: list[tuple[str, Any]] = [
        ("Finding", [finding.text for finding in study.findings]),
        *_claimed([[finding.claim] for finding in study.findings]),
        ("Paper's claim", [str(finding.claim) for finding in study.findings]),
    ]
    for log in swept:
        by_finding = _by_finding(study, log)
        table.append((log.trace.name, [_verdict(answer) for answer in by_finding]))
        values = [None if answer is None else answer.value for answer in by_finding]
        table.append((f"{log.trace.name}, value", _floats(values)))
    return table


def _by_finding(study: StudyFile, log: Swept) -> list[FindingResult | None]:
    """The answer to each finding of the study on a log; None where the finding is about other logs."""
    answers_by_finding = {answer.finding: answer for answer in answers(study, log.rows)}
    return [answers_by_finding.get(finding) for finding in study.findings]


def _verdict(answer: FindingResult | None) -> str:
    """The verdict of an answer in words; empty where the finding is about other logs."""
    return "" if answer is None else answer.verdict or "cannot be decided"


def printed_tables(study: StudyFile, parts: Sequence[PrintedTable], swept: Sequence[Swept]) -> TitledTable:
    """A table that the paper prints, with our numbers beside its own in its units and digits.

    It has a row for each policy of each part, and a column for each log, the paper's numbers for it beside;
    the paper's other logs follow. Where there is a single log, parts are columns and not rows.
    """
    printed = list(dict.fromkeys(log for part in parts for log in part.logs))
    # A single log in several parts reads better across than down.
    if len(parts) > 1 and len(swept) == len(printed) == 1:
        return _parts_as_columns(study, parts, swept[0], printed[0])
    columns = [
        next((part.logs[k] for part in parts if (k := part.column(each.trace.name)) is not None), "")
        for each in swept
    ]
    # Logs that the paper has and that were not run still have their printed numbers.
    others = [log for log in printed if log not in columns]
    titles = ["Policy", "Unit", *(["Part"] if len(parts) > 1 else [])]
    for each, column in zip(swept, columns, strict=True):
        titles += [each.trace.name, *([f"{column} (paper)"] if column else [])]
    titles += [f"{log} (paper)" for log in others]
    rows = []
    # Each part has its own policies and its own digits, as printed.
    for part in parts:
        tables_of_logs = [_values(study, part, log) for log in swept]
        for policy, paper in part.numbers:
            known = {log: _printed(part, value) for log, value in zip(part.logs, paper, strict=True)}
            row = [policy, _unit(part), *([part.part] if len(parts) > 1 else [])]
            for table, column in zip(tables_of_logs, columns, strict=True):
                row += [table[policy], *([known.get(column, "–")] if column else [])]
            rows.append([*row, *(known.get(log, "–") for log in others)])
    return TitledTable(titles, rows, caption=_capital(parts[0].title))


def _parts_as_columns(study: StudyFile, parts: Sequence[PrintedTable], swept: Swept, log: str) -> TitledTable:
    """A row for each policy, and for each part the number of a log and that of the paper."""
    whose = "paper" if parts[0].column(swept.trace.name) is not None else f"{log}, paper"
    titles, columns = ["Policy"], []
    for part in parts:
        unit = _unit(part)
        titles += [f"{part.part}, {unit}" if unit else part.part, f"{part.part} ({whose})"]
        paper = {policy: _printed(part, value) for policy, (value,) in part.numbers}
        columns += [_values(study, part, swept), paper]
    policies = dict.fromkeys(policy for part in parts for policy, _ in part.numbers)
    rows = [[policy, *(column.get(policy, "–") for column in columns)] for policy in policies]
    return TitledTable(titles, rows, caption=_capital(parts[0].title))


def _unit(table: PrintedTable) -> str:
    return "% change" if table.against else table.unit or parse_metric(table.metric).unit


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _values(study: StudyFile, table: PrintedTable, swept: Swept) -> dict[str, str]:
    """The results on a log by policy, for the table, under the study's first conditions."""
    points = [
        point
        for point in means(study, swept.rows, table.against)
        if point.metric == table.metric
        and set(table.keys) <= set(point.keys)
        and point.conditions == study.runs[0].conditions
    ]
    shift, per = (100.0, 1.0) if table.against else (0.0, table.per)
    return {
        point.policy: _printed(table, None if point.value is None else point.value / per - shift)
        for point in points
    }


def _printed(table: PrintedTable, value: float | None) -> str:
    """A number with the digits of the table, and the sign of a change."""
    if value is None:
        return "–"
    shown = round(value, table.digits) + 0.0  # which leaves no zero with a minus
    sign = "+" if table.against and shown else ""  # no change has none
    return f"{shown:{sign},.{table.digits}f}".replace("-", "−")


def verdicts(study: StudyFile, swept: Sequence[Swept]) -> tuple[list[str], list[list[str]]]:
    """The titles, and one row per finding: the paper's claim, and what was found on each log."""
    answers_of_logs = [_by_finding(study, log) for log in swept]
    titles = ["Finding", "Paper", *(row.trace.name for row in swept)]
    rows = []
    for finding, *results in zip(study.findings, *answers_of_logs, strict=True):
        cells = [
            f"{_verdict(answer)} ({_measured(answer)})" if answer and answer.verdict else _verdict(answer)
            for answer in results
        ]
        rows.append([finding.text, str(finding.claim), *cells])
    return titles, rows


def _cell(mean: PointMean, relative: bool) -> str:
    if mean.value is None:
        return "–"
    if relative:
        return f"{mean.value:,.1f}"
    metric = parse_metric(mean.metric)

    def show_number(value: float) -> str:
        return f"{100 * value:.2f}" if metric.share else metric.show(value)

    return (
        f"{show_number(mean.value)} ± {show_number(mean.spread)}" if mean.spread else show_number(mean.value)
    )


def _measured(answer: FindingResult) -> str:
    """The value of a finding, and in the paper's digits where only these decide its verdict."""
    if answer.value is None:
        return ""
    rounded = answer.finding.claim.decisive_rounding(answer.value)
    told = f", {rounded} in the paper's digits" if rounded else ""
    return f"{answer.value:,.1f}{told}"


def _paper(study: StudyFile, mean: PointMean) -> str:
    """The paper's statement on a point: its number or bounds; empty: none."""
    return "; ".join(dict.fromkeys(map(str, _claims(study, mean))))


def _claimed(claims: Sequence[Sequence[PaperClaim]]) -> Table:
    """The numbers that a paper gives in the claims of each row, and the bounds, each in a column."""
    return [
        (
            title,
            _floats([next((v for c in own if (v := getattr(c, part)) is not None), None) for own in claims]),
        )
        for title, part in (("Paper", "size"), ("Paper, low", "least"), ("Paper, high", "most"))
    ]


def _claims(study: StudyFile, mean: PointMean) -> list[PaperClaim]:
    """What the paper states on a point."""
    keys = dict(mean.keys)
    return [
        finding.claim
        for finding in study.findings
        if mean.policy in finding.policies
        and mean.metric in finding.metrics
        and finding.conditions == mean.conditions
        and finding.against == study.against
        and not finding.beside
        and all(keys.get(key) == value for key, value in finding.keys)
    ]


def _draw(study: StudyFile, swept: Swept, part: Path, words: Mapping[str, str]) -> None:
    from views.figures.plots import plots_figure
    from views.figures.printing import PrintOptions, printed
    from views.figures.save import FORMATS, save_printed
    from views.study.plots import study_plots

    results = StudyResults(study, tuple(swept.rows))
    source = f" ({study.source})" if study.source else ""
    note = fill(f"{swept.trace.shown_name}, {plural(len(swept.trace), 'job')}: {study.title}{source}.", _LINE)
    for name, encoding in _encodings(results):
        encoding = replace(encoding, names={**encoding.names, **words})
        shown = ShownRuns(swept.trace, own=OwnData(StudyFigure(results, encoding)))
        page = study_plots(shown, ViewOptions())
        if page.lacks:
            continue
        made = printed(partial(plots_figure, page, f"{swept.trace.shown_name}: {page.title}"), PrintOptions())
        for suffix in FORMATS:
            save_printed(made, part / f"{_as_file(swept.trace.name)}-{name}{suffix}", note)


def _encodings(results: StudyResults) -> Iterator[tuple[str, Encoding]]:
    """The figures of a study: the name of each, and its encoding; those that its file names, or the usual.

    Raises InputError where a figure of the file does not fit the study.
    """
    table = results.table
    for planned in results.study.figures:
        encoding = encoding_of(planned)
        encoding.check(table)
        yield planned.name, encoding
    if results.study.figures:
        return
    usual = usual_encoding(table)
    if len(usual.y) > 1:
        yield "all", usual
        return
    for measure in table.families:
        encoding = usual_encoding(table, measure)
        yield measure, encoding
        if encoding.colour not in ("", encoding.x) and len(table.parameters[encoding.x]) > 1:
            yield f"{measure}-heatmap", with_choice(table, encoding, "kind", "cells")


def _as_file(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-." else "_" for c in name)[:80]
