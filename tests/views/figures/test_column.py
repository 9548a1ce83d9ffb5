"""Figures as wide as a column of a page: nothing is cut, and they are just so wide; runs that are aligned."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.views.figures.samples import HOUR, some_results, some_trace
from views.data.plot_choices import DistributionChoices, ScatterChoices
from views.data.results import Result
from views.figures import (
    boxplot_figure,
    gains_figure,
    gantt_figure,
    heatmap_figure,
    hours_figure,
    lines_figure,
    radar_figure,
    scatter_figure,
    sizes_figure,
    value_figure,
)
from views.figures.sheet import COLUMN, WIDTH, page_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CUMULATIVE = DistributionChoices(kind="cumulative")

FIGURES: dict[str, Callable[[list[Result]], Figure]] = {
    "gantt": gantt_figure,
    "heatmap": lambda results: heatmap_figure(results[1:]),
    "distributions": boxplot_figure,
    "cumulative": lambda results: lines_figure(results, CUMULATIVE),
    "sizes": sizes_figure,
    "scatter": lambda results: scatter_figure(results[0], ScatterChoices()),
    "hours": hours_figure,
    "radar": radar_figure,
    "gains": gains_figure,
    "value": lambda results: value_figure(results, "linear", 5.0),
}


def cut(figure: Figure) -> list[str]:
    """The texts that do not lie on the page as a whole."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    width, height = figure.get_size_inches() * figure.dpi
    found = []
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        if text.get_visible() and text.get_text().strip():
            box = text.get_window_extent(canvas.get_renderer())
            inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1
            seen = any(one.get_visible() for one in (text.axes, text) if one is not None)
            if seen and not inside:
                found.append(f"{text.get_text()} {[round(v) for v in box.extents]} {width} {height}")
    return found


@pytest.mark.parametrize("width", [WIDTH, COLUMN], ids=["page", "column"])
@pytest.mark.parametrize("kind", FIGURES)
def test_no_word_of_a_figure_is_cut(kind: str, width: float) -> None:
    with page_of(width):
        figure = FIGURES[kind](some_results(some_trace()))
        assert cut(figure) == []
    assert figure.get_figwidth() == width


def test_runs_that_are_aligned_have_times_of_their_own_and_say_how_much_later() -> None:
    results = some_results(some_trace())
    later = results[1].run_id
    window = (0.0, 4.0 * HOUR)
    for draw in (gantt_figure, heatmap_figure):
        drawn = results if draw is gantt_figure else results[1:]
        figure = draw(drawn, window, offsets={later: 2.0 * HOUR})  # type: ignore[operator]
        shifted = [one for one in figure.axes if one.get_xlim() == (2.0 * HOUR, 6.0 * HOUR)]
        assert shifted
        assert len(shifted) < len(figure.axes)
        words = [text.get_text() for one in shifted for text in one.texts]
        assert "+2 h" in words
        labels = [label.get_text() for label in shifted[-1].get_xticklabels()]
        assert any(labels)
        image = next(image for image in shifted[0].images)
        assert image.get_extent()[:2] == pytest.approx((2.0 * HOUR, 6.0 * HOUR))
        assert cut(figure) == []
        plain = draw(drawn, window)  # type: ignore[operator]
        assert plain.get_figheight() < figure.get_figheight()


def test_bars_of_the_hours_are_the_mean_waits() -> None:
    results = some_results(some_trace())
    figure = hours_figure(results)
    by_hour = figure.axes[: len(results)]
    for axes, result in zip(by_hour, results, strict=True):
        schedule = result.schedule
        assert schedule.trace.zero is not None
        hour = (schedule.trace.zero + schedule.submit) % (24 * HOUR) // HOUR
        heights = np.array([patch.get_height() for patch in axes.patches])
        for step in range(24):
            own = schedule.wait[hour == step]
            assert heights[step] == pytest.approx(own.mean() if len(own) else 0)
    assert len(figure.axes) == 2 * len(results)
