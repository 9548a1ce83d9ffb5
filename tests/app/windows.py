"""What tests of the window need: a small log, positions to click, and what is seen."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from app.model.now_runner import NowRunner
from app.model.settings import Settings
from app.panels.charts.run_panel import RunPanel
from app.shell.window import MainWindow
from engine.logs.files.content import Progress
from engine.now.queue_forecast import Replaying
from engine.reading.options import Reading
from engine.reading.read import ReadLog
from engine.schedule.schedule import Schedule
from engine.simulation.control import ENDED, Control
from engine.trace import Trace
from tests.engine.logs.lines import line, write_log
from views.distribution.boxes import BoxPlot
from views.timechart.chart import TimeChart

FCFS, FAIR_FCFS, EASY, FAIR_EASY = 1, 2, 3, 4
"""Ids of the runs that a trace is opened with."""

LEFT = Qt.MouseButton.LeftButton
PATIENCE_S = 60.0

Pixels = NDArray[np.uint32]


def site_log(
    folder: Path,
    name: str = "site.swf",
    jobs: int = 300,
    waits: bool = True,
    longest_wait: int = 0,
    stretch: int = 1,
) -> Path:
    """Jobs of twelve users in two queues on four nodes, with RAM, in Alea's format.

    They ask for half as much again as the machine has; where the log has waits they are 0 (or reach to
    `longest_wait`, s), so that its own schedule asks for more than there is. All else takes `stretch` times
    as long as usual.
    """
    # The same log at each call: tests name jobs and numbers of it.
    rng = np.random.default_rng(7)
    submit = stretch * np.sort(rng.integers(0, 864 * jobs, jobs))
    lines = ["; UnixStartTime: 1356998400", "; TimeZoneString: Europe/Prague"]
    for job in range(jobs):
        nodes, cores = int(rng.choice([1, 1, 1, 2])), int(rng.choice([1, 2, 4]))
        runtime = int(rng.integers(600, 20_000))
        queue = "long" if runtime > 9000 else "short"
        lines.append(
            line(
                f"-1 {queue} {nodes}:ppn={cores}",
                job=job + 1,
                submit=submit[job],
                # Waits grow with the number of the job, modulo ten, so that some are 0.
                wait=job % 10 * longest_wait // 9 if waits else -1,
                runtime=stretch * runtime,
                walltime=2 * stretch * runtime,
                procs=nodes * cores,
                allocated=nodes * cores,
                ram=int(rng.integers(1, 5)) << 20,
                user=f"{1 + int(rng.zipf(1.5)) % 12}",
            )
        )
    (folder / f"{name}.machines").write_text("0 big 2 8 1 16777216\n1 small 2 4 1 8388608\n", "utf-8")
    return write_log(folder / name, *lines)


def show(window: MainWindow) -> None:
    """Show the window and give it the focus."""
    window.resize(1400, 900)
    window.show()
    window.activateWindow()
    deadline = time.monotonic() + PATIENCE_S
    while not (window.isActiveWindow() and window.windowHandle().isExposed()):
        assert time.monotonic() < deadline
        QApplication.processEvents()
    QTest.keyRelease(window, Qt.Key.Key_Shift)  # that an earlier test may have left pressed


def delete(window: MainWindow) -> None:
    """Close it and let it go."""
    window.close()
    window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


class SharedWindow:
    """A window that shows a log, for several tests."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._make()

    def _make(self) -> None:
        self.window = MainWindow(Settings(theme="light"), keep_settings=False)
        show(self.window)
        self.window.open_path(self._log)
        settle(self.window)

    def renew(self) -> None:
        """Take another window if this one could not open or draw something: it says so for ever.

        Without this, each later test of a file would fail for the fault that one of them met.
        """
        if self.window._failure:
            delete(self.window)
            self._make()

    def delete(self) -> None:
        """Close it and let it go."""
        delete(self.window)


def settle(window: MainWindow) -> None:
    """Wait until all is done and drawn."""
    window.wait_until_drawn(PATIENCE_S)


def inspected(window: MainWindow) -> str:
    """What the inspector says when it has been written."""
    settle(window)
    return window.inspector.browser.toPlainText()


def open_tabs(window: MainWindow) -> None:
    """Open the pages below the charts by a click."""
    if not window.page.tabs.is_open:
        QTest.mouseClick(window.page.tabs.fold, LEFT)
    assert window.page.tabs.is_open
    settle(window)


def compared(window: MainWindow) -> list[str]:
    """The runs as the box-plots show them, from the left."""
    open_tabs(window)
    plot = window.page.views["boxplots"].charts[0].plot
    assert isinstance(plot, BoxPlot)
    return [run.name for run in plot.samples.runs]


def panel(window: MainWindow, run: int) -> RunPanel:
    """The charts of a run."""
    return window.page.runs.panels[run]


def trace_of(window: MainWindow) -> Trace:
    """The trace that is open."""
    return window.workbench.study.trace


def schedule_of(window: MainWindow, run: int) -> Schedule:
    """The schedule of a finished run."""
    return window.workbench.open_study.drawn[run].schedule


def seen(widget: QWidget, area: QRect | None = None) -> Pixels:
    """The pixels of a widget as it is shown now, shape (height, width)."""
    image = widget.grab(area or widget.rect()).toImage().convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    return rows[:, : image.width()].copy()


def plot_of(chart: TimeChart) -> QRect:
    """Where a chart shows its data."""
    return chart.frame().plot.toRect()


def box_of(window: MainWindow, run: int, job: int) -> QRectF:
    """Where the largest box of a job lies in the Gantt chart of a run, with rows of processors."""
    drawn, frame = window.workbench.open_study.drawn[run], panel(window, run).gantt.frame()
    own = np.flatnonzero(drawn.boxes.job == job)
    box = own[drawn.boxes.count[own].argmax()]
    down = frame.plot.height() / drawn.schedule.cluster.cpus
    left, right = (
        frame.scale.x(float(moment)) for moment in (drawn.schedule.start[job], drawn.schedule.end[job])
    )
    top = frame.plot.top() + int(drawn.boxes.first[box]) * down
    return QRectF(left, top, right - left, int(drawn.boxes.count[box]) * down)


def colour_of(window: MainWindow, run: int, job: int) -> int:
    """The colour of most of a job's box, without its edges."""
    box = box_of(window, run, job).toRect().adjusted(1, 1, -1, -1)
    colours, times = np.unique(seen(panel(window, run).gantt, box), return_counts=True)
    return int(colours[times.argmax()])


def large_jobs(window: MainWindow, run: int, user: str = "") -> list[int]:
    """Jobs (of a user) whose boxes are large, the largest first."""
    trace = trace_of(window)
    area = (trace.procs * trace.runtime).astype(float)
    if user:
        area[np.array(trace.user.names)[trace.user.codes] != user] = 0
    area[~schedule_of(window, run).ran] = 0
    return [int(job) for job in np.argsort(-area, kind="stable") if area[job] > 0]


def row_of(chart: TimeChart, user: str) -> QPointF:
    """A position in a user's row of a heatmap."""
    plot = plot_of(chart)
    for y in range(plot.top(), plot.bottom()):
        position = QPointF(plot.center().x(), y)
        if chart.tooltip_at(position).startswith(f"user {user}\n"):
            return position + QPointF(0, 1)
    raise AssertionError(f"no row of user {user}")


def click(qtbot: QtBot, widget: QWidget, position: QPointF | QPoint | None = None) -> None:
    """Click there, or into the middle."""
    spot = widget.rect().center() if position is None else QPointF(position).toPoint()
    qtbot.mouseClick(widget, LEFT, pos=spot)


def show_tab(qtbot: QtBot, window: MainWindow, name: str) -> QWidget:
    """Click on the tab of that name, or choose it from the list of those that find no room."""
    tabs = window.page.tabs
    (position,) = (k for k in range(tabs.count()) if tabs.tabText(k) == name)
    # A tab without room is hidden, and stands in the menu of the others.
    if tabs.isTabVisible(position):
        qtbot.mouseClick(tabs.tabBar(), LEFT, pos=tabs.tabBar().tabRect(position).center())
    else:
        menu = tabs.more.menu()
        menu.aboutToShow.emit()
        (entry,) = (action for action in menu.actions() if action.text() == name)
        entry.trigger()
    QApplication.processEvents()
    shown = tabs.currentWidget()
    assert shown is not None
    assert tabs.currentIndex() == position
    settle(window)
    return shown


def open_dialog(window: MainWindow) -> QDialog:
    """The dialog that is open over the window, as soon as the file that it is about was looked at."""
    deadline = time.monotonic() + PATIENCE_S
    while window.workbench.files.busy and time.monotonic() < deadline:
        QApplication.processEvents()
    (found,) = (dialog for dialog in window.findChildren(QDialog) if dialog.isVisible())
    return found


class Gate:
    """Work in threads stands before a gate and tells 40 % of progress, until it is opened."""

    def __init__(self) -> None:
        self.arrived = threading.Event()
        self._opened = threading.Event()

    def open(self) -> None:
        """Let all through."""
        self._opened.set()

    def wait(self, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Stand there, until it opens or `cancelled()`."""
        self.arrived.set()
        deadline = time.monotonic() + PATIENCE_S
        while not (self._opened.wait(0.002) or cancelled()):
            assert time.monotonic() < deadline


@contextmanager
def slow_simulations(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    """Simulations of runs stop at 40 % until the gate opens; then they go on as ever."""
    import engine.simulation.run as module

    gate, simulate = Gate(), module.simulate

    def slow(*arguments: object, control: Control | None = None, **options: object) -> Schedule:
        if control is None:  # nobody waits for it
            return simulate(*arguments, **options)  # type: ignore[arg-type]
        control.jobs = 100
        control.array[ENDED] = 40
        gate.wait(lambda: control.cancelled)
        return simulate(*arguments, control=control, **options)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(module, "simulate", slow)
        yield gate
        gate.open()


def replay_times(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the page of the queue as it is predict by so many replays, and calibrate as is usual."""
    monkeypatch.setattr(NowRunner, "_how", lambda *_: Replaying(count))


@contextmanager
def slow_reading(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    """Reading a trace stops at 40 % until the gate opens."""
    import engine.reading.read as module

    gate, read = Gate(), module.read_log_as

    def slow(path: Path, reading: Reading, progress: Progress | None = None) -> ReadLog:
        assert progress is not None
        progress(0.4)
        gate.wait()
        return read(path, reading, progress)

    with monkeypatch.context() as patch:
        patch.setattr(module, "read_log_as", slow)
        yield gate
        gate.open()
