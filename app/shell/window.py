"""The main window: it puts the parts together; what they do is theirs."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

from PySide6.QtCore import QByteArray, QCoreApplication, Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDockWidget,
    QFileDialog,
    QMainWindow,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.actions.chart_keys import ChartKeys
from app.actions.heatmap_menu import look_of
from app.actions.menus import make_menus
from app.model.reading import Opened, opening_policies
from app.model.settings import Settings
from app.model.settings_file import SettingsKeeper
from app.model.workbench import Workbench
from app.panels.edit_run import edit_policy
from app.panels.explore import ExplorePanel
from app.panels.run_entries import follow_runs
from app.panels.run_list import RunList
from app.session.autosave import Slot, last_path
from app.session.capture import show_again
from app.session.commands import may_leave
from app.session.document import SUFFIX
from app.session.keeper import SessionKeeper
from app.session.restore import read_saved_study
from app.shell.layout import WITH_DOCKS, Dock, ViewName, place_docks
from app.shell.message_bar import Answers, MessageBar
from app.shell.notices import connect_notices
from app.shell.opening_progress import OpeningProgress
from app.shell.start_page import StartPage
from app.shell.status import StatusLine
from app.shell.study_page import StudyPage
from app.shell.theming import change_theme
from app.work.housekeeper import Housekeeper
from app.work.warmup import EngineWarmup
from engine.errors import InputError
from resources import example_path
from views.data.choices import Choices, ScatterChoices, read_choices
from views.inspector import Inspector
from views.state.clock import Clock
from views.state.context import Stage
from views.state.filter import FilterModel
from views.state.selection import SelectionModel
from views.theme.theme import Theme, ThemeName, apply_theme
from views.work.executor import Executor
from views.work.idle_queue import IdleQueue

_FILES = f"Traces and sessions (*.swf *.txt *.gz *.bz2 *.xz *.zst *{SUFFIX});;All files (*)"
_STILL_ROUNDS = 8
_DOCK_WIDTHS = [200, 305]
_LEFT_HEIGHTS = [270, 430]


class MainWindow(QMainWindow):
    """One study: its runs at the left, its charts in the middle, what is selected at the right.

    `keep_settings` says whether settings and autosaves are written. `theme` is shown in place of that of
    the settings until the reader chooses one; without it a further window looks like the others.
    """

    closed = Signal()
    another_wanted = Signal(object)  # a window with the file of this path, or an empty one (None)

    def __init__(
        self, settings: Settings, keep_settings: bool = True, theme: ThemeName | None = None
    ) -> None:
        super().__init__()
        self.setWindowTitle("Batchscope")
        self.setAcceptDrops(True)
        self.settings = settings
        self._settings_keeper = SettingsKeeper(settings, self) if keep_settings else None
        self.asks = keep_settings  # before changes to a session file are lost
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        self._app = app
        others = [window.theme_name for window in self.all()]
        self.theme_name: ThemeName = theme or (others or [settings.theme])[0]
        self.theme = apply_theme(app, self.theme_name)
        self._failure = ""
        self.view: ViewName = "all"
        self._inspects = True  # where the view allows it
        self._layout = QByteArray()
        self._places: dict[str, Dock] = {}
        self._file: Path | None = None  # the session that is being opened
        self.slot: Slot | None = None  # or the place of one that was autosaved
        self.clock = Clock(self)
        self.selection = SelectionModel(self)
        self.filter = FilterModel(self)
        self.executor = Executor(self)
        self.idle_queue = IdleQueue(self)
        self._stage = Stage(self.clock, self.selection, self.filter, self.executor, self.idle_queue)
        self.workbench = Workbench(self)
        self.workbench.share = settings.share
        self.warmup = EngineWarmup(self)
        self._make_centre()
        self.run_list = RunList(self.workbench, self)
        self.inspector = Inspector(self._stage, self.theme, self)
        self.runs_dock = self._dock("Runs", self.run_list, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.explore = ExplorePanel(self.workbench, self.clock, settings.explore_live, self)
        self.explore_dock = self._dock("Explore", self.explore, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.inspector_dock = self._dock("Selected", self.inspector, Qt.DockWidgetArea.RightDockWidgetArea)
        self.resizeDocks([self.runs_dock, self.inspector_dock], _DOCK_WIDTHS, Qt.Orientation.Horizontal)
        self.status = StatusLine(self.workbench, self.executor, self.statusBar())
        OpeningProgress(self.workbench, self.start_page, self.status, self)
        self.housekeeper = Housekeeper((self.executor, self.workbench.executor), self)
        self.keeper = SessionKeeper(self, keep_settings)
        self.menus = make_menus(self)
        ChartKeys(self, (self.page, self.inspector))
        self._connect()
        self._show_study()
        if self.warmup.needed:
            self.workbench.hold()
            self.status.say_preparing(True)
            self.warmup.start()

    @staticmethod
    def all() -> list[MainWindow]:
        """All windows of the program that are not closed."""
        found = (w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow))
        return [window for window in found if window.isVisible()]

    def come_forward(self) -> None:
        """In front of all other windows."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.raise_()
        self.activateWindow()

    def open_path(self, path: Path) -> None:
        """Read a session, or a trace to be shown under the default policies.

        What is open stays until that is done.
        """
        if not may_leave(self):
            return
        self._failure = ""
        self.messages.clear()
        if path.suffix == SUFFIX:
            self.open_session(path)
        else:
            self._file = self.slot = None
            self.workbench.open(path, opening_policies(self.settings.policies))

    def open_session(self, path: Path, trace: Path | None = None) -> None:
        """Read a session file; its trace lies at `trace` where that is known better."""
        self._file, self.slot = path if path != last_path() else None, None
        self.workbench.open_with(path, partial(read_saved_study, path, trace))

    def open_autosave(self, slot: Slot, trace: Path | None = None) -> None:
        """Read what a program that was killed has left; it stays there where that fails."""
        self._file, self.slot = None, slot
        self.workbench.open_with(slot.path, partial(read_saved_study, slot.path, trace))

    def ask_for_trace(self) -> None:
        """Let the user choose a file."""
        recent = self.settings.recent
        folder = str(Path(recent[0]).parent) if recent else ""
        name, _ = QFileDialog.getOpenFileName(self, "Open a trace or a session", folder, _FILES)
        if name:
            self.open_path(Path(name))

    def open_example(self) -> None:
        """Show the bundled example."""
        self.open_path(example_path())

    def add_run(self) -> None:
        """Let the user choose a policy for one more run."""
        edit_policy(self, None)

    def edit_run(self, run_id: int) -> None:
        """Let the user change the policy of a run."""
        edit_policy(self, run_id)

    def show_dialog(self, dialog: QDialog) -> None:
        """Show a dialog that goes away when it is closed; the window goes on."""
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def set_theme(self, name: ThemeName) -> None:
        """Use the theme `light`, `dark` or `system`, in all windows: their widgets share it anyway."""
        self.settings.theme = name
        change_theme(self._app, {*self.all(), self}, name)

    def dress(self, name: ThemeName, theme: Theme) -> None:
        """Show a theme that the whole program has been given."""
        self.theme_name, self.theme = name, theme
        self.page.set_theme(theme)
        self.inspector.set_theme(theme)

    def show_view(self, name: ViewName) -> None:
        """Show one kind of view alone, `all`, or the `difference` of two runs."""
        inspects, self.view = self.inspects, name
        if self._stack.currentWidget() is self.page:
            self._show_inspector(inspects)
        self.page.show_view(name)
        self.menus.actions.compare(name == "difference")

    @property
    def inspects(self) -> bool:
        """Whether the inspector is shown, or would be in a view that has it; what was closed is not."""
        lone = self.view not in WITH_DOCKS
        return not self.inspector_dock.isHidden() or (lone and self._inspects)

    def _show_inspector(self, wanted: bool) -> None:
        """In views that have it."""
        self._inspects = wanted
        self.inspector_dock.setVisible(wanted and self.view in WITH_DOCKS)

    def restore(self) -> None:
        """Place the window as it was left, and its docks when there is a study to show."""
        if not self.restoreGeometry(_from_base64(self.settings.geometry)):
            self.resize(1400, 900)
        self._layout = _from_base64(self.settings.state)
        self.page.divide(self.settings.divided)

    @property
    def docks(self) -> tuple[QDockWidget, ...]:
        """The parts beside the charts."""
        return self.runs_dock, self.explore_dock, self.inspector_dock

    def place_docks(self, places: dict[str, Dock]) -> None:
        """Put the docks where they were, as soon as there is a study to show."""
        self._places = places
        if self._stack.currentWidget() is self.page:
            place_docks(self, places)
            self._show_inspector(not self.inspector_dock.isHidden())

    def wait_until_drawn(self, timeout_s: float) -> None:
        """Let the window work until all is read, simulated and drawn.

        Raises InputError where the trace could not be opened, TimeoutError where it takes
        longer than `timeout_s`.
        """
        deadline = time.monotonic() + timeout_s
        rounds = 0  # without any work; a chart asks for its picture only when it is painted
        while rounds < _STILL_ROUNDS:
            QCoreApplication.processEvents()
            QCoreApplication.sendPostedEvents(None, 0)
            if self._failure:
                raise InputError(self._failure)
            if time.monotonic() > deadline:
                raise TimeoutError("the window was not drawn in time")
            parts = (self.workbench, self.page, self.executor, self.keeper)
            busy = any(part.busy for part in parts)
            rounds = 0 if busy else rounds + 1
            time.sleep(0.005 if busy else 0.001)

    def save_picture(self, path: Path) -> None:
        """Write the window as it is seen. Raises OSError where that can't be."""
        if not self.grab().save(str(path)):
            raise OSError(f"{path}: cannot write this picture")

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files may be dropped on the window."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Dropped files are opened, the first one here."""
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        for path in paths[1:]:
            self.another_wanted.emit(path)
        if paths:
            self.open_path(paths[0])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys that nobody else takes mean here what they mean in the charts."""
        chart = self.page.first_chart
        if event.key() == Qt.Key.Key_F and not event.modifiers():
            self.page.fit_selection()
        elif chart is not None:
            chart.keyPressEvent(event)
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep the settings, stop all work and wait for it."""
        if self.asks and not may_leave(self):
            event.ignore()
            return
        if self._settings_keeper is not None:
            self.settings.geometry = self.saveGeometry().toBase64().toStdString()
            if self.workbench.study is not None and self.view in WITH_DOCKS:  # else docks are hidden anyway
                self.settings.state = self.saveState().toBase64().toStdString()
                self.settings.divided = self.page.splitter.sizes()
            self._settings_keeper.close()
        self.warmup.shutdown()
        self.workbench.shutdown()
        self.executor.shutdown()
        self.housekeeper.shutdown()
        self.keeper.close()
        super().closeEvent(event)
        self.closed.emit()

    def _make_centre(self) -> None:
        centre = QWidget(self)
        self.messages = MessageBar(centre)
        self._stack = QStackedWidget(centre)
        self.start_page = StartPage(self._stack)
        self.start_page.set_recent(self.settings.recent)
        self.start_page.last.setVisible(self._settings_keeper is not None and last_path().exists())
        self.page = StudyPage(self.workbench, self._stage, self.theme, self._stack)
        self.page.set_columns(self.settings.columns)
        self.page.hide_columns(self.settings.hidden_columns)
        self.page.set_rows(self.settings.rows)
        self.page.set_heatmap_look(look_of(self.settings))
        shown = self.settings
        strips = {name: getattr(shown, f"show_{name}") for name in ("cpu", "ram", "queue", "folds")}
        self.page.show_charts(**strips)
        self.page.set_colours(self.settings.colours)
        self.page.scores.set_weights(self.settings.gain_weights)
        self.page.scores.weights_changed.connect(partial(setattr, self.settings, "gain_weights"))
        self.page.timeline.show_looks(self.settings.timeline_log, self.settings.timeline_averages)
        self.page.timeline.looks_changed.connect(self._keep_looks)
        self.page.boxplots.set_choices(read_choices(Choices, shown.distributions))
        self.page.scatter.set_choices(read_choices(ScatterChoices, shown.scatter))
        self.page.boxplots.chosen.connect(lambda chosen: setattr(shown, "distributions", chosen.spelling))
        self.page.scatter.chosen.connect(lambda chosen: setattr(shown, "scatter", chosen.spelling))
        self._stack.addWidget(self.start_page)
        self._stack.addWidget(self.page)
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.messages)
        column.addWidget(self._stack, 1)
        self.setCentralWidget(centre)

    def _keep_looks(self) -> None:
        timeline = self.page.timeline
        self.settings.timeline_log = timeline.log.isChecked()
        self.settings.timeline_averages = list(timeline.use.averages)

    def _dock(self, title: str, widget: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(title)
        dock.setWidget(widget)
        self.addDockWidget(area, dock)
        dock.hide()  # until there is a study
        return dock

    def _connect(self) -> None:
        workbench, start = self.workbench, self.start_page
        start.open_clicked.connect(self.ask_for_trace)
        start.example_clicked.connect(self.open_example)
        start.recent_clicked.connect(lambda name: self.open_path(Path(name)))
        start.last_clicked.connect(lambda: self.open_session(last_path()))
        start.cancel_clicked.connect(workbench.cancel_opening)
        workbench.opened.connect(self._opened)
        self.keeper.changed.connect(self._name)
        self.messages.left.connect(self._stack.setFocus)  # keys that nobody takes are the first chart's
        self._stack.currentChanged.connect(lambda _: self._stack.setFocus())
        connect_notices(self)
        workbench.failed.connect(self.say_failed)
        workbench.study_changed.connect(self._show_study)
        workbench.judged.connect(self._show_results)
        self.inspector.time_clicked.connect(self.clock.show_day)
        self.run_list.add_clicked.connect(self.add_run)
        self.run_list.edit_clicked.connect(self.edit_run)
        self.run_list.picked.connect(self.explore.choose)
        follow_runs(self.page.runs, workbench, self.explore)
        self.explore.edit_clicked.connect(self.edit_run)
        self.explore.live_changed.connect(partial(setattr, self.settings, "explore_live"))
        self.run_list.jobs_clicked.connect(self._select_jobs)
        self.warmup.finished.connect(self._engine_ready)
        self.executor.failed.connect(lambda of, why: self.say_failed(f"{of} could not be drawn", str(why)))

    def _select_jobs(self, jobs: list[int]) -> None:
        if self.workbench.study is not None:
            self.selection.select_jobs(self.workbench.study.trace, frozenset(jobs))

    def _engine_ready(self) -> None:
        self.status.say_preparing(False)
        self.workbench.release()

    def _opened(self, opened: Opened) -> None:
        self._show_page()
        self.selection.reset()
        self.filter.reset()
        trace = opened.study.trace
        self.clock.reset(float(trace.submit[0]), float((trace.submit + trace.runtime).max()))
        file, slot = self._file, self.slot
        if slot is not None and opened.session is not None and opened.session.file:
            file = Path(opened.session.file)
        self.remember(file or opened.path)
        show_again(self, opened)
        self.keeper.opened(opened, file, slot)
        self._name()
        for doubt in opened.doubts:
            self.messages.show_message(doubt)

    def remember(self, path: Path) -> None:
        """Put a file first among the recent ones."""
        if path != example_path():
            self.settings.remember(path)
            self.start_page.set_recent(self.settings.recent)

    def _name(self) -> None:
        """The title: what is open, and a mark where its session file lacks something."""
        study, keeper = self.workbench.study, self.keeper
        if study is None:
            return
        name = f"{keeper.file.stem}[*] ({study.trace.name})" if keeper.file else study.trace.name
        self.setWindowTitle(f"{name} – Batchscope")
        self.setWindowModified(keeper.dirty)

    def say_failed(self, text: str, details: str = "", answers: Answers | None = None) -> None:
        """Say why something could not be opened or drawn; `wait_until_drawn` raises the first such text."""
        self._failure = self._failure or text
        self.messages.show_message(text, details, answers)

    def _show_study(self) -> None:
        self.menus.enable_study(self.workbench.study is not None)
        self._show_results()

    def _show_page(self) -> None:
        """In place of the start page, after the docks: each is laid out and painted in a turn of its own."""
        if self._stack.currentWidget() is not self.page:
            self.setUpdatesEnabled(False)  # until the docks are where they belong
            for dock in self.docks:
                self.idle_queue.add(dock, dock.show)
            self.idle_queue.add("docks", self._place_docks)
            self.idle_queue.add("page", partial(self._stack.setCurrentWidget, self.page))

    def _place_docks(self) -> None:
        """As they were left last time; at first all are shown."""
        self.resizeDocks([self.runs_dock, self.explore_dock], _LEFT_HEIGHTS, Qt.Orientation.Vertical)
        self.restoreState(self._layout)
        place_docks(self, self._places)
        self._show_inspector(not self.inspector_dock.isHidden())
        self.setUpdatesEnabled(True)

    def _show_results(self) -> None:
        study = self.workbench.study
        results = [one.result for one in self.workbench.finished()]
        self.inspector.set_results(study.trace if study else None, results)


def _from_base64(text: str) -> QByteArray:
    return QByteArray.fromBase64(QByteArray(text.encode()))
