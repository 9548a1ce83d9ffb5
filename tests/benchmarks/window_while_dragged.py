"""Drags a slider of a policy in the window, and prints what was measured as JSON."""

import json
import os
import statistics
import sys
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.model.settings import Settings
from app.shell.window import MainWindow
from app.work.process import tune_process
from tests.app.panels.sliders import Painted, drag
from tests.gaps import gaps

DRAG_S = 5.0
STEPS = 20
PATIENCE_S = 120.0
LOOK_MS = 25
"""So often it is looked whether the window has come to rest."""


def settle(window: MainWindow) -> None:
    """Let the window work as in use, in an event loop: one that polls would hold its workers up."""
    loop, looks, still = QEventLoop(), QTimer(), 0

    def look() -> None:
        nonlocal still
        still = 0 if window.workbench.busy or window.page.busy or window.executor.busy else still + 1
        if still > 1:
            loop.quit()

    looks.timeout.connect(look)
    looks.start(LOOK_MS)
    loop.exec()
    looks.stop()


def medians(steps: list[float], *painted: Painted, first: bool = False) -> list[float]:
    """Of each the milliseconds from a step to what it shows at last, or `first`: a part of the jobs in view.

    Steps that change nothing do not count.
    """
    ends = [*steps[1:], time.perf_counter()]
    found = []
    for moment in painted:
        changes = [moment.changes(*step) for step in zip(steps, ends, strict=True)]
        shown = [of_step[:1] if first else of_step[-1:] for of_step in changes]
        times = [1000 * (when - step) for step, of_step in zip(steps, shown, strict=True) for when in of_step]
        found.append(round(statistics.median(times), 1))
    return found


def main(path: Path, policy: str, key: str) -> dict[str, float]:
    tune_process()
    _app = QApplication(sys.argv[:1])
    window = MainWindow(Settings(theme="light", policies=["easy", policy]), keep_settings=False)
    window.resize(1280, 800)
    window.show()
    window.open_path(path)
    window.wait_until_drawn(PATIENCE_S)
    window.run_list.picked.emit(2)
    window.page.tabs.fold.click()  # the box-plots are below the charts
    field = window.explore.fields[key]
    if field.on is not None and not field.on.isChecked():
        field.on.click()
    window.wait_until_drawn(PATIENCE_S)
    (slider,) = (number.slider for number in field.numbers.values() if not number.isHidden())
    chart = window.page.runs.panels[2].gantt
    heatmap = window.page.runs.panels[2].heatmap
    gantt, boxes = (
        Painted(chart, chart.frame().plot.toRect()),
        Painted(window.page.views["boxplots"].charts[2]),
    )
    counts = Painted(heatmap, heatmap.frame().plot.toRect())

    drag(slider, 1.0)  # whatever is done for the first time
    settle(window)
    began = time.perf_counter()
    with gaps() as held:
        drag(slider, DRAG_S)
    took = time.perf_counter() - began
    drawn, judged = len(gantt.changes(began)), len(boxes.changes(began))
    settle(window)
    steps = []
    for step in range(STEPS):
        steps.append(time.perf_counter())
        QTest.keyClick(slider, Qt.Key.Key_PageUp if step % 2 else Qt.Key.Key_PageDown)
        settle(window)
    to_gantt, to_boxes, to_counts = medians(steps, gantt, boxes, counts)
    (to_part,) = medians(steps, gantt, first=True)
    window.close()
    return {
        "schedules_painted_a_second": round(drawn / took, 1),
        "box_plots_painted_a_second": round(judged / took, 1),
        "longest_gap_ms": round(1000 * max(held), 1),
        "gaps_over_50_ms": sum(gap > 0.05 for gap in held),
        "step_to_part_median_ms": to_part,
        "step_to_gantt_median_ms": to_gantt,
        "step_to_boxes_median_ms": to_boxes,
        "step_to_heatmap_median_ms": to_counts,
    }


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])))
