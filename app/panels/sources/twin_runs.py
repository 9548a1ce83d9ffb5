"""The twin in a window: its site chosen, simulated, and its schedule shown as a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from app.model.models import Models
from app.model.twin_runner import TwinRunner
from app.panels.made_later import MadeLater
from engine.input import exists
from engine.policy.policy import site_policy
from engine.study import machine_of
from views.catalog import ALL

if TYPE_CHECKING:
    from views.twin.page import TwinPage

_SITES = "slurm.conf (*.conf);;All files (*)"


class TwinRuns(QObject):
    """The controller between the page of the twin, which knows no model, and its simulation."""

    def __init__(self, models: Models, page: MadeLater[TwinPage], window: QWidget) -> None:
        super().__init__(window)
        self._models, self._page, self._window = models, page, window
        self.runner = TwinRunner(models.workbench, self)
        page.when_made(self._connect_page)

    def _connect_page(self, page: TwinPage) -> None:
        models = self._models
        self.runner.show_on(page)
        page.site_wanted.connect(self.ask_site)
        page.start_wanted.connect(self.start)
        page.run_wanted.connect(self._show_run)
        page.fit_wanted.connect(self.runner.fit)
        page.accepted.connect(self.runner.accept)
        page.grouped.connect(lambda by: setattr(models.settings, "twin_by", by))
        page.set_by(models.settings.twin_by)
        page.name_site(models.settings.twin_site)

    def ask_site(self) -> None:
        """Let the reader choose the site's slurm.conf; what lies beside it is read too."""
        settings = self._models.settings
        title = "Choose the site's slurm.conf"
        name, _ = QFileDialog.getOpenFileName(self._window, title, settings.twin_site, _SITES)
        if name:
            self.choose(Path(name))

    def choose(self, path: Path) -> None:
        """Simulate the site of a slurm.conf, or of a folder that holds one."""
        self._models.settings.twin_site = str(path.absolute())
        self._page().name_site(str(path))
        self.start()

    def start(self) -> None:
        """Simulate the site that was chosen last on the open log."""
        name = self._models.settings.twin_site
        if not self._models.workbench.is_open:
            self._page().show_error("Open the site's log first.")
        elif not name:
            self.ask_site()
        else:
            self._models.workbench.files.submit(
                "site of the twin",
                lambda _: exists(Path(name)),
                lambda there: self.runner.start(Path(name)) if there else self.ask_site(),
                lambda error: self._page().show_error(str(error)),
            )

    def _show_run(self) -> None:
        """Add the schedule to the runs, and turn to the charts."""
        site, workbench = self.runner.site, self._models.workbench
        if site is None:
            return
        policy = site_policy(site)
        machine = machine_of(policy, workbench.study.cluster)
        if not any((run.policy, run.cluster) == (policy, machine) for run in workbench.study.runs):
            fitted = "fitted " if site.fitted_until else ""
            workbench.add_run(policy, machine, site.path, fitted)
        self._models.view.choose(view=ALL)
