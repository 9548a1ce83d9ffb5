"""What waits are made of under each run: claims, and a table of shares."""

from __future__ import annotations

from dataclasses import replace

from engine.claims.claim import Claim, ClaimQuantity, Relation, Unit
from engine.metrics.waits import GroupWaits, usual_by, waits_of
from engine.metrics.waits_words import waits_claims
from engine.report.section import Compared, Section, Statement, TextTable
from engine.shown_text import shown_name
from engine.verdict.verdict import Teller
from engine.words import format_count, format_seconds

_MOST, _LEAST = 8, 0.01
"""The most groups of a run in the table, which waited longest, and the least part of all waits of each."""


def waits(compared: Compared) -> Section:
    """Whose waits are made of what, by account, or by partition or user where no accounts are known."""
    by = usual_by(compared.trace)
    answers = [waits_of(each.schedule, (by,), each.jobs) for each in compared.evaluations]
    statements = [Statement(_claims(compared, place, answer)) for place, answer in enumerate(answers)]
    if any(answer.inferred for answer in answers):
        statements.append(
            Statement(
                words="Reasons of schedules that keep none are inferred from what seems to have been free: "
                "either this was too little, or the reason is another one, which the log may name."
            )
        )
    kinds = sorted({place for answer in answers for place in answer.shown})
    tables = [_table(compared, by, answers, kinds)] if kinds else []
    return Section("What waits are made of", statements, tables)


def _claims(compared: Compared, place: int, answer: GroupWaits) -> tuple[Claim, ...]:
    """What is claimed of the waits of a run, under its name."""
    evaluation, name = compared.evaluations[place], compared.names[place]
    teller = Teller.over(name, place, evaluation.schedule, evaluation.jobs)
    if not len(answer.seconds):
        jobs = ClaimQuantity("jobs", teller.population.jobs, Unit.JOBS, teller.place)
        return (teller.claim(Relation.NOBODY_WAITS, [jobs]),)
    return tuple(
        replace(claim, subject=teller.subject) for claim in waits_claims(evaluation.schedule, answer, place)
    )


def _table(compared: Compared, by: str, answers: list[GroupWaits], kinds: list[int]) -> TextTable:
    """A row for each run and group: jobs that waited, their waits, and the share of each kind of reason."""
    rows = [["Run", by.capitalize(), "Jobs", "Waits", *(f"{answers[0].kinds[place]}, %" for place in kinds)]]
    rows += [
        [
            compared.names[run],
            shown_name(answer.names[k][0]),
            format_count(int(answer.jobs[k])),
            format_seconds(int(answer.seconds[k])),
            *(f"{100 * answer.shares[k, place]:.1f}" for place in kinds),
        ]
        for run, answer in enumerate(answers)
        for k in range(min(len(answer.seconds), _MOST))
        # The first group always stands there; others only with a part of all waiting that matters.
        if k == 0 or answer.seconds[k] >= _LEAST * answer.seconds.sum()
    ]
    return TextTable("waits", f"Shares of waits by reason, of the {by}s that waited longest", rows)
