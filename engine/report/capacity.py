"""The used and lost parts of the machine's time."""

from __future__ import annotations

from collections.abc import Iterator

from engine.claims.claim import Claim, ClaimQuantity, Relation, Unit
from engine.metrics.evaluation import Evaluation
from engine.report.section import Compared, Section, Statement, TextTable
from engine.verdict.verdict import Teller

_PARTS = {
    "utilization": (Relation.USED, "used"),
    "loss_of_capacity_demand": (Relation.IDLE_ASKED, "idle"),
    "loss_of_capacity_fit": (Relation.IDLE_FIT, "idle"),
    "loss_of_capacity_fragmented": (Relation.IDLE_SCATTERED, "idle"),
}
"""What is claimed of a metric, and what the claim calls its quantity."""


def capacity(compared: Compared) -> Section:
    """The used and lost parts of the machine's time under each run."""
    rows = [["Run", "Used, %", "Idle and asked for, %", "Idle while a job asked for no more, %"]]
    statements = []
    for place, (name, run) in enumerate(zip(compared.names, compared.evaluations, strict=True)):
        values = [run.summary[key] for key in list(_PARTS)[:3]]
        rows.append([name, *("–" if value is None else f"{100 * value:.1f}" for value in values)])
        if None not in values:
            statements.append(Statement(tuple(_claims(name, place, run)), "timeline"))
    caption = (
        "Parts of the machine's time between the first submission and the last end. The last two are counted "
        "in different ways, and neither is a part of the other. A job that asked for no more processors than "
        "were idle on all nodes may still have had to wait: for its partition, memory, limits or order. "
        "Jobs of the log's own schedule and of a site's own runs do not count there while they were held, "
        "before their begin time, or before the end of a job that they follow, where the log tells this; "
        "other runs do not obey holds"
    )
    return Section("Where capacity was lost", statements, [TextTable("capacity", caption, rows)])


def _claims(name: str, place: int, run: Evaluation) -> Iterator[Claim]:
    teller = Teller.over(name, place, run.schedule, run.jobs)
    for key, (relation, said) in _PARTS.items():
        value = run.summary[key]
        # Of nodes on which every such job had a place nothing is said.
        if value is not None and (value or relation is not Relation.IDLE_SCATTERED):
            yield teller.claim(relation, [ClaimQuantity(said, 100 * value, Unit.TENTHS)])
