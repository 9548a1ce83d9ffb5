"""The difference of two heatmaps: exact at every zoom, orange for more, blue for fewer, nothing for none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, Qt

from engine.fairness.violations import Steps
from tests.engine.metrics.test_difference import at, steps_of
from tests.views.pairs import HOUR, moved, pair
from tests.views.stage import Stage, colour_at
from views.difference.counts import count_legend, paint_signed_counts
from views.difference.heatmap import DifferenceHeatmap
from views.palette import pixel, rgb
from views.signed import signed_colours, signed_extreme
from views.style import DARK, LIGHT, Theme
from views.user_rows import UserRows
from views.want import Want

THEMES = [LIGHT, DARK]
rows = st.lists(st.lists(st.integers(-3, 3), max_size=8), min_size=3, max_size=3)


def furthest(steps: Steps, users: list[int], first: int, last: int) -> int:
    """The count furthest from 0 in these minutes; of two as far the greater one."""
    counts = [at(steps, user, minute) for user in users for minute in range(first, last)]
    return max([0, *counts], key=lambda count: (abs(count), count))


@given(rows, st.integers(0, 4), st.integers(1, 4), st.integers(1, 3))
def test_a_pixel_shows_the_count_furthest_from_none(
    counts: list[list[int]], start: int, minutes: int, lines: int
) -> None:
    """Three columns of `minutes` each; as many lines as users, or fewer."""
    steps = steps_of(counts, 0)
    want = Want((start * 60.0, (start + 3 * minutes) * 60.0), 3, lines, 1.0)
    got = paint_signed_counts(want, steps, UserRows(np.arange(3), 3), 3, None, LIGHT)
    table = signed_colours(3, LIGHT.dark, pixel(LIGHT.chart))
    for line in range(lines):
        users = [user for user in range(3) if user * lines // 3 == line]
        for column in range(3):
            first = start + column * minutes
            assert got[line, column] == table[3 + furthest(steps, users, first, first + minutes)]
    for user in range(3):
        assert signed_extreme(steps, user, start, start + minutes) == furthest(
            steps, [user], start, start + minutes
        )


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
@pytest.mark.parametrize("most", [1, 2, 50])
def test_more_is_orange_fewer_is_blue_and_none_is_blank(theme: Theme, most: int) -> None:
    table = signed_colours(most, theme.dark, pixel(theme.chart))
    colours = [rgb(f"#{int(value) & 0xFFFFFF:06x}") for value in table]
    assert colours[most] == rgb(theme.chart)
    assert all(blue > red + 20 for red, _, blue in colours[:most])
    assert all(red > blue + 20 for red, _, blue in colours[most + 1 :])
    texts = [text for _, text in count_legend(most, theme.dark).marks]
    assert (texts[0], texts[-1]) == (f"{most} fewer", f"{most} more")
    places = [place for place, _ in count_legend(most, theme.dark).marks]
    assert places == sorted(places)


@pytest.fixture
def chart(stage: Stage) -> DifferenceHeatmap:
    stage.clock.reset(0, 4 * HOUR)
    chart = DifferenceHeatmap(stage, LIGHT)
    chart.set_comparison(moved())
    stage.show(chart, 600, 200)
    return chart


def place(chart: DifferenceHeatmap, hours: float, row: int) -> QPointF:
    plot = chart.frame().plot
    return QPointF(chart.frame().scale.x(hours * HOUR) + 0.5, plot.top() + (row + 0.5) * plot.height() / 2)


def test_the_users_whom_it_changes_most_stand_on_top(chart: DifferenceHeatmap, stage: Stage) -> None:
    """Ann's two jobs were late by about 2 h and 3 h, then by 1 h each; Bob's first job is late now."""
    image = stage.settle(chart)
    fewer = rgb(colour_at(image, *place(chart, 2, 0).toTuple()))
    more = rgb(colour_at(image, *place(chart, 1, 1).toTuple()))
    assert fewer[2] > fewer[0] + 20
    assert more[0] > more[2] + 20
    assert colour_at(image, *place(chart, 3.8, 1).toTuple()) == LIGHT.chart
    assert chart.tooltip_at(place(chart, 2, 0)).endswith("fewer")
    assert chart.tooltip_at(place(chart, 1, 1)).startswith("user bob\n")
    assert chart.tooltip_at(place(chart, 1, 1)).endswith("1 violated job more")
    assert chart.tooltip_at(place(chart, 3.8, 1)).endswith("no change")
    assert chart.summary() == "2 users, up to 2 violated jobs more or fewer"


def test_a_click_selects_the_user_and_the_others_stand_back(chart: DifferenceHeatmap, stage: Stage) -> None:
    spot = place(chart, 2, 0)
    before = colour_at(stage.settle(chart), *spot.toTuple())
    stage.qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=place(chart, 1, 1).toPoint())
    assert stage.selection.value.users == {1}
    image = stage.settle(chart)
    assert colour_at(image, *spot.toTuple()) != before
    chart.fit_selection()
    assert stage.clock.start >= 0
    assert stage.clock.end < 3 * HOUR


def test_why_there_is_nothing_to_see(chart: DifferenceHeatmap) -> None:
    same = [0, 0, 0, 0, 0, 0]
    chart.set_comparison(pair(same, same))
    assert chart.message == "Both runs violate the same expected end times at all times"
    chart.set_comparison(pair(same, same, grace=None))
    assert chart.message == "Not judged yet"
