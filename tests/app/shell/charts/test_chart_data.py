"""The data of the chart that has the keys, as a table one key away."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.panels.data_dialog import DataDialog
from app.shell.window import MainWindow
from tests.app.windows import EASY, panel, schedule_of, settle, show_tab, trace_of
from views.catalog import ALL
from views.data.view_options import ShownCharts
from views.plotting.widget import PlotWidget

KEYS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def data_of(qtbot: QtBot, window: MainWindow, chart: QWidget) -> tuple[DataDialog, dict[str, list[object]]]:
    """What the key opens on a chart, closed again."""
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    chart.setFocus()
    qtbot.keyClick(chart, Qt.Key.Key_D, KEYS)
    settle(window)
    assert not window.messages.shown, window.messages.newest.whole
    (dialog,) = (each_dialog for each_dialog in window.findChildren(DataDialog) if each_dialog.isVisible())
    columns = {title: list(values) for title, values in dialog.model.columns}
    return dialog, columns


def test_the_jobs_of_a_gantt_chart(qtbot: QtBot, module_window: MainWindow) -> None:
    window = module_window
    window.view.choose(view=ALL)
    settle(window)
    dialog, columns = data_of(qtbot, window, panel(window, EASY).gantt)
    assert dialog.windowTitle() == "Data: Jobs of easy"
    schedule = schedule_of(window, EASY)
    assert columns["job_id"] == trace_of(window).job_id.tolist()
    assert columns["start"] == schedule.start.tolist()
    dialog.copy()
    lines = QGuiApplication.clipboard().text().split("\n")
    assert len(lines) == len(trace_of(window)) + 1
    assert lines[0].split("\t")[:3] == ["run", "job_id", "user"]
    dialog.close()


def test_the_use_of_a_strip(qtbot: QtBot, module_window: MainWindow) -> None:
    window = module_window
    window.view.choose(charts=ShownCharts(folds=False))
    settle(window)
    dialog, columns = data_of(qtbot, window, panel(window, EASY).cpu)
    assert dialog.summary.text() == panel(window, EASY).cpu.accessibleDescription() != ""
    schedule = schedule_of(window, EASY)
    rng = np.random.default_rng(1)
    for row in rng.integers(0, len(columns["time, s"]), 50).tolist():
        time = columns["time, s"][row]
        running = (schedule.start <= time) & (time < schedule.end) & schedule.ran
        assert columns["processors"][row] == schedule.procs[running].sum()
    dialog.close()


@pytest.mark.parametrize("tab", ["Distributions", "Timeline", "Scores", "Hours", "Waits"])
def test_the_data_of_a_page_of_plots(qtbot: QtBot, module_window: MainWindow, tab: str) -> None:
    window = module_window
    page = show_tab(qtbot, window, tab)
    chart = next(
        widget for widget in page.findChildren(QWidget) if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    )
    dialog, columns = data_of(qtbot, window, chart)
    assert len(columns) > 1
    assert dialog.model.rowCount() > 3
    assert dialog.model.index(0, 0).data() is not None
    dialog.close()
    QApplication.processEvents()


def test_a_chart_of_several_has_its_own_data_with_the_names_and_units_of_its_axes(
    qtbot: QtBot, module_window: MainWindow
) -> None:
    window = module_window
    page = show_tab(qtbot, window, "Distributions")
    settle(window)
    charts = [widget for widget in page.findChildren(PlotWidget) if widget.isVisible()]
    assert len(charts) > 1
    found = {}
    for chart in charts:
        dialog, columns = data_of(qtbot, window, chart)
        assert chart.plot is not None
        found[chart.plot.words.title] = columns
        assert "plot" not in columns
        dialog.close()
    (heading,) = (title for title in found["Mean wait"] if title.startswith("y"))
    assert heading == "y: Mean wait, s"
    assert "y: Mean bounded slowdown" in found["Mean bounded slowdown"]
