"""The difference of two heatmaps: exact at every zoom, orange for more, blue for fewer, grey for as many."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt

from engine.fairness.violations import UserSteps
from engine.filter import parse_filter
from engine.metrics.difference import steps_difference
from tests.engine.metrics.test_difference import at, steps_of
from tests.traces import make_trace
from tests.views.context import ViewContext, colour_at
from tests.views.difference.pairs import HOUR, moved, pair, run
from views.data.comparison import compare
from views.data.signed_counts import SignedScale, signed_extreme
from views.data.user_order import rows_in_order
from views.data.user_rows import UserRows
from views.difference.heatmap import DifferenceHeatmap, count_legend, paint_signed_counts
from views.raster.request import RenderRequest
from views.state.filter import Filter
from views.theme.palette import contrast, hex_colour, rgb, same_colour
from views.theme.theme import DARK, LIGHT, Theme

THEMES = [LIGHT, DARK]
rows = st.lists(st.lists(st.integers(-3, 3), max_size=8), min_size=3, max_size=3)
of_runs = st.lists(st.lists(st.integers(0, 3), max_size=8), min_size=3, max_size=3)


def furthest(steps: UserSteps, users: list[int], first: int, last: int) -> int:
    """The count furthest from 0 in these minutes; the positive one if two are equally far."""
    counts = [at(steps, user, minute) for user in users for minute in range(first, last)]
    return max([0, *counts], key=lambda count: (abs(count), count))


def hue(scale: SignedScale, count: float, there: bool, theme: Theme = LIGHT) -> int:
    (value,) = scale.paint(np.array([count]), np.array([there]), theme.dark, theme.chart)
    return int(value)


@given(of_runs, of_runs, st.integers(0, 4), st.integers(1, 4), st.integers(1, 3))
def test_a_pixel_shows_the_count_furthest_from_none(
    first: list[list[int]], second: list[list[int]], start: int, minutes: int, lines: int
) -> None:
    """Three columns of `minutes` each; as many lines as users, or fewer."""
    before, after = steps_of(first, 0), steps_of(second, 0)
    steps, scale = steps_difference(before, after), SignedScale(1, 3)
    request = RenderRequest((start * 60.0, (start + 3 * minutes) * 60.0), 3, lines, 1.0)
    three = UserRows(np.arange(3), 3)
    got = paint_signed_counts(request, (steps, before), three, "max", scale, None, LIGHT)
    for line in range(lines):
        users = [user for user in range(3) if user * lines // 3 == line]
        for column in range(3):
            time = range(start + column * minutes, start + (column + 1) * minutes)
            there = any(at(before, user, minute) for user in users for minute in time)
            assert got[line, column] == hue(scale, furthest(steps, users, time.start, time.stop), there)
    for user in range(3):
        assert signed_extreme(steps, user, start, start + minutes) == furthest(
            steps, [user], start, start + minutes
        )


@given(rows, st.integers(0, 4), st.integers(1, 4), st.integers(1, 3))
def test_a_pixel_shows_the_mean_of_its_time_and_users(
    counts: list[list[int]], start: int, minutes: int, lines: int
) -> None:
    steps, nobody, scale = steps_of(counts, 0), steps_of([[], [], []], 0), SignedScale(0.1, 3)
    request = RenderRequest((start * 60.0, (start + 3 * minutes) * 60.0), 3, lines, 1.0)
    three = UserRows(np.arange(3), 3)
    got = paint_signed_counts(request, (steps, nobody), three, "mean", scale, None, LIGHT)
    for line in range(lines):
        users = [user for user in range(3) if user * lines // 3 == line]
        for column in range(3):
            first = start + column * minutes
            all_ = [at(steps, user, minute) for user in users for minute in range(first, first + minutes)]
            mean = sum(all_) / len(all_)
            near = {hue(scale, mean * (1 + dust), False) for dust in (-1e-9, 0, 1e-9)}
            assert int(got[line, column]) in near


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
@pytest.mark.parametrize("most", [1, 2, 50])
def test_more_is_orange_fewer_is_blue_as_many_is_grey_and_none_is_blank(theme: Theme, most: int) -> None:
    scale = SignedScale(1, most)
    counts = np.array([count for count in range(-most, most + 1) if count])
    painted = scale.paint(counts, np.zeros(len(counts), bool), theme.dark, theme.chart)
    colours = [rgb(hex_colour(int(value))) for value in painted]
    assert all(blue > red + 20 for red, _, blue in colours[:most])
    assert all(red > blue + 20 for red, _, blue in colours[most:])
    assert hex_colour(hue(scale, 0, False, theme)) == theme.chart
    grey = hex_colour(hue(scale, 0, True, theme))
    assert max(rgb(grey)) - min(rgb(grey)) < 25
    assert contrast(grey, theme.chart) > 1.6
    bar = count_legend(scale, theme.dark)
    assert (bar.marks[0][1], bar.marks[-1][1]) == (f"{most} fewer", f"{most} more")
    heights = [height for height, _ in bar.marks]
    assert heights == sorted(heights)
    middle = len(bar.colours) // 2
    assert {hex_colour(int(value)) for value in bar.colours[middle - 60 : middle + 60]} == {grey}


@pytest.fixture
def chart(context: ViewContext) -> DifferenceHeatmap:
    context.clock.reset(0, 4 * HOUR)
    chart = DifferenceHeatmap(context, LIGHT)
    chart.set_comparison(moved())
    context.show(chart, 600, 200)
    return chart


def position_of(chart: DifferenceHeatmap, hours: float, row: int) -> QPointF:
    plot = chart.frame().plot
    return QPointF(chart.frame().scale.x(hours * HOUR) + 0.5, plot.top() + (row + 0.5) * plot.height() / 2)


def test_the_users_whom_it_changes_most_stand_on_top(chart: DifferenceHeatmap, context: ViewContext) -> None:
    """Ann's two jobs were late by about 2 h and 3 h, then by 1 h each; Bob's first job is late now."""
    image = context.settle(chart)
    fewer = rgb(colour_at(image, *position_of(chart, 2, 0).toTuple()))
    more = rgb(colour_at(image, *position_of(chart, 1, 1).toTuple()))
    assert fewer[2] > fewer[0] + 20
    assert more[0] > more[2] + 20
    assert colour_at(image, *position_of(chart, 3.8, 1).toTuple()) == LIGHT.chart
    assert "blank: none in either" in chart.tooltip_at(QPointF(200, 10))
    assert chart.tooltip_at(position_of(chart, 2, 0)).endswith("fewer")
    assert chart.tooltip_at(position_of(chart, 1, 1)).startswith("user bob\n")
    assert chart.tooltip_at(position_of(chart, 1, 1)).endswith("1 violated job more")
    assert chart.tooltip_at(position_of(chart, 3.8, 1)).endswith("no violated job in either run")
    assert chart.summary() == "2 users, up to 2 violated jobs more or fewer"


def test_a_click_selects_the_user_and_the_others_stand_back(
    chart: DifferenceHeatmap, context: ViewContext
) -> None:
    spot = position_of(chart, 2, 0)
    before = colour_at(context.settle(chart), *spot.toTuple())
    context.qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=position_of(chart, 1, 1).toPoint())
    assert context.selection.value.users == {1}
    image = context.settle(chart)
    assert colour_at(image, *spot.toTuple()) != before
    chart.fit_selection()
    assert context.clock.start >= 0
    assert context.clock.end < 3 * HOUR


def test_why_there_is_nothing_to_see(chart: DifferenceHeatmap) -> None:
    same = [0, 0, 0, 0, 0, 0]
    chart.set_comparison(pair(same, same))
    assert chart.message == "Both runs violate the same expected end times at all times"
    chart.set_comparison(pair(same, same, grace=None))
    assert chart.message == "Not computed yet"


def test_as_many_in_both_runs_is_grey(context: ViewContext) -> None:
    """Cyd is late by three hours in both runs, and in the second by three more."""
    context.clock.reset(0, 8 * HOUR)
    chart = DifferenceHeatmap(context, LIGHT)
    same = [0, 0, 0, 0, 0]
    chart.set_comparison(pair([*same, 3 * HOUR], [*same, 6 * HOUR]))
    context.show(chart, 600, 200)
    image, plot = context.settle(chart), chart.frame().plot

    def spot(hours: float) -> QPointF:
        return QPointF(chart.frame().scale.x(hours * HOUR) + 0.5, plot.center().y())

    assert chart.tooltip_at(spot(2)).endswith("no change: 1 violated job in both runs")
    assert colour_at(image, *spot(2).toTuple()) == same_colour(LIGHT.dark)
    assert chart.tooltip_at(spot(5)).endswith("1 violated job more")
    assert chart.tooltip_at(spot(7.5)).endswith("no violated job in either run")
    assert colour_at(image, *spot(7.5).toTuple()) == LIGHT.chart
    context.selection.select_user(0)
    assert colour_at(context.settle(chart), *spot(2).toTuple()) not in (same_colour(False), LIGHT.chart)


def test_users_without_a_matching_job_stand_back(chart: DifferenceHeatmap, context: ViewContext) -> None:
    ann, bob = position_of(chart, 2, 0), position_of(chart, 1, 1)

    def hues() -> list[str]:
        image = context.settle(chart)
        return [colour_at(image, *spot.toTuple()) for spot in (ann, bob)]

    whole = hues()
    context.filter.set(Filter(parse_filter("user = ann")))
    colours = hues()
    assert colours[0] == whole[0]
    assert colours[1] not in (whole[1], LIGHT.chart)
    context.filter.set(Filter(parse_filter("wait > 1h")))  # in the second run
    assert hues()[1] == whole[1]
    context.filter.clear()
    assert hues() == whole


def test_rows_and_measure_follow_the_look_of_the_heatmaps(
    chart: DifferenceHeatmap, context: ViewContext
) -> None:
    chart.set_look(lambda trace, totals: rows_in_order(trace, totals, "name", pinned=[1]), "mean")
    context.settle(chart)
    assert chart.tooltip_at(position_of(chart, 1, 0)).startswith("user bob\n")
    assert chart.tooltip_at(position_of(chart, 2, 1)).startswith("user ann\n")
    assert chart.tooltip_at(position_of(chart, 2, 1)).endswith(" violated jobs fewer on average")
    assert "mean change" in chart.tooltip_at(QPointF(200, 10))


@pytest.mark.parametrize(("users", "pixels"), [(67, 39), (35, 208), (7, 40)])
def test_the_mouse_tells_and_picks_what_a_pixel_shows(context: ViewContext, users: int, pixels: int) -> None:
    trace = make_trace([0] * users, [HOUR] * users, 1, user=[f"u{k}" for k in range(users)])
    late = np.random.default_rng(users).integers(0, 6, (2, users)) * HOUR
    comparison = compare(run(trace, late[0], 1, "fcfs"), run(trace, late[1], 2, "easy"))
    context.clock.reset(0, 7 * HOUR)
    chart = DifferenceHeatmap(context, LIGHT)
    chart.set_comparison(comparison)
    context.show(chart, 420, 200)
    chart.resize(420, 200 + pixels - int(chart.frame().plot.height()))
    image, plot = context.settle(chart), chart.frame().plot.toRect()
    kinds = {"more": "orange", "fewer": "blue", "in both runs": "grey", "in either run": "blank"}
    x, seen = int(chart.frame().scale.x(2.4 * HOUR)), []
    for y in range(plot.top(), plot.top() + pixels):
        red, _, blue = rgb(colour_at(image, x, y))
        plain = "grey" if red < 240 else "blank"
        shown = "orange" if red > blue + 20 else "blue" if blue > red + 20 else plain
        user, _, words = chart.tooltip_at(QPointF(x, y)).split("\n")
        (kind,) = (kind for word, kind in kinds.items() if words.endswith(word))
        assert kind == shown, (y, user, words)
        seen.append((user, kind))
        context.selection.clear()
        context.settle(chart)
        context.qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(x, y))
        (code,) = context.selection.value.users
        assert user == f"user u{code}"
    assert len({kind for _, kind in seen}) > 1
