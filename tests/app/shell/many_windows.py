"""Opens and closes windows, one after another, in every state of their work.

`python -m tests.app.shell.many_windows LOG`: a program of its own, since what it looks for would end
the tests themselves.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from app.cli.start import quiet_platform
from app.model.settings import Settings
from app.shell.window import MainWindow
from app.shell.windows import Windows
from app.work.process import tune_process

WINDOWS = 7
STATES = 5


def until(ready: Callable[[], bool]) -> None:
    """Let the window work until then."""
    deadline = time.monotonic() + 60
    while not ready():
        if time.monotonic() > deadline:
            raise TimeoutError("the window never came so far")
        QCoreApplication.processEvents()
        time.sleep(0.001)


def work(window: MainWindow, state: int) -> None:
    """Bring the work of a window to a state in which it is closed."""
    workbench = window.workbench
    if state == 0:
        return  # the trace is being read
    until(lambda: workbench.is_open)
    if state == 1:
        return  # the first run has just begun
    until(lambda: bool(workbench.open_study.drawn))
    if state == 2:
        return  # some runs are done, others under way
    window.wait_until_drawn(60)
    if state == 3:
        window.clock.set_window(100_000, 120_000)  # pictures are being drawn
        window.selection.select_user(2)
        QCoreApplication.processEvents()
        for run in list(window.page.runs.panels):
            workbench.start_run(run)
    if state == 4:
        window.editor.add()  # a dialog is open
        QCoreApplication.processEvents()


def together(log: Path) -> None:
    """Several windows of one program, each with other work under way, are closed at once."""
    windows = Windows(Settings(theme="light"))
    for _ in range(STATES):
        window = windows.make()
        window.show()
        window.open_path(log)
    for state, window in enumerate(list(windows.open)):
        work(window, state)
    windows.close_all()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    QApplication.processEvents()
    assert not windows.open


def main() -> int:
    tune_process()
    app = QApplication(sys.argv[:1])
    for number in range(WINDOWS):
        window = MainWindow(Settings(theme="dark" if number % 2 else "light"), keep_settings=False)
        window.resize(1200, 800)
        window.show()
        window.open_path(Path(sys.argv[1]))
        work(window, number % 6)
        window.close()
        window.deleteLater()
        # `deleteLater` only deletes in an event loop, which there is none of here.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        app.processEvents()
    together(Path(sys.argv[1]))
    # A widget that is left has an owner that should have died with its window.
    left = {type(widget).__name__ for widget in app.topLevelWidgets()}
    assert not left, left
    return 0


if __name__ == "__main__":
    with quiet_platform():
        sys.exit(main())
