"""The answer for a user who asks why a job waited."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.model.models import Models
from app.panels.answer_dialog import AnswerDialog
from app.panels.dialogs import show_dialog


def answer_for(models: Models, job: int, window: QWidget) -> None:
    """Show why a job waited in the run that was looked at, else in the first, and what would have helped;
    `job` is its index in the trace.
    """
    runs = models.workbench.finished()
    if runs:
        show_dialog(AnswerDialog(models.workbench.executor, runs, job, models.view.options.looked_at, window))
    else:
        models.messages.say("No run is done yet.")


def answer_for_selected(models: Models, window: QWidget) -> None:
    """Show why the selected job waited, as a text for its user; ask for a selection if no job is selected."""
    job = models.selection.value.single_job
    if job is None:
        models.messages.show_message("Select a single job to explain it to its user.")
    else:
        answer_for(models, job, window)
