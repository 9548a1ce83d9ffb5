"""Choosing the policy and the machine of a run, new or there already."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.model.own_files import OwnFiles
from app.model.workbench import Workbench
from app.panels.dialogs import show_dialog
from app.panels.policies.policy_dialog import PolicyDialog
from app.panels.policies.scale_choice import ScaleDialog
from app.panels.policies.what_if_dialog import WhatIfDialog
from engine.policy.policy import parse_policy


class RunEditor(QObject):
    """Asks for policies over a window.

    `added`: a new run, whose sliders may be useful. `site_wanted`: add the run of a site's `slurm.conf`
    instead.
    """

    added = Signal()
    site_wanted = Signal()

    def __init__(self, workbench: Workbench, code: OwnFiles, window: QWidget) -> None:
        super().__init__(window)
        self._workbench, self._code, self._window = workbench, code, window

    def add(self) -> None:
        """Ask for the policy and the machine of a new run; accepting simulates it."""
        self._ask(None)

    def edit(self, run_id: int) -> None:
        """Ask for another policy or machine of a run; accepting simulates it."""
        self._ask(run_id)

    def ask_what_if(self, run_id: int | None = None) -> None:
        """Show the usual what-ifs of a run, by default of the first simulated run."""
        dialog = WhatIfDialog(self._workbench, run_id, self._window)
        dialog.scale_wanted.connect(self.ask_scale)
        show_dialog(dialog)

    def ask_scale(self, run_id: int | None = None) -> None:
        """Ask for another load or other requests of a run, which is added beside it."""
        show_dialog(ScaleDialog(self._workbench, run_id, self._window))

    def _ask(self, run_id: int | None) -> None:
        workbench, study = self._workbench, self._workbench.study
        run = study.run(run_id) if run_id is not None else None
        title = "Add a run" if run is None else "Edit the run"
        policy, machine = (run.policy, run.cluster) if run else (parse_policy("easy"), study.cluster)
        dialog = PolicyDialog(policy, machine, study.cluster, title, self._window, self._code)
        # A site is added as a new run: it cannot become the policy of an existing run.
        dialog.site.setVisible(run is None)
        dialog.site_wanted.connect(self.site_wanted)

        def take() -> None:
            if run is None:
                workbench.add_run(dialog.policy, dialog.machine.cluster)
                self.added.emit()
            else:
                workbench.change_run(run.id, dialog.policy, dialog.machine.cluster)

        dialog.accepted.connect(take)
        show_dialog(dialog)
