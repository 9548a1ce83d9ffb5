"""The main window: it puts the parts together; what they do is theirs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QMainWindow,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.actions.answer_action import answer_for
from app.actions.chart_keys import ChartKeys
from app.actions.run_menu import RunTools, want_fair_starts
from app.model.look_edits import LookEdits
from app.model.measured_jobs import MeasuredJobs
from app.model.messages import Answers
from app.model.models import Models
from app.model.own_files import OwnFiles
from app.model.reading import Opened
from app.model.searching import SearchRunner
from app.model.settings import Settings
from app.model.settings_file import SettingsKeeper
from app.model.studying import StudyRunner
from app.model.sweeping import SweepRunner
from app.model.work_keys import ReadyKernels
from app.model.workbench import Workbench
from app.panels.charts.strip_dock import dress_strip
from app.panels.message_bar import MessageBar
from app.panels.own_code import connect_code
from app.panels.policies.edit_run import RunEditor
from app.panels.policies.explore import ExplorePanel
from app.panels.run_entries import follow_runs
from app.panels.run_list import RunList
from app.panels.sources.add_site import add_sites, ask_for_site
from app.panels.sources.now_queue import NowQueue
from app.panels.sources.search_runs import SearchRuns
from app.panels.sources.site_pages import connect_site_pages
from app.panels.sources.study_runs import StudyRuns
from app.panels.sources.sweep_runs import connect_sweeps
from app.session.closed_sessions import closed_paths
from app.session.commands import may_leave
from app.session.keeper import SessionKeeper
from app.session.opener import Opener
from app.shell.dropped_files import Drops
from app.shell.escape_key import leave
from app.shell.menus import WindowMenus, WindowTools
from app.shell.notices import connect_notices
from app.shell.offscreen import save_picture, wait_until_still
from app.shell.opening_progress import OpeningProgress
from app.shell.placing import from_base64, geometry_of, place
from app.shell.start_page import StartPage
from app.shell.status import StatusLine
from app.shell.study_page import OpenStudyPage
from app.shell.theming import change_theme
from app.shell.touring import Touring
from app.shell.window_layout import WindowLayout
from app.shell.window_parts import WindowParts
from app.work.housekeeper import Housekeeper
from app.work.kernel_compilation import KernelCompilation
from views.inspector.panel import Inspector
from views.state.clock import Clock
from views.state.context import ViewContext
from views.state.filter import FilterModel
from views.state.selection import SelectionModel
from views.state.view_state import ViewState
from views.theme.apply import apply_text_size, apply_theme
from views.theme.theme import Theme, ThemeName
from views.work.executor import Executor
from views.work.idle_queue import IdleQueue
from views.work.widget_handlers import while_alive

_MESSAGE_MS = 8000


class MainWindow(QMainWindow):
    """Window of a study: its runs at the left, charts in the middle, the inspector at the right.

    `keep_settings` enables writing of settings and autosaves. `theme` overrides the theme of the settings
    until the reader chooses a theme; without it a new window looks like the others. Unless `at_once`, its
    `parts` are still to be made: it can be used and shown when it is whole.
    """

    closed = Signal()
    another_wanted = Signal(object)  # a window with the file of this path, or an empty window (None)
    theme_changed = Signal()

    def __init__(
        self,
        settings: Settings,
        keep_settings: bool = True,
        theme: ThemeName | None = None,
        at_once: bool = True,
    ) -> None:
        super().__init__()
        self.setWindowTitle("Batchscope")
        self.setAcceptDrops(True)
        self.asks = keep_settings  # before changes are lost
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        self._app, self._failure = app, ""
        others = [window.theme_name for window in self.all()]
        self.theme_name: ThemeName = theme or (others or [settings.theme])[0]
        self.theme = apply_theme(app, self.theme_name)
        apply_text_size(app, settings.text_size)
        self.idle_queue = IdleQueue(self)
        self.parts = WindowParts(self._make_parts(settings, keep_settings), self.idle_queue, self)
        if at_once:
            self.parts.make_all()

    def _make_parts(self, settings: Settings, keep_settings: bool) -> Iterator[None]:
        """Make the parts of the window, in steps of some ms."""
        self._make_models(settings, keep_settings)
        self.compilation = KernelCompilation(self)
        yield from self._make_centre()
        yield from self._make_docks()
        self._make_work(keep_settings)
        yield
        yield from self._make_menus()
        self._connect()
        self._show_study()
        if self.compilation.needed:
            self.workbench.hold()
            self.compilation.start()

    def _make_models(self, settings: Settings, keep_settings: bool) -> None:
        self.settings = settings
        self._settings_keeper = SettingsKeeper(settings, self) if keep_settings else None
        self.clock, self.selection, self.filter = Clock(self), SelectionModel(self), FilterModel(self)
        self.executor, self.view = Executor(self), ViewState(settings.view, self)
        shared = self.clock, self.selection, self.filter, self.executor, self.idle_queue
        self.workbench = Workbench(self)
        self.context = ViewContext(*shared, view=self.view, files=self.workbench.files)
        self.workbench.open_study.share, self.workbench.fair_starts = settings.share, settings.fair_starts
        self.measured = MeasuredJobs(settings, self.workbench, self.filter, self.view, self)
        self.messages, code = MessageBar(self), OwnFiles(self.workbench, self)
        self.models = Models(settings, self.workbench, self.context, self.measured, self.messages, code)
        self.look_edits = LookEdits(self.models, self)
        self.view.chosen.connect(self._remember_options)

    def _make_centre(self) -> Iterator[None]:
        centre = QWidget(self)
        self._stack = QStackedWidget(centre)
        self.start_page = StartPage(self._stack)
        self.start_page.set_theme(self.theme)
        self.start_page.list_recent(self.settings.recent, self.workbench.files)
        self.start_page.last.setVisible(self._settings_keeper is not None and bool(closed_paths()))
        yield
        self.page = OpenStudyPage(self.models, self.theme, self._stack)
        yield
        self.page.add_views()
        yield
        self._stack.addWidget(self.start_page)
        self._stack.addWidget(self.page)
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._stack, 1)
        column.addWidget(self.messages)
        self.setCentralWidget(centre)

    def _make_docks(self) -> Iterator[None]:
        self.run_list = RunList(self.workbench, self)
        self.explore = ExplorePanel(self.workbench, self.page.runs.span_of, self.settings.explore_live, self)
        self.inspector = Inspector(self.context, self.theme, self)
        yield
        shown = self.view, self.selection, self.page.splitter
        self.layouts = WindowLayout(
            self,
            *shown,
            [
                ("Runs", self.run_list, "top"),
                ("Explore", self.explore, "left"),
                ("Selected", self.inspector, "right"),
            ],
            inspector="Selected",
        )
        self.runs_dock, self.explore_dock, self.inspector_dock = self.layouts.docks
        dress_strip(self.runs_dock, self, self.run_list)
        self.explore_dock.toggleViewAction().triggered.connect(self._enter_explore)
        yield

    def _make_work(self, keep_settings: bool) -> None:
        """Make the parts that open, save, sweep and tidy up."""
        self.keeper = SessionKeeper(self.models, self.layouts.layout, keep_settings, self)
        self.opener = Opener(self.models, self.keeper, self)
        self.editor = RunEditor(self.workbench, self.models.code, self)
        self.editor.site_wanted.connect(lambda: ask_for_site(self.models, self.opener))
        self.sweeping = SweepRunner(self.workbench, self)
        self.studying = StudyRunner(self.workbench, self.settings, self)
        searching = SearchRunner(self.workbench, self.settings, self)
        self.searches = SearchRuns(self.models, searching, self.page.later("search"), self.opener, self)
        self.run_list.search_clicked.connect(self.searches.ask)
        self.studies = StudyRuns(self.models, self.studying, self.page.later("study"), self.opener, self)
        self.now = NowQueue(self.models, self.page.later("now"), self)
        connect_site_pages(self.models, self.page.later, self)
        self.drops = Drops(self.models, self.studies, self.opener, self)
        self.drops.another_wanted.connect(self.another_wanted)
        self.status = StatusLine(self.workbench, self.executor, self.statusBar())
        OpeningProgress(self.workbench, self.start_page, self.status, self)
        self.housekeeper = Housekeeper((self.executor, self.workbench.executor), self)

    def _make_menus(self) -> Iterator[None]:
        runs = RunTools(self.run_list, self.editor, self.explore, self.studies, self.searches, self._explore)
        tools = WindowTools(self.keeper, self.opener, self.layouts, self.status, self)
        self.menus = WindowMenus(self, self.models, self.page, runs, tools)
        yield from self.menus.fill()
        self.touring = Touring(self, self.models, self.page, self.menus, self.opener, self.layouts.docks)
        another = partial(self.another_wanted.emit, None)
        self.menus.add_program_menus(self.all, another, lambda: self.theme, self.touring.guiding)
        yield

    @staticmethod
    def all() -> list[MainWindow]:
        """All windows of the program that are not closed."""
        return [w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow) and w.isVisible()]

    def open_path(self, path: Path) -> None:
        """Read a session, a trace to be shown under the default policies, or a site's `slurm.conf`."""
        self.opener.open_path(path)

    def set_theme(self, name: ThemeName) -> None:
        """Use the theme `light`, `dark` or `system`, in all windows: their widgets share it anyway."""
        self.settings.theme = name
        change_theme(self._app, {*self.all(), self}, name)

    def dress(self, name: ThemeName, theme: Theme) -> None:
        """Show a theme that the whole program has been given."""
        self.theme_name, self.theme = name, theme
        self.start_page.set_theme(theme)
        self.page.set_theme(theme)
        self.inspector.set_theme(theme)
        self.theme_changed.emit()

    def show_view(self, name: str) -> None:
        """Show a kind of view of `views.catalog` alone, or `all`."""
        self.view.choose(view=name)

    def restore(self) -> None:
        """Place the window as it was left, and its docks when there is a study to show."""
        place(self, self.settings.geometry)
        self.layouts.restore_state(from_base64(self.settings.state), self.settings.divided)

    def wait_until_drawn(self, timeout_s: float) -> None:
        """Let the window work until all is drawn. Raises InputError, and TimeoutError after `timeout_s`."""
        parts = (self.workbench, self.workbench.files, self.page, self.executor, self.keeper)
        paint = self.page.paint_overdue
        wait_until_still(lambda: any(p.busy for p in parts), lambda: self._failure, timeout_s, paint)
        self.status.show_engine()  # otherwise late: a screenshot would show finished work
        self._app.sendPostedEvents(self.statusBar(), 0)  # its labels get the room that they have now

    def save_picture(self, path: Path) -> None:
        """Write the window as it is seen. Raises OSError where that can't be."""
        save_picture(self, path)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.drops.take([Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys that nobody else takes mean here what they mean in the charts."""
        chart = self.page.chart_set.first
        if event.key() == Qt.Key.Key_Escape and leave(self.messages, self.models):
            return
        if event.key() == Qt.Key.Key_F and not event.modifiers():
            self.page.chart_set.fit_selection()
        elif chart is not None:
            chart.keyPressEvent(event)
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.asks and not may_leave(self.models, self.keeper, self):
            event.ignore()
            return
        if self._settings_keeper is not None:
            self.settings.geometry = geometry_of(self)
            self.view.choose(alone=False, solo=None)  # the layout of the docks around the charts is saved
            if self.layouts.settled:
                self.settings.state = self.layouts.state().toBase64().toStdString()
                self.settings.divided = self.page.splitter.heights
            self._settings_keeper.close()
        for part in (self.models.code, self.compilation, self.workbench, self.executor, self.housekeeper):
            part.shutdown()
        self.keeper.close()
        super().closeEvent(event)
        self.closed.emit()

    def show_failed(self, text: str, details: str = "", answers: Answers | None = None) -> None:
        """Say why something could not be opened or drawn; `wait_until_drawn` raises the first such text."""
        self._failure = self._failure or (f"{text}: {details}" if details else text)
        self.messages.show_message(text, details, answers)

    def _connect(self) -> None:
        self._connect_opening()
        self._connect_views()
        workbench, keeper = self.workbench, self.keeper
        told_of = self.models, self.messages, keeper, self.opener
        connect_notices(*told_of, self.show_failed, self, lambda: self.asks)
        keeper.changed.connect(self._name)
        self.layouts.changed.connect(keeper.follow)
        self.messages.left.connect(self._stack.setFocus)  # keys that nobody takes are the first chart's
        self.messages.shown_text.connect(lambda text: self.statusBar().showMessage(text, _MESSAGE_MS))
        self._stack.currentChanged.connect(lambda _: self._stack.setFocus())
        workbench.failed.connect(self.show_failed)
        workbench.study_changed.connect(self._show_study)
        workbench.judged.connect(self._show_results)
        release = self.workbench.release_ready
        self.compilation.simulates_easy.connect(partial(release, ReadyKernels.EASY))
        self.compilation.shows_recorded.connect(partial(release, ReadyKernels.RECORDED))
        self.compilation.finished.connect(self._engine_ready)
        self.compilation.progressed.connect(self.status.show_preparing)
        undrawn = while_alive(
            self, lambda part, why: self.show_failed(f"{part} could not be drawn", str(why))
        )
        self.executor.failed.connect(undrawn)
        self.run_list.add_clicked.connect(self.editor.add)
        for edit_clicked in (self.run_list.edit_clicked, self.explore.edit_clicked):
            edit_clicked.connect(self.editor.edit)
        self.editor.added.connect(self._show_explore)
        self.run_list.picked.connect(self._explore)
        self.run_list.jobs_clicked.connect(self._select_jobs)
        self.explore.scale_clicked.connect(self.editor.ask_scale)
        self.explore.live_changed.connect(partial(setattr, self.settings, "explore_live"))

    def _connect_opening(self) -> None:
        start, opener, files = self.start_page, self.opener, self.workbench.files
        start.open_clicked.connect(opener.ask)
        start.example_clicked.connect(opener.open_example)
        start.studies_clicked.connect(self.studies.open_example)
        start.recent_clicked.connect(lambda name: self.open_path(Path(name)))
        start.last_clicked.connect(opener.open_last)
        start.cancel_clicked.connect(self.workbench.log_opening.cancel)
        opener.site_chosen.connect(partial(add_sites, self.models, opener))
        connect_code(self.models, opener, lambda: self.asks, self)
        start.queue_clicked.connect(self.now.ask_queue)
        opener.queue_chosen.connect(self.now.open)
        opener.queue_wanted.connect(self.now.ask_queue)
        self.now.wanted.connect(partial(self._stack.setCurrentWidget, self.page))
        self.view.follow(self, "view", self._show_start)
        self.workbench.log_opening.looked.connect(partial(setattr, self, "_failure", ""))
        opener.begun.connect(self._forget_failures)
        opener.remembered.connect(while_alive(self, lambda: start.list_recent(self.settings.recent, files)))
        opener.shown.connect(self._show_opened)

    def _connect_views(self) -> None:
        later, keys = self.page.later, ChartKeys(self)  # of charts, also from lists and boxes
        keys.watch(self.page)
        keys.watch(self.inspector)
        self.page.made.connect(keys.watch)
        later("runs").when_made(lambda runs: follow_runs(runs, self.workbench, self.explore))
        explored = self.explore.runs.currentIndexChanged
        explored.connect(lambda _: self.view.choose(looked_at=self.explore.run_id))
        later("difference").when_made(lambda page: page.add_wanted.connect(self.editor.add))
        fair_starts = partial(want_fair_starts, self.models, True)
        later("scores").when_made(lambda page: page.fair_starts_wanted.connect(fair_starts))
        self.models.code.fault_wanted.connect(self._uncover)
        self.view.follow(self, "alone solo", self._follow_alone)
        self.inspector.time_clicked.connect(self.clock.show_day)
        self.inspector.answer_wanted.connect(lambda job: answer_for(self.models, job, self))
        later("sweep").when_made(partial(connect_sweeps, sweeping=self.sweeping, models=self.models))

    def _uncover(self, run_id: int) -> None:
        """Have the middle of a run's charts seen, whose details are about to be shown."""
        self.page.runs.bring(run_id)
        if run_id in self.page.runs.panels:
            self.layouts.keep_inspector_off(self.page.runs.panels[run_id])

    def _remember_options(self, names: frozenset[str]) -> None:
        """Keep what the user chose as settings of the next window, but for the view and what names runs."""
        chosen = {name: getattr(self.view.options, name) for name in names - {"view", "tab", "alone"}}
        self.settings.view = replace(self.settings.view, **chosen).of_any_study

    def _forget_failures(self) -> None:
        self._failure = ""
        self.messages.clear()

    def _select_jobs(self, jobs: list[int]) -> None:
        self.selection.select_jobs(self.workbench.study.trace, frozenset(jobs))

    def _engine_ready(self) -> None:
        self.status.show_preparing(None)
        self.workbench.release()

    def _show_opened(self, opened: Opened) -> None:
        self._show_page()
        if opened.session is not None:
            self.layouts.apply(opened.session.view.layout)

    def _name(self) -> None:
        """The title: what is open, and a mark where no file has it so."""
        if self.workbench.is_open:
            self.setWindowTitle(self.keeper.title_of(self.workbench.study.trace.shown_name))
            self.setWindowModified(self.keeper.dirty)

    def _explore(self, run_id: int) -> None:
        """Show the sliders of a run, and scroll to its charts."""
        self.explore.choose(run_id)
        self.page.runs.bring(run_id)
        self._show_explore()

    def _enter_explore(self, shown: bool) -> None:
        """Give the keys to the sliders that a command has shown."""
        if shown:
            self._show_explore()
            self.explore.setFocus()

    def _show_explore(self) -> None:
        self.explore_dock.show()
        self.explore_dock.raise_()

    def _show_study(self) -> None:
        self.menus.bar.setVisible(self.workbench.is_open)
        self._show_results()

    def _show_page(self) -> None:
        """Show the study instead of the start page, after the docks, each laid out and painted by itself."""
        if self._stack.currentWidget() is not self.page or not self.layouts.settled:
            self.setUpdatesEnabled(False)  # until the docks are where they belong
            self.idle_queue.add("docks", self._place_docks)
            self.idle_queue.add("page", partial(self._stack.setCurrentWidget, self.page))

    def _show_start(self) -> None:
        """The start page again, where no log is open and the page of the queue is left."""
        if not self.workbench.is_open and self.view.options.view != "now":
            self._stack.setCurrentWidget(self.start_page)

    def _place_docks(self) -> None:
        self.layouts.settle()
        self.setUpdatesEnabled(True)

    def _follow_alone(self) -> None:
        """Hide everything around charts that are shown alone, except the menus."""
        self.menus.bar.setVisible(not self.view.options.bare and self.workbench.is_open)
        self.statusBar().setVisible(not self.view.options.bare)

    def _show_results(self) -> None:
        results = [run.result for run in self.workbench.finished()]
        self.inspector.set_results(self.workbench.study.trace, results)
