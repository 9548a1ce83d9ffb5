"""Types the numbers of a formula into the window, key by key, and prints what was measured as JSON."""

import json
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea

from app.model.settings import Settings
from app.panels.policies.formula_line import FormulaLine
from app.shell.window import MainWindow
from app.work.process import tune_process
from tests.app.panels.sliders import Painted
from tests.benchmarks.window_while_dragged import PATIENCE_S, medians, settle
from tests.gaps import gaps

FORMULA = (
    ("wait^", "1.25"),
    (" * procs^", "0.375"),
    (" + walltime * ", "1234"),
    (" - wait * ", "98.5"),
    (" + procs * ", "30750"),
)
"""What the list of completions puts in at once, and the numbers after it, whose keys are timed.

Names that are half written are no formulas: their keys would time nothing but the message that says so.
"""


def main(path: Path) -> dict[str, float]:
    """From a key to the schedule it asks for, painted; keys that make no formula do not count."""
    tune_process()
    _app = QApplication(sys.argv[:1])
    window = MainWindow(Settings(theme="light", policies=["easy", "easy:score=wait"]), keep_settings=False)
    window.resize(1280, 800)
    window.show()
    window.open_path(path)
    window.wait_until_drawn(PATIENCE_S)
    window.run_list.picked.emit(2)
    window.page.tabs.fold.click()
    line = window.explore.fields["score"].free
    assert isinstance(line, FormulaLine)
    window.explore.findChildren(QScrollArea)[0].ensureWidgetVisible(line)
    window.wait_until_drawn(PATIENCE_S)
    chart, boxes = window.page.runs.panels[2].gantt, window.page.views["boxplots"].charts[2]
    painted = Painted(chart, chart.frame().plot.toRect()), Painted(boxes)
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, "procs")  # whatever is done for the first time
    settle(window)
    line.selectAll()
    steps, errors = [], 0
    with gaps() as held:
        for names, number in FORMULA:
            line.insert(names)
            for letter in number:
                steps.append(time.perf_counter())
                QTest.keyClicks(line, letter)
                settle(window)
                errors += line.problem is not None
    to_gantt, to_boxes = medians(steps, *painted)
    window.close()
    return {
        "keys": len(steps),
        "errors": errors,
        "longest_gap_ms": round(1000 * max(held), 1),
        "key_to_gantt_median_ms": to_gantt,
        "key_to_boxes_median_ms": to_boxes,
    }


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
