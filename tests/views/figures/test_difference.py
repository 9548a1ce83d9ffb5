"""The difference of two runs as a figure for print."""

from pathlib import Path

import numpy as np

from tests.views.difference.pairs import HOUR, moved, pair
from views.data.changes import class_colours
from views.figures.difference import difference_figure
from views.figures.save import save
from views.theme.palette import rgb


def test_the_figure_answers_in_words_and_paints_who_starts_earlier(tmp_path: Path) -> None:
    from matplotlib.text import Text

    figure = difference_figure(moved())
    figure.draw_without_rendering()
    written = [text.get_text() for text in figure.findobj(Text)]
    for text in (
        "test: easy against fcfs",
        "easy",
        "starts against fcfs",
        "> 1 d earlier",
        "wait under fcfs",
        "ann",
    ):
        assert text in written
    assert any(text.startswith("Of 6 jobs 3 start earlier, 1 later") for text in written)
    jobs = figure.axes[0].images[0].get_array()
    assert jobs is not None
    seen = {tuple(colour) for colour in np.unique(np.asarray(jobs).reshape(-1, 3), axis=0).tolist()}
    blue, grey, orange = (rgb(class_colours(False)[k]) for k in (2, 4, 6))
    assert {blue, grey, orange} <= seen
    save(figure, tmp_path / "difference.svg")
    assert (tmp_path / "difference.svg").stat().st_size > 10_000


def test_without_expected_ends_there_is_no_heatmap() -> None:
    judged, plain = moved(), pair([0] * 6, [HOUR] * 6, grace=None)
    assert len(difference_figure(plain).axes) == len(difference_figure(judged).axes) - 1
