"""Jobs one by one: the scatter of waits, and the histogram of changes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF

from tests.views.context import Stage, colour_at, drag
from tests.views.difference.pairs import HOUR, moved
from views.data.moves import EDGES, Moves, Points
from views.difference.histogram import ChangeHistogram
from views.difference.plot import Plot
from views.difference.scatter import CELL, VEIL, WaitScatter
from views.theme.palette import contrast, heat_colours, mix, rgb, spelled
from views.theme.theme import DARK, LIGHT, Theme, tick_font

CONTROL = Qt.KeyboardModifier.ControlModifier


def show(stage: Stage, plot: Plot) -> None:
    stage.qtbot.addWidget(plot)
    plot.resize(420, 330)
    with stage.qtbot.waitExposed(plot):
        plot.show()
    stage.settle(plot)


@pytest.fixture
def scatter(stage: Stage) -> WaitScatter:
    scatter = WaitScatter(stage, LIGHT)
    comparison = moved()
    scatter.set_comparison(comparison, Points.of(comparison))
    show(stage, scatter)
    return scatter


@pytest.fixture
def histogram(stage: Stage) -> ChangeHistogram:
    histogram = ChangeHistogram(stage, LIGHT)
    comparison = moved()
    histogram.set_comparison(comparison, Moves.of(comparison))
    show(stage, histogram)
    return histogram


def click(
    stage: Stage, plot: Plot, place: QPointF, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    stage.qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, keys, place.toPoint())


def spot(scatter: WaitScatter, first: float, second: float) -> QPointF:
    """Where a job with these waits lies, in hours."""
    comparison = moved()
    scale = Points.of(comparison).scale
    low, high = scale.span
    x, y = scale.place(np.array([first, second]) * HOUR)
    plot = scatter.plot(QRectF(scatter.rect()))
    return QPointF(
        plot.left() + (x - low) / (high - low) * plot.width(),
        plot.bottom() - (y - low) / (high - low) * plot.height(),
    )


def test_a_job_lies_where_its_waits_are(scatter: WaitScatter, stage: Stage) -> None:
    image = stage.settle(scatter)
    for first, second in ((2, 1), (3, 1), (0, 2), (0.5, 0), (0, 0), (1, 1)):
        place = spot(scatter, first, second)
        near = {
            colour_at(image, place.x() + dx, place.y() + dy)
            for dx in range(-CELL, CELL + 1)
            for dy in range(-CELL, CELL + 1)
        }
        assert any(rgb(colour)[0] > rgb(colour)[2] + 40 for colour in near), (first, second)
    assert scatter.summary() == "Jobs that wait longer than under fcfs: 1; less long: 3"


def test_hovering_tells_the_job_and_both_waits(scatter: WaitScatter) -> None:
    text = scatter.tooltip_at(spot(scatter, 3, 1))
    assert text.split("\n") == [
        "job 2 · user ann", "fcfs: waits 3 h", "easy: waits 1 h", "starts 2 h earlier",
    ]  # fmt: skip
    assert scatter.tooltip_at(QPointF(1, 1)) == ""


def test_a_click_picks_the_nearest_job_and_a_drag_all_within(scatter: WaitScatter, stage: Stage) -> None:
    click(stage, scatter, spot(scatter, 2, 1) + QPointF(3, 3))
    assert stage.selection.value.jobs == {0}
    assert stage.selection.value.users == {0}
    click(stage, scatter, spot(scatter, 0, 2), CONTROL)
    assert stage.selection.value.jobs == {0, 2}
    drag(scatter, spot(scatter, 1.8, 1) + QPointF(-4, -10), spot(scatter, 3, 1) + QPointF(8, 8))
    assert stage.selection.value.jobs == {0, 1}
    image = stage.settle(scatter)
    place = spot(scatter, 0, 2)
    faint = colour_at(image, place.x(), place.y())
    assert max(rgb(faint)) - min(rgb(faint)) < 25  # grey: it stands back
    plot = scatter.plot(QRectF(scatter.rect()))
    click(stage, scatter, plot.topRight() + QPointF(-3, 3))
    assert stage.selection.value.empty


def test_escape_drops_the_selection(scatter: WaitScatter, stage: Stage) -> None:
    click(stage, scatter, spot(scatter, 2, 1))
    stage.qtbot.keyClick(scatter, Qt.Key.Key_Escape)
    assert stage.selection.value.empty


def bar(histogram: ChangeHistogram, place: int) -> QPointF:
    """The middle of a class, just above the axis; 0 is no change."""
    plot = histogram.plot(QRectF(histogram.rect()))
    share = (place + len(EDGES) + 0.5) / (2 * len(EDGES) + 1)
    return QPointF(plot.left() + share * plot.width(), plot.bottom() - 4)


def test_every_job_is_in_the_class_of_its_change() -> None:
    comparison = moved()
    moves = Moves.of(comparison)
    for job, found in zip(moves.job, moves.of_job, strict=True):
        change = int(comparison.difference.change[job])
        edges = (0.5, *EDGES, float("inf"))
        assert edges[abs(found)] <= abs(change) < edges[abs(found) + 1] or change == found == 0
        assert np.sign(found) == np.sign(change)
    assert moves.total.sum() == 6


def test_bars_are_blue_grey_and_orange(histogram: ChangeHistogram, stage: Stage) -> None:
    """One job starts 30 min earlier, one 1 h, one 2 h, two at the same time, one 2 h later."""
    image = stage.settle(histogram)
    colours = {k: rgb(colour_at(image, *bar(histogram, k).toTuple())) for k in range(-8, 9)}
    for k in (-7, -6, -5):
        assert colours[k][2] > colours[k][0] + 20
    assert max(colours[0]) - min(colours[0]) < 25
    assert colours[7][0] > colours[7][2] + 20
    assert colours[5] == rgb(LIGHT.chart)
    assert histogram.tooltip_at(bar(histogram, 0)) == "2 jobs: at the same time"
    assert histogram.tooltip_at(bar(histogram, 7)) == "1 job: 2 h to 4 h later"
    assert histogram.summary().startswith("1 job: 2 h to 4 h earlier, 1 job: 1 h to 2 h earlier")


def test_a_click_on_a_bar_and_a_drag_over_bars_pick_their_jobs(
    histogram: ChangeHistogram, stage: Stage
) -> None:
    click(stage, histogram, bar(histogram, 0))
    assert stage.selection.value.jobs == {4, 5}
    drag(histogram, bar(histogram, -7), bar(histogram, -5) + QPointF(0, -20))
    assert stage.selection.value.jobs == {0, 1, 3}
    image = stage.settle(histogram)
    later = rgb(colour_at(image, *bar(histogram, 7).toTuple()))
    assert min(later) > 180  # it stands back


@pytest.mark.parametrize("width", [120, 150, 180, 400])
def test_words_under_the_bars_do_not_touch(histogram: ChangeHistogram, width: int) -> None:
    metrics = QFontMetricsF(tick_font(histogram.font()))
    told = histogram.directions(QRectF(0, 0, width, 100), metrics)
    rooms = [(x, metrics.horizontalAdvance(text) / 2) for x, text in told]
    assert all(b - a >= half + other + 3 for (a, half), (b, other) in pairwise(rooms))
    assert ("same" in [text for _, text in told]) == (width >= 180)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_words_over_jobs_can_be_read(theme: Theme) -> None:
    behind = [theme.accent, *(spelled(int(colour)) for colour in heat_colours(theme.dark))]
    assert min(contrast(theme.faint, mix(colour, theme.chart, VEIL)) for colour in behind) >= 4.5
