"""Clicks, types, drags and chooses at random in real windows that share a process, and reports faults.

`python -m tests.app.cli.random_input LOG ... [--seed N] [--steps N] [--replay FILE]`: a program of its own,
since what it looks for would end the tests themselves. The windows open the logs and sessions in turn. Every
step is printed on standard output before it is made, as `--replay` takes it; `shorten_input` leaves out what
a failure does not need. A step whose target is not there is passed over. Nothing on standard error and status
0: no fault. A run that does not end within `--limit` seconds prints the stacks of all threads and exits.
Settings and autosaves lie in a folder that is removed afterwards.
"""

import argparse
import faulthandler
import os
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QEventLoop,
    QObject,
    QPoint,
    QPointF,
    Qt,
    QThread,
    QTimer,
    QUrl,
    Slot,
)
from PySide6.QtGui import QDesktopServices, QKeyEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFileDialog,
    QLineEdit,
    QMenu,
    QWidget,
)
from shiboken6 import isValid

from app.actions.menu_tree import entries
from app.model.settings import Settings
from app.shell.window import MainWindow
from app.shell.windows import Windows
from app.work.process import tune_process
from tests.app.cli.faults import Faults
from tests.app.cli.random_steps import (
    DIALOG,
    ENDS,
    FOCUS,
    OVER,
    WHATEVER,
    Step,
    random_steps,
    read_steps,
)
from tests.app.cli.targets import is_a, is_alive, leave, name_of, over_all, place_in, title_of

LEFT = Qt.MouseButton.LeftButton
PATIENCE_MS = 5
"""After which is looked again whether a step that handles events waits for an answer."""

ENDING_S = 30.0
"""For a thread to end whose work was cancelled when the windows closed, which does not wait for it."""

DRAWN_S = 120.0
MOST_WINDOWS = 2
STRIDE = 25
"""Pixels between two events of a mouse that moves, at most."""


class Hand(QObject):
    """Steps one after another, made in whatever is open."""

    def __init__(self, logs: Sequence[Path], faults: Faults) -> None:
        super().__init__()
        self.logs, self.faults = logs, faults
        self.windows = Windows(Settings(theme="light"))
        self.made = self.turn = 0
        self._steps: list[Step] = []
        self._number = 0  # of steps that were made or passed over
        self._depth = 0  # of steps that have opened an event loop of their own
        self._done = self._making = False
        self._loop = QEventLoop(self)
        self._kept: QWidget | None = None
        self._acts: dict[str, Callable[[Step, MainWindow], bool]] = {
            **{"click": self._click, "double click": self._click, "key": self._key, "type": self._type},
            **{"drag": self._drag, "wheel": self._wheel, "hover": self._hover, "resize": self._resize},
            **{"action": self._choose, "entry": self._choose_entry, "run": self._run, "wait": self._wait},
            **{"answer": self._answer, "dismiss": self._dismiss, "open": self._open},
            **{"another window": self._open_another},
        }

    def actions(self) -> list[str]:
        """The names of all actions of a window in which the first log is drawn, as steps name them."""
        window = self._a_window()
        window.wait_until_drawn(DRAWN_S)
        return sorted({title_of(entry) for entry in entries(window.menuBar())})

    def make(self, steps: Sequence[Step]) -> None:
        """Make the steps, until they are used up or something went wrong."""
        self._steps, self._number, self._done = list(steps), 0, False
        QTimer.singleShot(0, self, self._go_on)
        self._making = True
        while not self._done:  # an action may quit the program, and with it the loop
            self._loop.exec()
        self._making = False

    @Slot()
    def _go_on(self) -> None:
        """Make the next step, from within the event loop, where the user's come from too.

        The step after it is made in the event loop that it opens, if it opens a dialog that waits for an
        answer. Each has a timer of its own: Qt does not send the timeout of a timer again while an earlier
        timeout is still being handled.
        """
        if not self._making:
            return
        over = over_all()
        if self._depth and over is None:  # a step handles events, and asks nothing
            QTimer.singleShot(PATIENCE_MS, self, self._go_on)
            return
        if self._number == len(self._steps) or self.faults.faults:
            self._end_loops(over)
            return
        step, self._number = self._steps[self._number], self._number + 1
        QTimer.singleShot(0, self, self._go_on)
        self._depth += 1
        try:
            self._note(step.written())
            window = self._window(step)
            if window is not None and self._acts[step.act](step, window):
                self.made += 1
            else:
                print("   passed over", flush=True)
        finally:
            self._depth -= 1

    def _end_loops(self, over: QWidget | None) -> None:
        """Close what waits for an answer, one after the other, and then leave the loop of all steps.

        It may be asked by a task that was delivered between two steps, which no step waits for: the loop of
        all steps goes on only when that question is answered.
        """
        QTimer.singleShot(PATIENCE_MS, self, self._go_on)  # what is delivered until it ends may ask too
        if self._depth or QThread.currentThread().loopLevel() > 1:
            if over is not None:
                leave(over)
        else:
            self._done = True
            self._loop.quit()

    def end(self) -> None:
        """Close everything, in the midst of what it does."""
        self.windows.close_all()
        while (popup := QApplication.activePopupWidget()) is not None:
            popup.close()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QApplication.processEvents()

    def _window(self, step: Step) -> MainWindow | None:
        """The window that the step names; a new one where all were closed."""
        for surplus in self.windows.open[MOST_WINDOWS:]:
            self.windows.open.remove(surplus)
            surplus.asks = False
            surplus.close()
            surplus.deleteLater()
        if not self.windows.open:
            self._a_window()
        for window in self.windows.open:
            if not window.property("watched"):
                window.setProperty("watched", True)
                self.faults.watch(window)
        return self.windows.open[step.window] if step.window < len(self.windows.open) else None

    def _a_window(self) -> MainWindow:
        """A new window, in which the next log is opened."""
        window = self.windows.make()
        window.show()
        window.open_path(self.logs[self.turn % len(self.logs)])
        self.turn += 1
        return window

    def _note(self, text: str) -> None:
        print(f"{self._number} {text}", flush=True)  # a crash leaves no time for it later

    def _top(self, step: Step, window: MainWindow) -> QWidget | None:
        """Where the step looks for its target, if that takes input now."""
        over = over_all()
        if step.where != OVER and over is not None and over is QApplication.activePopupWidget():
            over.close()  # as a click beside it does
            over = over_all()
        if over is not None or step.where == OVER:
            self._kept = over  # PySide gives up the wrappers of its children when it is let go
            return over if step.where == OVER else None
        if step.where == DIALOG:
            return next((dialog for dialog in window.findChildren(QDialog) if dialog.isVisible()), None)
        return window

    def _target(self, step: Step, window: MainWindow) -> tuple[QWidget, QPoint] | None:
        """The widget that the step names, and the first of its spots there; None: it is not there."""
        top = self._top(step, window)
        if isinstance(top, QFileDialog):
            top.reject()  # no file is written, and no folder outside is looked into
            return None
        if top is None:
            return None
        if step.kind == FOCUS:
            focus = QApplication.focusWidget() or top
            return (focus, place_in(focus, step.spots[0])) if isValid(focus) else None
        if step.kind == WHATEVER:
            position = place_in(top, step.spots[0])
            child = top.childAt(position)
            return (
                (top, position)
                if child is None or not isValid(child)
                else (child, child.mapFrom(top, position))
            )
        same = [child for child in top.findChildren(QWidget) if is_a(child, step.kind) and child.isVisible()]
        if step.place >= len(same):
            return None
        widget = same[step.place]
        print(f"   {name_of(widget)}", flush=True)
        return widget, place_in(widget, step.spots[0])

    def _click(self, step: Step, window: MainWindow) -> bool:
        target = self._target(step, window)
        if target is None:
            return False
        widget, position = target
        click = QTest.mouseDClick if step.act == "double click" else QTest.mouseClick
        click(widget, Qt.MouseButton[step.button], Qt.KeyboardModifier[step.modifier], position)
        return True

    def _key(self, step: Step, window: MainWindow) -> bool:
        target = self._target(step, window)
        if target is None or (step.value, step.modifier) == ("W", "ControlModifier"):
            return False  # that closes the window, which actions do often enough
        key, modifier = Qt.Key[f"Key_{step.value}"], Qt.KeyboardModifier[step.modifier]
        for _ in range(step.times):  # a key that is held repeats itself
            if is_alive(target[0]):
                QTest.keyClick(target[0], key, modifier)
        return True

    def _type(self, step: Step, window: MainWindow) -> bool:
        target = self._target(step, window)
        if target is None or not isinstance(target[0], QLineEdit) or not target[0].isEnabled():
            return False
        line = target[0]
        line.setFocus()
        line.selectAll()
        for letter in step.value:  # QTest knows only ASCII
            press = QKeyEvent(QEvent.Type.KeyPress, 0, Qt.KeyboardModifier.NoModifier, letter)
            QApplication.sendEvent(line, press)
        if step.times > 1 and is_alive(line):
            QTest.keyClick(line, Qt.Key.Key_Return)
        return True

    def _drag(self, step: Step, window: MainWindow) -> bool:
        target = self._target(step, window)
        if target is None:
            return False
        widget, position = target
        modifier = Qt.KeyboardModifier[step.modifier]
        QTest.mousePress(widget, LEFT, modifier, position)
        for number, spot in enumerate(step.spots[1:]):
            # What was pressed may close or delete the widget that is dragged on.
            if not is_alive(widget):
                return True
            position = place_in(widget, spot)
            QTest.mouseMove(widget, position)
            # Events in between: charts answer to a drag as they do to a hand.
            if number % 5 == 4:
                QCoreApplication.processEvents()
        if is_alive(widget):
            QTest.mouseRelease(widget, LEFT, modifier, position)
        return True

    def _wheel(self, step: Step, window: MainWindow) -> bool:
        target = self._target(step, window)
        if target is None:
            return False
        widget, position = target
        event = QWheelEvent(
            QPointF(position),
            QPointF(widget.mapToGlobal(position)),
            QPoint(),
            QPoint(0, int(step.value)),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier[step.modifier],
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        # A turn may close what is under the mouse, such as a popup: Qt then deletes the widget between two
        # turns.
        for _ in range(step.times):
            if is_alive(widget):
                QApplication.sendEvent(widget, event)
        return True

    def _hover(self, step: Step, window: MainWindow) -> bool:
        """Move the mouse along a path of small steps, over whatever lies there."""
        top = self._top(step, window)
        if top is None:
            return False
        position = place_in(top, step.spots[0])
        for spot in step.spots[1:]:
            child = top.childAt(position)
            if child is not None and isValid(child):
                QTest.mouseMove(child, child.mapFrom(top, position))
            if not is_alive(top):  # what the mouse came over may close it
                break
            x, y = (round(STRIDE * (2 * share - 1)) for share in spot)
            position = QPoint(
                min(max(position.x() + x, 0), top.width() - 1),
                min(max(position.y() + y, 0), top.height() - 1),
            )
        return True

    def _choose(self, step: Step, window: MainWindow) -> bool:
        """An action of any menu, as the command palette does it."""
        if over_all() is not None:
            return False
        entry = next((entry for entry in entries(window.menuBar()) if title_of(entry) == step.value), None)
        if entry is None or not entry.action.isEnabled():
            return False
        entry.action.trigger()
        return True

    def _choose_entry(self, step: Step, window: MainWindow) -> bool:
        """An entry of a menu that is open."""
        menu = over_all()
        if not isinstance(menu, QMenu):
            return False
        self._kept = menu
        actions = [action for action in menu.actions() if action.isEnabled() and not action.isSeparator()]
        if step.place < len(actions):
            action = actions[step.place]
            print(f"   {action.text()}", flush=True)
            if not action.text().replace("&", "").startswith(ENDS):
                QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())
        if is_alive(menu):
            menu.close()
        return True

    def _run(self, step: Step, window: MainWindow) -> bool:
        """Simulate a run anew, stop or remove one, or undo or redo an edit."""
        workbench = window.workbench
        runs = workbench.study.runs
        if step.place >= len(runs) or (step.value == "remove" and len(runs) < 3):
            return False
        act = {"start": workbench.start_run, "cancel": workbench.cancel_run, "remove": workbench.remove_run}
        if step.value in act:
            act[step.value](runs[step.place].id)
        else:
            getattr(workbench.edits, step.value)()
        return True

    def _open(self, step: Step, window: MainWindow) -> bool:
        """Open another log or session, sometimes before the last one is there."""
        if over_all() is not None:
            return False
        window.asks = False
        window.open_path(self.logs[step.place])
        return True

    def _open_another(self, step: Step, window: MainWindow) -> bool:
        """Open one window more, beside the others."""
        if over_all() is not None or len(self.windows.open) >= MOST_WINDOWS:
            return False
        self._a_window()
        return True

    def _resize(self, step: Step, window: MainWindow) -> bool:
        top = self._top(step, window)
        if top is not None:
            width, height = step.value.split("x")
            top.resize(int(width), int(height))
        return top is not None

    def _wait(self, step: Step, window: MainWindow) -> bool:
        QTest.qWait(int(step.value))
        return True

    def _answer(self, step: Step, window: MainWindow) -> bool:
        """Type something into a dialog that waits for it, and accept it."""
        over = over_all()
        if not isinstance(over, QDialog) or isinstance(over, QFileDialog):
            return False
        self._kept = over
        for line in over.findChildren(QLineEdit)[:1]:
            line.setText(step.value)
        QTest.keyClick(over, Qt.Key.Key_Return)
        return True

    def _dismiss(self, step: Step, window: MainWindow) -> bool:
        """Close what lies over the windows, so that they get input again."""
        top = over_all() or self._top(step, window)
        if top is None or isinstance(top, MainWindow):
            return False
        self._kept = top
        leave(top)
        return True

    @Slot(QUrl)
    def open_nothing(self, url: QUrl) -> None:
        """Links and folders are not opened in other programs."""


def main() -> int:
    """Status 1 where anything went wrong, and what, on standard error."""
    parser = argparse.ArgumentParser()
    parser.add_argument("log", type=Path, nargs="+")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--replay", type=Path, help="a file with the steps, such as the output of a run")
    parser.add_argument("--limit", type=float, default=240.0, help="seconds")
    options = parser.parse_args()
    faulthandler.enable()
    faulthandler.dump_traceback_later(options.limit, exit=True)
    tune_process()
    app = QApplication(sys.argv[:1])
    faults = Faults()
    faults.listen()
    threads = set(threading.enumerate())
    with tempfile.TemporaryDirectory() as home:
        for kind in ("CONFIG", "DATA", "STATE"):
            os.environ[f"XDG_{kind}_HOME"] = str(Path(home) / kind.lower())
        hand = Hand(options.log, faults)
        for scheme in ("file", "http", "https"):
            QDesktopServices.setUrlHandler(scheme, hand, "open_nothing")
        actions = hand.actions()
        if options.replay is not None:
            steps = read_steps(options.replay.read_text(encoding="utf-8"))
        else:
            steps = random_steps(options.seed, options.steps, actions, len(options.log))
        hand.make(steps)
        print(f"{hand.made} of {len(steps)} steps made", flush=True)
        hand.end()
    left = {type(widget).__name__ for widget in app.topLevelWidgets()}
    if left:
        faults.faults.append(f"widgets left: {left}")
    for thread in set(threading.enumerate()) - threads:
        if isinstance(thread, threading._DummyThread):  # those are Qt's
            continue
        thread.join(ENDING_S)
        if thread.is_alive():
            faults.faults.append(f"a thread left: {thread}")
    if faults.faults:
        print("\n".join(faults.faults), file=sys.stderr)
    return 1 if faults.faults else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception:
        traceback.print_exc()  # the hook of `Faults` would keep it to itself
        sys.exit(1)
