"""The page of a change of a site's rules: what it did to waits, told apart from a change of load."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from engine.trace import Names
from views.change.headline import Headline
from views.change.inputs import DateEdit, SiteButton
from views.data.change_look import CHANGE_BY, COLUMNS, ChangeColumn, ChangeLook, group_name
from views.state.context import ViewContext
from views.tables.content import Content, TableColumn, name_column
from views.tables.table import Table
from views.theme.theme import Theme
from views.widgets.choosers import Choosers
from views.widgets.simulated_page import SimulatedPage
from views.widgets.wrapped_row import WrappedRow
from views.work.lazy import LazyValue

_LEAD = (
    "Did a change of slurm.conf help? Open the site's log (sacct) of the time before and after the change. "
    "Then choose the site's files as they were before it (old rules) and as they are after it (new rules): "
    "a slurm.conf, or a folder that also contains the output of sacctmgr dump, sshare or sacctmgr show qos. "
    "Set the date of the change and press Compare.\n\n"
    "Waits change with the rules and with the load. Batchscope simulates both configurations on the whole "
    "log, and so tells what the new rules did from what other jobs brought, by account, partition and size."
)
BEFORE, AFTER = 0, 1
"""The places of the old and the new rules."""


class ChangePage(SimulatedPage):
    """Shows what a change of rules did.

    `site_wanted` (place): the reader wants to choose the files of the old or new rules; `site_dropped`
    (place, path): they were dropped. `start_wanted`, `cancel_wanted`; `runs_wanted`: both configurations are
    to be runs; `save_wanted`: the answer is to be a page for browsers. `dated` carries the date as ISO text,
    `grouped` which groups are shown.
    """

    site_wanted = Signal(int)
    site_dropped = Signal(int, object)
    runs_wanted, save_wanted = Signal(), Signal()
    dated, grouped = Signal(str), Signal(str)

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(_LEAD, "Compare", parent)
        # What is asked for: the two sites and the day of the change.
        self.look: ChangeLook | None = None
        self._by = ""
        self.sites = (
            SiteButton("&Old rules", "The site's files as they were before the change", self),
            SiteButton("&New rules", "The site's files as they are after the change", self),
        )
        self.date = DateEdit(self)
        self.date_label = QLabel("&Changed on", self)
        self.date_label.setBuddy(self.date)
        self.copy = QPushButton("Cop&y", self)
        self.copy.setToolTip("Put the answer and its table on the clipboard; Ctrl+C in the table copies rows")
        self.save = QPushButton("Save as a &page…", self)
        self.save.setToolTip("Write the answer and its table as a page for browsers that needs no other file")
        self.show_runs = QPushButton("Show as &runs", self)
        self.show_runs.setToolTip("Add both configurations to the runs, to see their schedules in all charts")
        # What is answered: numbers, a sentence, the verdict on both models, and the groups.
        self.headline = Headline(self)
        plain = Qt.TextFormat.PlainText
        self.sentence = QLabel("", self, wordWrap=True, textFormat=plain)
        self.sentence.setAccessibleName("Answer")
        font = self.sentence.font()
        font.setBold(True)
        self.sentence.setFont(font)
        self.verdicts = QLabel("", self, wordWrap=True, textFormat=plain)
        self.verdicts.setAccessibleName("How near the models are")
        for label in (self.sentence, self.verdicts):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.choosers = Choosers({"by": "Groups that are shown"}, self)
        self.choosers.set_entries("by", CHANGE_BY)
        self.choosers.show_choice("by", self._by)
        self.groups = Table("group", context.executor, theme, "No group is large enough.", self)
        self._themed = (self.headline, self.groups)
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        self.clear()

    # Set by the owner.

    def show_results(self, look: ChangeLook) -> None:
        """Show what a change did."""
        self.look = look
        self.message.setText(look.title)
        self.headline.show_change(look.answer.change)
        self.sentence.setText(look.answer.sentence)
        self.verdicts.setText("\n".join(look.verdicts))
        self._show_groups()
        self._show_answer()

    def name_sites(self, before: str, after: str) -> None:
        """Name the files that the next comparison reads; empty where none are chosen."""
        for button, path in zip(self.sites, (before, after), strict=True):
            button.show_path(path)
        self._update_text()

    def set_by(self, by: str) -> None:
        """Show the groups of a kind in CHANGE_BY."""
        self._by = by if by in CHANGE_BY else ""
        self.choosers.show_choice("by", self._by)
        self._show_groups()

    # Its parts.

    def _lay_out(self) -> None:
        head = WrappedRow(self)
        head.setContentsMargins(8, 4, 8, 0)
        head.add(*self.sites, self.date_label, self.date, self.go, self.copy, self.save, self.show_runs)
        head.add(self.message, stretched=True)
        shown = QWidget(self)
        column = QVBoxLayout(shown)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.headline)
        for label in (self.sentence, self.verdicts):
            label.setContentsMargins(8, 2, 8, 0)
            column.addWidget(label)
        self.choosers.setContentsMargins(6, 2, 6, 0)
        column.addWidget(self.choosers)
        column.addWidget(self.groups, 1)
        self._stack = self._stack_up(head, shown)

    def _connect(self) -> None:
        for place, button in enumerate(self.sites):
            button.clicked.connect(partial(self._want_site, place))
            button.chosen.connect(partial(self.site_dropped.emit, place))
        self.date.dateTimeChanged.connect(lambda _: self.dated.emit(self.date.text_of_date))
        self.copy.clicked.connect(self._copy)
        self.save.clicked.connect(self.save_wanted)
        self.show_runs.clicked.connect(self.runs_wanted)
        self.choosers.chosen.connect(self._choose)

    def _want_site(self, place: int) -> None:
        self.site_wanted.emit(place)

    def _copy(self) -> None:
        if self.look is not None:
            QGuiApplication.clipboard().setText(self.look.text)

    def _choose(self, _: str, by: str) -> None:
        self.set_by(by)
        self.grouped.emit(by)

    def _forget(self) -> None:
        self.look = None

    def _update_text(self) -> None:
        """Update which actions are possible."""
        there = self.look is not None and not self._running
        self.go.setText("Cancel" if self._running else "Compare")
        self._show_running(
            "Simulate both configurations on all jobs of the open log, each in some phases of its loops"
        )
        for button in (self.copy, self.save, self.show_runs):
            button.setVisible(there)

    def _show_groups(self) -> None:
        look = self.look
        self.groups.set_content(None if look is None else partial(change_content, look, self._by))


def change_content(look: ChangeLook, by: str) -> Content:
    """A row for each group: all jobs first, then those of a kind in CHANGE_BY, or of all kinds."""
    # The row of all jobs has no kind, and stays under every choice.
    groups = [group for group in look.groups if not by or group.by in ("", by)]
    names = [group_name(group) for group in groups]

    def column(side: ChangeColumn) -> TableColumn:
        # None is unknown; a column of numbers has NaN for it, which tables sort to the end.
        values = np.array(
            [np.nan if (value := side.value(group)) is None else value for group in groups], np.float64
        )
        return TableColumn(side.key, side.title, side.text, LazyValue(lambda: values), side.show, side.unit)

    kinds = list(CHANGE_BY)
    kind = name_column(
        "kind",
        "Kind",
        "What the jobs of the row have in common",
        Names(np.array([kinds.index(group.by) for group in groups], np.int32), ("all", *kinds[1:])),
    )
    return Content(
        columns=(kind, *map(column, COLUMNS)),
        rows=np.arange(len(groups)),
        total=len(groups),
        name=lambda item: names[item],
        find=lambda text: np.array([text.lower() in name.lower() for name in names], np.bool_),
    )
