"""The verdicts of the runs in the window: worked out in a thread, and followed to where they are seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.model.chart_data import ComparedRun
from app.model.models import Models
from app.model.work_keys import VERDICTS
from app.panels.charts.chart_set import ChartSet
from app.panels.charts.run_charts import RunCharts
from engine.claims.claim import ClaimPlace
from engine.policy.policy import parse_policy
from engine.simulation.control import Control
from views.catalog import ALL
from views.distribution.spec import DISTRIBUTIONS
from views.verdict.strip import VerdictLine, VerdictStrip

if TYPE_CHECKING:
    from engine.verdict.verdict import JudgedRun


class VerdictLines(QObject):
    """Fills a strip with a line for each finished run, and shows what is clicked in it."""

    def __init__(
        self, models: Models, strip: VerdictStrip, runs: RunCharts, charts: Callable[[], ChartSet]
    ) -> None:
        super().__init__(strip)
        self._models, self._strip, self._runs, self._charts = models, strip, runs, charts
        self._run_ids: tuple[int, ...] = ()  # of the lines: places of runs in claims are places among these
        self._judged: tuple[JudgedRun, ...] = ()  # those of the lines, with what is worked out of them
        strip.place_chosen.connect(self.go)
        models.workbench.leaving.connect(self._forget)

    def renew(self) -> None:
        """Work out the lines of the finished runs, in a thread."""
        workbench = self._models.workbench
        runs = tuple(workbench.finished())
        if not runs:
            self._forget()
            return

        def done(told: tuple[Sequence[VerdictLine], tuple[JudgedRun, ...]]) -> None:
            lines, self._judged = told
            self._show(lines, tuple(run.result.run_id for run in runs))

        def failed(error: Exception) -> None:
            workbench.failed.emit("The verdicts of the runs could not be worked out", str(error))

        # What was judged before is handed to the thread, which judges only what is new.
        share, known = workbench.share, self._judged

        def work(control: Control) -> tuple[list[VerdictLine], tuple[JudgedRun, ...]]:
            return lines_of(runs, share, known, control)

        # Exploring sends many schedules: a running judgement ends, and only the newest waits.
        workbench.executor.submit(VERDICTS, work, done, failed, after_running=True)

    def go(self, run_id: int, place: ClaimPlace) -> None:
        """Show the charts of a run, a user, a job or the boxes of users; `run_id` is that of the line."""
        models, view, trace = self._models, self._models.view, self._models.workbench.study.trace
        # A place behind the last run stands for a run that is not there yet: it is added.
        if place.table == "runs" and place.row >= len(self._run_ids):
            from engine.verdict.extra_run import MORE

            models.workbench.add_run(parse_policy(MORE))
            return
        if place.table == "runs":
            run_id = self._run_ids[place.row]
        # The view is changed before the selection, so that the chart is there to show it.
        view.choose(view=ALL, looked_at=run_id)
        self._runs.bring(run_id)
        if place.table == "boxes":
            view.choose(tab=DISTRIBUTIONS.title, tabs_open=True)
        elif place.table == "users":
            models.selection.select_user(place.row)
        elif place.table == "jobs":
            models.selection.select_job(trace, place.row)
            self._charts().fit_selection()

    def _forget(self) -> None:
        """Drop the lines of a study that is left."""
        self._judged = ()
        self._show((), ())

    def _show(self, lines: Sequence[VerdictLine], run_ids: tuple[int, ...]) -> None:
        self._run_ids = run_ids
        self._strip.show_lines(lines)


def lines_of(
    runs: Sequence[ComparedRun], share: str, known: Sequence[JudgedRun], control: Control
) -> tuple[list[VerdictLine], tuple[JudgedRun, ...]]:
    """The line of each run, which were judged by this share, and the runs with what was worked out of them.

    `known` are those of earlier lines: each run that comes in renews all lines, but is the only one that is
    new. Raises Cancelled.
    """
    from engine.claims.words import line
    from engine.policy.share import parse_share
    from engine.verdict.extra_run import with_one_more
    from engine.verdict.verdict import judged_runs, run_verdicts

    judged = judged_runs([run.result.name for run in runs], [run.evaluation for run in runs], known)
    told = run_verdicts(with_one_more(judged, parse_share(share), control))
    lines = [
        VerdictLine(run.result.run_id, run.result.colour, line(claims))
        for run, claims in zip(runs, told, strict=False)  # the added EASY run gets no line
        if claims
    ]
    return lines, tuple(judged)
