"""Opens a trace in the window and measures how soon it answers: what is found, tabs, charts alone.

Prints as JSON the fewest ms from the key until all that it changed is drawn, and those that were computed.
"""

import json
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.model.finding import find
from app.model.settings import Settings
from app.shell.window import MainWindow
from app.work.process import tune_process
from tests.benchmarks.window_under_load import settle

NO_KEY = Qt.KeyboardModifier.NoModifier
ROUNDS = 7
ACTS = (
    ("tabs", Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier),
    ("alone", Qt.Key.Key_C, NO_KEY),
    ("solo", Qt.Key.Key_O, NO_KEY),
)
TYPED = ("12", "123456", "user 1", "2011-06", "3 weeks in", "easy")


def main(path: Path) -> dict[str, float]:
    tune_process()
    app = QApplication(sys.argv[:1])
    window = MainWindow(Settings(theme="light"), keep_settings=False)
    window.resize(1280, 800)
    window.show()
    window.activateWindow()
    app.processEvents()
    window.open_path(path)
    settle(window)
    window.setFocus()
    answers = {"find_ms": 1000 * max(found(window, typed) for typed in TYPED)}
    for name, key, keys in ACTS:
        for way, (wall, cpu) in zip(("there", "back"), there_and_back(window, key, keys), strict=True):
            answers |= {f"{name}_{way}_ms": wall, f"{name}_{way}_cpu_ms": cpu}
    window.close()
    return {name: round(value, 1) for name, value in answers.items()}


def found(window: MainWindow, typed: str) -> float:
    """The seconds that an answer takes, at best."""
    study = window.workbench.study
    took = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        find(typed, study, window.clock.bounds)
        took.append(time.perf_counter() - begin)
    return min(took)


def there_and_back(window: MainWindow, key: Qt.Key, keys: Qt.KeyboardModifier) -> list[tuple[float, float]]:
    """The ms from a key until all is drawn, and those of the window's thread, at best; both ways."""
    took: list[list[tuple[float, float]]] = [[], []]
    for turn in range(2 * ROUNDS):
        began, computed = time.perf_counter(), time.thread_time()
        QTest.keyClick(window, key, keys)
        wall = settle(window) - began
        took[turn % 2].append((1000 * wall, 1000 * (time.thread_time() - computed)))
    return [(min(wall for wall, _ in took_once), min(cpu for _, cpu in took_once)) for took_once in took]


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
    os._exit(0)  # nothing of it is to be kept
