"""The runs of a study as the table of runs lists them: how far each is, and what came of it."""

from __future__ import annotations

from app.model.workbench import Workbench
from app.panels.explore import ExplorePanel
from views.tables.runs_table import RunEntry, RunsTable


def run_entries(workbench: Workbench) -> list[RunEntry]:
    """All runs, in their order."""
    study = workbench.study
    entries = []
    for run in study.runs:
        live = workbench.open_study.live[run.id]
        compared = live.compared
        seconds = None if run.schedule is None or not run.policy.simulated else run.schedule.seconds
        result = compared.result if compared is not None and compared.evaluation.has_summary else None
        entries.append(RunEntry(run.id, study.name(run), str(run.cluster), live.words, seconds, result))
    return entries


def follow_runs(table: RunsTable, workbench: Workbench, explore: ExplorePanel) -> None:
    """Keep the table as the runs are; the run that is chosen in it is the one that is explored."""

    def show(*_: object) -> None:
        table.set_entries(run_entries(workbench))
        table.show_run(explore.run_id)

    for signal in (workbench.study_changed, workbench.run_changed, workbench.measured):
        signal.connect(show)
    table.run_picked.connect(explore.choose)
    explore.runs.currentIndexChanged.connect(lambda _: table.show_run(explore.run_id))
