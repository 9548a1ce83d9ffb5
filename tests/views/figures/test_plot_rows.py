"""Rows of plots, ticks, values at ends of axes, and the title of a legend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tests.views.figures.samples import cut
from views.data.scales import LinearScale
from views.figures.page_settings import COLUMN, WIDTH, Sheet, drawn_on
from views.figures.plots import plots_figure
from views.figures.printing import check_legible, on_paper, printed
from views.plot.layers import Curve, Intervals, Labels, Layer
from views.plot.page import PlotPage
from views.plot.plot import Category, Plot, PlotWords, PrintRoom
from views.theme.theme import Theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RED = "#d55e00"
ENDS = np.array([0.5, 2.0])


@dataclass(frozen=True, eq=False, kw_only=True)
class Wide(Plot):
    """A line in a plot that takes half a page, or more where the page is narrow."""

    of: Sequence[Layer] = (Curve(ENDS, np.array([36.5, 43.4]), RED),)

    @property
    def paper(self) -> PrintRoom:
        return PrintRoom(1.9, 1.4)

    def layers(self, theme: Theme) -> Sequence[Layer]:
        return self.of


def wide(title: str = "Wide", *of: Layer, y: LinearScale | None = None) -> Wide:
    layers = {"of": of} if of else {}
    x, y = LinearScale(0.5, 2.0), y or LinearScale(36.5, 43.4)
    return Wide(words=PlotWords(title), x=x, y=y, **layers)


def rows_of(figure: Figure) -> list[list[str]]:
    """The titles of the plots of each row."""
    rows: dict[float, list[str]] = {}
    for axes in figure.axes:
        rows.setdefault(round(axes.get_position().y1, 3), []).append(axes.texts[0].get_text())
    return [rows[top] for top in sorted(rows, reverse=True)]


def test_groups_begin_a_row_each_and_fill_rows_evenly() -> None:
    plots = [wide(f"{group}{k}") for group in "ab" for k in range(5)]
    with drawn_on(Sheet(width=WIDTH)):
        figure = plots_figure(PlotPage(plots, groups=5), "")
    assert rows_of(figure) == [["a0", "a1", "a2"], ["a3", "a4"], ["b0", "b1", "b2"], ["b3", "b4"]]


def test_plots_become_narrower_where_the_page_is_too_low_for_a_column_of_them() -> None:
    page = PlotPage([wide(f"{group}{k}") for group in "abcd" for k in range(3)], groups=3)
    made = printed(lambda: plots_figure(page, "A figure"), on_paper("85mm"))
    check_legible(made)
    assert [len(row) for row in rows_of(made.figure)] == [2, 1] * 4
    high = printed(lambda: plots_figure(page, "A figure"), on_paper("85"))  # as high as it needs
    assert [len(row) for row in rows_of(high.figure)] == [1] * 12
    assert cut(made.figure) == []


def test_low_and_narrow_plots_have_more_than_a_tick() -> None:
    page = PlotPage([wide(f"{group}{k}") for group in "abcd" for k in range(3)], groups=3)
    made = printed(lambda: plots_figure(page, "A figure"), on_paper("85mm"))
    for axes in made.figure.axes:
        assert [label.get_text() for label in axes.get_xticklabels()] == ["0.5", "1", "1.5", "2"]
        assert len(axes.get_yticklabels()) > 1


def test_a_long_title_of_a_legend_stands_above_it() -> None:
    long = "a parameter with a long name, and another"
    legend = [Category("one", RED, 1), Category("two", RED, 2)]
    with drawn_on(Sheet(width=COLUMN)):
        short, above = (plots_figure(PlotPage([wide()], legend, title), "") for title in ("runs", long))
        for figure, title in ((short, "runs"), (above, long)):
            (text,) = [text for text in figure.texts if text.get_text() == title]
            box = figure.legends[0].get_window_extent()
            beside = text.get_window_extent()
            assert cut(figure) == []
            assert (beside.y0 >= box.y1 - 1) == (title == long)
            assert (beside.x1 < box.x0) == (title == "runs")


def test_a_value_at_the_lower_end_of_its_axes_lies_in_them() -> None:
    at = np.array([1.0])
    values = Labels(at, np.array([-198.0]), ["−198"], 0.05, (0.5, 0.0 + 1.0))
    figure = plots_figure(PlotPage([wide("Losses", values, y=LinearScale(-200.0, 0.0))]), "")
    (axes,) = figure.axes
    (value,) = [text for text in axes.texts if text.get_text() == "−198"]
    assert value.get_window_extent().y0 >= axes.get_window_extent().y0


def test_marks_that_no_line_joins_have_no_line_in_the_legend() -> None:
    legend = [Category("one", RED, 0), Category("two", RED, 1)]
    for joined in (True, False):
        marks = [Intervals(ENDS, ENDS, ENDS, ENDS, RED, joined, run=run) for run in (0, 1)]
        figure = plots_figure(PlotPage([wide("Marks", *marks, y=LinearScale(0.0, 2.0))], legend), "")
        lines = [handle.get_linestyle() for handle in figure.legends[0].legend_handles]  # type: ignore[union-attr]
        assert all((line == "None") != joined for line in lines)
