"""What waits are made of under each run: a sentence, and a table of shares."""

from __future__ import annotations

from engine.metrics.waits import Waits, usual_by, waits_of
from engine.metrics.waits_words import waits_sentence
from engine.report.section import Compared, Section, Statement, TextTable
from engine.shown_text import shown_name
from engine.words import format_count, format_seconds

_MOST = 8
"""The most groups of a run in the table: those that waited longest."""


def waits(compared: Compared) -> Section:
    """Whose waits are made of what, by account, or by partition or user where no accounts are known."""
    by = usual_by(compared.trace)
    found = [waits_of(each.schedule, (by,), each.jobs) for each in compared.evaluations]
    statements = [
        Statement(words=f"{name}: {waits_sentence(evaluation.schedule, own) or 'no job waited.'}")
        for name, evaluation, own in zip(compared.names, compared.evaluations, found, strict=True)
    ]
    if any(own.inferred for own in found):
        statements.append(
            Statement(
                words="Reasons of schedules that keep none are inferred from what seems to have been free: "
                "either this was too little, or the reason is another one, which the log may name."
            )
        )
    kinds = sorted({place for own in found for place in own.shown})
    tables = [_table(compared, by, found, kinds)] if kinds else []
    return Section("What waits are made of", statements, tables)


def _table(compared: Compared, by: str, found: list[Waits], kinds: list[int]) -> TextTable:
    """A row for each run and group: jobs that waited, their waits, and the share of each kind of reason."""
    rows = [["Run", by.capitalize(), "Jobs", "Waits", *(f"{found[0].kinds[place]}, %" for place in kinds)]]
    rows += [
        [
            compared.names[run],
            shown_name(own.names[k][0]),
            format_count(int(own.jobs[k])),
            format_seconds(int(own.seconds[k])),
            *(f"{100 * own.shares[k, place]:.1f}" for place in kinds),
        ]
        for run, own in enumerate(found)
        for k in range(min(len(own.seconds), _MOST))
    ]
    return TextTable("waits", f"Shares of waits by reason, of the {by}s that waited longest", rows)
