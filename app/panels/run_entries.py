"""The runs of a study as rows of the table of runs: their progress and results."""

from __future__ import annotations

from app.model.workbench import Workbench
from app.panels.policies.explore import ExplorePanel
from engine.study import machine_names
from views.tables.runs_table import RunEntry, RunsTable
from views.work.widget_handlers import while_alive


def run_entries(workbench: Workbench) -> list[RunEntry]:
    """All runs, in their order."""
    study = workbench.study
    entries = []
    machines = machine_names([run.cluster for run in study.runs])
    for run, machine in zip(study.runs, machines, strict=True):
        live = workbench.open_study.live[run.id]
        compared = live.compared
        seconds = None if run.schedule is None or not run.policy.simulated else run.schedule.seconds
        result = compared.result if compared is not None and compared.evaluation.has_summary else None
        name = study.name(run).removesuffix(f" on {machine}")  # which has a column of its own
        entries.append(RunEntry(run.id, name, machine, live.words, seconds, result))
    return entries


def follow_runs(table: RunsTable, workbench: Workbench, explore: ExplorePanel) -> None:
    """Keep the table as the runs are; the run that is chosen in it is explored."""

    def show(*_: object) -> None:
        table.set_entries(run_entries(workbench))
        table.show_run(explore.run_id)

    for signal in (workbench.study_changed, workbench.run_changed, workbench.measured):
        signal.connect(show)

    table.run_picked.connect(explore.choose)
    explore.runs.currentIndexChanged.connect(while_alive(table, lambda _: table.show_run(explore.run_id)))
    show()
