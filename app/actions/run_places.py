"""Names and places of runs: renaming a run, moving it among the others, hiding its charts or those of all
others.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QInputDialog, QWidget

from app.actions.panel_menu import KINDS
from app.model.models import Models
from engine.study import Run, Study
from views.data.panel_look import Chart
from views.widgets.menu_entries import MenuEntry, literal


def rename_run(models: Models, run_id: int, window: QWidget) -> None:
    """Ask for the name of a run; an empty name restores the names of policy and machine."""
    study = models.workbench.study
    run = study.run(run_id)
    if run is None:
        return
    label = "Name of the run (empty: as its policy is spelled)"
    name, accepted = QInputDialog.getText(window, "Rename a run", label, text=run.title or study.name(run))
    if accepted:
        models.workbench.rename_run(run_id, name)


def places_of_runs(models: Models) -> list[MenuEntry]:
    """A submenu for each run, with the entries of `place_entries` under its name."""
    study = models.workbench.study
    names = [(run, literal(study.name(run))) for run in study.runs]
    return [MenuEntry(name, inner=place_entries(models, study, run, name)) for run, name in names]


def place_entries(models: Models, study: Study, run: Run, name: str = "it") -> list[MenuEntry]:
    """The entries that move a run, and hide or show what is drawn of it."""
    charts = "its charts" if name == "it" else f"the charts of {name}"
    order = [other.id for other in study.runs]
    index, view, look = order.index(run.id), models.view, models.view.options.panels
    entries = []
    # Where each step would lead is computed when the menu opens; it cannot be chosen at either end.
    for text, to in ((f"Move {name} &up", index - 1), (f"Move {name} do&wn", index + 1)):
        moved = [run_id for run_id in order if run_id != run.id]
        moved.insert(to, run.id)
        move = partial(models.workbench.move_run, run.id, moved)
        entries.append(MenuEntry(text, move, enabled=0 <= to < len(order)))
    of_view, others = (
        _charts(run.id),
        tuple(chart for run_id in order if run_id != run.id for chart in _charts(run_id)),
    )
    hidden = set(look.hidden)

    def hide(on: bool) -> None:
        view.choose(panels=look.hide(*of_view) if on else look.show(*of_view), solo=None)

    def show_alone(on: bool) -> None:
        view.choose(
            panels=look.show(*of_view).hide(*others) if on else look.show(*of_view, *others), solo=None
        )

    # A checked entry can always be unchecked. Hiding a run, or showing it alone, needs a second run.
    for text, choose, on in (
        (f"&Hide {charts}", hide, hidden >= set(of_view)),
        (f"&Show {charts} alone", show_alone, bool(others) and hidden >= set(others)),
    ):
        entries.append(MenuEntry(text, partial(choose, not on), on or bool(others), on))
    return entries


def _charts(run_id: int) -> tuple[Chart, ...]:
    return tuple((run_id, kind) for kind in KINDS)
