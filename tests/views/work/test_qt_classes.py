"""PySide makes a class of Qt when it is first needed; threads that paint must find all of theirs made."""

from __future__ import annotations

import subprocess
import sys

_SCRIPT = """
import threading
from PySide6 import QtCore, QtGui
from PySide6.QtWidgets import QApplication

app = QApplication([])

from tests.views.distribution.test_distribution import some_results, some_trace
from views.data.choices import Choices, read_choices
from views.distribution.panel import plot_of
from views.plotting.area import PlotArea
from views.plotting.prepared import prepare
from views.theme.theme import LIGHT

def made():
    return {name for module in (QtCore, QtGui) for name in vars(module)}

results, before = some_results(some_trace()), made()

def paint():
    for kind in ("box", "histogram", "cumulative"):
        source = lambda: plot_of(read_choices(Choices, f"wait user {kind} log all"), results)
        area = PlotArea(0, 0, 400, 300, (0, 1), (0, 1))
        prepare(kind, source, LIGHT, area, prepare(kind, source, LIGHT, area, None))

thread = threading.Thread(target=paint)
thread.start()
thread.join()
print(sorted(made() - before))
"""


def test_painting_in_a_thread_makes_no_class() -> None:
    script = [sys.executable, "-c", _SCRIPT]
    done = subprocess.run(script, capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "[]"
