"""The verdict of a report: what to change, what it brings, who pays, and a line for each run."""

from __future__ import annotations

from collections.abc import Sequence

from engine.claims.words import LATE, LATE_MEANS, line, plain
from engine.metrics.evaluation import Evaluation
from engine.policy.share import Share
from engine.report.advice import advice
from engine.report.section import Compared, Section, Statement
from engine.verdict.extra_run import with_one_more
from engine.verdict.verdict import judged_runs, run_verdicts

VERDICT = "Verdict"
"""The title of the section, which reports begin with."""

NOISE = (
    "More than noise means more than the variation from week to week explains, within noise no more than it."
)


def verdict(compared: Compared) -> Section:
    """Sentences for who decides, each with how sure it is, and the line of each run."""
    runs, base = judged_runs(compared.names, compared.evaluations), compared.base
    phased = {
        place: compared.verdicts.change(compared.baseline, place, base.jobs) for place in compared.others
    }
    by_chance = {place for place, change in phased.items() if change is not None and change.by_chance}
    told = [Statement(claims, named=False) for claims in advice(runs, compared.baseline, by_chance)]
    lines = [Statement(claims, "heatmap") for claims in run_verdicts(runs) if claims]
    # Late has no meaning by itself, and is read here first.
    words = [LATE_MEANS, *([NOISE] if any(" noise" in statement.text for statement in told) else [])]
    meaning = [Statement(words=" ".join(words))] if lines else []
    return Section(VERDICT, [*told, *lines, *meaning])


def verdict_lines(
    names: Sequence[str], evaluations: Sequence[Evaluation], share: Share | None = None
) -> list[str]:
    """The line of each run as text, and what late means; none without measured jobs.

    With the `share` by which they were judged, one more run is made where that may help to judge them.
    """
    runs = judged_runs(names, evaluations)
    more = runs if share is None else with_one_more(runs, share)
    told = [plain(line(claims)) for claims in run_verdicts(more)[: len(runs)] if claims]
    return [*told, *([LATE] if told else [])]
