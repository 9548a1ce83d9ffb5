"""The runs of the study: colour, policy, how far each is, and what can be done with it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QEnterEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.model.live_run import LiveRun, Phase, done_words, not_run_words, progress_words
from app.model.workbench import Workbench
from app.panels.charts.run_grid import GridRow, RunGrid
from app.panels.policies.doubtful_note import DoubtfulNote
from engine.metrics.compare import jobs_in_common
from engine.policy.phrases import policy_sentence
from engine.schedule.schedule import Schedule
from engine.study import Run, Study
from views.data.results import verdicts_of
from views.text.counts import format_count, plural
from views.text.tooltips import as_tip, tip
from views.theme.palette import run_colour
from views.theme.swatch import swatch as run_swatch
from views.widgets.elided_label import ElidedLabel
from views.widgets.tab_order import chain
from views.work.executor import Task

_POLL_MS = 100
_BRIEF_S = 0.3
"""Progress of running a finished run again is shown if it takes longer."""

_MOST = 16_777_215
"""Greatest height of a widget, in pixels."""

_LOWEST, _SIGN_WIDTH = 200, 21
"""Minimum height of a list, in pixels, which takes the place of a strip."""

_MOST_LINES = 3
"""Visible lines of a strip; further lines are scrolled."""

_BEFORE_NAME = 24
"""From the left edge of a run in a strip to its name, in pixels."""

_ROOMY = 300
"""Width of a run in a strip, in pixels, that has room to say that some jobs were not run."""

_DIRECTIONS = {True: QBoxLayout.Direction.LeftToRight, False: QBoxLayout.Direction.TopToBottom}
"""Of layouts in a strip, and in a list."""


class _SignButton(QToolButton):
    """Button as narrow as its sign."""

    def sizeHint(self) -> QSize:
        wide = max(_SIGN_WIDTH, self.fontMetrics().horizontalAdvance(self.text()) + 6)
        return QSize(wide, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()


class RunRow(GridRow):
    """Row of a run: name, progress, state, and buttons to run, edit and remove it.

    In a strip the state of a finished run is hidden, unless it left out jobs and there is room. If a line is
    too narrow for the name, the buttons to edit the run and to run it again appear only while the mouse is
    over the row; the menu offers both, too.
    """

    def __init__(self, run: Run, workbench: Workbench, parent: RunList) -> None:
        super().__init__(parent)
        self.run_id = run.id
        self._workbench, self._picked, self._show_menu = workbench, parent.picked, parent.menu_wanted
        self._schedule: Schedule | None = None
        self._lost = ""  # its jobs that were not run, by name
        self.spread = ""  # what phases of slurmctld's loops make of its mean wait, in words
        swatch = QLabel(self)
        swatch.setFixedSize(12, 12)
        swatch.setPixmap(run_swatch(run_colour(run.id)))
        name = workbench.study.name(run)
        self.name = ElidedLabel(name, self, Qt.TextElideMode.ElideMiddle)  # many begin alike
        self.name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.name.setCursor(Qt.CursorShape.PointingHandCursor)
        self._across = False
        self.state = ElidedLabel("", self)
        self.state.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.bar = QProgressBar(self, textVisible=False)
        self.bar.setRange(0, 1000)
        self.bar.setValue(0)
        self.bar.setFixedHeight(5)
        self.go = self._button("↻", "Run again", self._toggle)
        self.edit = self._button("✎", "Edit this run's policy", None)
        self.edit.clicked.connect(lambda: parent.edit_clicked.emit(self.run_id))
        self.remove = self._button("✕", "Remove this run", self._remove)
        first = QHBoxLayout()
        first.setSpacing(6)
        first.addWidget(swatch)
        first.addWidget(self.name, 1)
        last = QHBoxLayout()
        last.setSpacing(0)
        for part in (self.state, self.go, self.edit, self.remove):
            last.addWidget(part, 1 if part is self.state else 0)
        self._parts = QVBoxLayout(self)
        self._parts.setSpacing(2)
        self._parts.addLayout(first, 1)
        self._parts.addWidget(self.bar)
        self._parts.addLayout(last)
        self.set_across(parent.across)

    def set_across(self, across: bool) -> None:
        """Stand in a strip, or in a list."""
        self._across = across
        self._parts.setDirection(_DIRECTIONS[across])
        self._parts.setContentsMargins(6, 0, 0, 0) if across else self._parts.setContentsMargins(6, 4, 4, 4)
        self._parts.setStretch(0, 3 if across else 1)
        self.refresh()

    @property
    def wanted(self) -> int:
        """The width in a strip at which the name and all buttons are seen, in pixels."""
        buttons = self.go.width() + self.edit.width() + self.remove.width()
        return _BEFORE_NAME + self.name.wanted + buttons + 3 * self._parts.spacing()

    def refresh(self) -> None:
        """Show how far the run is."""
        study, live = self._workbench.open_study.study, self._workbench.live_run(self.run_id)
        run = study.run(self.run_id)
        if run is None or live is None:
            return
        task, schedule = live.task, live.schedule
        if schedule is not self._schedule:
            self._schedule = schedule
            self._lost = not_run_words(schedule) if schedule is not None else ""
        self._show_name(study, run, live.verdict)
        if schedule is not None and task is not None and task.age < _BRIEF_S:
            task = None  # else the row would flicker while a slider is dragged
        phase = live.settled_phase if task is None and live.phase is not Phase.HELD else live.phase
        done = phase in (Phase.DRAWN, Phase.JUDGED)
        self._show_progress(live, task, schedule if done else None)
        self.state.setHidden(self._across and done and (not self._lost or self.width() < _ROOMY))
        self._parts.setStretch(2, 3 if self._across and not self.state.isHidden() else 0)
        self._make_room(cancels=task is not None)
        failed = phase in (Phase.FAILED, Phase.HIDDEN)
        about = live.hidden or self.state.text()
        self.state.setToolTip(as_tip(about) if failed or not self._lost else tip(self._lost))

    def _show_name(self, study: Study, run: Run, verdict: str) -> None:
        """The name, with what there is to know of the run as its tooltip."""
        self.name.setText(study.name(run))
        named = dict.fromkeys((study.name(run), study.name(replace(run, title=""))))
        named[policy_sentence(run.policy)] = None
        lines = "\n".join((*filter(None, named), "Click: explore it with sliders"))
        self.name.setToolTip(tip("\n\n".join(filter(None, (lines, self._lost, verdict, self.spread)))))

    def _show_progress(self, live: LiveRun, task: Task[Any] | None, finished: Schedule | None) -> None:
        """The bar and the state of a task, else the state of a run, which may be `finished`."""
        self.bar.setVisible(task is not None)
        repeating = live.repeating if task is None else None
        if repeating is not None and repeating.age < _BRIEF_S:
            repeating = None
        self.go.setText("■" if task or repeating else "↻")
        self.go.setToolTip(
            "Cancel this run" if task else "Stop repeating this run" if repeating else "Run again"
        )
        if task is not None:
            if (value := round(task.control.progress * 1000)) != self.bar.value():  # it paints at once
                self.bar.setValue(value)
            self.state.setText(progress_words(task))
        elif repeating is not None:
            self.state.setText("repeated for its spread")
        else:
            self.state.setText(live.words if finished is None else done_words(finished))

    def _make_room(self, cancels: bool) -> None:
        """Hide buttons in a strip that is too narrow for the name, but not the button that `cancels`."""
        room = self.width() - self.name.x() - self.remove.width() - 2 * self._parts.spacing()
        crowded = self._across and self.name.wanted > room - self.go.width() - self.edit.width()
        self.edit.setHidden(crowded and not self.underMouse())
        self.go.setHidden(crowded and not self.underMouse() and not cancels)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.refresh()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.refresh()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.refresh()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._show_menu.emit(self.run_id, event.globalPos())

    def follow(self) -> None:
        """Show how far the run is, while it is under way and once after that."""
        live = self._workbench.live_run(self.run_id)
        under_way = live is not None and (live.task is not None or live.repeating is not None)
        if under_way or not self.bar.isHidden() or self.go.text() == "■":
            self.refresh()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._picked.emit(self.run_id)
        super().mousePressEvent(event)

    def _toggle(self) -> None:
        live = self._workbench.live_run(self.run_id)
        if live is not None and live.task is not None:
            self._workbench.cancel_run(self.run_id)
        elif live is not None and self.go.text() == "■":
            live.stop_repeating()
        else:
            self._workbench.start_run(self.run_id)

    def _remove(self) -> None:
        # Later, since removing deletes the row whose button is being clicked.
        QTimer.singleShot(0, self._workbench, lambda: self._workbench.remove_run(self.run_id))

    def _button(self, sign: str, tip: str, action: object) -> QToolButton:
        button = _SignButton(self, autoRaise=True)
        button.setText(sign)  # a letter has the colour of the theme, a standard icon has not
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        if action is not None:
            button.clicked.connect(action)
        return button


class RunList(QWidget):
    """List of all runs, a button for one more, and how many jobs they are compared on, if not all.

    Two of them are offered to be compared.
    """

    edit_clicked = Signal(int)
    add_clicked = Signal()
    search_clicked = Signal()
    picked = Signal(int)  # a run whose row was clicked
    menu_wanted = Signal(int, QPoint)  # of a run, at this place on the screen
    compare_clicked = Signal()
    jobs_clicked = Signal(list)  # indices of jobs that are left out

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._left_out: list[int] = []
        self.rows: dict[int, RunRow] = {}
        self.compare = QPushButton("Difference", self)
        self.compare.setToolTip("Which jobs moved between the two runs, by how much, and whose they are")
        self.compare.clicked.connect(self.compare_clicked)
        self.add = QPushButton("Add a run…", self)
        self.add.setToolTip("Simulate the trace under another policy")
        self.add.clicked.connect(self.add_clicked)
        self.search = QPushButton("Find a better policy…", self)
        self.search.setToolTip("Search for the configuration that does best on this trace")
        self.search.clicked.connect(self.search_clicked)
        self._grid = RunGrid(self)
        self._grid.lines_changed.connect(self._bound)
        self._across = False
        self._area = area = QScrollArea(self, widgetResizable=True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what is in it takes the keys
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self._grid)
        self._parts = column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        # Rich text is safe here: it has only numbers, and a link of the program's own.
        self.common = QLabel("", self, wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.common.setAccessibleName("Jobs that are compared")
        self.common.linkActivated.connect(lambda _: self.jobs_clicked.emit(self._left_out))
        self.common.hide()
        column.addWidget(area, 1)
        self.doubtful = DoubtfulNote(workbench, self)
        column.addWidget(self.common)
        column.addWidget(self.doubtful)
        column.addWidget(self.compare)
        column.addWidget(self.add)
        column.addWidget(self.search)
        self._timer = QTimer(self, interval=_POLL_MS)
        self._timer.timeout.connect(self._refresh)
        workbench.study_changed.connect(self._rebuild)
        workbench.run_changed.connect(self._follow)
        workbench.executor.changed.connect(self._poll)
        workbench.judged.connect(self._follow_judged)
        self._rebuild()

    @property
    def across(self) -> bool:
        """True if it is a strip."""
        return self._across

    def set_across(self, across: bool) -> None:
        """Be a strip of a few lines, or a list of rows."""
        self._across = across
        self._area.setMinimumHeight(1)  # lower than it likes to be
        self._parts.setDirection(_DIRECTIONS[across])
        self._parts.setContentsMargins(4, 1, 4, 1) if across else self._parts.setContentsMargins(4, 4, 4, 4)
        self.common.setWordWrap(not across)
        self.doubtful.set_short(across)
        for row in self.rows.values():
            row.set_across(across)
        self._show_common()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._bound()

    def _bound(self) -> None:
        """A strip is as high as its lines, up to a few."""
        line = self.add.sizeHint().height()
        self._grid.set_across(self._across, line)
        if not self._across:
            self.setMaximumHeight(_MOST)
            self.setMinimumHeight(_LOWEST)
            return
        self.setFixedHeight(min(self._grid.lines, _MOST_LINES) * line + 2)
        self._parts.invalidate()  # it would stay as high as it was
        self._parts.activate()

    def _rebuild(self) -> None:
        """Show the runs that there are now; rows of runs that stay are kept, since new ones take long."""
        runs, before = self._workbench.study.runs, self.rows
        self.rows = {run.id: before.get(run.id) or RunRow(run, self._workbench, self) for run in runs}
        for run_id, row in before.items():
            if run_id in self.rows:
                row.refresh()
            else:
                row.hide()
                row.deleteLater()
        self._grid.set_rows(self.rows.values())
        signs = [sign for row in self.rows.values() for sign in (row.go, row.edit, row.remove)]
        chain([*signs, self.add, self.search])
        self._bound()
        for button in (self.add, self.search):
            button.setEnabled(self._workbench.is_open)
        self.compare.setVisible(len(self.rows) == 2)
        self._show_common()

    def _show_common(self) -> None:
        """Show the number of jobs on which runs are compared: without jobs that any run refused, which can be
        selected, and without jobs hidden by a filter, or administrators' jobs. A strip has no room for the
        reason.
        """
        results = [run.result for run in self._workbench.finished()]
        jobs = jobs_in_common([result.schedule for result in results]) if results else np.empty(0, np.bool_)
        measured = results[0].measured if results else jobs
        self._left_out = np.flatnonzero(~jobs).tolist()
        hidden, refused = int((jobs & ~measured).sum()), len(self._left_out)
        why = [f"{format_count(hidden)} left out by filter or settings"] if hidden else []
        if refused:
            why.append(f"{format_count(refused)} did not run everywhere.")
        count = f"{format_count(measured.sum())} of {plural(len(jobs), 'job')}"
        text = f"Compared on {count}; {', '.join(why)}"
        self.common.setToolTip(as_tip(f"{text} Click: select those" if refused else text))
        if self._across:
            text = f'<a href="#">{count}</a>' if refused else count
        elif refused:
            text += ' <a href="#">Select them</a>'
        self.common.setText(text.replace("\u202f", "\u00a0"))  # a label breaks lines at thin spaces
        self.common.setVisible(bool(why))
        self._parts.activate()
        self._bound()

    def changeEvent(self, event: QEvent) -> None:
        """A link keeps the colour of the theme in which its text was set; other text needs other heights."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            QTimer.singleShot(0, self, self._bound)  # when the buttons have the font too
        if event.type() == QEvent.Type.PaletteChange:
            text = self.common.text()
            self.common.setText("")
            self.common.setText(text)

    def _follow(self, run_id: int) -> None:
        if run_id in self.rows:
            self.rows[run_id].refresh()

    def _follow_judged(self) -> None:
        """Show the jobs that are compared, and how far runs of sites are to be believed."""
        self._show_common()
        results = [run.result for run in self._workbench.finished()]
        verdicts = verdicts_of(results)
        lines = {result.run_id: verdicts.line(k, result.measured) for k, result in enumerate(results)}
        for row in self.rows.values():
            row.spread = lines.get(row.run_id, "")
            row.refresh()

    def _poll(self) -> None:
        """Progress is asked for only while something runs."""
        if self._workbench.executor.busy and not self._timer.isActive():
            self._timer.start()

    def _refresh(self) -> None:
        for row in self.rows.values():
            row.follow()
        if not self._workbench.executor.busy:
            self._timer.stop()
