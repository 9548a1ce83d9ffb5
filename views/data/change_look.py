"""The contents of the page of a change of rules, as plain values, and the columns of its table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from engine.shown_text import shown_name
from views.text.values import duration, number, signed_percent

if TYPE_CHECKING:
    from engine.report.changed_site import ChangedSite
    from engine.report.rule_change import SpanWaits

CHANGE_BY = {"": "All groups", "account": "Accounts", "partition": "Partitions", "size": "Size classes"}
"""What the table can show below all jobs, with titles."""


@dataclass(frozen=True)
class ChangeColumn:
    """A column of numbers of groups: `value` is that of a group in `unit`, None for none."""

    key: str
    title: str
    text: str
    value: Callable[[SpanWaits], float | None]
    show: Callable[[float | None], str]
    unit: str = ""
    brief: bool = True  # shown in the terminal too, where there is room for few columns


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


COLUMNS: tuple[ChangeColumn, ...] = (
    ChangeColumn("recorded before", "Wait before", "Recorded mean wait of the jobs before the change",
                 lambda group: group.recorded[0], duration, "s"),
    ChangeColumn("recorded after", "Wait after", "Recorded mean wait of the jobs after the change",
                 lambda group: group.recorded[1], duration, "s"),
    ChangeColumn("recorded change", "Recorded change", "Change of the recorded mean wait: rules and load "
                 "together", lambda group: _percent(group.recorded_change), signed_percent, "%"),
    ChangeColumn("rules", "Rules alone", "The new rules against the old rules, both on the jobs after the "
                 "change", lambda group: _percent(group.rules_change), signed_percent, "%"),
    ChangeColumn("load", "Load alone", "The jobs after the change against those before it, both under the "
                 "old rules", lambda group: _percent(group.load_change), signed_percent, "%"),
    ChangeColumn("models", "Both by the models", "The new rules on the jobs after, against the old rules on "
                 "the jobs before: to be compared with the recorded change",
                 lambda group: _percent(group.model_change), signed_percent, "%"),
    ChangeColumn("jobs before", "Jobs before", "Jobs submitted before the change that ran by the log and by "
                 "both models", lambda group: group.jobs[0], number),
    ChangeColumn("jobs after", "Jobs after", "Jobs submitted after the change that ran by the log and by "
                 "both models", lambda group: group.jobs[1], number),
    ChangeColumn("old before", "Old rules, before", "Mean wait of the jobs before the change by the model of "
                 "the old rules", lambda group: group.first[0], duration, "s", brief=False),
    ChangeColumn("old after", "Old rules, after", "Mean wait of the jobs after the change by the model of "
                 "the old rules", lambda group: group.first[1], duration, "s", brief=False),
    ChangeColumn("new before", "New rules, before", "Mean wait of the jobs before the change by the model of "
                 "the new rules", lambda group: group.second[0], duration, "s", brief=False),
    ChangeColumn("new after", "New rules, after", "Mean wait of the jobs after the change by the model of "
                 "the new rules", lambda group: group.second[1], duration, "s", brief=False),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class ChangeLook:
    """What a change of rules did: `at` is the date as it is read, `sites` name both configurations."""

    at: str
    sites: tuple[str, str]
    answer: ChangedSite

    @property
    def log(self) -> str:
        """The name of the log, for people."""
        return self.answer.first.trace.shown_name

    @property
    def title(self) -> str:
        """What is compared."""
        return f"{self.log}, {self.sites[0]} before {self.at} and {self.sites[1]} after it"

    @property
    def verdicts(self) -> tuple[str, ...]:
        """How far both models are to be believed, a sentence each."""
        return self.answer.verdicts

    @cached_property
    def groups(self) -> tuple[SpanWaits, ...]:
        """All jobs, then accounts, partitions and size classes, each with the largest first."""
        from engine.report.rule_change import reported

        return tuple(reported(self.answer.change))

    def rows(self, *, brief: bool = False) -> list[list[str]]:
        """The table in words, titles first: by what, name, and the columns, or the `brief` ones alone."""
        columns = [column for column in COLUMNS if column.brief or not brief]
        titles = ["Kind", "Name", *(column.title for column in columns)]
        rows = [
            [group.by or "all", group_name(group), *(column.show(column.value(group)) for column in columns)]
            for group in self.groups
        ]
        return [titles, *rows]

    @property
    def text(self) -> str:
        """The answer with its table, tab-separated, for an email or a spreadsheet."""
        lines = [self.title, self.answer.sentence, *self.verdicts, ""]
        return "\n".join([*lines, *("\t".join(row) for row in self.rows())])


def group_name(group: SpanWaits) -> str:
    """The name of a group, for people."""
    return shown_name(group.name) if group.by else "all jobs"
