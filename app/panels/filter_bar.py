"""The bar over the charts that shows the current filter, and in which it is typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.model.models import Models
from app.model.workbench import Workbench
from app.panels.completing_line import CompletingLine
from engine.filter import Expression, FilterError, match_any, parse_filter
from engine.filter.complete import complete, unknown_names
from engine.quantities import Jobs
from engine.trace import Trace
from views.state.filter import Filter
from views.text.counts import format_count, plural
from views.text.tooltips import as_tip
from views.theme.theme import Theme
from views.widgets.elided_label import ElidedLabel
from views.work.async_memo import AsyncMemo


class Notice(QWidget):
    """A line of text followed by a button; hidden while it is empty."""

    def __init__(self, button: str, tip: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.label = ElidedLabel("", self)
        self.button = QPushButton(button, self)
        self.button.setToolTip(tip)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.label, 1)
        row.addWidget(self.button)
        self.hide()

    def say(self, text: str) -> bool:
        """Say this, or with an empty text nothing; returns whether it is another text."""
        if text == self.label.text():
            return False
        self.label.setText(text)
        self.label.setToolTip(as_tip(text))
        self.setVisible(bool(text))
        return True


_EXAMPLE = "user in (12, 62) and procs >= 64 and wait > 2h"


class FilterLine(CompletingLine):
    """Offers fields, operators and the names of a `trace`."""

    def __init__(self, saved: Callable[[], Mapping[str, str]], parent: QWidget | None = None) -> None:
        """`saved` returns the saved filters, by name."""
        super().__init__(lambda before: complete(before, self.trace), saved, parent)
        self.setPlaceholderText(_EXAMPLE)
        self.setAccessibleName("Filter")
        self.trace: Trace | None = None  # whose names are offered


_ALL = "Strips and overview: all jobs"


@dataclass(frozen=True)
class Matches:
    """The number of jobs of a trace that match under at least one run; and unknown names."""

    count: int
    jobs: int
    unknown: tuple[str, ...]


class FilterBar(QFrame):
    """The bar with the filter line and the number of matches, hidden while there is no filter.

    Typing dims at once; Enter hides the jobs that do not match.

    If the filter is set or cleared elsewhere, the bar appears or disappears after the time of a double-click;
    otherwise the second click would hit something that has moved under the mouse.
    """

    closed = Signal()  # the keys go elsewhere

    def __init__(self, models: Models, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._away = False
        self._workbench, self._model, self._theme = models.workbench, models.filter, theme
        self._measured = models.measured
        self.line = FilterLine(lambda: models.settings.filters, self)
        self.hides = self._button(
            "Hide non-matching jobs", f"Charts, tables, metrics: matching jobs only (Enter). {_ALL}"
        )
        self.hides.setCheckable(True)
        self.hides.setAutoRaise(False)  # a toggle has a frame
        self.save = self._button("Save…", "Save this filter under a name")
        self.clear = self._button("Clear", "Show all jobs again")
        self.matches_label = ElidedLabel("", self)
        self.left_out = Notice("Include them", "Include the jobs of all users in metrics again", self)
        self.range = Notice("Measure all", "Measure the jobs of the whole time again (M)", self)
        self._error = ""
        self._before = Filter()
        self._moving = QTimer(self, singleShot=True, interval=QApplication.doubleClickInterval())
        self._moving.timeout.connect(self._show_rows)
        self._matches: AsyncMemo[Matches] = AsyncMemo(models.context.executor, "filter", self)
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        self._follow()

    def _button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton(self, autoRaise=True)
        button.setText(text)
        button.setToolTip(tip)
        return button

    def _lay_out(self) -> None:
        self.row = QWidget(self)
        grid = QGridLayout(self.row)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(1)
        grid.setColumnStretch(1, 1)
        grid.addWidget(QLabel("Filter", self), 0, 0)
        for number, part in enumerate((self.line, self.hides, self.save, self.clear), 1):
            grid.addWidget(part, 0, number)
        # Below the line, where the list covers it and cuts no words.
        grid.addWidget(self.matches_label, 1, 1, 1, -1)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 3, 8, 3)
        column.setSpacing(2)
        column.addWidget(self.row)
        for notice in self._notices:
            column.addWidget(notice)

    def _connect(self) -> None:
        model, line = self._model, self.line
        line.textEdited.connect(self._type)
        line.entered.connect(self._enter)
        line.abandoned.connect(self._abandon)
        line.began.connect(self._begin)
        line.ended.connect(self._end)
        self.hides.clicked.connect(lambda on: model.set(replace(model.value, hides=on)))
        self.clear.clicked.connect(self._clear)
        for notice in self._notices:
            notice.button.clicked.connect(self.closed)  # before it hides, or the line would get the keys
        model.changed.connect(self._follow_soon)
        self._matches.ready.connect(self._say)
        self._measured.changed.connect(self._show_left_out)
        self._workbench.judged.connect(self._count)
        self._workbench.study_changed.connect(self._count)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        self.setObjectName("filter")
        self.setStyleSheet(
            f"#filter {{ background: {theme.alternate}; border-bottom: 1px solid {theme.border} }}"
        )
        self._say()

    def edit(self) -> None:
        """Let the person type."""
        self.row.show()
        self.show()
        self.line.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.line.selectAll()

    @property
    def _notices(self) -> tuple[Notice, Notice]:
        return self.range, self.left_out

    def _show_left_out(self) -> None:
        """Say which range of time is measured alone, and whose jobs the metrics leave out."""
        texts = self._measured.range_text, self._measured.description
        changed = [notice.say(text) for notice, text in zip(self._notices, texts, strict=True)]
        if any(changed) and not self.busy:
            self._show_rows()

    def _begin(self) -> None:
        self._before = self._model.value
        # All that is typed until the line is left is a single step for Undo.
        self._model.hold()

    def _end(self) -> None:
        """Apply the typed text, as far as it is valid, when the line loses the focus."""
        self._model.release()
        self._error = ""
        self._follow()

    def _type(self, text: str) -> None:
        """Dim at once; while it cannot be read, what could be read before stays."""
        self._error = ""
        try:
            self._model.set(Filter(parse_filter(text) if text.strip() else None))
        except FilterError as error:
            # The last condition that could be read stays: charts do not flash while a word is typed.
            self._error = error.message
        self._say()

    def _enter(self) -> None:
        if self._error:
            return
        value = self._model.value
        # An empty line hides nothing, whatever was hidden before.
        self._model.set(Filter(value.expression, hides=value.expression is not None))
        self.closed.emit()

    def _abandon(self) -> None:
        """Restore the filter of before the typing."""
        self._model.set(self._before)
        self.closed.emit()

    def _clear(self) -> None:
        self._model.clear()
        self._show_rows()
        self.closed.emit()

    @property
    def busy(self) -> bool:
        """True if it is about to appear or disappear."""
        return self._moving.isActive()

    def _follow_soon(self) -> None:
        """Follow another filter: the bar moves the charts at once only for those who look at it."""
        # Who types sees the line anyway: it cannot move away under the mouse.
        if self.line.hasFocus():
            self._follow()
        else:
            self._moving.start()
            self._update_text()

    def _follow(self) -> None:
        """Show the filter that holds now."""
        self._update_text()
        self._show_rows()

    def _update_text(self) -> None:
        value = self._model.value
        # The text of a person who types is left alone, although it may not be the canonical spelling.
        if not self.line.hasFocus():
            self.line.setText("" if value.expression is None else str(value.expression))
            self.line.setCursorPosition(0)
        self.hides.setChecked(value.hides)
        for button in (self.hides, self.save, self.clear):
            button.setEnabled(value.expression is not None)
        self._count()

    def _show_rows(self) -> None:
        """Show the line while a filter is set or typed, and the bar while any of its parts is shown."""
        self._moving.stop()
        self.row.setVisible(self._model.value.expression is not None or self.line.hasFocus())
        parts = (self.row, *self._notices)
        # Not `isVisible`, which is false for all parts of a bar that is hidden itself.
        self.setVisible(not self._away and any(part.isVisibleTo(self) for part in parts))

    def put_away(self, away: bool) -> None:
        """Hide the bar, whatever it would say: other jobs than those of the trace are shown."""
        if away != self._away:
            self._away = away
            self._show_rows()

    def _count(self) -> None:
        """Have the matching jobs counted, away from the window."""
        study, expression = self._workbench.study, self._model.value.expression
        self.line.trace = study.trace
        # Counted again only for another condition or other results.
        if expression is not None and self._workbench.is_open:
            runs = jobs_of_runs(self._workbench)
            key = (expression, study.trace.name, tuple(map(id, runs)))
            self._matches.request(key, matches_of(expression, study.trace, runs))
        self._say()

    def _say(self) -> None:
        value, matches = self._model.value, self._matches.value
        # An empty line is no error, whatever the parser says of it.
        wrong = bool(self._error) and bool(self.line.text().strip())
        self.matches_label.setStyleSheet(f"color: {self._theme.bad if wrong else self._theme.faint}")
        if wrong:
            text = self._error
        elif value.expression is None or matches is None:
            text = (
                "Type a condition for jobs: Tab completes, Enter hides the other jobs, Esc restores "
                "the filter"
            )
        else:
            text = " · ".join([_format_matches(matches), *matches.unknown, _meaning(value)])
        self.matches_label.setText(text)
        self.matches_label.setToolTip(as_tip(text))


def jobs_of_runs(workbench: Workbench) -> list[Jobs]:
    """The jobs as they fare under each finished run."""
    masks = []
    # Only runs with charts count; expected ends are known of those that are compared already.
    for run_id, chart_data in workbench.open_study.shown.items():
        compared = workbench.open_study.live[run_id].compared
        violations = compared.result.violations if compared is not None else None
        late, eet = (None, None) if violations is None else (violations.tardiness, violations.eet)
        masks.append(Jobs(chart_data.schedule.trace, chart_data.schedule, late, eet=eet))
    return masks


def matches_of(expression: Expression, trace: Trace, runs: list[Jobs]) -> Callable[[], Matches]:
    """A function that counts the matching jobs, in another thread."""

    def count() -> Matches:
        mask = match_any(expression, runs or [Jobs(trace)])
        return Matches(int(np.count_nonzero(mask)), len(trace), tuple(unknown_names(expression, trace)))

    return count


def _format_matches(matches: Matches) -> str:
    if not matches.count:
        return f"none of {plural(matches.jobs, 'job')} matches"
    return f"{format_count(matches.count)} of {plural(matches.jobs, 'job')}"


def _meaning(value: Filter) -> str:
    """Describe the effect on the other jobs."""
    if not value.hides:
        return "the others are dimmed; Enter hides them"
    if value.expression is not None and value.expression.of_run:
        of_run = "Charts: jobs matching in that run. Metrics: jobs matching in any run"
        return f"{of_run}. {_ALL}"
    return f"Charts, tables, metrics: matching jobs only. {_ALL}"
