"""The verdict of a report: what to change, what it brings, who pays, and a line for each run."""

from __future__ import annotations

from collections.abc import Sequence

from engine.claims.advice import advice
from engine.claims.verdict import judged_runs, run_verdicts
from engine.claims.words import line, plain, sentence
from engine.metrics.evaluation import Evaluation
from engine.report.section import Compared, Section, Statement


def verdict(compared: Compared) -> Section:
    """Sentences for who decides, and the line of each run."""
    runs = judged_runs(compared.names, compared.evaluations)
    told = [Statement(plain(sentence(claim))) for claim in advice(runs, compared.baseline)]
    lines = verdict_lines(compared.names, compared.evaluations)
    return Section("Verdict", [*told, *(Statement(f"{text}.", "heatmap") for text in lines)])


def verdict_lines(names: Sequence[str], evaluations: Sequence[Evaluation]) -> list[str]:
    """The line of each run as text; none without measured jobs."""
    return [plain(line(claims)) for claims in run_verdicts(judged_runs(names, evaluations)) if claims]
