"""A schedule that another program made, as a run beside the others."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from app.model.models import Models
from engine.errors import InputError
from engine.policy.policy import parse_policy
from engine.simulation.control import Control

_FILES = "Schedules (*.csv *.parquet *.swf *.gz *.bz2 *.xz *.zst);;All files (*)"


def ask_schedule(models: Models, window: QWidget) -> None:
    """Let the user choose the file of a schedule, and add it."""
    name, _ = QFileDialog.getOpenFileName(window, "Add a schedule from a file", "", _FILES)
    if name:
        add_schedule(models, Path(name))


def add_schedule(models: Models, path: Path) -> None:
    """Add the schedule of a file as a run on the machine of the study, and say what it breaks there."""
    workbench, study = models.workbench, models.workbench.study
    try:
        policy = parse_policy(f"recorded:{path}")
    except InputError:
        models.messages.show_message(f"{path}: a schedule is a CSV, Parquet or SWF file, by its name.")
        return
    # The run is shown at once; what it breaks is found in a thread and told afterwards.
    workbench.add_run(policy, file=path)

    def check(_: Control) -> tuple[str, ...]:
        from engine.run_source import faults_of

        return faults_of(study.trace, study.cluster, policy)

    def report(faults: tuple[str, ...]) -> None:
        if faults:
            first = f"{path.name} is not a valid schedule of this trace: {faults[0]}."
            models.messages.show_message(first, details="\n".join(faults))

    # No message here: the run of this schedule fails with the same error, and shows it.
    workbench.executor.submit(("audit", str(path)), check, report, lambda error: None)
