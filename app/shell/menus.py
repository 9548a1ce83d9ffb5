"""The menus of a window, put together from those of its parts."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow, QMenu

from app.actions.chart_menus import fill_bar, fill_context
from app.actions.edit_menu import edit_menu
from app.actions.file_menu import Writers, file_menu
from app.actions.filter_menu import filter_menu
from app.actions.find import Finder
from app.actions.marks import ask_for_mark
from app.actions.program_menus import help_menu, window_menu
from app.actions.row_menu import add_row_menu
from app.actions.run_menu import run_menu, show_notes
from app.actions.run_row_menu import RunMenu, add_changes_menu, add_metric_menu
from app.actions.spot_menu import SpotMenu
from app.actions.view_menu import view_menu
from app.actions.window_actions import Actions
from app.export.files import Exporter
from app.model.models import Models
from app.panels.edit_run import RunEditor
from app.panels.explore import ExplorePanel
from app.panels.page_switch import PageSwitch
from app.panels.run_list import RunList
from app.panels.search_runs import SearchRuns
from app.panels.settings_page import Themes
from app.panels.study_runs import StudyRuns
from app.report.reporter import Reporter
from app.session.keeper import SessionKeeper
from app.session.opener import Opener
from app.shell.status import StatusLine
from app.shell.study_page import StudyPage
from app.shell.window_layout import WindowLayout
from views.theme.theme import Theme


class WindowMenus:
    """The menu bar, the tool bar, and the context menus of charts and rows."""

    def __init__(
        self,
        window: QMainWindow,
        models: Models,
        page: StudyPage,
        layouts: WindowLayout,
        keeper: SessionKeeper,
        opener: Opener,
        runs: RunList,
        editor: RunEditor,
        explore: ExplorePanel,
        studies: StudyRuns,
        searches: SearchRuns,
        status: StatusLine,
        themes: Themes,
        pick_run: Callable[[int], object],
    ) -> None:
        self._window = window
        self._actions = actions = Actions(window, models.view)
        self.bar = window.addToolBar("Charts")
        self.bar.setObjectName("Charts")
        self.bar.setMovable(False)
        self.context = QMenu("Chart", window)
        self.exporter = Exporter(models, page.figure_request, window)
        self.reporter = Reporter(models, page.figure_request, keeper.session, window)
        writers = Writers(self.exporter, self.reporter)
        in_file, charts = file_menu(models, keeper, opener, writers, themes, actions, window)
        self._finder = Finder(models, page.chart_set, pick_run)
        in_edit = edit_menu(models, self._finder, actions, window)
        frames, overview = _frames(status), page.overview_runs
        alone = page.runs.show_present_alone
        view = view_menu(
            models, page.chart_set, alone, overview, layouts.docks, layouts, themes, frames, actions
        )
        filters = filter_menu(models, page.filter_bar, actions, window)
        in_runs = run_menu(models, editor, explore, studies, searches, actions, window)
        self._need_study: list[QAction] = [*in_file, *in_edit, *view.of_study, *filters.of_study, *in_runs]
        spots = SpotMenu(models, page.chart_set, page.runs.bring, window)
        tables = [page.views[name] for name in ("users", "queues", "jobs", "nodes")]
        add_row_menu(models, tables, page.views["users"], filters.of_chart[0], spots, window)
        RunMenu(models, editor, pick_run, window).follow(runs, page.views["runs"])
        add_metric_menu(page.views["table"], window)
        add_changes_menu(models, page.views["difference"].groups, spots, window)
        self.switch = PageSwitch(models.view, self.bar)
        fill_bar(self.bar, view)
        page.context_requested.connect(
            fill_context(self.context, models.selection.select_instant, spots, view, filters.of_chart, charts)
        )
        page.views["marks"].add_clicked.connect(
            lambda: ask_for_mark(models, models.selection.value, None, window)
        )
        page.filter_bar.closed.connect(
            lambda: (page.chart_set.first or window).setFocus(Qt.FocusReason.OtherFocusReason)
        )
        status.notes.clicked.connect(lambda: show_notes(models, window))

    def add_program_menus(
        self,
        others: Callable[[], list[QMainWindow]],
        another: Callable[[], object],
        theme: Callable[[], Theme],
    ) -> None:
        """The menus of windows and help, which come last."""
        window_menu(self._window, others, another, self._actions)
        help_menu(self._window, theme, self._finder, self._actions)

    def enable_study(self, there: bool) -> None:
        """Actions on a study can be used only where there is one."""
        self.bar.setVisible(there)
        for action in self._need_study:
            action.setEnabled(there)


def _frames(status: StatusLine) -> QAction:
    action = QAction("Frame &times", status.frames)
    action.setCheckable(True)
    action.setToolTip("In the status line: how long pictures take, and what holds the window")
    action.setStatusTip(action.toolTip())
    action.triggered.connect(status.show_frames)
    return action
