"""The main window: it puts the parts together; what they do is theirs."""

from __future__ import annotations

import time
from pathlib import Path

from PySide6.QtCore import QByteArray, QCoreApplication, Qt, QTimer
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

from app.engine_warmup import EngineWarmup
from app.menus import make_menus
from app.message_bar import MessageBar
from app.output import metrics_lines, write_metrics
from app.policy_dialog import PolicyDialog
from app.run_list import RunList
from app.settings import Settings, save_settings
from app.start import default_policies
from app.start_page import StartPage
from app.status import StatusLine
from app.study_page import StudyPage
from app.workbench import Workbench
from engine.errors import InputError
from engine.policy import parse_policy
from resources import example_path
from views.clock import Clock
from views.inspector import Inspector
from views.renderer import Renderer
from views.selection import SelectionModel
from views.style import Theme, ThemeName, apply_theme

_FILES = "Traces (*.swf *.txt *.gz *.bz2 *.xz *.zst);;All files (*)"
_STILL_ROUNDS = 8
_DOCK_WIDTHS = [200, 305]


class MainWindow(QMainWindow):
    """One study: its runs at the left, its charts in the middle, what is selected at the right."""

    def __init__(self, settings: Settings, keep_settings: bool = True) -> None:
        super().__init__()
        self.setWindowTitle("Batchscope")
        self.setAcceptDrops(True)
        self.settings, self._keep_settings = settings, keep_settings
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        self._app = app
        self._theme = apply_theme(app, settings.theme)
        self._failure = ""
        self._view, self._layout = "all", QByteArray()
        self.clock = Clock(self)
        self.selection = SelectionModel(self)
        self.renderer = Renderer(self)
        self.workbench = Workbench(self)
        self.workbench.share = settings.share
        self.warmup = EngineWarmup(self)
        self._make_centre()
        self.run_list = RunList(self.workbench, self)
        self.inspector = Inspector(self.clock, self.selection, self.renderer, self._theme, self)
        self.runs_dock = self._dock("Runs", self.run_list, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.inspector_dock = self._dock("Selected", self.inspector, Qt.DockWidgetArea.RightDockWidgetArea)
        self.resizeDocks([self.runs_dock, self.inspector_dock], _DOCK_WIDTHS, Qt.Orientation.Horizontal)
        self.status = StatusLine(self.workbench, self.statusBar())
        self.menus = make_menus(self)
        self._connect()
        self._show_study()
        if self.warmup.needed:
            self.workbench.hold()
            self.status.say_preparing(True)
            self.warmup.start()

    def open_path(self, path: Path) -> None:
        """Read a trace and show it under the default policies; what is open stays until that is done."""
        self._failure = ""
        self.messages.hide()
        self.workbench.open(path, default_policies())

    def ask_for_trace(self) -> None:
        """Let the user choose a file."""
        recent = self.settings.recent
        folder = str(Path(recent[0]).parent) if recent else ""
        name, _ = QFileDialog.getOpenFileName(self, "Open a trace", folder, _FILES)
        if name:
            self.open_path(Path(name))

    def open_example(self) -> None:
        """Show the bundled example."""
        self.open_path(example_path())

    def add_run(self) -> None:
        """Let the user choose a policy for one more run."""
        self._edit_policy(None)

    def edit_run(self, run_id: int) -> None:
        """Let the user change the policy of a run."""
        self._edit_policy(run_id)

    def show_dialog(self, dialog: QDialog) -> None:
        """Show a dialog that goes away when it is closed; the window goes on."""
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def set_theme(self, name: ThemeName) -> None:
        """Use the theme `light`, `dark` or `system`, in all windows: their widgets share it anyway."""
        self.settings.theme = name
        theme = apply_theme(self._app, name)
        for window in self._app.topLevelWidgets():
            if isinstance(window, MainWindow):
                window._dress(theme)

    def _dress(self, theme: Theme) -> None:
        self._theme = theme
        self.page.set_theme(theme)
        self.inspector.set_theme(theme)

    def show_view(self, name: str) -> None:
        """Show one kind of view alone, or `all`."""
        self._view = name
        self.page.show_view(name)
        self.inspector_dock.setVisible(self.workbench.study is not None and name == "all")

    def restore(self) -> None:
        """Place the window as it was left, and its docks when there is a study to show."""
        if not self.restoreGeometry(_from_base64(self.settings.geometry)):
            self.resize(1400, 900)
        self._layout = _from_base64(self.settings.state)
        self.page.division = _from_base64(self.settings.divided)

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
            busy = self.workbench.busy or self.page.busy or self.renderer.busy
            rounds = 0 if busy else rounds + 1
            time.sleep(0.005 if busy else 0.001)

    def save_picture(self, path: Path) -> None:
        """Write the window as it is seen. Raises OSError where that can't be."""
        if not self.grab().save(str(path)):
            raise OSError(f"{path}: cannot write this picture")

    def metrics_lines(self) -> list[str]:
        """The metrics of all finished runs as a text table."""
        results = [one.result for one in self.workbench.finished()]
        return metrics_lines([one.summary for one in results], [one.name for one in results], 0)

    def write_metrics(self, path: Path) -> None:
        """Write the metrics of all finished runs as CSV. Raises OSError."""
        results = [one.result for one in self.workbench.finished()]
        write_metrics([one.summary for one in results], [one.name for one in results], path)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files may be dropped on the window."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """A dropped file is opened."""
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            self.open_path(paths[0])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys that nobody else takes mean here what they mean in the charts."""
        chart = self.page.first_chart
        if chart is not None:
            chart.keyPressEvent(event)
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep the settings, stop all work and wait for it."""
        if self._keep_settings:
            self.settings.geometry = self.saveGeometry().toBase64().toStdString()
            if self.workbench.study is not None and self._view == "all":  # else docks are hidden anyway
                self.settings.state = self.saveState().toBase64().toStdString()
                self.settings.divided = self.page.splitter.saveState().toBase64().toStdString()
            save_settings(self.settings)
        self.warmup.shutdown()
        self.workbench.shutdown()
        self.renderer.shutdown()
        super().closeEvent(event)

    def _make_centre(self) -> None:
        self.messages = MessageBar(self)
        self.start_page = StartPage(self)
        self.start_page.set_recent(self.settings.recent)
        self.page = StudyPage(self.workbench, self.clock, self.selection, self.renderer, self._theme, self)
        self.page.set_columns(self.settings.columns)
        self.page.set_rows(self.settings.rows)
        self.page.set_user_order(self.settings.user_order)
        shown = self.settings
        self.page.show_charts(cpu=shown.show_cpu, ram=shown.show_ram, queue=shown.show_queue)
        self.page.set_colours(self.settings.colours)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.start_page)
        self._stack.addWidget(self.page)
        centre = QWidget(self)
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.messages)
        column.addWidget(self._stack, 1)
        self.setCentralWidget(centre)

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
        start.cancel_clicked.connect(workbench.cancel_opening)
        workbench.opened.connect(self._opened)
        workbench.failed.connect(self._failed)
        workbench.study_changed.connect(self._show_study)
        workbench.judged.connect(self._show_results)
        self.inspector.time_clicked.connect(self._show_time)
        self.run_list.add_clicked.connect(self.add_run)
        self.run_list.edit_clicked.connect(self.edit_run)
        self.warmup.finished.connect(self._engine_ready)
        self.renderer.failed.connect(
            lambda whose, error: self._failed(f"{whose} could not be drawn", str(error))
        )
        self._poll = QTimer(self, interval=100)
        self._poll.timeout.connect(self._show_opening)
        workbench.opening.connect(lambda _: self._poll.start())

    def inspect_instant(self) -> None:
        """Pick the instant under the mouse, or in the middle of what is shown."""
        hover = self.clock.hover
        self.selection.select_instant(hover if hover is not None else (self.clock.start + self.clock.end) / 2)

    def _show_time(self, time: float) -> None:
        """Bring a time into the middle of the window, or zoom to the day around it."""
        half = min(self.clock.span, 86_400.0) / 2
        self.clock.set_window(time - half, time + half)

    def _engine_ready(self) -> None:
        self.status.say_preparing(False)
        self.workbench.release()

    def _opened(self, path: Path) -> None:
        self.selection.reset()
        if path != example_path():
            self.settings.remember(path)
            self.start_page.set_recent(self.settings.recent)
        study = self.workbench.study
        if study is not None:
            trace = study.trace
            self.setWindowTitle(f"{trace.name} – Batchscope")
            self.clock.reset(float(trace.submit[0]), float((trace.submit + trace.runtime).max()))

    def _failed(self, text: str, details: str) -> None:
        self._failure = self._failure or text
        self.messages.show_message(text, details)

    def _show_study(self) -> None:
        there = self.workbench.study is not None
        if there and self._stack.currentWidget() is not self.page:
            self._stack.setCurrentWidget(self.page)
            self._show_docks()
        self.menus.enable_study(there)
        self._show_results()

    def _show_docks(self) -> None:
        """As they were left last time; at first both."""
        self.runs_dock.show()
        self.inspector_dock.show()
        self.restoreState(self._layout)
        if self._view != "all":
            self.inspector_dock.hide()

    def _show_results(self) -> None:
        study = self.workbench.study
        results = [one.result for one in self.workbench.finished()]
        self.inspector.set_results(study.trace if study else None, results)

    def _show_opening(self) -> None:
        """Progress of reading, on the start page or in the status line."""
        job = self.workbench.opening_job()
        waits = self.workbench.opening_waits
        if job is None and not waits:
            self._poll.stop()
            self.start_page.hide_busy()
            self.status.say_opening(None)
            return
        if waits:
            self.start_page.show_busy("Preparing the engine for this computer, once…", None)
            return
        progress = job.control.progress if job is not None else 0.0
        self.start_page.show_busy("Reading the trace…", progress)
        self.status.say_opening(progress)

    def _edit_policy(self, run_id: int | None) -> None:
        study = self.workbench.study
        if study is None:
            return
        run = study.run(run_id) if run_id is not None else None
        title = "Add a run" if run is None else "Edit the run"
        dialog = PolicyDialog(run.policy if run else parse_policy("easy"), title, self)

        def take() -> None:
            if run is None:
                self.workbench.add_run(dialog.policy)
            else:
                self.workbench.change_run(run.id, dialog.policy)

        dialog.accepted.connect(take)
        self.show_dialog(dialog)


def _from_base64(text: str) -> QByteArray:
    return QByteArray.fromBase64(QByteArray(text.encode()))
