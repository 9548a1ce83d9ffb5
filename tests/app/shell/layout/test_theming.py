import pytest
from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDoubleSpinBox,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QRadioButton,
    QSpinBox,
    QStyle,
    QStyleOptionButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from tests.app.windows import seen, settle
from views.catalog import ALL
from views.theme.apply import theme_of
from views.theme.palette import contrast
from views.theme.theme import DARK, LIGHT, Theme, ThemeName


@pytest.fixture
def window(reopened_window: MainWindow) -> MainWindow:
    """One for all tests of this file."""
    return reopened_window


def colours(widget: QWidget, area: QRect) -> set[str]:
    image = widget.grab(area).toImage()
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


def wears(window: MainWindow, theme: Theme) -> bool:
    """Whether a chart, and a part that Qt paints, have the colours of the theme."""
    chart = window.page.runs.panels[1].gantt
    bar = window.statusBar()
    return theme.window in colours(bar, bar.rect()) and theme.window in colours(chart, chart.rect())


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


@pytest.mark.parametrize("name", ["dark", "light"])
def test_the_legends_over_all_charts_stay_and_follow_the_theme(window: MainWindow, name: ThemeName) -> None:
    runs = window.page.runs
    assert runs.line.gantt is not None
    # Another page while the colours are worked out: the charts are told again what they share.
    window.show_view("runs")
    window.set_theme(name)
    window.show_view(ALL)
    settle(window)
    assert runs.line.gantt is not None
    assert runs.line.gantt.legend is not None
    titles = [seen(panel.gantt, QRect(0, 0, panel.gantt.width(), 16)) for panel in runs.panels.values()]
    shown = seen(runs.line)
    scales = [panel.heatmap.legend for panel in runs.panels.values()]
    assert runs.line.legend is not None
    assert all(scale is not None and (scale.colours == runs.line.legend.colours).all() for scale in scales)
    # A chart alone is given back its own legend, and then all share one again: it looks as before.
    for solo in ((1, "gantt"), None):
        window.view.choose(solo=solo)
        settle(window)
    assert (seen(runs.line) == shown).all()
    again = [seen(panel.gantt, QRect(0, 0, panel.gantt.width(), 16)) for panel in runs.panels.values()]
    assert all((first == second).all() for first, second in zip(titles, again, strict=True))


@pytest.mark.parametrize("name", ["light", "dark"])
def test_fields_that_text_is_typed_into_have_a_frame_that_is_seen(
    qtbot: QtBot, window: MainWindow, name: ThemeName
) -> None:
    window.set_theme(name)
    settle(window)
    theme = theme_of(name)
    form = QWidget()
    qtbot.addWidget(form)
    column = QVBoxLayout(form)
    for field in (QLineEdit(), QSpinBox(), QDoubleSpinBox(), QPlainTextEdit()):
        column.addWidget(field)
    form.show()
    form.setFocus()
    for field in form.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
        frame = colours(field, QRect(0, field.height() // 2, 1, 1)).pop()
        assert min(contrast(frame, ground) for ground in (theme.window, theme.chart)) >= 2.9, field


@pytest.mark.parametrize("name", ["light", "dark"])
def test_boxes_that_are_not_checked_have_a_frame_that_is_seen(
    qtbot: QtBot, window: MainWindow, name: ThemeName
) -> None:
    window.set_theme(name)
    settle(window)
    theme = theme_of(name)
    for kind in (QCheckBox, QRadioButton):
        box = kind("Walltime")
        qtbot.addWidget(box)
        box.show()
        option = QStyleOptionButton()
        option.initFrom(box)
        part = QStyle.SubElement.SE_CheckBoxIndicator
        place = box.style().subElementRect(part, option, box)
        row = QRect(place.left(), place.center().y(), place.width(), 1)
        seen = max(contrast(colour, theme.window) for colour in colours(box, row))
        assert seen >= 3, kind
        box.setChecked(True)
        assert max(contrast(colour, theme.window) for colour in colours(box, place)) > seen
    checked = QListWidget()
    qtbot.addWidget(checked)
    item = QListWidgetItem("ann", checked)
    item.setCheckState(Qt.CheckState.Unchecked)
    checked.show()
    row = QRect(0, checked.visualItemRect(item).center().y() + checked.frameWidth(), 24, 1)
    frames = colours(checked, QRect(3, row.y(), 21, 1))
    assert max(contrast(frame, theme.chart) for frame in frames) >= 3


def test_a_window_that_is_resized_with_the_theme_is_painted_on(window: MainWindow) -> None:
    painted = Painted(window)
    window.resize(window.width() - 60, window.height() - 40)
    window.set_theme("dark")
    settle(window)
    painted.count = 0
    window.selection.select_user(1)
    settle(window)
    assert painted.count


class Painted(QObject):
    """How often the charts of a window were painted on the screen."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.count = 0
        for panel in window.page.runs.panels.values():
            panel.gantt.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        self.count += event.type() == QEvent.Type.Paint
        return False


def test_a_link_in_the_list_of_runs_has_the_colour_of_the_theme(window: MainWindow) -> None:
    label = window.run_list.common
    label.setText('<a href="#">Select them</a>')
    label.show()
    for name, theme, other in (("dark", DARK, LIGHT), ("light", LIGHT, DARK)):
        window.set_theme(name)  # type: ignore[arg-type]
        settle(window)
        seen = colours(label, label.rect())
        assert theme.link in seen
        assert other.link not in seen
