"""The menus of a window, assembled from those of its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow, QMenu

from app.actions.chart_menus import chart_entries, fill_bar
from app.actions.edit_menu import edit_menu
from app.actions.file_menu import Writers, file_menu
from app.actions.filter_menu import filter_menu
from app.actions.find import Finder
from app.actions.gantt_menu import follow_trace
from app.actions.marks import ask_for_mark
from app.actions.program_menus import Guiding, help_menu, window_menu
from app.actions.row_menu import add_row_menu
from app.actions.run_menu import RunTools, run_menu, show_notes
from app.actions.run_row_menu import RunMenu, add_changes_menu, add_marks_menu, add_metric_menu
from app.actions.spot_menu import SpotMenu
from app.actions.view_menu import ViewTools, view_menu
from app.actions.window_actions import WindowActions
from app.export.files import Exporter
from app.model.models import Models
from app.panels.bar_overflow import BarOverflow
from app.panels.page_switch import PageSwitch
from app.panels.settings_page import Themes
from app.report.reporter import Reporter
from app.session.keeper import SessionKeeper
from app.session.opener import Opener
from app.shell.chart_data import show_chart_data
from app.shell.status import StatusLine
from app.shell.study_page import OpenStudyPage
from app.shell.window_layout import WindowLayout
from views.state.spot import Spot
from views.tables.marks_table import MarksTable
from views.theme.theme import Theme
from views.widgets.menu_entries import refill


@dataclass(frozen=True)
class WindowTools:
    """The functions that open, save, arrange, explain and colour the window."""

    keeper: SessionKeeper
    opener: Opener
    layouts: WindowLayout
    status: StatusLine
    themes: Themes


class WindowMenus:
    """The menu bar, the tool bar, and the context menus of charts and rows, which `fill` makes."""

    def __init__(
        self, window: QMainWindow, models: Models, page: OpenStudyPage, runs: RunTools, tools: WindowTools
    ) -> None:
        self._window, self._models, self._page, self._runs, self._tools = window, models, page, runs, tools
        self.offered = WindowActions(window, models)
        self.bar = window.addToolBar("Charts")
        self.bar.setObjectName("Charts")
        self.bar.setMovable(False)
        self.context = QMenu("Chart", window)
        self.exporter = Exporter(models, page.figure_request, window)
        self.reporter = Reporter(models, page.figure_request, tools.keeper.session, window)
        self._finder = Finder(models, page.chart_set, page.later("users"), runs.pick)

    def fill(self) -> Iterator[None]:
        """Make the menus, one a step, then the tool bar and the context menus."""
        models, window, page, runs, tools = self._models, self._window, self._page, self._runs, self._tools
        charts, status = page.chart_set, tools.status
        alone, overview, docks = page.runs.show_present_alone, page.overview_runs, tools.layouts.docks
        looks = ViewTools(charts, alone, overview, docks, tools.layouts, tools.themes, _frames(status))
        writers = Writers(self.exporter, self.reporter, lambda: show_chart_data(models, page, window))
        for menu in (
            partial(file_menu, models, tools.keeper, tools.opener, writers, tools.themes, window),
            partial(edit_menu, models, self._finder, window),
            partial(view_menu, models, looks, window),
            partial(filter_menu, models, page.filter_bar, window),
            partial(run_menu, models, runs, window),
        ):
            self.offered.add_menu(menu())
            yield
        # Actions without a trace are disabled from here on.
        follow_trace(models, self.offered.actions)
        spots = SpotMenu(models, charts, page.runs.bring, window)
        self._fill_rows(spots)
        self.switch = PageSwitch(models.view, self.bar)
        fill_bar(self.bar, self.offered)
        self.overflow = BarOverflow(self.bar)

        # All spots share a context menu, which is refilled: entries of the last spot must not remain.
        def open_context(position: QPoint, spot: Spot) -> None:
            refill(self.context, chart_entries(self.offered, spots, spot))
            self.context.popup(position)

        page.context_requested.connect(open_context)
        page.filter_bar.closed.connect(
            lambda: (charts.first or window).setFocus(Qt.FocusReason.OtherFocusReason)
        )
        status.notes.clicked.connect(lambda: show_notes(models, window))
        yield

    def _fill_rows(self, spots: SpotMenu) -> None:
        """The context menus of rows."""
        models, window, page, runs = self._models, self._window, self._page, self._runs
        by_selection = self.offered.actions["filter by selection"]
        # Tables are made when their tab is first opened, and get their menus then.
        for name in ("users", "queues", "accounts", "jobs", "nodes"):
            of_rows = partial(add_row_menu, models, by_selection, spots, window, of_users=name == "users")
            page.later(name).when_made(of_rows)
        of_run = RunMenu(models, runs.editor, runs.pick, window)
        of_run.follow(runs.runs)
        page.later("runs").when_made(of_run.follow_table)
        page.later("table").when_made(lambda metrics: add_metric_menu(metrics, window))
        page.later("difference").when_made(
            lambda difference: add_changes_menu(models, difference.groups, spots, window)
        )
        page.later("marks").when_made(self._connect_marks)

    def _connect_marks(self, marks: MarksTable) -> None:
        models, window = self._models, self._window
        add_marks_menu(models, marks, window)
        marks.add_clicked.connect(lambda: ask_for_mark(models, models.selection.value, None, window))

    def add_program_menus(
        self,
        others: Callable[[], Sequence[QMainWindow]],
        another: Callable[[], object],
        theme: Callable[[], Theme],
        guide: Guiding,
    ) -> None:
        """Add the menus of windows and help, which come last.

        `others` lists the windows of the program, and `another` opens one more. `theme` gives the present
        theme; `guide` knows the topic of the guide under the mouse, and begins the tour.
        """
        self.offered.add_menu(window_menu(self._window, others, another))
        self.offered.add_menu(help_menu(self._window, theme, self._finder, guide))


def _frames(status: StatusLine) -> QAction:
    action = QAction("Frame &times", status.frames)
    action.setCheckable(True)
    action.setToolTip(
        "Show in the status line how long frames take, and what keeps the window from responding"
    )
    action.setStatusTip(action.toolTip())
    action.triggered.connect(status.show_frames)
    return action
