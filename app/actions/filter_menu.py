"""The filter in the menus: editing, saved filters, and administrators, whose jobs metrics may leave out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QInputDialog, QMenu

from app.actions.window_actions import Actions
from app.model.administrators import AdministratorsDialog
from engine.filter import Expression, FilterError, parse_filter
from engine.filter.expression import Compare, Not, join
from engine.filter.parse import LONGEST
from views.state.filter import Filter, filter_of
from views.tables import Table
from views.text.counts import clip, plural
from views.text.names import name_ranks

if TYPE_CHECKING:
    from app.model.reading import Opened
    from app.shell.window import MainWindow


def filter_menu(window: MainWindow, actions: Actions) -> list[QAction]:
    """The menu of filters; gives the actions on a study."""
    menu = actions.menu("F&ilter")
    bar, model, settings = window.page.filter_bar, window.filter, window.settings
    made = [
        actions.add(menu, "&Filter jobs…", bar.edit, "/", "Look at some jobs only: type what they must meet"),
        actions.add(menu, "Filter by the &selection", lambda: _filter_by_selection(window)),
        actions.add(menu, "&Hide or show the rest", lambda: bar.hides.click(), "Ctrl+Shift+H"),
        actions.add(menu, "&Look at all jobs", model.clear),
    ]
    _add_saved(window, menu, "Sa&ved filters", partial(_use, window))
    _add_saved(window, menu, "&Remove a saved filter", lambda name: settings.filters.pop(name, None))
    menu.addSeparator()
    without = actions.toggle(
        menu,
        "Metrics without &administrators",
        settings.without_administrators,
        lambda on: _leave_out(window, on),
        "Leave the jobs of administrators out of heatmaps and metrics; they are simulated all the same",
        lambda: window.workbench.without_administrators,
    )
    made += [without, actions.add(menu, "A&dministrators…", lambda: _choose_administrators(window))]
    _row_menu(window, made[1])
    bar.line.saved = settings.filters
    bar.save.clicked.connect(lambda: _save(window))
    bar.include.clicked.connect(lambda: _leave_out(window, False))
    bar.closed.connect(lambda: (window.page.first_chart or window).setFocus(Qt.FocusReason.OtherFocusReason))
    window.workbench.opened.connect(partial(_recall_administrators, window))
    model.changed.connect(partial(measure, window))
    window.workbench.study_changed.connect(partial(measure, window))
    return made


def _row_menu(window: MainWindow, by_selection: QAction) -> None:
    """What a right click on rows of tables offers, which selects them."""
    menu = QMenu("Rows", window)
    menu.addAction(by_selection)
    mark = menu.addAction("&Administrators")
    mark.setCheckable(True)
    mark.setToolTip("Metrics can leave out the jobs of administrators")
    mark.triggered.connect(lambda on: _mark(window, on))

    def offer(table: Table, place: QPoint) -> None:
        names = _selected_users(window)
        mark.setVisible(table is window.page.users and bool(names))
        mark.setChecked(bool(names) and set(names) <= set(window.workbench.administrators))
        menu.popup(table.view.viewport().mapToGlobal(place))

    for table in window.page.groups:
        table.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.view.customContextMenuRequested.connect(partial(offer, table))


def _selected_users(window: MainWindow) -> list[str]:
    study, codes = window.workbench.study, window.selection.value.users
    return [] if study is None else [study.trace.user.names[code] for code in sorted(codes)]


def _mark(window: MainWindow, on: bool) -> None:
    """The selected users are administrators, or no longer."""
    chosen, others = set(_selected_users(window)), set(window.workbench.administrators)
    _set_administrators(window, sorted(others | chosen if on else others - chosen))


def measure(window: MainWindow) -> None:
    """Take the metrics of what the filter leaves, without administrators where that is wanted."""
    workbench = window.workbench
    admins = workbench.administrators if workbench.without_administrators else ()
    parts: list[Expression] = [Not(Compare("user", "in", tuple(admins)))] if admins else []
    hidden = window.filter.value.hidden
    if hidden is not None:
        parts.append(hidden)
    workbench.set_only(join("and", *parts) if parts else None)
    window.page.filter_bar.say_left_out(_left_out(window, admins))


def _recall_administrators(window: MainWindow, opened: Opened) -> None:
    """Who they are in this trace, and whether they are measured: as its session says, else as was settled."""
    workbench, settings, trace = window.workbench, window.settings, opened.study.trace
    left_out = opened.session.left_out if opened.session is not None else None
    named = set(left_out or settings.administrators.get(trace.name, []))
    workbench.administrators = tuple(name for name in trace.user.names if name in named)
    workbench.without_administrators = settings.without_administrators if left_out is None else bool(left_out)


def _set_administrators(window: MainWindow, names: list[str]) -> None:
    study = window.workbench.study
    if study is not None:
        window.workbench.administrators = tuple(names)
        window.settings.administrators[study.trace.name] = names
        measure(window)


def _left_out(window: MainWindow, admins: tuple[str, ...]) -> str:
    study = window.workbench.study
    if study is None or not admins:
        return ""
    codes = [code for code, name in enumerate(study.trace.user.names) if name in set(admins)]
    jobs = int(np.isin(study.trace.user.codes, codes).sum())
    whose = plural(len(admins), "administrator")
    return f"Heatmaps and metrics leave out {plural(jobs, 'job')} of {whose}: {', '.join(admins)}"


def _leave_out(window: MainWindow, on: bool) -> None:
    window.settings.without_administrators = window.workbench.without_administrators = on
    measure(window)
    if on and window.workbench.study is not None and not window.workbench.administrators:
        _choose_administrators(window)


def _choose_administrators(window: MainWindow) -> None:
    study = window.workbench.study
    if study is None:
        return
    names, known = study.trace.user.names, window.workbench.administrators
    users = [names[code] for code in np.argsort(name_ranks(names))]
    take = partial(_set_administrators, window)
    window.show_dialog(AdministratorsDialog(users, known, take, window))


def _filter_by_selection(window: MainWindow) -> None:
    """The selected jobs, or users and queues, as a filter."""
    study = window.workbench.study
    expression = None if study is None else filter_of(window.selection.value, study.trace)
    if expression is None:
        window.messages.show_message("Nothing is selected: click a job, a user or a queue first.")
    elif len(str(expression)) > LONGEST:
        window.messages.show_message("Too much is selected for a filter: select users or a time range.")
    else:
        window.filter.set(Filter(expression))


def _save(window: MainWindow) -> None:
    expression, filters = window.filter.value.expression, window.settings.filters
    if expression is None:
        return
    known = next((name for name, text in filters.items() if text == str(expression)), "")
    name, accepted = QInputDialog.getText(window, "Save the filter", f"Name of {expression}", text=known)
    if accepted and name.strip():
        filters[name.strip()] = str(expression)


def _add_saved(window: MainWindow, menu: QMenu, title: str, run: Callable[[str], object]) -> None:
    """A menu of the saved filters, one of which `run` takes by its name."""
    own = menu.addMenu(title)
    own.setObjectName(title)

    def fill() -> None:
        found = window.findChild(QMenu, title)  # what Python keeps of a submenu may go before the menu does
        assert isinstance(found, QMenu)
        found.clear()
        for name, text in window.settings.filters.items():
            action = found.addAction(name.replace("&", "&&"), partial(run, name))
            action.setToolTip(text)
        if not window.settings.filters:
            found.addAction("None yet: save one in the filter line").setEnabled(False)

    own.aboutToShow.connect(fill)


def _use(window: MainWindow, name: str) -> None:
    try:
        window.filter.set(Filter(parse_filter(window.settings.filters[name])))
    except FilterError as error:
        window.messages.show_message(f"The saved filter {clip(name)} cannot be read, {error.told}")
