"""The verdict of a report: what to change, what it brings, who pays, and a line for each run."""

from __future__ import annotations

from collections.abc import Sequence

from engine.claims.words import line, plain
from engine.metrics.evaluation import Evaluation
from engine.policy.share import Share
from engine.report.changes import is_unsure, weekly_statement
from engine.report.section import Compared, Section, Statement
from engine.verdict.advice import advice
from engine.verdict.extra_run import with_one_more
from engine.verdict.verdict import judged_runs, run_verdicts

VERDICT = "Verdict"
"""The title of the section, which reports begin with."""

MEANING = (
    "A job is late if it ends later than it would if its user had only the expected share of the machine. "
    "Users are counted by jobs that are late by at least a minute and a tenth of their runtime: a month of a "
    "user is late if most of the user's jobs submitted in it are. The worst user is the one with the most "
    "lateness in all, given as the average over all of the user's jobs."
)


def verdict(compared: Compared) -> Section:
    """Sentences for who decides, how sure the change is, and the line of each run.

    A run whose gain cannot be told from noise is no change to make.
    """
    runs = judged_runs(compared.names, compared.evaluations)
    unsure = {place for place in compared.others if is_unsure(compared, place)}
    said = advice(runs, compared.baseline, unsure)
    told = [Statement((claim,), named=False) for claim in said]
    # Without it a change that chance explains would read like any other.
    changed = next((part.place.row for claim in said for part in claim.about if part.role == "run"), None)
    if changed is not None and (weeks := weekly_statement(compared, changed)) is not None:
        told.append(weeks)
    lines = [Statement(claims, "heatmap") for claims in run_verdicts(runs) if claims]
    # Late has no meaning by itself, and is read here first.
    meaning = [Statement(words=MEANING)] if lines else []
    return Section(VERDICT, [*told, *lines, *meaning])


def verdict_lines(
    names: Sequence[str], evaluations: Sequence[Evaluation], share: Share | None = None
) -> list[str]:
    """The line of each run as text; none without measured jobs.

    With the `share` by which they were judged, one more run is made where that may help to judge them.
    """
    runs = judged_runs(names, evaluations)
    more = runs if share is None else with_one_more(runs, share)
    return [plain(line(claims)) for claims in run_verdicts(more)[: len(runs)] if claims]
