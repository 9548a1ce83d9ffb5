"""Which ticks of a scale an axis shows."""

from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication

from tests.views.context import ViewContext, colour_at
from tests.views.plotting.plots import RED, five_dots, shown
from views.data.scales import LogScale
from views.theme.fonts import tick_font
from views.theme.theme import LIGHT


@pytest.mark.parametrize(("width", "least"), [(400, 3), (120, 3), (60, 1)])
def test_a_narrow_axis_has_the_labels_that_find_room(context: ViewContext, width: int, least: int) -> None:
    from views.plotting.axes import ScaleAxis

    scale = LogScale(60.0, 2 * 86400.0, True, durations=True)
    font = QApplication.font()
    axis = ScaleAxis("bottom")
    axis.dress(LIGHT, font)
    axis.set_scale(scale)
    ticks = axis.tickValues(*scale.full_range, width)[0][1]
    assert len(ticks) >= least
    texts = axis.tickStrings(ticks, 1.0, 1.0)
    middles = [
        (coordinate - scale.full_range[0]) / (scale.full_range[1] - scale.full_range[0]) * width
        for coordinate in ticks
    ]
    halves = [QFontMetricsF(tick_font(font)).horizontalAdvance(text) / 2 for text in texts]
    ends = [(middle - half, middle + half) for middle, half in zip(middles, halves, strict=True)]
    assert all(first[1] < second[0] for first, second in pairwise(ends))


def test_the_name_of_another_plot_of_the_same_size_is_shown(context: ViewContext) -> None:
    plot = five_dots()
    chart = shown(context, plot)
    before = context.settle(chart)
    words = replace(plot.words, x_name="another name", x_colour=RED)
    chart.set_plot(lambda: replace(plot, words=words))
    after = context.settle(chart)
    below = range(int(chart.area.rect.bottom()) + 1, chart.height())
    colours = {colour_at(after, x, y) for x in range(chart.width()) for y in below}
    assert RED in colours
    assert before != after
