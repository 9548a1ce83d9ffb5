"""Figures of runs that are aligned."""

import pytest

from tests.views.figures.samples import HOUR, cut, some_results, some_trace
from views.figures.gantt import gantt_figure
from views.figures.heatmap import heatmap_figure


def test_runs_that_are_aligned_have_times_of_their_own_and_say_how_much_later() -> None:
    results = some_results(some_trace())
    later = results[1].run_id
    window = (0.0, 4.0 * HOUR)
    for draw in (gantt_figure, heatmap_figure):
        drawn = results if draw is gantt_figure else results[1:]
        figure = draw(drawn, window, offsets={later: 2.0 * HOUR})  # type: ignore[operator]
        shifted = [axis for axis in figure.axes if axis.get_xlim() == (2.0 * HOUR, 6.0 * HOUR)]
        assert shifted
        assert len(shifted) < len(figure.axes)
        words = [text.get_text() for axes in shifted for text in axes.texts]
        assert "+2 h" in words
        labels = [label.get_text() for label in shifted[-1].get_xticklabels()]
        assert any(labels)
        image = next(image for image in shifted[0].images)
        assert image.get_extent()[:2] == pytest.approx((2.0 * HOUR, 6.0 * HOUR))
        assert cut(figure) == []
        plain = draw(drawn, window)  # type: ignore[operator]
        assert plain.get_figheight() < figure.get_figheight()
