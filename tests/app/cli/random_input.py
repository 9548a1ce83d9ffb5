"""Clicks, types, drags and chooses at random in real windows that share a process, and reports faults.

`python -m tests.app.cli.random_input LOG ... [--seed N] [--seconds S] [--events N]`: a program of its own,
since what it looks for would end the tests themselves. The windows open the logs and sessions in turn. Every
step is printed on standard output. Nothing on standard error and status 0: no fault. A run that does not end
by itself GRACE_S after its time prints the stacks of all threads and exits. Settings and autosaves lie in a
folder that is removed afterwards.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import random
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QEventLoop,
    QMessageLogContext,
    QObject,
    QPoint,
    QPointF,
    Qt,
    QTimer,
    QtMsgType,
    QUrl,
    Slot,
    qInstallMessageHandler,
)
from PySide6.QtGui import QAction, QDesktopServices, QKeyEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QFileDialog, QLineEdit, QMenu, QWidget
from shiboken6 import isValid

from app.actions.menu_tree import entries
from app.model.settings import Settings
from app.shell.window import MainWindow
from app.shell.windows import Windows
from app.work.process import tune_process
from views.timechart.chart import TimeChart

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
NOISE = "This plugin does not support "
"""How messages of Qt's offscreen platform begin."""

ENDS = ("Quit", "Close the window", "New window")
"""Actions that are chosen less often than others, since what comes after them starts anew."""

PATIENCE_MS = 30
MOST_WINDOWS = 2
GRACE_S = 200.0
"""A run may take so much longer than it was given: the first window is drawn meanwhile, on a busy machine."""

HELD = 150
"""Events of a key that is held, a wheel that spins freely or a mouse that is moved for some seconds."""

STRIDE = 25
"""Pixels between two events of a mouse that moves, at most."""

INPUT = frozenset(
    (
        *(QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease, QEvent.Type.MouseButtonDblClick),
        *(QEvent.Type.MouseMove, QEvent.Type.Wheel, QEvent.Type.KeyPress, QEvent.Type.KeyRelease),
    )
)

KEY_NAMES = """W A S D F I Home End PageUp PageDown Backspace Up Down Left Right Tab Escape Return Space
Delete Slash Question F2 F5 F10 Menu"""
KEYS = [Qt.Key[f"Key_{name}"] for name in KEY_NAMES.split()]
TYPED = """
user:1|procs>2 wait>1h|queue=long or|late|(|user in (1, 2|-|0|7|1e9|999999999999|easy|easy:order=saf|
metric:bf=0.5,window=4|nonsense|1/10|64c|2d|4x8c16g|ž☃|"""
TEXTS = [text.strip() for text in TYPED.split("|")]
MODIFIERS = [
    *(Qt.KeyboardModifier.NoModifier,) * 4,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
]


class Faults:
    """Everything that must not happen, in the order in which it did."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        sys.excepthook = self._exception
        threading.excepthook = lambda args: self.faults.append(f"in thread {args.thread}: {args.exc_value!r}")
        qInstallMessageHandler(self._message)

    def _exception(
        self, kind: type[BaseException], error: BaseException, where: TracebackType | None
    ) -> None:
        self.faults.append("".join(traceback.format_exception(kind, error, where)))

    def _message(self, kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        if not text.startswith(NOISE):
            self.faults.append(f"{kind.name}: {text}")

    def watch(self, window: MainWindow) -> None:
        """Failures that the window tells with details are its own, not of what was typed."""
        window.workbench.failed.connect(lambda text, details: details and self.faults.append(text + details))
        window.executor.failed.connect(
            lambda whose, error: self.faults.append("".join([whose, *traceback.format_exception(error)]))
        )


class EventCounter(QObject):
    """Counter of the input events that widgets are sent; those that are passed on to a parent count again."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        self.count += event.type() in INPUT
        return False


class Hand(QObject):
    """One random thing after another, done to whatever is open, until the time or the events are used up."""

    def __init__(self, logs: Sequence[Path], seed: int, faults: Faults, most_events: int) -> None:
        super().__init__()
        self.logs, self.chance, self.faults = logs, random.Random(seed), faults
        self.events, self._most_events = EventCounter(), most_events
        QCoreApplication.instance().installEventFilter(self.events)
        self.windows = Windows(Settings(theme="light"))
        self.steps = 0
        self._answers = False
        self._next = QTimer(self, interval=0)
        self._next.timeout.connect(self._step)
        self._loop = QEventLoop(self)
        self._end = 0.0
        self._busy = False
        self._top_widget: QWidget | None = None
        self._acts: list[tuple[Callable[[MainWindow], object], int]] = [
            (self._click, 30),
            (self._button, 12),
            (self._key, 25),
            (self._type, 8),
            (self._drag, 15),
            (self._wheel, 15),
            (self._choose, 20),
            (self._hover, 10),
            (self._resize, 2),
            (self._run, 6),
            (self._wait, 6),
            (self._dismiss, 6),
            (self._open, 2),
        ]

    def go_on(self, seconds: float) -> None:
        """Do things until the time is over or something went wrong."""
        self._end = time.monotonic() + seconds
        self._answers = True
        self._answer_soon()
        self._next.start()
        self._loop.exec()

    @Slot()
    def _step(self) -> None:
        """One thing, from within the event loop, where the reader's come from too."""
        if self._busy:  # a step has opened an event loop of its own
            return
        if time.monotonic() > self._end or self.faults.faults or self.events.count >= self._most_events:
            self._answers = False
            self._next.stop()
            self._loop.quit()
            return
        self._busy = True
        try:
            window = self._window()
            acts, weights = zip(*self._acts, strict=True)
            (act,) = self.chance.choices(acts, weights)
            self.steps += 1
            act(window)
        finally:
            self._busy = False

    def end(self) -> None:
        """Close everything, in the midst of what it does."""
        self.windows.close_all()
        while (popup := QApplication.activePopupWidget()) is not None:
            popup.close()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QApplication.processEvents()

    def _window(self) -> MainWindow:
        """One of the open windows; a new one where all were closed."""
        for surplus in self.windows.open[MOST_WINDOWS:]:
            self.windows.open.remove(surplus)
            surplus.asks = False
            surplus.close()
            surplus.deleteLater()
        if not self.windows.open:
            window = self.windows.make()
            window.show()
            window.open_path(self.chance.choice(self.logs))
            self._note("a new window")
            if self.chance.random() < 0.8:
                window.wait_until_drawn(60)
        for window in self.windows.open:
            if not window.property("watched"):
                window.setProperty("watched", True)
                self.faults.watch(window)
        return self.chance.choice(self.windows.open)

    def _note(self, text: str) -> None:
        print(f"{self.steps}: {text}", flush=True)  # a crash leaves no time for it later

    def _top(self, window: MainWindow) -> QWidget:
        """What takes the input: a popup, a modal dialog, a dialog, the window."""
        for over in (QApplication.activePopupWidget(), QApplication.activeModalWidget()):
            if over is not None and isValid(over):
                self._top_widget = over  # PySide gives up those of its children when it is let go
                return over
        dialogs = [dialog for dialog in window.findChildren(QDialog) if dialog.isVisible()]
        return self.chance.choice([*dialogs, window])

    def _target(self, window: MainWindow) -> tuple[QWidget, QPoint]:
        """A widget that is seen, and a position in it: often a chart, else whatever lies at a random one."""
        top = self._top(window)
        charts = [chart for chart in top.findChildren(TimeChart) if chart.isVisible()]
        if charts and self.chance.random() < 0.4:
            widget: QWidget = self.chance.choice(charts)
            return widget, self._position(widget)
        position = self._position(top)
        child = top.childAt(position)
        if child is None or not isValid(child):
            return top, position
        return child, child.mapFrom(top, position)

    def _position(self, widget: QWidget) -> QPoint:
        return QPoint(
            self.chance.randrange(max(widget.width(), 1)), self.chance.randrange(max(widget.height(), 1))
        )

    def _click(self, window: MainWindow) -> None:
        widget, position = self._target(window)
        button = LEFT if self.chance.random() < 0.85 else RIGHT
        modifier = self.chance.choice(MODIFIERS)
        twice = self.chance.random() < 0.15
        kind = f"{'double ' if twice else ''}click {button.name} {modifier.name}"
        self._note(f"{kind} {_name(widget)} {position.toTuple()}")
        (QTest.mouseDClick if twice else QTest.mouseClick)(widget, button, modifier, position)

    def _button(self, window: MainWindow) -> None:
        found = [
            b for b in self._top(window).findChildren(QAbstractButton) if b.isVisible() and b.isEnabled()
        ]
        if found:
            button = self.chance.choice(found)
            self._note(f"button {button.text()!r} {button.toolTip()!r}")
            QTest.mouseClick(button, LEFT)

    def _key(self, window: MainWindow) -> None:
        key, modifier = self.chance.choice(KEYS), self.chance.choice(MODIFIERS)
        target = QApplication.focusWidget() or self._top(window)
        if key == Qt.Key.Key_W and modifier == Qt.KeyboardModifier.ControlModifier:
            return  # closes the window, which `_choose` does often enough
        self._note(f"key {key.name} {modifier.name} {_name(target)}")
        for _ in range(self.chance.choice([1, 1, 1, 5, 20, HELD])):  # a key that is held repeats itself
            if _alive(target):
                QTest.keyClick(target, key, modifier)

    def _type(self, window: MainWindow) -> None:
        lines = [
            line
            for line in self._top(window).findChildren(QLineEdit)
            if line.isVisible() and line.isEnabled()
        ]
        if lines:
            line, text = self.chance.choice(lines), self.chance.choice(TEXTS)
            self._note(f"type {text!r} into {_name(line)}")
            line.setFocus()
            line.selectAll()
            for letter in text:  # QTest knows only ASCII
                QApplication.sendEvent(line, QKeyEvent(QEvent.Type.KeyPress, 0, MODIFIERS[0], letter))
            if self.chance.random() < 0.5 and _alive(line):
                QTest.keyClick(line, Qt.Key.Key_Return)

    def _drag(self, window: MainWindow) -> None:
        widget, position = self._target(window)
        button, modifier = LEFT, self.chance.choice(MODIFIERS)
        self._note(f"drag {modifier.name} {_name(widget)} from {position.toTuple()}")
        QTest.mousePress(widget, button, modifier, position)
        for _ in range(self.chance.choice([1, 2, 5, 40, HELD])):
            if not _alive(widget):
                return
            position = self._position(widget)
            QTest.mouseMove(widget, position)
            if self.chance.random() < 0.2:
                QCoreApplication.processEvents()
        if _alive(widget):
            QTest.mouseRelease(widget, button, modifier, position)

    def _wheel(self, window: MainWindow) -> None:
        widget, position = self._target(window)
        modifier, step = self.chance.choice(MODIFIERS), self.chance.choice([-120, 120, -15, 960])
        self._note(f"wheel {step} {modifier.name} {_name(widget)} {position.toTuple()}")
        spot = QPointF(position)
        event = QWheelEvent(
            spot,
            QPointF(widget.mapToGlobal(position)),
            QPoint(),
            QPoint(0, step),
            Qt.MouseButton.NoButton,
            modifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        for _ in range(self.chance.choice([1, 1, 5, 20, HELD])):
            if _alive(widget):
                QApplication.sendEvent(widget, event)

    def _hover(self, window: MainWindow) -> None:
        """Move the mouse along a path of small steps, over whatever lies there."""
        top = self._top(window)
        position = self._position(top)
        steps = self.chance.choice([1, 20, HELD])
        self._note(f"hover {_name(top)} {position.toTuple()}, {steps} steps")
        for _ in range(steps):
            if not _alive(top):
                return
            child = top.childAt(position)
            if child is None or not isValid(child):
                child = top
            QTest.mouseMove(child, child.mapFrom(top, position))
            position += QPoint(self.chance.randint(-STRIDE, STRIDE), self.chance.randint(-STRIDE, STRIDE))
            position = QPoint(position.x() % max(top.width(), 1), position.y() % max(top.height(), 1))
            if self.chance.random() < 0.1:
                QCoreApplication.processEvents()

    def _choose(self, window: MainWindow) -> None:
        """An action of any menu, as the command palette does it."""
        if QApplication.activeModalWidget() or QApplication.activePopupWidget():
            return
        found = [entry for entry in entries(window.menuBar()) if entry.action.isEnabled()]
        entry = self.chance.choice(found)
        if entry.name in ENDS and self.chance.random() < 0.8:
            return
        self._note(f"action {' > '.join((*entry.menus, entry.name))}")
        entry.action.trigger()

    def _run(self, window: MainWindow) -> None:
        """Simulate a run anew, stop or remove one, or undo or redo an edit."""
        workbench = window.workbench
        study = workbench.study
        if not study.runs:
            return
        run = self.chance.choice(study.runs).id
        act = self.chance.choice([workbench.start_run, workbench.cancel_run, workbench.remove_run])
        if act == workbench.remove_run and len(study.runs) < 3:
            undo = self.chance.choice([workbench.edits.undo, workbench.edits.redo])
            self._note(undo.__name__)
            undo()
            return
        self._note(f"{act.__name__} {run}")
        act(run)

    def _open(self, window: MainWindow) -> None:
        """Open another log or session, sometimes before the last one is there."""
        if QApplication.activeModalWidget() or QApplication.activePopupWidget():
            return
        if len(self.windows.open) < MOST_WINDOWS and self.chance.random() < 0.3:
            self._note("one window more")
            window = self.windows.make()
            window.show()
        path = self.chance.choice(self.logs)
        self._note(f"open {path.name}")
        window.asks = False
        window.open_path(path)

    def _resize(self, window: MainWindow) -> None:
        size = self.chance.choice([(640, 480), (1280, 800), (1920, 1080), (300, 200), (1000, 2000)])
        self._note(f"resize {size}")
        self._top(window).resize(*size)

    def _wait(self, window: MainWindow) -> None:
        self._note("wait")
        QTest.qWait(self.chance.choice([1, 20, 120]))

    def _dismiss(self, window: MainWindow) -> None:
        """Close what lies over the windows, so that they get input again."""
        self._note("dismiss")
        top = self._top(window)
        if not isinstance(top, MainWindow):
            QTest.keyClick(top, Qt.Key.Key_Escape)

    def _answer_soon(self) -> None:
        """Look again a little later whether a step waits for an answer.

        With a timer of its own each time: Qt does not send the timeout of a timer again while an earlier one
        is still being handled, and an answer may itself open a dialog that waits for the next answer.
        """
        if self._answers:
            QTimer.singleShot(PATIENCE_MS, self, self._answer)

    @Slot()
    def _answer(self) -> None:
        """A step waits for an answer of its own: type something, choose, or leave."""
        self._answer_soon()
        if not self._busy:
            return
        popup, modal = QApplication.activePopupWidget(), QApplication.activeModalWidget()
        over = popup or modal
        if over is None or not isValid(over):
            return
        self._note(f"answer {_name(over)}")
        if isinstance(over, QFileDialog):
            over.reject()
        elif isinstance(over, QMenu):
            self._choose_in(over)
        elif isinstance(over, QDialog) and self.chance.random() < 0.5:
            for line in over.findChildren(QLineEdit)[:1]:
                line.setText(self.chance.choice(TEXTS))
            QTest.keyClick(over, Qt.Key.Key_Return)
        else:
            over.close()

    def _choose_in(self, menu: QMenu) -> None:
        actions: list[QAction] = [a for a in menu.actions() if a.isEnabled() and not a.isSeparator()]
        if actions and self.chance.random() < 0.7:
            action = self.chance.choice(actions)
            self._note(f"in the menu: {action.text()}")
            if not any(action.text().replace("&", "").startswith(end) for end in ENDS):
                QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())
        if _alive(menu) and menu.isVisible():
            menu.close()

    @Slot(QUrl)
    def open_nothing(self, url: QUrl) -> None:
        """Links and folders are not opened in other programs."""


def _alive(widget: QWidget) -> bool:
    """Whether it is still there and seen."""
    return isValid(widget) and widget.isVisible()


def _name(widget: QWidget) -> str:
    """What a widget is, and in what."""
    parts: list[str] = []
    part: QWidget | None = widget
    while part is not None and isValid(part) and not isinstance(part, MainWindow) and len(parts) < 4:
        parts.append(f"{type(part).__name__}{f'({part.objectName()})' if part.objectName() else ''}")
        part = part.parentWidget()
    return " in ".join(parts) or type(widget).__name__


def main() -> int:
    """Status 1 where anything went wrong, and what, on standard error."""
    parser = argparse.ArgumentParser()
    parser.add_argument("log", type=Path, nargs="+")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--events", type=int, default=1 << 62)
    options = parser.parse_args()
    faulthandler.enable()
    faulthandler.dump_traceback_later(options.seconds + GRACE_S, exit=True)
    tune_process()
    app = QApplication(sys.argv[:1])
    faults = Faults()
    threads = set(threading.enumerate())
    with tempfile.TemporaryDirectory() as home:
        for kind in ("CONFIG", "DATA", "STATE"):
            os.environ[f"XDG_{kind}_HOME"] = str(Path(home) / kind.lower())
        hand = Hand(options.log, options.seed, faults, options.events)
        for scheme in ("file", "http", "https"):
            QDesktopServices.setUrlHandler(scheme, hand, "open_nothing")
        hand.go_on(options.seconds)
        print(f"{hand.events.count} events", flush=True)
        hand.end()
    left = {type(widget).__name__ for widget in app.topLevelWidgets()}
    if left:
        faults.faults.append(f"widgets left: {left}")
    for thread in set(threading.enumerate()) - threads:
        if not isinstance(thread, threading._DummyThread):  # those are Qt's
            faults.faults.append(f"a thread left: {thread}")
    if faults.faults:
        print("\n".join(faults.faults), file=sys.stderr)
    return 1 if faults.faults else 0


if __name__ == "__main__":
    sys.exit(main())
