"""The runs of a study as the table of runs lists them: how far each is, and what came of it."""

from __future__ import annotations

from app.model.workbench import Workbench
from app.panels.explore import ExplorePanel
from engine.study import Run
from views.tables.runs_table import RunEntry, RunsTable


def run_entries(workbench: Workbench) -> list[RunEntry]:
    """All runs, in their order."""
    study = workbench.study
    if study is None:
        return []
    entries = []
    for run in study.runs:
        judged = workbench.results.get(run.id)
        seconds = None if run.schedule is None or not run.policy.simulated else run.schedule.seconds
        state = run_state(workbench, run)
        result = judged.result if judged is not None and judged.evaluation.has_summary else None
        entries.append(RunEntry(run.id, study.name(run), str(run.cluster), state, seconds, result))
    return entries


def run_state(workbench: Workbench, run: Run) -> str:
    """How far a run is, in a word or two; an error in full."""
    if workbench.run_task(run.id) is not None:
        return "simulating"
    if workbench.holds_run(run.id):
        return "waiting for the engine"
    if run.id in workbench.errors:
        return workbench.errors[run.id]
    if run.schedule is None:
        return "cancelled"
    if run.id not in workbench.results:
        return "judging"
    return "from the log" if run.policy.recorded else "from a file" if run.policy.file else "done"


def follow_runs(table: RunsTable, workbench: Workbench, explore: ExplorePanel) -> None:
    """Keep the table as the runs are; the run that is chosen in it is the one that is explored."""

    def show(*_: object) -> None:
        table.set_entries(run_entries(workbench))
        table.show_run(explore.run_id)

    for signal in (workbench.study_changed, workbench.run_changed, workbench.measured):
        signal.connect(show)
    table.run_picked.connect(explore.choose)
    explore.runs.currentIndexChanged.connect(lambda _: table.show_run(explore.run_id))
