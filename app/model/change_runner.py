"""A change of a site's rules on the trace that is open: both configurations, simulated on the log's jobs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject

from app.model.results_runner import CHANGE, ResultsRunner
from app.model.workbench import Workbench
from engine.simulation.control import Control
from engine.simulation.stages import Stages
from views.data.change_look import ChangeLook
from views.work.executor import Task


class ChangeRunner(ResultsRunner[ChangeLook]):
    """Runner of comparisons of rules, on the whole trace and the machines of both configurations."""

    key = CHANGE
    cancelled = "Cancelled: what was compared before is shown."

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(workbench, parent)
        self._stages = Stages(Control())

    def start(self, at: str, before: Path, after: Path) -> None:
        """Compare the rules of two `slurm.conf` or folders, which changed at a date, as ISO text."""
        log = self._workbench.open_study.log

        def work(control: Control) -> ChangeLook:
            from engine.policy.policy import site_policy
            from engine.report.changed_site import site_change
            from engine.slurm.site.folder import read_site_at

            # The stages are kept, since the progress is asked for by a timer.
            self._stages = stages = Stages(control)
            old, new = site_policy(read_site_at(before)), site_policy(read_site_at(after))
            answer = site_change(log, at, old, new, stages)
            return ChangeLook(at.replace("T", " "), (str(old), str(new)), answer)

        self._run(work, self._show)

    def _progress(self, task: Task[Any]) -> tuple[float, float | None]:
        """The share of all phases; it never goes back while phases end side by side."""
        done = max(self._stages.progress if self._stages.control is task.control else 0.0, task.progress)
        return done, task.age * (1 - done) / done if done > 0.02 else None

    def _gather(self) -> ChangeLook | None:
        return None
