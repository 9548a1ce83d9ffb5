"""The filter in the menus: editing, saved filters, and administrators, whose jobs metrics may leave out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from PySide6.QtWidgets import QInputDialog, QWidget

from app.actions.command import Command, State, Submenu
from app.model.models import Models
from app.panels.administrators_dialog import AdministratorsDialog
from app.panels.dialogs import show_dialog
from app.panels.filter_bar import FilterBar
from engine.filter import FilterError, parse_filter
from engine.filter.parse import LONGEST
from views.data.selection import filter_of
from views.state.filter import Filter
from views.text.counts import clip
from views.text.names import name_ranks
from views.text.tooltips import as_tip
from views.widgets.menu_entries import MenuEntry, literal, note


def filter_menu(models: Models, bar: FilterBar, window: QWidget) -> Submenu:
    """The menu."""
    measured = models.measured
    # Buttons of the bar and entries of the menu do the same, each by the same function.
    bar.save.clicked.connect(lambda: _save(models, window))
    bar.left_out.button.clicked.connect(lambda: measured.leave_administrators_out(False))
    bar.range.button.clicked.connect(lambda: measured.measure_only(None))
    return Submenu(
        "filter",
        "F&ilter",
        (
            # What is shown comes first; what is measured, below the line.
            Command("filter", "&Filter jobs…", bar.edit, "/", "Show only some jobs: type a condition"),
            Command("filter by selection", "Filter by the &selection", lambda: _filter_by_selection(models)),
            Command("hide jobs", "&Hide non-matching jobs", lambda: bar.hides.click(), "Ctrl+Shift+H"),
            Command("show all jobs", "Show all &jobs", models.filter.clear),
            _saved(models, "use filter", "Sa&ved filters", partial(_use, models)),
            _saved(models, "remove filter", "&Remove a saved filter", partial(_remove, models)),
            None,
            Command(
                "measure range",
                "Li&mit metrics to this range",
                lambda on: measured.measure_only(_present_range(models) if on else None),
                "M",
                "Limit metrics, heatmaps, distributions, tables and exports to jobs submitted in the "
                "selected range, otherwise in the visible time",
                State(now=lambda: models.view.options.measured is not None, changed=measured.changed),
            ),
            Command(
                "without administrators",
                "Metrics without &administrators",
                lambda on: _leave_out(models, window, on),
                tip="Leave the jobs of administrators out of heatmaps and metrics; they are simulated all "
                "the same",
                state=State(now=lambda: measured.without_administrators, changed=measured.changed),
            ),
            Command("administrators", "A&dministrators…", lambda: _choose_administrators(models, window)),
        ),
    )


def _present_range(models: Models) -> tuple[float, float]:
    """The selected range of time, else what the charts show."""
    return models.selection.value.time_range or models.clock.window


def _leave_out(models: Models, window: QWidget, on: bool) -> None:
    models.measured.leave_administrators_out(on)
    if on and models.workbench.is_open and not models.measured.administrators:
        _choose_administrators(models, window)


def _choose_administrators(models: Models, window: QWidget) -> None:
    study, measured = models.workbench.study, models.measured
    names = study.trace.user.names
    users = [names[code] for code in np.argsort(name_ranks(names))]
    take = measured.set_administrators
    show_dialog(AdministratorsDialog(users, measured.administrators, take, window))


def _filter_by_selection(models: Models) -> None:
    """Filter by the selected jobs, or users and queues."""
    expression = filter_of(models.selection.value, models.workbench.study.trace)
    if expression is None:
        models.messages.show_message("Nothing is selected: click a job, a user or a queue first.")
    elif len(str(expression)) > LONGEST:
        models.messages.show_message("Too much is selected for a filter: select users or a time range.")
    else:
        models.filter.set(Filter(expression))


def _save(models: Models, window: QWidget) -> None:
    expression, filters = models.filter.value.expression, models.settings.filters
    if expression is None:
        return
    known = next((name for name, text in filters.items() if text == str(expression)), "")
    name, accepted = QInputDialog.getText(window, "Save the filter", f"Name of {expression}", text=known)
    if accepted and name.strip():
        models.settings.filters = {**filters, name.strip(): str(expression)}
        models.settings.hiding = {**models.settings.hiding, name.strip(): models.filter.value.hides}


def _remove(models: Models, name: str) -> None:
    settings = models.settings
    settings.filters = {key: text for key, text in settings.filters.items() if key != name}
    settings.hiding = {key: hides for key, hides in settings.hiding.items() if key != name}


def _saved(models: Models, id: str, title: str, run: Callable[[str], object]) -> Submenu:
    """A menu of the saved filters; `run` is called with the name of the filter that the user chooses."""

    def filters() -> list[MenuEntry]:
        return [
            MenuEntry(literal(name), partial(run, name), tip=as_tip(text))
            for name, text in models.settings.filters.items()
        ] or [note("None yet: save a filter in the filter line")]

    return Submenu(id, title, listed=filters)


def _use(models: Models, name: str) -> None:
    try:
        expression = parse_filter(models.settings.filters[name])
        models.filter.set(Filter(expression, models.settings.hiding.get(name, False)))
    except FilterError as error:
        models.messages.show_message(f"The saved filter {clip(name)} cannot be read, {error.message}")
