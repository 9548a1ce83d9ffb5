"""The line at the bottom: which trace, what goes on, and whether the engine is ready."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QLabel, QProgressBar, QStatusBar, QToolButton

from app.workbench import Workbench
from views.words import plural, spell_count


class StatusLine:
    """Fills the status bar of the window."""

    def __init__(self, workbench: Workbench, bar: QStatusBar) -> None:
        self._workbench, self._bar = workbench, bar
        self.trace = QLabel("", bar)
        self.notes = QToolButton(bar, autoRaise=True)
        self.notes.setToolTip("What reading the log counted, changed or left out")
        self.engine = QLabel("Preparing the engine for this computer, once…", bar)
        self.progress = QProgressBar(bar, textVisible=False)
        self.progress.setFixedWidth(140)
        self.cancel = QToolButton(bar, autoRaise=True)
        self.cancel.setText("Cancel")
        self.cancel.setToolTip("Stop reading; what is open stays open")
        self.cancel.clicked.connect(workbench.cancel_opening)
        bar.addWidget(self.trace)
        bar.addWidget(self.notes)
        for part in (self.engine, self.progress, self.cancel):
            bar.addPermanentWidget(part)
        self.say_preparing(False)
        self.say_opening(None)
        workbench.study_changed.connect(self._follow)
        self._follow()

    def say_preparing(self, preparing: bool) -> None:
        """Whether the kernels are still being compiled."""
        self.engine.setVisible(preparing)
        self.progress.setVisible(preparing)
        self.progress.setRange(0, 0)

    def say_opening(self, progress: float | None) -> None:
        """How far reading is, 0 to 1; None when nothing is read."""
        self.progress.setVisible(progress is not None or self.engine.isVisibleTo(self._bar))
        self.cancel.setVisible(progress is not None)
        if progress is not None:
            self.progress.setRange(0, 1000)
            self.progress.setValue(round(progress * 1000))

    def _follow(self) -> None:
        study = self._workbench.study
        self.notes.setVisible(study is not None and bool(self._workbench.notes))
        if study is None:
            self.trace.setText("")
            return
        trace = study.trace
        users = int((np.bincount(trace.user.codes) > 0).sum())
        self.trace.setText(
            f"{trace.name}: {plural(len(trace), 'job')}, {plural(users, 'user')}, "
            f"{study.cluster} = {spell_count(study.cluster.cpus)} processors"
        )
        self.notes.setText(plural(len(self._workbench.notes), "quality note"))
