"""Drags a slider of a policy in the window, and prints what was measured as JSON."""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.settings import Settings
from app.window import MainWindow
from tests.app.sliders import Painted, drag, gaps

DRAG_S = 5.0
STEPS = 20
PATIENCE_S = 120.0
STEP_S = 5.0
"""A step that changes nothing that is seen is not counted after so long."""


def main(path: Path, policy: str, key: str) -> dict[str, float]:
    _app = QApplication(sys.argv[:1])
    window = MainWindow(Settings(theme="light", policies=["easy", policy]), keep_settings=False)
    window.resize(1280, 800)
    window.show()
    window.open_path(path)
    window.wait_until_drawn(PATIENCE_S)
    window.explore.choose(2)
    field = window.explore.fields[key]
    if field.on is not None and not field.on.isChecked():
        field.on.click()
    window.wait_until_drawn(PATIENCE_S)
    (slider,) = (number.slider for number in field.numbers.values() if not number.isHidden())
    chart = window.page.panels[2].gantt
    gantt = Painted(chart, chart.frame().plot.toRect())
    boxes = Painted(window.page.boxplots.charts[2])

    def until(there: Callable[[], bool], began: float) -> list[float]:
        """Milliseconds since it began; empty where nothing came of it."""
        while not there() and time.perf_counter() - began < STEP_S:
            QTest.qWait(1)  # not in a loop of its own, which would keep the workers from their turn
            if time.perf_counter() - began > 0.05 and not (
                window.workbench.busy or window.page.busy or window.renderer.busy
            ):
                break
        return [1000 * (time.perf_counter() - began)] if there() else []

    drag(slider, 1.0)  # whatever is done for the first time
    window.wait_until_drawn(PATIENCE_S)
    began, drawn, judged = time.perf_counter(), gantt.different, boxes.different
    with gaps() as held:
        drag(slider, DRAG_S)
    took = time.perf_counter() - began
    drawn, judged = gantt.different - drawn, boxes.different - judged
    window.wait_until_drawn(PATIENCE_S)
    to_gantt: list[float] = []
    to_boxes: list[float] = []
    for step in range(STEPS):
        drawn_before, judged_before = gantt.different, boxes.different
        stepped = time.perf_counter()
        QTest.keyClick(slider, Qt.Key.Key_PageUp if step % 2 else Qt.Key.Key_PageDown)
        to_gantt += until(lambda seen=drawn_before: gantt.different > seen, stepped)  # type: ignore[misc]
        to_boxes += until(lambda seen=judged_before: boxes.different > seen, stepped)  # type: ignore[misc]
        window.wait_until_drawn(PATIENCE_S)
    window.close()
    return {
        "schedules_painted_a_second": round(drawn / took, 1),
        "box_plots_painted_a_second": round(judged / took, 1),
        "longest_gap_ms": round(1000 * max(held), 1),
        "gaps_over_50_ms": sum(gap > 0.05 for gap in held),
        "step_to_gantt_median_ms": round(statistics.median(to_gantt), 1),
        "step_to_gantt_worst_ms": round(max(to_gantt), 1),
        "step_to_boxes_median_ms": round(statistics.median(to_boxes), 1),
    }


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])))
