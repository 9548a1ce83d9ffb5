"""Studies in a window: chosen, run, and their runs opened in the workbench."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from app.model.models import Models
from app.model.reading import Opened
from app.model.studying import StudyRunner
from app.panels.made_later import MadeLater
from app.session.opener import Opener
from engine.machine.cluster import parse_cluster
from engine.own.allowed_code import is_allowed
from engine.own.file import OwnFile
from engine.sweep.conditions import OWN
from views.catalog import ALL

if TYPE_CHECKING:
    from views.study.page import StudyPage

_PAGE = "study"


class StudyRuns(QObject):
    """The connection between the page of studies, which knows no model, and the code that runs them."""

    def __init__(
        self,
        models: Models,
        studying: StudyRunner,
        page: MadeLater[StudyPage],
        opener: Opener,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._models, self._studying, self._page, self._opener = models, studying, page, opener
        self._window = window
        self._offers = False  # whether the page is to be shown when a trace is there
        studying.shown.connect(self._keep)
        studying.unnamed.connect(self._ask_about)
        page.when_made(self._connect_page)
        opener.shown.connect(self._opened)

    def _connect_page(self, page: StudyPage) -> None:
        page.study_wanted.connect(self.run)
        page.file_wanted.connect(self.ask)
        page.start_wanted.connect(lambda: self._studying.start())
        page.doubtful_wanted.connect(lambda: self._studying.start(doubtful=True))
        page.run_wanted.connect(self._open_run)
        self._studying.shown.connect(self._show_name)
        self._show_name()
        self._studying.show_on(page)

    def run(self, path: Path) -> None:
        """Run the parts of a study on the open trace that are not cached, and show its page."""
        if not self._models.workbench.is_open:
            self._models.messages.show_message(f"{path.name}: open a trace to run this study on")
            return
        self._models.view.choose(view=_PAGE)
        self._studying.choose(path)

    def _ask_about(self, file: OwnFile, path: Path, run: bool) -> None:
        """Ask whether code may run that a study names; the study is read again where it may."""

        def go_on() -> None:
            if is_allowed(file.digest):
                self._studying.choose(path, run)

        self._models.code.ask([file], f"The study {path.name} names it.", go_on)

    def ask(self) -> None:
        """Let the reader choose a study file, and run it."""
        name, _ = QFileDialog.getOpenFileName(
            self._window, "Run a study", "", "Studies (*.toml);;All files (*)"
        )
        if name:
            self.run(Path(name))

    def open_example(self) -> None:
        """Open the bundled example, and offer the ready-made studies."""
        self._offers = True
        self._opener.open_example()

    def _opened(self, opened: Opened) -> None:
        """Show the cached results of the study of a session; of a log read again the study stays chosen."""
        if not opened.is_reread:
            self._choose_saved(opened.study_file)
        if self._offers:
            self._offers = False
            self._models.context.idle_queue.add("studies", partial(self._models.view.choose, view=_PAGE))

    def _choose_saved(self, path: Path | None) -> None:
        """Choose the study that a session names, and run nothing."""
        self._models.questions.study = path
        if path is not None:
            self._studying.choose(path, run=False)

    def _keep(self, _: object) -> None:
        """Keep the study that is shown, for the session."""
        if self._studying.path is not None:
            self._models.questions.study = self._studying.path

    def _show_name(self) -> None:
        path, results = self._studying.path, self._studying.results
        if path is not None and results is not None:
            self._page().show_name(path, results.study.title)

    def _open_run(self, index: int) -> None:
        """Show a run of the study in the charts of all runs."""
        results, workbench = self._studying.results, self._models.workbench
        if results is None:
            return
        run = results.study.runs[index]
        policy, scaling = run.policy, run.conditions.scaling
        # The study scales the log for it; here its jobs are a workload of its own, beside the others.
        if scaling and policy.simulated:
            policy = replace(policy, variant=replace(policy.variant, scaling=scaling))
        text = run.conditions.machine
        machine = workbench.study.cluster if text == OWN else parse_cluster(text)
        if not any((other.policy, other.cluster) == (policy, machine) for other in workbench.study.runs):
            workbench.add_run(policy, machine)
        self._models.view.choose(view=ALL)
