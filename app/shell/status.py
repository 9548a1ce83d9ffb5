"""The status line: the trace, the current work, and the state of the program."""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QLabel, QProgressBar, QStatusBar, QToolButton

from app.model.results_runner import WORDS
from app.model.workbench import Workbench
from engine.machine.cluster import machine_problem
from engine.shown_text import shown_name
from engine.study import short_machine
from engine.system import resident_bytes
from views.text.counts import format_count, plural
from views.text.tooltips import tip
from views.widgets.elided_label import ElidedLabel
from views.work.executor import Executor

_TICK_MS, _REPORT_MS = 5, 500
_LOOK_BACK_S = 2.0


class FrameMeter(QObject):
    """Measures the longest block of the GUI thread within the last two seconds, by a timer of 5 ms.

    `reported` carries milliseconds, twice a second. It costs some time, so it is off until `run`.
    """

    reported = Signal(float)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._gaps: deque[tuple[float, float]] = deque()  # when, how long; s
        self._last = 0.0
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._measure)
        self._report = QTimer(self, interval=_REPORT_MS)
        self._report.timeout.connect(lambda: self.reported.emit(self.longest_ms))

    @property
    def longest_ms(self) -> float:
        """The longest gap of late, beyond the timer's own."""
        longest = max((gap for _, gap in self._gaps), default=0.0)
        return max(0.0, longest * 1000 - _TICK_MS)

    def run(self, on: bool) -> None:
        """Start or stop measuring."""
        self._gaps.clear()
        self._last = time.monotonic()
        for timer in (self._tick, self._report):
            timer.start() if on else timer.stop()

    def _measure(self) -> None:
        now = time.monotonic()
        self._gaps.append((now, now - self._last))
        self._last = now
        while now - self._gaps[0][0] > _LOOK_BACK_S:
            self._gaps.popleft()


_LOOK_MS = 1000

_REPORT_MS = 100
"""Delay before the engine's work is shown: without it the line would flicker while a slider is dragged."""


class _Trace(ElidedLabel):
    """Label that asks for the room of all its words."""

    def sizeHint(self) -> QSize:
        return QSize(self.wanted, super().sizeHint().height())


class StatusLine:
    """Contents of the window's status bar: the trace at the left, the program at the right."""

    def __init__(self, workbench: Workbench, executor: Executor, bar: QStatusBar) -> None:
        self._workbench, self._executor, self._bar = workbench, executor, bar
        self.preparing: float | None = None  # how many of the kernels are compiled, 0 to 1; None: all
        self._opening: float | None = None  # how far reading is
        self.trace = _Trace("", bar)
        self.notes = QToolButton(bar, autoRaise=True)
        self.notes.setToolTip("What reading the log counted, changed or left out")
        self.engine = QLabel("", bar, textFormat=Qt.TextFormat.PlainText)
        self.progress = QProgressBar(bar, textVisible=False)
        self.progress.setFixedWidth(140)
        self.cancel = QToolButton(bar, autoRaise=True)
        self.cancel.setText("Cancel")
        self.cancel.setToolTip("Stop reading; what is open stays open")
        self.cancel.clicked.connect(workbench.log_opening.cancel)
        self.frames = QLabel("", bar)
        self.frames.setToolTip(
            "How long the last picture took, and what held the window longest in the last two seconds"
        )
        self.frames.hide()
        self.memory = QLabel("", bar)
        self.memory.setToolTip("Memory that the program holds")
        for label in (self.engine, self.memory):
            label.setContentsMargins(8, 0, 8, 0)
        bar.addWidget(self.trace)
        bar.addWidget(self.notes)
        for part in (self.frames, self.engine, self.progress, self.cancel, self.memory):
            bar.addPermanentWidget(part)
        self._meter = FrameMeter(bar)
        self._meter.reported.connect(self._show_frames)
        self.show_preparing(None)
        self.show_opening(None)
        workbench.study_changed.connect(self._follow)
        self._late = QTimer(bar, interval=_REPORT_MS, singleShot=True)
        self._late.timeout.connect(self.show_engine)
        workbench.executor.changed.connect(self._show_late)
        self._timer = QTimer(bar, interval=_LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()
        self._follow()
        self._look()

    def show_preparing(self, progress: float | None) -> None:
        """Show the compiled share of the kernels, 0 to 1; None when all are compiled."""
        self.preparing = progress
        self._show_progress()
        self.show_engine()

    def show_opening(self, progress: float | None) -> None:
        """Show the progress of reading, 0 to 1; None if nothing is being read."""
        self._opening = progress
        self.cancel.setVisible(progress is not None)
        self._show_progress()

    def _show_progress(self) -> None:
        """Of reading, else of compiling."""
        shown = self.preparing if self._opening is None else self._opening
        self.progress.setVisible(shown is not None)
        self.progress.setRange(0, 1000)
        self.progress.setValue(round((shown or 0.0) * 1000))

    def show_frames(self, on: bool) -> None:
        """Measure how smoothly the window runs, or no longer."""
        self.frames.setVisible(on)
        self.frames.setText("")
        self._meter.run(on)

    def _look(self) -> None:
        held = resident_bytes()
        self.memory.setVisible(held is not None)
        self.memory.setText(f"{(held or 0) / 2**20:,.0f} MB".replace(",", "\u202f"))
        self.show_engine()

    def _show_late(self) -> None:
        if not self._late.isActive():
            self._late.start()

    def show_engine(self) -> None:
        """Show the work of the engine: the running simulations and their progress."""
        workbench = self._workbench
        tasks = [task for live in workbench.open_study.live.values() if (task := live.task) is not None]
        if self.preparing is not None:
            text = f"Preparing the engine for this computer, once: {100 * self.preparing:.0f} %"
        elif workbench.log_opening.task is not None:
            text = "Reading…"
        elif tasks:
            done = sum(task.control.progress for task in tasks) / len(tasks)
            text = f"Simulating {plural(len(tasks), 'run')}, {100 * done:.0f} %"
        else:
            text = self._others() or ("Comparing…" if workbench.executor.busy else "Ready")
        self.engine.setText(text)

    def _others(self) -> str:
        """The sweep, study or search that is under way, as far as that is known; empty: there is none."""
        for key, words in WORDS.items():
            task = self._workbench.executor.task(key)
            if task is not None:
                done = task.progress
                return f"{words}, {100 * done:.0f} %" if done else f"{words}…"
        return ""

    def _show_frames(self, longest_ms: float) -> None:
        made = self._executor.last_seconds * 1000
        self.frames.setText(f"frame {made:.0f} ms, window blocked {longest_ms:.0f} ms")

    def _machine_from(self) -> str:
        """Whose the machine is, if a file or the folder of a site describes it."""
        machine = self._workbench.open_study.reading.machine
        is_file = machine and machine_problem(machine)  # else it is spelled
        return f" (the machine of {shown_name(Path(machine).name)})" if is_file else ""

    def _follow(self) -> None:
        study = self._workbench.study
        self.notes.setVisible(bool(self._workbench.open_study.notes))
        if not self._workbench.is_open:
            self.trace.setText("")
            return
        trace = study.trace
        # Users without jobs in this trace are not counted.
        users = int((np.bincount(trace.user.codes) > 0).sum())
        text = (
            f"{trace.shown_name}: {plural(len(trace), 'job')}, {plural(users, 'user')}, "
            f"{short_machine(study.cluster)} = {format_count(study.cluster.cpus)} processors"
            f"{self._machine_from()}"
        )
        self.trace.setText(text)
        self.trace.setToolTip(tip(text))
        self.notes.setText(plural(len(self._workbench.open_study.notes), "quality note"))
