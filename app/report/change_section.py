"""The section of a report on a change of a site's rules: the sentence, how near the models are, and waits."""

from __future__ import annotations

from collections.abc import Sequence

from engine.report import Section, Statement, TextTable
from views.data.change_look import COLUMNS, ChangeColumn, ChangeLook, group_name

_HOW = (
    "Both configurations were simulated on the whole log. Load alone: the jobs after the change against "
    "those before it, under the old rules. Rules alone: the new rules against the old ones, both on the jobs "
    "after the change. Both by the models: the new rules on the jobs after it against the old rules on the "
    "jobs before it, to be compared with the recorded change."
)


def change_section(look: ChangeLook) -> Section:
    """The report's section on a change of rules: sentences, a table of changes and a table of both models."""
    texts = [f"{look.title}.", look.answer.sentence, *look.verdicts, _HOW]
    changes = [column for column in COLUMNS if column.brief]
    models = [column for column in COLUMNS if not column.brief]
    return Section(
        "Did the change help?",
        [Statement(words=text) for text in texts],
        [
            TextTable("change", "Waits before and after the change", _rows(look, changes)),
            TextTable("change-models", "Mean waits by the models of both rules", _rows(look, models)),
        ],
    )


def _rows(look: ChangeLook, columns: Sequence[ChangeColumn]) -> list[list[str]]:
    """Titles, then a row for each group, named with what it is a group of."""
    rows = [
        [f"{group.by} {group_name(group)}".strip(), *(each.show(each.value(group)) for each in columns)]
        for group in look.groups
    ]
    return [["Jobs", *(column.title for column in columns)], *rows]
