"""The Runs menu: adding, simulating, exploring, and what all runs are judged by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtWidgets import QWidget

from app.actions.command import Command, State, Submenu
from app.actions.run_places import places_of_runs, rename_run
from app.model.alignment import align_at_start, end_alignment
from app.model.models import Models
from app.panels.dialogs import show_dialog
from app.panels.notes_dialog import NotesDialog
from app.panels.policies.edit_run import RunEditor
from app.panels.policies.explore import ExplorePanel
from app.panels.policies.share_choice import ask_share
from app.panels.run_list import RunList
from app.panels.sources.add_schedule import ask_schedule
from app.panels.sources.search_runs import SearchRuns
from app.panels.sources.study_runs import StudyRuns
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy
from engine.study import Run, machine_of
from engine.trace.variant import NO_VARIANT
from views.study.ready_studies import in_words, ready_made
from views.widgets.menu_entries import MenuEntry, literal
from views.work.widget_handlers import while_alive


@dataclass(frozen=True)
class RunTools:
    """The dialogs and pages with which a window adds, edits, explores, picks and searches runs."""

    runs: RunList
    editor: RunEditor
    explore: ExplorePanel
    studies: StudyRuns
    searches: SearchRuns
    pick: Callable[[int], object]


def run_menu(models: Models, tools: RunTools, window: QWidget) -> Submenu:
    """The menu."""
    workbench, explore = models.workbench, tools.explore
    workbench.added.connect(while_alive(window, partial(_compare_with_like, models)))
    tip = "Find the best configuration for this trace, validated on a held-out part of it"
    return Submenu(
        "runs",
        "&Runs",
        (
            Command("add run", "&Add a run…", tools.editor.add, "Ctrl+N"),
            Command(
                "what ifs",
                "&What if…",
                lambda: tools.editor.ask_what_if(explore.run_id),
                tip="The usual questions about a run: caps, nodes, users, shares; each is a run by one click",
            ),
            Command(
                "load",
                "&Load and requests…",
                lambda: tools.editor.ask_scale(explore.run_id),
                tip="What if jobs arrived faster, were wider, or requested less: a run beside another",
            ),
            Command("add schedule", "Add a &schedule from a file…", lambda: ask_schedule(models, window)),
            _of_each(models, "Edi&t", "Edit {}…", tools.editor.edit),
            _of_each(models, "Rena&me", "Rename {}…", lambda run: rename_run(models, run, window)),
            Submenu("places", "Mo&ve and hide", listed=partial(places_of_runs, models), program=False),
            _of_each(models, "Re&move", "Remove {}", workbench.remove_run),
            Command("run all", "Run &all again", lambda: _run_all(models), "F5"),
            Command("stop all", "&Stop all simulations", lambda: _cancel_all(models), "Ctrl+."),
            # Clicks on the buttons themselves: where a button is disabled, its command does nothing either.
            Command("keep explored", "&Keep the explored policy", explore.keep.click),
            Command("restore explored", "Restore the policy &before exploring", explore.restore.click),
            Command("share", "&Expected share of a user…", lambda: ask_share(models, window)),
            Command(
                "fair starts",
                "Compute &fair start times (slow)",
                partial(want_fair_starts, models),
                tip="When each job would have started if no later job had been submitted; finds unfair jobs",
                state=State(now=lambda: workbench.fair_starts, changed=workbench.fair_starts_changed),
            ),
            Command(
                "align",
                "A&lign at the selected job's start",
                lambda: _align(models),
                "Ctrl+L",
                "Shift the charts of each run so that the job starts at the same place in all",
            ),
            Command("end alignment", "End the ali&gnment", lambda: end_alignment(models)),
            Command("notes", "&Quality notes…", lambda: show_notes(models, window)),
            None,
            Command("search", "F&ind a better policy…", tools.searches.ask, "Ctrl+B", tip),
            _study_menu(tools.studies),
        ),
    )


def _study_menu(studies: StudyRuns) -> Submenu:
    """The menu that runs a built-in study, or the reader's own, on the open trace."""
    ready = [
        Command(
            f"study {path.stem}",
            in_words(path),
            partial(studies.run, path),
            tip=f"{title} Run on the open trace",
        )
        for title, path in ready_made().items()
    ]
    command = Command(
        "study file", "A study &file…", studies.ask, tip="A TOML file of your own, run on the open trace"
    )
    return Submenu("studies", "Run a stud&y", (*ready, None, command))


def _of_each(models: Models, title: str, text: str, act: Callable[[int], object]) -> Submenu:
    """Submenu with an entry for each run, by its name in `text`, that does something."""

    def of_runs() -> list[MenuEntry]:
        study = models.workbench.study
        return [MenuEntry(literal(text.format(study.name(run))), partial(act, run.id)) for run in study.runs]

    return Submenu(f"{text.partition(' ')[0].lower()} each", title, listed=of_runs, program=False)


def want_fair_starts(models: Models, wanted: bool) -> None:
    """Set whether fair start times are computed; saved as a setting."""
    models.settings.fair_starts = wanted
    models.workbench.set_fair_starts(wanted)


def show_notes(models: Models, window: QWidget) -> None:
    """Say what reading the trace counted, changed or left out."""
    current = models.workbench.open_study
    show_dialog(NotesDialog(current.study.trace.name, current.notes, window))


def _compare_with_like(models: Models, run_id: int) -> None:
    """Offer to show how a what-if, with another machine or workload, differs from the run that it changes.

    That has the same policy, on the machine that is its own, with the jobs as logged.
    """
    study = models.workbench.study
    new = study.run(run_id)
    if new is None:
        return
    plain = _as_it_is(new, study.cluster)
    same = [run.id for run in study.runs if (run.policy, run.cluster) == plain]
    if same and run_id not in same:
        models.view.choose(compared=(same[0], run_id))


def _as_it_is(run: Run, usual: Cluster) -> tuple[Policy, Cluster]:
    """The policy and machine of a run without its what-if; those of a site are as its files say."""
    policy = replace(run.policy, variant=NO_VARIANT)
    if policy.site is not None:
        policy = replace(policy, site=policy.site.unchanged)
    return policy, machine_of(policy, usual)


def _align(models: Models) -> None:
    job = models.selection.value.single_job
    if job is None:
        models.messages.show_message("Select a single job to align the runs at its start.")
    else:
        align_at_start(models, job)


def _run_all(models: Models) -> None:
    for run in models.workbench.study.runs:
        models.workbench.start_run(run.id)


def _cancel_all(models: Models) -> None:
    for run in models.workbench.study.runs:
        models.workbench.cancel_run(run.id)
