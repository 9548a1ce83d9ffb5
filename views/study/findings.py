"""What was found elsewhere, and whether it holds here: as a text beside the plots of a study."""

from __future__ import annotations

from html import escape

from engine.metrics.named import parse_metric
from engine.sweep.findings import Answer, answers
from engine.sweep.points import StudyResults
from views.text.metrics import spell_value
from views.theme.theme import Theme


def told_answers(results: StudyResults) -> list[Answer]:
    """What becomes of each finding, as far as runs have come. Takes time in the number of runs."""
    return answers(results.study, results.rows)


def findings_html(results: StudyResults, told: list[Answer], theme: Theme) -> str:
    """The source, what traces the study wants, and each finding with its number."""
    study = results.study
    parts = [f"<b>{escape(study.title)}</b>"]
    faint = (study.source, f"Wants: {study.wants}" if study.wants else "")
    parts += [f'<span style="color: {theme.faint}">{escape(one)}</span>' for one in faint if one]
    whole = results.done == len(results.rows)
    parts += [_line(answer, whole, theme) for answer in told]
    for text, count in results.errors.items():
        runs = "1 run" if count == 1 else f"{count:,} runs"
        parts.append(f'<span style="color: {theme.bad}">{runs} failed: {escape(text)}</span>')
    return "".join(f'<p style="margin: 0 0 8px 0">{part}</p>' for part in parts)


def _line(answer: Answer, whole: bool, theme: Theme) -> str:
    if answer.value is None:
        word = "Cannot be said" if whole else "Not known yet"
        return f'<span style="color: {theme.faint}">{word}</span>: {escape(answer.finding.text)}'
    colour, word = (theme.good, "✓ Holds") if answer.holds else (theme.bad, "✗ Does not hold")
    metric = parse_metric(answer.metric)
    against = answer.finding.against
    value = f"{answer.value:,.2f} % of {against}" if against else spell_value(metric, answer.value)
    told = f"({metric.label}: {value}): {answer.finding.text}"
    return f'<span style="color: {colour}"><b>{word}</b></span> {escape(told)}'
