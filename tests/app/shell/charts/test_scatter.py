"""The scatter and the curves over job sizes, among the other views."""

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from tests.app.windows import click, inspected, settle, show_tab, trace_of
from views.data.plot_choices import ScatterChoices, read_choices
from views.scatter.plots import ScatterPlot


@pytest.fixture
def window(same_window: MainWindow) -> MainWindow:
    """One for all tests of this file."""
    return same_window


def test_a_click_on_a_dot_of_the_scatter_picks_its_user(qtbot: QtBot, window: MainWindow) -> None:
    show_tab(qtbot, window, "Scatter")
    settle(window)
    chart = window.page.views["scatter"].chart
    assert isinstance(chart.plot, ScatterPlot)
    across, up = chart.plot.xs[0], chart.plot.ys[0]
    user = int(np.nanargmax(across))
    click(qtbot, chart, chart.area.spot(float(across[user]), float(up[user])))
    (picked,) = window.selection.value.users
    assert across[picked] == pytest.approx(across[user], rel=0.05)
    assert inspected(window).startswith(f"User {trace_of(window).user.names[picked]}")


def test_what_the_scatter_shows_is_kept(window: MainWindow) -> None:
    box = window.page.views["scatter"].choosers.boxes["over"]
    box.setCurrentIndex(box.findData("queue"))
    box.activated.emit(box.currentIndex())
    assert read_choices(ScatterChoices, window.settings.view.scatter).over == "queue"


def test_curves_over_job_sizes_show_every_run(qtbot: QtBot, window: MainWindow) -> None:
    show_tab(qtbot, window, "Sizes")
    settle(window)
    QApplication.processEvents()
    sizes = window.page.views["sizes"]
    for chart, curves in zip(sizes.charts, (1, 1, 4), strict=True):
        reading = chart.read(chart.area.rect.center())
        assert reading is not None
        assert len(reading.text.split("\n")) == 1 + curves
