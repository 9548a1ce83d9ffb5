"""The line between charts and tabs: a fraction of the height, at which both parts can be used."""

import pytest
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.panels.charts.chart_splitter import ChartSplitter
from app.panels.charts.folding_tabs import FoldingTabs


@pytest.fixture
def window(qtbot: QtBot) -> tuple[QWidget, ChartSplitter, FoldingTabs]:
    """A window with tabs that are folded away, not shown yet."""
    window = QWidget()
    qtbot.addWidget(window)
    tabs = FoldingTabs(window)
    for name in ("one", "two"):
        tabs.addTab(QLabel(name), name)
    tabs.set_open(False)
    splitter = ChartSplitter(QWidget(window), tabs, window)
    QVBoxLayout(window).addWidget(splitter)
    return window, splitter, tabs


def test_tabs_that_open_before_the_window_is_laid_out_are_whole(
    window: tuple[QWidget, ChartSplitter, FoldingTabs],
) -> None:
    """As at a start after tabs were open, while no height had ever been chosen."""
    widget, splitter, tabs = window
    splitter.set_heights([])
    splitter.open_tabs(True)  # while it is a few pixels high
    widget.resize(800, 700)
    widget.show()
    charts, pages = splitter.sizes()
    assert pages > tabs.folded_height + 100
    assert pages / (charts + pages) == pytest.approx(0.4, abs=0.02)


def test_the_line_keeps_its_fraction_on_another_screen(
    window: tuple[QWidget, ChartSplitter, FoldingTabs],
) -> None:
    widget, splitter, _ = window
    widget.resize(1900, 1000)
    widget.show()
    splitter.open_tabs(True)
    splitter.setSizes([300, splitter.height() - 300])
    splitter.splitterMoved.emit(300, 1)
    share = splitter.sizes()[1] / sum(splitter.sizes())
    kept = splitter.heights
    for height in (600, 400, 1000):
        widget.resize(1200, height)
        charts, pages = splitter.sizes()
        assert pages / (charts + pages) == pytest.approx(share, abs=0.03), height
    # What a large screen has stored is a ratio on a small one, and leaves room for the charts.
    widget.resize(1200, 500)
    for stored in (kept, [10, 1000], [5000, 3000], [0, 0]):
        splitter.set_heights(stored)
        charts, pages = splitter.sizes()
        assert charts >= 110, stored
        assert pages >= 60, stored
