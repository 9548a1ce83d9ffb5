"""Which ticks of a scale an axis shows."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication

from tests.views.context import ViewContext
from views.data.scales import LogScale
from views.theme.theme import LIGHT, tick_font


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
    assert all(one[1] < other[0] for one, other in pairwise(ends))
