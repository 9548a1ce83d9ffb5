"""Jobs one by one: the scatter of waits, and the histogram of changes."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QFontMetricsF

from engine.arrays import Mask
from engine.filter import parse_filter
from tests.views.context import ViewContext, colour_at, drag, mouse, wheel
from tests.views.difference.pairs import HOUR, moved
from views.data.comparison import Comparison
from views.data.start_changes import EDGES, MoveScale, Points, StartChanges
from views.difference.histogram import change_plot
from views.difference.job_plot import JobPlot
from views.difference.scatter import CELL, wait_plot
from views.plot.plot import Plot
from views.plotting.items import VEIL
from views.state.filter import Filter
from views.theme.fonts import tick_font
from views.theme.palette import contrast, heat_colours, hex_colour, mix, rgb
from views.theme.theme import DARK, LIGHT, Theme

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def shown(
    context: ViewContext, title: str, make: Callable[[Mask | None], Plot], comparison: Comparison
) -> JobPlot:
    plot = JobPlot(context, LIGHT, title)
    plot.set_comparison(comparison, make)
    context.qtbot.addWidget(plot)
    plot.resize(420, 330)
    with context.qtbot.waitExposed(plot):
        plot.show()
    context.settle(plot)
    return plot


@pytest.fixture
def scatter(context: ViewContext) -> JobPlot:
    comparison = moved()
    return shown(context, "Waits", partial(wait_plot, comparison, Points.of(comparison)), comparison)


@pytest.fixture
def histogram(context: ViewContext) -> JobPlot:
    comparison = moved()
    return shown(context, "Changes", partial(change_plot, StartChanges.of(comparison)), comparison)


def click(
    context: ViewContext,
    plot: JobPlot,
    position: QPointF,
    keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    context.qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, keys, position.toPoint())


def text_of(plot: JobPlot, position: QPointF) -> str:
    """What lies at a position; empty: nothing."""
    reading = plot.read(position)
    return reading.text if reading is not None else ""


def spot(scatter: JobPlot, first: float, second: float) -> QPointF:
    """Where a job with these waits lies, in hours."""
    x, y = Points.of(moved()).scale.coordinates_of(np.array([first, second]) * HOUR)
    return scatter.area.spot(float(x), float(y))


def test_a_job_lies_where_its_waits_are(scatter: JobPlot, context: ViewContext) -> None:
    image = context.settle(scatter)
    for first, second in ((2, 1), (3, 1), (0, 2), (0.5, 0), (0, 0), (1, 1)):
        position = spot(scatter, first, second)
        near = {
            colour_at(image, position.x() + dx, position.y() + dy)
            for dx in range(-CELL, CELL + 1)
            for dy in range(-CELL, CELL + 1)
        }
        assert any(rgb(colour)[0] > rgb(colour)[2] + 40 for colour in near), (first, second)
    assert scatter.plot is not None
    assert scatter.plot.words.text == "Jobs that wait longer than under fcfs: 1; less long: 3"


def test_hovering_tells_the_job_and_both_waits(scatter: JobPlot) -> None:
    text = text_of(scatter, spot(scatter, 3, 1))
    assert text.split("\n") == [
        "job 2 · user ann", "fcfs: waits 3 h", "easy: waits 1 h", "starts 2 h earlier",
    ]  # fmt: skip
    assert text_of(scatter, scatter.area.rect.topRight() + QPointF(-3, 3)) == ""


def test_a_click_picks_the_nearest_job_and_a_drag_all_within(scatter: JobPlot, context: ViewContext) -> None:
    click(context, scatter, spot(scatter, 2, 1) + QPointF(3, 3))
    assert context.selection.value.jobs == {0}
    assert context.selection.value.users == {0}
    click(context, scatter, spot(scatter, 0, 2), CONTROL)
    assert context.selection.value.jobs == {0, 2}
    drag(scatter, spot(scatter, 1.8, 1) + QPointF(-4, -10), spot(scatter, 3, 1) + QPointF(8, 8))
    assert context.selection.value.jobs == {0, 1}
    image = context.settle(scatter)
    position = spot(scatter, 0, 2)
    faint = colour_at(image, position.x(), position.y())
    assert max(rgb(faint)) - min(rgb(faint)) < 25  # grey: it stands back
    click(context, scatter, scatter.area.rect.topRight() + QPointF(-3, 3))
    assert context.selection.value.empty


def test_shift_picks_in_addition_and_without_keys_a_miss_clears(
    scatter: JobPlot, context: ViewContext
) -> None:
    click(context, scatter, spot(scatter, 2, 1))
    drag(scatter, spot(scatter, 0, 2) - QPointF(8, 8), spot(scatter, 0, 2) + QPointF(8, 8), SHIFT)
    assert context.selection.value.jobs == {0, 2}
    nowhere = scatter.area.rect.topRight() + QPointF(-3, 3)
    click(context, scatter, nowhere, CONTROL)
    assert context.selection.value.jobs == {0, 2}
    drag(scatter, nowhere, nowhere + QPointF(-9, 9))
    assert context.selection.value.empty


def test_a_drag_picks_until_the_menu_says_that_it_moves(scatter: JobPlot, context: ViewContext) -> None:
    scatter.mouse.choose("move")
    drag(scatter, spot(scatter, 2, 1) - QPointF(20, 20), spot(scatter, 2, 1) + QPointF(20, 20))
    assert context.selection.value.empty


def test_what_is_picked_stays_picked_where_one_zooms(scatter: JobPlot, context: ViewContext) -> None:
    click(context, scatter, spot(scatter, 2, 1))
    wheel(scatter, spot(scatter, 2, 1), 5)
    image = context.settle(scatter)
    assert scatter.zoomed
    position = spot(scatter, 2, 1)
    assert colour_at(image, position.x(), position.y()) == LIGHT.accent
    click(context, scatter, position)
    assert context.selection.value.jobs == {0}
    assert scatter.zoomed  # the same plot, other jobs stand back


def test_escape_drops_the_rectangle_first(scatter: JobPlot, context: ViewContext) -> None:
    click(context, scatter, spot(scatter, 2, 1))
    start = scatter.area.rect.topLeft() + QPointF(30, 30)
    mouse(scatter, QEvent.Type.MouseButtonPress, start)
    mouse(scatter, QEvent.Type.MouseMove, scatter.area.rect.bottomRight())
    context.qtbot.keyClick(scatter, Qt.Key.Key_Escape)
    mouse(scatter, QEvent.Type.MouseButtonRelease, scatter.area.rect.bottomRight())
    assert context.selection.value.jobs == {0}


def test_nothing_is_reported_no_pair_and_a_click_leaves_the_selection(
    scatter: JobPlot, context: ViewContext
) -> None:
    context.selection.select_jobs(moved().trace, frozenset({1}))
    scatter.set_comparison(None)
    context.settle(scatter)
    assert "Nothing to compare yet" in scatter.accessibleDescription()
    click(context, scatter, QPointF(200, 200))
    assert context.selection.value.jobs == {1}


def test_escape_drops_the_selection(scatter: JobPlot, context: ViewContext) -> None:
    click(context, scatter, spot(scatter, 2, 1))
    context.qtbot.keyClick(scatter, Qt.Key.Key_Escape)
    assert context.selection.value.empty


def test_jobs_that_a_filter_leaves_out_stand_back(
    scatter: JobPlot, histogram: JobPlot, context: ViewContext
) -> None:
    context.filter.set(Filter(parse_filter("user = ann")))
    image = context.settle(scatter)
    for hours, colour in (((2, 1), LIGHT.accent), ((3, 1), LIGHT.accent), ((0, 2), None)):
        position = spot(scatter, *hours)
        red, green, blue = rgb(colour_at(image, position.x(), position.y()))
        if colour is not None:
            assert (red, green, blue) == rgb(colour)
        else:
            assert max(red, green, blue) - min(red, green, blue) < 25  # grey
    image = context.settle(histogram)
    ann, bob = (rgb(colour_at(image, *bar(histogram, bin_index).toTuple())) for bin_index in (-7, 7))
    assert min(ann) < 120
    assert min(bob) > 180


def bar(histogram: JobPlot, bin_index: int) -> QPointF:
    """The middle of a class, just above the axis; 0 is no change."""
    return histogram.area.spot(bin_index + len(EDGES) + 0.5, 0.0) - QPointF(0, 4)


def test_every_job_is_in_the_class_of_its_change() -> None:
    comparison = moved()
    moves = StartChanges.of(comparison)
    for job, found in zip(moves.job, moves.of_job, strict=True):
        change = int(comparison.difference.change[job])
        edges = (0.5, *EDGES, float("inf"))
        assert edges[abs(found)] <= abs(change) < edges[abs(found) + 1] or change == found == 0
        assert np.sign(found) == np.sign(change)
    assert moves.total.sum() == 6


def test_bars_are_blue_grey_and_orange(histogram: JobPlot, context: ViewContext) -> None:
    """One job starts 30 min earlier, one 1 h, one 2 h, two at the same time, one 2 h later."""
    image = context.settle(histogram)
    colours = {k: rgb(colour_at(image, *bar(histogram, k).toTuple())) for k in range(-8, 9)}
    for k in (-7, -6, -5):
        assert colours[k][2] > colours[k][0] + 20
    assert max(colours[0]) - min(colours[0]) < 25
    assert colours[7][0] > colours[7][2] + 20
    assert colours[5] == rgb(LIGHT.chart)
    assert text_of(histogram, bar(histogram, 0)) == "2 jobs: at the same time"
    assert text_of(histogram, bar(histogram, 7)) == "1 job: 2 h to 4 h later"
    assert histogram.plot is not None
    assert histogram.plot.words.text.startswith("1 job: 2 h to 4 h earlier, 1 job: 1 h to 2 h earlier")


def test_a_click_on_a_bar_and_a_drag_over_bars_pick_their_jobs(
    histogram: JobPlot, context: ViewContext
) -> None:
    click(context, histogram, bar(histogram, 0))
    assert context.selection.value.jobs == {4, 5}
    drag(histogram, bar(histogram, -7), bar(histogram, -5) + QPointF(0, -20))
    assert context.selection.value.jobs == {0, 1, 3}
    image = context.settle(histogram)
    later = rgb(colour_at(image, *bar(histogram, 7).toTuple()))
    assert min(later) > 180  # it stands back


@pytest.mark.parametrize("points", [9, 14])
@pytest.mark.parametrize("width", [120, 150, 180, 240, 260, 280, 300, 400])
def test_words_under_the_bars_do_not_touch(histogram: JobPlot, width: int, points: int) -> None:
    font = histogram.font()
    font.setPointSize(points)
    scale, metrics = MoveScale(), QFontMetricsF(tick_font(font))
    pixels = width / scale.full_range[1]
    ticks = scale.ticks((metrics.horizontalAdvance(scale.widest) + 16) / pixels)
    rooms = [(edge * pixels, metrics.horizontalAdvance(text) / 2) for edge, text in ticks]
    assert all(b - a >= half + other + 2 for (a, half), (b, other) in pairwise(rooms))
    assert [text for _, text in ticks] == [text for _, text in ticks][::-1]  # earlier and later alike
    assert len(ticks) > 2 or width < 400
    assert len(ticks) >= 2 or width < 180


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_words_over_jobs_can_be_read(theme: Theme) -> None:
    behind = [theme.accent, *(hex_colour(int(colour)) for colour in heat_colours(theme.dark))]
    assert min(contrast(theme.faint, mix(colour, theme.chart, VEIL)) for colour in behind) >= 4.5
