"""Texts of figures: what is shortened is told below, and names of any script have letters."""

import re
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from tests.views.figures.samples import scene_faults, texts
from views.data.scales import Categories, LinearScale
from views.figures.page_fonts import written
from views.figures.page_settings import STYLE, fonts
from views.figures.page_text import collecting_keys, elided, key_lines, shortened, text_inches, wrapped
from views.figures.plots import plots_figure
from views.figures.printing import on_paper, printed
from views.figures.save import rendered
from views.grammar.composed_plot import ComposedPlot
from views.plot.layers import Bars, Labels
from views.plot.page import PlotPage
from views.plot.plot import Category, EmptyPlot, PlotWords

LONG = "fairshare-easy:penalty=cpu,half_life=2h,accrue=always"


def test_names_are_shortened_by_what_they_differ_in() -> None:
    names = ["user number 3", "user number 12"]
    with collecting_keys() as keys:
        assert shortened(names, text_inches("user number")) == ["…3", "…12"]
    assert key_lines(keys, 5.0, 6.0) == ["… user number"]


def test_names_that_differ_early_have_numbers_with_keys() -> None:
    with collecting_keys() as keys:
        first, second = (elided(name, 0.6) for name in (LONG, LONG + ",bf=0.5"))
        assert elided(LONG, 0.6) == first
    assert first.endswith("…[1]")
    assert second.endswith("…[2]")
    assert list(keys.values()) == [LONG, LONG + ",bf=0.5"]
    assert max(text_inches(text) for text in (first, second)) <= 0.6


def test_words_without_spaces_are_wrapped_after_signs_and_then_anywhere() -> None:
    lines = wrapped(f"{LONG} and {'x' * 60}", 1.0, STYLE["font.size"])
    assert "".join(lines).replace(" ", "") == f"{LONG}and{'x' * 60}"
    assert max(map(text_inches, lines)) <= 1.0 + 1e-6


@pytest.mark.parametrize("paper", ["80mm", "180mm"])
def test_long_names_of_many_runs_and_high_values_stay_on_the_page(paper: str) -> None:
    names = [f"{LONG},bf=0.{k}" for k in range(7)]
    colours = ["#0072b2"] * 7
    at, values = np.arange(7.0), np.array([10.0, 20, 15, 18, 2300, 17, 16])
    plot = ComposedPlot(
        words=PlotWords("Mean wait", y_name="d h min s, lower is better, of all jobs that were measured"),
        x=Categories(7),
        y=LinearScale(0.0, 2300.0),
        slots=[Category(name) for name in names],
        made=lambda _: [
            Bars(at - 0.4, at + 0.4, values, colours),
            Labels(at, values, [f"{value:g} h 30 min" for value in values], 1.0, (0.5, 1.0)),
        ],
    )
    legend = [Category(name, colours[0], k) for k, name in enumerate(names)]
    page = PlotPage([plot, plot], legend, "runs")
    made = printed(lambda: plots_figure(page, f"a log under {LONG}: {LONG} against {LONG}"), on_paper(paper))
    assert scene_faults(made) == []
    bars: Any = made.figure.axes[0]
    top = bars.get_window_extent().y1
    assert all(text.get_window_extent().y1 <= top for text in bars.texts if "min" in text.get_text()[-3:])


def test_letters_that_no_font_has_are_written_as_codes() -> None:
    assert written("Łukasz Ørsted αβγ Иван", fonts()) == ("Łukasz Ørsted αβγ Иван", ())
    nowhere = chr(0x1F2FF)  # not assigned
    assert written(f"a{nowhere}", fonts()) == ("a\\U0001f2ff", ())


def test_names_in_other_scripts_are_no_boxes() -> None:
    page = PlotPage(
        [
            ComposedPlot(
                words=PlotWords("用户 张伟"),
                x=Categories(1),
                y=LinearScale(),
                slots=[Category("张伟")],
                made=lambda _: [],
            )
        ]
    )
    made = printed(lambda: plots_figure(page, "log"), on_paper("85mm"))
    for text in texts(made.figure):
        letters, further = written(text, fonts())
        assert letters == text, "each letter has a font, or is a code"
        assert all(family != STYLE["font.family"] for family in further)


def test_names_of_ticks_are_codes_in_the_drawn_figure_too() -> None:
    """matplotlib writes them anew as it draws."""
    nowhere = chr(0x1F2FF)  # not assigned
    slots = [Category(f"{nowhere} {k}") for k in range(2)]
    plot = ComposedPlot(
        words=PlotWords("Plot"), x=Categories(2), y=LinearScale(), slots=slots, made=lambda _: []
    )
    made = printed(lambda: plots_figure(PlotPage([plot]), "log"), on_paper("180mm"))
    made.figure.draw_without_rendering()
    shown = [label.get_text() for label in made.figure.axes[0].get_xticklabels()]
    assert shown == ["\\U0001f2ff 0", "\\U0001f2ff 1"]


@pytest.mark.parametrize("width", [80, 85, 180])
def test_the_note_below_a_figure_stays_on_its_page_with_numbers_whole(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = "wagap on 20x80c517018m+48x12c91832m: conservative, plan. Measured: 17\u202f897 jobs, submitted "
    note += f"{'Mon 31 Dec 2012 23:22:27 to ' * 9}now.\nLog by courtesy of WWWWWWWWWWWWWWWWWWWW."
    plot = EmptyPlot(words=PlotWords("", message="None."))
    made = printed(lambda: plots_figure(PlotPage([plot]), "wagap"), on_paper(f"{width}mm"))
    seen = []

    def look(figure: Figure, *_: Any, **__: Any) -> None:
        seen.append((figure.texts[-1].get_text(), figure.texts[-1].get_window_extent()))

    monkeypatch.setattr(Figure, "savefig", look)
    rendered(made, ".png", note)
    ((text, box),) = seen
    assert re.split("[ \n]", text) == re.split("[ \n]", note)
    assert box.x1 <= made.figure.bbox.x1
    assert len(text.split("\n")) > 2
