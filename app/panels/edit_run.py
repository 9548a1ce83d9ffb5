"""Choosing the policy and the machine of a run, new or there already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.panels.policy_dialog import PolicyDialog
from engine.policy.policy import parse_policy

if TYPE_CHECKING:
    from app.shell.window import MainWindow


def edit_policy(window: MainWindow, run_id: int | None) -> None:
    """Ask for the policy and the machine of a run, or of one more (None); accepting simulates it.

    The charts follow a new one from then on: its sliders are shown.
    """
    study = window.workbench.study
    if study is None:
        return
    run = study.run(run_id) if run_id is not None else None
    title = "Add a run" if run is None else "Edit the run"
    policy, machine = (run.policy, run.cluster) if run else (parse_policy("easy"), study.cluster)
    dialog = PolicyDialog(policy, machine, study.cluster, title, window)

    def take() -> None:
        if run is None:
            window.workbench.add_run(dialog.policy, dialog.machine.cluster)
            window.explore_dock.show()
            window.explore_dock.raise_()
        else:
            window.workbench.change_run(run.id, dialog.policy, dialog.machine.cluster)

    dialog.accepted.connect(take)
    window.show_dialog(dialog)
