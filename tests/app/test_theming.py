from __future__ import annotations

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from app.window import MainWindow
from tests.app.windows import settle
from views.style import DARK, LIGHT, Theme


def colours(widget: QWidget, area: QRect) -> set[str]:
    image = widget.grab(area).toImage()
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


def wears(window: MainWindow, theme: Theme) -> bool:
    """Whether a chart, and parts that only the stylesheet colours, have those of the theme."""
    chart = window.page.panels[1].gantt
    handle = window.page.splitter.handle(1)
    seen = colours(handle, handle.rect())
    return QColor(theme.border).name() in seen and theme.window in colours(chart, chart.rect())


@pytest.mark.parametrize("names", [["dark"], ["dark", "light"], ["dark", "light", "dark"]])
def test_a_theme_is_seen_in_charts_and_in_widgets(window: MainWindow, names: list[str]) -> None:
    for name in names:
        window.set_theme(name)  # type: ignore[arg-type]
    settle(window)
    last = {"light": LIGHT, "dark": DARK}[names[-1]]
    assert window.theme is last
    assert window.updatesEnabled()
    assert wears(window, last)
    window.set_theme("light")
    settle(window)
    assert wears(window, LIGHT)
