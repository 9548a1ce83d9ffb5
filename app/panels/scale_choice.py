"""Under which load, and how parallel, the jobs of the open trace are looked at: asked for."""

from __future__ import annotations

from PySide6.QtWidgets import QInputDialog, QWidget

from app.model.models import Models

_TEXT = """theta times all times between submissions: under 1 the load is higher.
rho times the processors of all jobs, in as much less time.
Spelled theta=0.7,rho=4; empty: as the log has them.

The mean job takes %s %% of the machine. Runs are simulated anew."""


def ask_scale(models: Models, window: QWidget) -> str | None:
    """What the reader says; None: nothing is to change."""
    from engine.trace.scale import parallelism

    study = models.workbench.study
    if study is None:
        return None
    text, accepted = QInputDialog.getText(
        window,
        "Scale the trace",
        _TEXT % f"{100 * parallelism(study.trace):.2f}",
        text=models.workbench.scale,
    )
    return text if accepted else None
