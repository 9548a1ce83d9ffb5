"""The chart of waits in the inspector: what is drawn where, what the mouse reads, and its colours."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QTextDocument, QWheelEvent
from PySide6.QtWidgets import QApplication, QMenu, QToolTip
from pytestqt.qtbot import QtBot

from engine.schedule.schedule import Decision
from engine.trace import Trace
from tests.traces import make_trace
from tests.views.context import Told, ViewContext, colour_at, mouse
from tests.views.results import decisions, make_result
from views.data.results import Result
from views.data.wait_kinds import KIND_COLOURS, KIND_NAMES
from views.inspector.wait_plot import ReasonLanes
from views.plot.area import PlotArea
from views.state.selection import SelectionModel
from views.theme.palette import contrast, rgb, run_colour
from views.theme.theme import DARK, LIGHT, Theme

HOUR = 3600
JOB = 1


def some_trace() -> Trace:
    return make_trace([0, 0, 0], [HOUR, 2 * HOUR, HOUR], [10, 64, 40], user=["bob", "alice", "carol"])


def some_results() -> list[Result]:
    """Job 1 waits four hours, three, and under `recorded` two hours nobody knows why."""
    log = decisions(
        (0, JOB, Decision.BEHIND, 14),
        (HOUR, JOB, Decision.CPUS, 6),
        (HOUR, JOB, Decision.RESERVED, 5 * HOUR),
        (2 * HOUR, JOB, Decision.RESERVED, 4 * HOUR),
        (3 * HOUR, JOB, Decision.RESERVATION, 2),
    )
    other = decisions((HOUR, JOB, Decision.LIMIT, 0))
    trace = some_trace()
    return [
        make_result(trace, [0, 4 * HOUR, 0], 1, "easy", log=log),
        make_result(trace, [0, 3 * HOUR, 0], 2, "easy:max_user_jobs=20,pass_every=1h", log=other),
        make_result(trace, [0, 2 * HOUR, 0], 3, "recorded"),
    ]


@pytest.fixture
def selection(context: ViewContext) -> SelectionModel:
    return context.selection


@pytest.fixture
def inspector(context: ViewContext) -> Told:
    widget = Told(context, 280, 800)
    widget.set_results(some_trace(), some_results())
    context.selection.select_job(some_trace(), JOB)
    context.settle(widget)
    return widget


def area_of(inspector: Told) -> PlotArea:
    return inspector.waits.plot.area


def middle(inspector: Told, lane: int) -> float:
    """Where the bar of a lane lies, in pixels from the top of the plot."""
    plot = inspector.waits.plot.plot
    assert isinstance(plot, ReasonLanes)
    return float(area_of(inspector).ys(np.array(plot.bottom(lane) + 0.27)))


def bar_spot(inspector: Told, lane: int, time: float) -> QPointF:
    x = float(area_of(inspector).xs(np.array(time)))
    return QPointF(x, middle(inspector, lane))


def read_at(inspector: Told, position: QPointF) -> str:
    reading = inspector.waits.plot.read(position)
    return reading.text if reading is not None else ""


def colours(inspector: Told, lane: int) -> list[str]:
    """The colours along a lane's bar without its marks, each once, from left to right."""
    area, image = area_of(inspector), inspector.waits.plot.grab().toImage()
    y = middle(inspector, lane)
    row = [colour_at(image, x, y) for x in range(int(area.left) + 1, int(area.left + area.width))]
    kept = [c for k, c in enumerate(row) if row.count(c) > 8 and (k == 0 or c != row[k - 1])]
    return list(dict.fromkeys(kept))


def test_each_run_has_its_reasons_in_order_on_one_axis(inspector: Told) -> None:
    behind, cpus, reserved, limit, early = (
        KIND_COLOURS[kind]
        for kind in (Decision.BEHIND, Decision.CPUS, Decision.RESERVATION, Decision.LIMIT, None)
    )
    assert colours(inspector, 0)[:3] == [behind, cpus, reserved]
    assert colours(inspector, 1)[:2] == [early, limit]
    assert area_of(inspector).x == (0, 6 * HOUR)  # the last end
    image = inspector.waits.plot.grab().toImage()
    for lane, time in ((0, 4 * HOUR), (1, 3 * HOUR), (2, 2 * HOUR)):  # the edge of the run
        x, y = bar_spot(inspector, lane, time).x() + 25, middle(inspector, lane)
        rows = [colour_at(image, x, y + dy) for dy in range(-11, -4)]
        assert run_colour(lane + 1) in rows


def test_a_long_run_is_cut_so_that_the_waits_are_seen(inspector: Told) -> None:
    trace = make_trace([0], [1000 * HOUR])
    log = decisions((0, 0, Decision.CPUS, 1))
    inspector.set_results(trace, [make_result(trace, [2 * HOUR], 1, "easy", log=log)])
    inspector.context.selection.select_job(trace, 0)
    inspector.context.settle(inspector)
    assert area_of(inspector).x == (0, 3 * HOUR)
    assert "ran 41 d 16 h" in read_at(inspector, bar_spot(inspector, 0, 2.5 * HOUR))
    image, area, y = inspector.waits.plot.grab().toImage(), area_of(inspector), middle(inspector, 0)
    right = int(area.left + area.width)
    shown = [[colour_at(image, x, y + dy) for dy in range(-9, 10)] for x in (right - 30, right - 1)]
    assert run_colour(1) in shown[0]  # its edge
    assert run_colour(1) not in shown[1]  # faded out: it goes on


@pytest.mark.parametrize(
    ("lane", "hours", "words"),
    [
        (0, 0.5, ["easy", "1 h at first behind 14 jobs submitted earlier", "0:00:00 h – 1:00:00 h"]),
        (0, 2, ["easy", "2 h short of processors (6 of its 64 missing at first)", "1:00:00 h – 3:00:00 h"]),
        (0, 3.5, ["easy", "1 h kept free for reservations of other jobs", "3:00:00 h – 4:00:00 h"]),
        (0, 4, ["easy", "reserved at 2:00:00 h: to start by 4:00:00 h"]),
        (0, 5, ["easy", "reserved at 1:00:00 h: to start by 5:00:00 h"]),
        (0, 5.5, ["easy", "ran 2 h", "4:00:00 h – 6:00:00 h"]),
        (2, 1, ["recorded", "2 h: This is the log's own schedule: it does not record why jobs waited."]),
    ],
)
def test_the_mouse_reads_reasons_reservations_and_runs(
    inspector: Told, lane: int, hours: float, words: list[str]
) -> None:
    read = read_at(inspector, bar_spot(inspector, lane, hours * HOUR)).split("\n")
    assert read[: len(words)] == words


def test_the_name_of_a_run_is_read_in_full(inspector: Told) -> None:
    name = QPointF(60, middle(inspector, 1) - 22)
    assert read_at(inspector, name) == "easy:max_user_jobs=20,pass_every=1h\nwaited 3 h"
    area = area_of(inspector)
    assert read_at(inspector, QPointF(60, area.rect.bottom() + 10)) == ""


def test_names_begin_at_the_left_edge_of_the_plot(inspector: Told) -> None:
    image, left = inspector.waits.plot.grab().toImage(), area_of(inspector).left
    for lane in range(3):
        assert colour_at(image, left + 4, middle(inspector, lane) - 21) == run_colour(lane + 1)


def test_a_triangle_stands_over_each_promised_start(inspector: Told) -> None:
    image = inspector.waits.plot.grab().toImage()
    for hours, there in ((4, True), (5, True), (4.5, False)):
        position = bar_spot(inspector, 0, hours * HOUR)
        assert (colour_at(image, position.x(), position.y() - 10) == LIGHT.text) == there, hours


def test_the_tooltip_is_shown(qtbot: QtBot, inspector: Told) -> None:
    mouse(inspector.waits.plot, QEvent.Type.MouseMove, bar_spot(inspector, 0, 2 * HOUR))
    assert "short of processors" in QToolTip.text()
    assert inspector.waits.plot.cursor().shape() == Qt.CursorShape.PointingHandCursor
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


def test_a_click_asks_for_that_time(qtbot: QtBot, inspector: Told) -> None:
    spot, area = bar_spot(inspector, 0, 3 * HOUR).toPoint(), area_of(inspector)
    with qtbot.waitSignal(inspector.time_clicked) as caught:
        qtbot.mouseClick(inspector.waits.plot, Qt.MouseButton.LeftButton, pos=spot)
    assert caught.args == [pytest.approx(3 * HOUR, abs=6 * HOUR / area.width)]


def test_the_wheel_is_left_to_what_scrolls_the_chart(inspector: Told) -> None:
    plot, position = inspector.waits.plot, bar_spot(inspector, 0, HOUR)
    none, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
    keys, notch = Qt.KeyboardModifier.NoModifier, QPoint(0, -120)
    event = QWheelEvent(position, plot.mapToGlobal(position), QPoint(), notch, none, keys, phase, False)
    QApplication.sendEvent(plot, event)
    assert not event.isAccepted()
    assert not plot.zoomed


def test_the_menu_offers_a_picture(inspector: Told) -> None:
    plot, position = inspector.waits.plot, bar_spot(inspector, 0, HOUR).toPoint()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, position, plot.mapToGlobal(position))
    QApplication.sendEvent(plot, event)
    assert event.isAccepted()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert "Copy as a picture" in [action.text().replace("&", "") for action in menu.actions()]
    menu.close()


def test_the_legend_names_what_is_there_within_the_width(inspector: Told) -> None:
    legend = inspector.waits.legend
    document = QTextDocument()
    document.setHtml(legend.text())
    words = document.toPlainText().replace("\u00a0", " ")
    assert [name.strip() for name in re.split("[■▨▼]", words)[1:]] == [
        "behind others",
        "processors",
        "reserved for others",
        "no pass yet",
        "limit",
        "no reason recorded",
        "promised start",
    ]
    assert legend.height() >= legend.heightForWidth(legend.width()) > 2 * legend.fontMetrics().height()
    assert legend.geometry().bottom() <= inspector.waits.height()


def test_the_chart_is_there_for_one_job_only(inspector: Told, selection: SelectionModel) -> None:
    assert inspector.waits.isVisible()
    assert "easy: 1 h at first behind 14 jobs" in inspector.waits.accessibleDescription()
    selection.select_user(0)
    inspector.context.settle(inspector)
    assert not inspector.waits.isVisible()
    selection.select_job(some_trace(), JOB)
    inspector.context.settle(inspector)
    assert inspector.waits.isVisible()
    selection.select_job(some_trace(), 0, toggle=True)
    inspector.context.settle(inspector)
    assert not inspector.waits.isVisible()


def test_of_many_runs_the_chart_is_scrolled(qtbot: QtBot, inspector: Told) -> None:
    result = some_results()[0]
    many = [Result(k, result.schedule, result.measure, result.users, result.violations) for k in range(1, 31)]
    inspector.set_results(some_trace(), many)
    inspector.context.settle(inspector)
    QApplication.processEvents()
    assert inspector.waits.height() > 800
    assert inspector.browser.height() > 400
    assert inspector.waits.visibleRegion().boundingRect().topLeft() == QPoint(0, 0)


def test_a_job_that_started_at_once(inspector: Told, selection: SelectionModel) -> None:
    selection.select_job(some_trace(), 0)
    inspector.context.settle(inspector)
    read = read_at(inspector, bar_spot(inspector, 0, HOUR / 2))
    assert read == "easy\nran 1 h\n0:00:00 h – 1:00:00 h"


def test_the_chart_follows_the_theme(inspector: Told) -> None:
    inspector.set_theme(DARK)
    inspector.context.settle(inspector)
    image = inspector.waits.grab().toImage()
    assert colour_at(image, 2, 2) == DARK.chart
    assert colour_at(image, 2, image.height() - 2) == DARK.chart
    assert colours(inspector, 0)[0] == KIND_COLOURS[Decision.BEHIND]


DEFICIENCIES = {
    "none": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""Linear RGB as it is seen, severity 1: Machado, Oliveira & Fernandes 2009, table 1."""

XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(colour: str, kind: str) -> np.ndarray:
    """CIE L*a*b* of a colour as somebody sees it."""
    value = np.array(rgb(colour)) / 255
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(DEFICIENCIES[kind]) @ linear, 0, 1)
    part = XYZ @ seen / np.array([0.9505, 1, 1.089])
    f = np.where(part > 0.008856, np.cbrt(part), 7.787 * part + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("kind", DEFICIENCIES)
def test_reasons_are_told_apart_whatever_colours_one_sees(kind: str) -> None:
    assert KIND_COLOURS.keys() == KIND_NAMES.keys() == {None, *(k for k in Decision if k.is_reason)}
    for first, second in combinations(set(KIND_COLOURS.values()), 2):
        assert np.linalg.norm(lab(first, kind) - lab(second, kind)) > 15, (first, second)


def test_only_like_reasons_of_a_site_share_a_colour() -> None:
    shared = {
        frozenset((KIND_NAMES[first], KIND_NAMES[second]))
        for first, second in combinations(KIND_COLOURS, 2)
        if KIND_COLOURS[first] == KIND_COLOURS[second]
    }
    like = {("behind others",), ("limit",), ("scattered", "nodes"), ("held", "price of energy")}
    assert shared == {frozenset(names) for names in like}


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda t: t.name)
def test_reasons_stand_out_from_the_background(theme: Theme) -> None:
    for colour in KIND_COLOURS.values():
        assert contrast(colour, theme.chart) >= 2
