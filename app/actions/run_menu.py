"""The Runs menu: adding, simulating, exploring, and what all runs are judged by."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from app.actions.run_places import fill_places, rename_run
from app.actions.window_actions import Actions
from app.model.aligning import align_at_start, end_alignment, selected_job
from app.model.models import Models
from app.panels.add_schedule import ask_schedule
from app.panels.dialogs import show_dialog
from app.panels.edit_run import RunEditor
from app.panels.explore import ExplorePanel
from app.panels.notes_dialog import NotesDialog
from app.panels.search_runs import SearchRuns
from app.panels.share_choice import ask_share
from app.panels.study_runs import StudyRuns
from views.study.ready import in_words, ready_made


def run_menu(
    models: Models,
    editor: RunEditor,
    explore: ExplorePanel,
    studies: StudyRuns,
    searches: SearchRuns,
    actions: Actions,
    window: QWidget,
) -> list[QAction]:
    """Fill the menu; returns the actions on a study."""
    menu = actions.menu("&Runs")
    workbench = models.workbench
    made = [
        actions.add(menu, "&Add a run…", editor.add, "Ctrl+N"),
        actions.add(menu, "Add a &schedule from a file…", lambda: ask_schedule(models, window)),
        _of_each(models, menu, "Edi&t", "Edit {}…", editor.edit),
        _of_each(models, menu, "Rena&me", "Rename {}…", lambda run: rename_run(models, run, window)),
        _places(models, menu),
        _of_each(models, menu, "Re&move", "Remove {}", workbench.remove_run),
        actions.add(menu, "Run &all again", lambda: _run_all(models), "F5"),
        actions.add(menu, "&Stop all simulations", lambda: _cancel_all(models), "Ctrl+."),
        actions.add(menu, "&Keep the explored policy", explore.keep.click),
        actions.add(menu, "Restore the policy &before exploring", explore.restore.click),
        actions.add(menu, "&Expected share of a user…", lambda: ask_share(models, window)),
        actions.toggle(
            menu,
            "Compute &fair start times (slow)",
            lambda wanted: want_fair_starts(models, wanted),
            lambda: workbench.fair_starts,
            workbench.fair_starts_changed,
            "When each job would have started if no later job had been submitted; finds unfair jobs",
        ),
        actions.add(
            menu,
            "A&lign at the selected job's start",
            lambda: _align(models),
            "Ctrl+L",
            "Shift the charts of each run so that the job starts at the same place in all",
        ),
        actions.add(menu, "End the ali&gnment", lambda: end_alignment(models)),
        actions.add(menu, "&Quality notes…", lambda: show_notes(models, window)),
    ]
    workbench.added.connect(lambda run_id: _compare_with_like(models, run_id))
    menu.addSeparator()
    tip = "Search the configuration that does best on this trace, judged on time that it never saw"
    made.append(actions.add(menu, "F&ind a better policy…", searches.ask, "Ctrl+B", tip))
    made += _study_menu(studies, actions, menu)
    return made


def _study_menu(studies: StudyRuns, actions: Actions, menu: QMenu) -> list[QAction]:
    """Entries that run a ready-made study, or one of the reader's own, on the open trace."""
    inner = menu.addMenu("Run a stud&y")
    made = [
        actions.add(inner, in_words(path), partial(studies.run, path), tip=f"{title} Run on the open trace")
        for title, path in ready_made().items()
    ]
    inner.addSeparator()
    return [
        *made,
        actions.add(
            inner, "A study &file…", studies.ask, tip="A TOML file of your own, run on the open trace"
        ),
    ]


def _of_each(models: Models, menu: QMenu, title: str, text: str, act: Callable[[int], object]) -> QAction:
    """Submenu with an entry for each run, by its name in `text`, that does something; its own entry."""
    inner = menu.addMenu(title)

    def fill() -> None:
        inner.clear()
        study = models.workbench.study
        for run in study.runs:
            name = study.name(run)
            inner.addAction(text.format(name).replace("&", "&&"), partial(act, run.id))

    inner.aboutToShow.connect(fill)
    return inner.menuAction()


def _places(models: Models, menu: QMenu) -> QAction:
    """Submenu of the order of runs, and of which of them are seen; its own entry."""
    inner = menu.addMenu("Mo&ve and hide")
    inner.aboutToShow.connect(lambda: fill_places(models, inner))
    return inner.menuAction()


def want_fair_starts(models: Models, wanted: bool) -> None:
    """Work out fair start times or not: kept as a setting."""
    models.settings.fair_starts = wanted
    models.workbench.set_fair_starts(wanted)


def show_notes(models: Models, window: QWidget) -> None:
    """Say what reading the trace counted, changed or left out."""
    current = models.workbench.open_study
    show_dialog(NotesDialog(current.study.trace.name, current.notes, window))


def _compare_with_like(models: Models, run_id: int) -> None:
    """Offer the difference of a run on another machine to the run of the same policy on the log's own."""
    study = models.workbench.study
    new = study.run(run_id)
    if new is None or new.cluster == study.cluster:
        return
    same = [run.id for run in study.runs if run.policy == new.policy and run.cluster == study.cluster]
    if same:
        models.view.choose(compared=(same[0], run_id))


def _align(models: Models) -> None:
    job = selected_job(models.selection.value)
    if job is None:
        models.messages.show_message("Select one job: runs are aligned at its start.")
    else:
        align_at_start(models, job)


def _run_all(models: Models) -> None:
    for run in models.workbench.study.runs:
        models.workbench.start_run(run.id)


def _cancel_all(models: Models) -> None:
    for run in models.workbench.study.runs:
        models.workbench.cancel_run(run.id)
