"""The findings of others, and whether they are reproduced here, as text beside the plots of a study."""

from __future__ import annotations

from html import escape

from engine.metrics.named import parse_metric
from engine.sweep.claim import ClaimResult
from engine.sweep.findings import Answer, answers
from engine.sweep.points import StudyResults
from views.theme.theme import Theme


def describe_answers(results: StudyResults) -> list[Answer]:
    """The result of each finding, as far as runs are finished. Takes time in the number of runs."""
    return answers(results.study, results.rows)


def findings_html(results: StudyResults, told: list[Answer], theme: Theme) -> str:
    """The source, what traces the study wants, and each finding with its number."""
    study = results.study
    parts = [f"<b>{escape(study.title)}</b>"]
    faint = (study.source, f"Needs {_lower_first(study.wants)}" if study.wants else "")
    parts += [f'<span style="color: {theme.faint}">{escape(one)}</span>' for one in faint if one]
    whole = results.done == len(results.rows)
    parts += [_line(answer, whole, theme) for answer in told]
    for text, count in results.errors.items():
        runs = "1 run" if count == 1 else f"{count:,} runs"
        parts.append(f'<span style="color: {theme.bad}">{runs} failed: {escape(text)}</span>')
    return "".join(f'<p style="margin: 0 0 8px 0">{part}</p>' for part in parts)


def _lower_first(words: str) -> str:
    return words[:1].lower() + words[1:]


def _line(answer: Answer, whole: bool, theme: Theme) -> str:
    if answer.verdict is None:
        word = "Cannot be decided" if whole else "Not known yet"
        return f'<span style="color: {theme.faint}">{word}</span>: {escape(answer.finding.text)}'
    colour, word = {
        ClaimResult.REPRODUCED: (theme.good, "✓ Reproduced"),
        ClaimResult.OTHER_SIZE: (theme.text, "≈ Same direction, another size"),
        ClaimResult.NOT: (theme.bad, "✗ Not reproduced"),
    }[answer.verdict]
    text = f"({answer.numbers(parse_metric(answer.metric).label)}): {answer.finding.text}"
    return f'<span style="color: {colour}"><b>{word}</b></span> {escape(text)}'
