"""Composed figures: marks against sums made by hand, scales, facets, and what cannot be shown."""

import statistics
from dataclasses import replace

import numpy as np
import pytest

from engine.errors import InputError
from engine.sweep.result_table import ResultTable, parse_condition
from views.data.scales import Categories, LinearScale, LogScale
from views.figures.plots import plots_figure
from views.figures.run_styles import styles_of
from views.grammar.encoding import KINDS, Encoding, mean_of
from views.grammar.marks import mark_table, summed_parameters
from views.grammar.plots import ComposedPlot, Composition, composition_of
from views.plot.area import PlotArea
from views.plot.dwarfing_bars import DWARFED, WERE_CUT, dwarfed_top
from views.plot.layers import Bars, BoxOutline, Curve, Dots, Intervals, Labels, Raster
from views.theme.theme import DARK, LIGHT

POLICIES, THETAS, SEEDS = ("easy", "fcfs"), ("0.5", "1", "2"), ("0", "1", "2")
WORDS = tuple(
    {"policy": policy, "theta": theta, "seed": seed}
    for policy in POLICIES
    for theta in THETAS
    for seed in SEEDS
)
TABLE = ResultTable("study", WORDS, {"wait_mean": np.arange(1.0, 19.0), "utilization": np.arange(18.0) / 18})
LINES = Encoding("lines", "theta", ("wait_mean",), colour="policy")


def drawn(composition: Composition, place: int = 0) -> ComposedPlot:
    plot = composition.page().plots[place]
    assert isinstance(plot, ComposedPlot)
    return plot


def test_lines_are_means_over_what_is_not_shown_with_their_intervals() -> None:
    composition = composition_of(TABLE, LINES)
    first, second = drawn(composition).layers(LIGHT)
    assert isinstance(first, Intervals)
    assert isinstance(second, Intervals)
    assert first.joined
    assert first.x.tolist() == [0.5, 1.0, 2.0]
    assert first.y.tolist() == [2.0, 5.0, 8.0]
    assert second.y.tolist() == [11.0, 14.0, 17.0]
    half = 4.302652729911275 * statistics.stdev([1.0, 2.0, 3.0]) / 3**0.5  # Student's t, 2 degrees of freedom
    assert first.high[0] - first.y[0] == pytest.approx(half)
    (note,) = composition.page().notes
    assert (
        note
        == "Means of 3 runs over random seed (3 values); whiskers: 95 % confidence of the mean (Student's t)."
    )


def test_lines_join_words_that_were_put_in_order() -> None:
    beside, inside = (
        drawn(composition_of(TABLE, replace(LINES, x="policy", colour="theta", order=order)))
        for order in ({}, {"policy": ("fcfs", "easy")})
    )
    (apart, *_), (first, *others) = beside.layers(LIGHT), inside.layers(LIGHT)
    assert isinstance(apart, Intervals)
    assert isinstance(first, Intervals)
    assert (apart.joined, apart.x.tolist() != [0.0, 1.0]) == (False, True)
    assert (first.joined, first.x.tolist(), first.y.tolist()) == (True, [0.0, 1.0], [11.0, 2.0])
    assert [slot.name for slot in inside.slots] == ["fcfs", "easy"]
    assert len(others) == 2


def test_spreads() -> None:
    values = [1.0, 2.0, 6.0]
    assert (mean_of(values, "range").low, mean_of(values, "range").high) == (1.0, 6.0)
    assert mean_of(values, "sd").high == pytest.approx(3.0 + statistics.stdev(values))
    assert (mean_of(values, "none").low, mean_of([2.0], "95").high) == (3.0, 2.0)


def test_bars_stand_in_groups_without_touching_other_groups() -> None:
    composition = composition_of(TABLE, replace(LINES, kind="bars"))
    plot = drawn(composition)
    bars = [layer for layer in plot.layers(LIGHT) if isinstance(layer, Bars)]
    assert isinstance(plot.x, Categories)
    assert [slot.name for slot in plot.slots] == ["0.5", "1", "2"]
    assert np.allclose(bars[0].right, bars[1].left)
    assert (bars[0].left[1:] > bars[1].right[:-1]).all()
    assert plot.y.full_range[0] <= 0.0


def test_boxes_points_and_areas() -> None:
    boxes = drawn(composition_of(TABLE, replace(LINES, kind="boxes"))).layers(LIGHT)
    assert [layer.median for layer in boxes if isinstance(layer, BoxOutline)] == [2, 5, 8, 11, 14, 17]
    (dots, _) = drawn(composition_of(TABLE, replace(LINES, kind="points"))).layers(LIGHT)
    assert isinstance(dots, Dots)
    assert dots.y.tolist() == list(range(1, 10))
    (area, _) = drawn(composition_of(TABLE, replace(LINES, kind="areas"))).layers(LIGHT)
    assert isinstance(area, Curve)
    assert area.fill


def test_a_grid_has_a_plot_for_each_pair_and_common_heights() -> None:
    encoding = replace(LINES, x="seed", colour="", down="policy", across="theta")
    page = composition_of(TABLE, encoding).page()
    assert (len(page.plots), page.columns) == (6, 3)
    assert page.plots[5].words.title == "Policy: fcfs, θ: 2"
    assert len({plot.y.full_range for plot in page.plots}) == 1
    free = composition_of(TABLE, replace(encoding, free=True)).page()
    assert len({plot.y.full_range for plot in free.plots}) == 6


def test_values_are_chosen_put_in_order_and_named() -> None:
    encoding = replace(
        LINES,
        conditions=(parse_condition("theta=0.5|2"),),
        order={"policy": ("fcfs",)},
        names={"fcfs": "First come", "theta": "Load", "wait_mean": "Wait in seconds"},
    )
    page = composition_of(TABLE, encoding).page()
    assert [entry.name for entry in page.legend] == ["First come", "easy"]
    assert (page.plots[0].words.title, page.plots[0].words.x_name) == ("Wait in seconds", "Load")


def test_a_style_is_the_same_marker_for_all_colours() -> None:
    legend = composition_of(TABLE, replace(LINES, style="seed")).page().legend
    styles = styles_of(legend)
    assert [entry.name for entry in legend[:2]] == ["easy, 0", "easy, 1"]
    assert styles[0] == styles[3]
    assert styles[0] != styles[1]


def test_shares_of_a_baseline_and_logarithms() -> None:
    shares = composition_of(TABLE, replace(LINES, baseline=parse_condition("policy=easy")))
    plot = drawn(shares)
    assert plot.words.title == "Mean wait, % of easy"
    assert isinstance(plot.y, LinearScale)
    log = drawn(composition_of(TABLE, replace(LINES, log_x=True, log_y=True, spread="none")))
    assert isinstance(log.x, LogScale)
    assert isinstance(log.y, LogScale)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"x": "thta"}, "did you mean 'theta'"),
        ({"y": ("wait_men",)}, "did you mean 'wait_mean'"),
        ({"style": "theta"}, "stands on x already"),
        ({"kind": "cells", "colour": "theta"}, "rows of cells are of another parameter"),
        ({"kind": "cells", "style": "seed"}, "cells have no style"),
        ({"down": "seed", "across": "seed"}, "down or across"),
        ({"kind": "bars", "log_y": True}, "begin at 0"),
        ({"cut": True}, "bars are cut, lines are not"),
        ({"x": "policy", "colour": "theta", "log_x": True}, "no logarithmic axis"),
        ({"order": {"policy": ("sjf",)}}, "no value 'sjf'"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_a_sentence(changed: dict[str, object], expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        composition_of(TABLE, replace(LINES, **changed)).page()  # type: ignore[arg-type]


def test_parameters_stand_together() -> None:
    composition = composition_of(TABLE, replace(LINES, kind="bars", x="theta+seed", names={"2": "two"}))
    plot = drawn(composition)
    assert len(plot.slots) == 9
    assert [slot.name for slot in plot.slots][:3] == ["0.5, 0", "0.5, 1", "0.5, two"]
    assert plot.words.x_name == ""
    (bars, *_) = plot.layers(LIGHT)
    assert isinstance(bars, Bars)
    assert bars.top.tolist() == list(range(1, 10))  # no mean is left


def test_cells_have_the_means_and_the_best_is_the_darkest() -> None:
    composition = composition_of(TABLE, replace(LINES, kind="cells"))
    plot = drawn(composition)
    raster, labels = plot.layers(LIGHT)
    assert isinstance(raster, Raster)
    assert isinstance(labels, Labels)
    light = raster.pixels[..., :3].sum(axis=2, dtype=int)
    # A lower wait is better: the first policy, on top, at its least theta.
    assert np.unravel_index(light.argmin(), light.shape) == (0, 0)
    assert np.unravel_index(light.argmax(), light.shape) == (1, 2)
    texts = dict(zip(zip(labels.x.tolist(), labels.y.tolist(), strict=True), labels.texts, strict=True))
    assert (texts[0, 1], texts[2, 0]) == ("2 s", "17 s")
    assert not composition.page().legend


def test_the_mouse_reads_the_mark_and_a_click_takes_the_run_nearest_to_its_mean() -> None:
    plot = drawn(composition_of(replace(TABLE, spellings=tuple(map(str, range(18)))), LINES))
    assert [spot.row for spot in plot.spots] == [1, 4, 7, 10, 13, 16]
    area = PlotArea(0, 0, 100, 100, plot.x.full_range, plot.y.full_range)
    reading = plot.read(area, area.point(plot.spots[3].x, plot.spots[3].y))
    assert reading is not None
    assert reading.units is not None
    assert list(reading.units()) == [10]
    first, *others = reading.text.splitlines()
    assert first == "Policy: fcfs, θ: 0.5"
    assert others[0].endswith(": 11 s")
    assert others[1].startswith("mean of 3 runs, 95 % CI ")
    assert others[2] == "Click: open 10"


def test_durations_on_x_are_written_as_such() -> None:
    words = tuple({"threshold": text} for text in ("30m", "2h", "1d"))
    table = ResultTable("few", words, {"wait_mean": np.arange(3.0)})
    plot = drawn(composition_of(table, Encoding("lines", "threshold", ("wait_mean",))))
    assert plot.x == LinearScale(1800.0, 86_400.0, True)


def test_whiskers_below_0_leave_a_logarithmic_axis_to_the_means() -> None:
    words = tuple({"policy": "easy", "seed": str(seed)} for seed in range(2))
    table = ResultTable("few", words, {"wait_mean": np.array([1.0, 100.0])})
    plot = drawn(composition_of(table, Encoding("lines", "policy", ("wait_mean",), log_y=True)))
    assert isinstance(plot.y, LogScale)
    assert plot.y.smallest == pytest.approx(50.5)


@pytest.mark.parametrize("kind", KINDS)
def test_the_data_of_a_figure_are_bare_numbers(kind: str) -> None:
    encoding = replace(LINES, kind=kind)  # type: ignore[arg-type]
    composition = composition_of(TABLE, encoding)
    table = dict(mark_table(composition.facets, encoding))
    assert list(table) == ["measure", "policy", "theta", "mean", "low", "high", "count"]
    assert table["mean"].tolist() == [2.0, 5.0, 8.0, 11.0, 14.0, 17.0]


def test_a_grid_that_finds_no_room_is_refused() -> None:
    many = tuple({"policy": f"p{k}", "seed": str(s)} for k in range(12) for s in range(2))
    table = ResultTable("many", many, {"wait_mean": np.ones(24)})
    encoding = Encoding("bars", "seed", ("wait_mean",), across="policy")
    page = replace(composition_of(table, encoding).page(), columns=12)
    with pytest.raises(InputError, match="12 plots side by side do not fit"):
        plots_figure(page, "")


def test_a_line_of_fewer_values_lies_on_the_scale_of_all() -> None:
    """Three words with numbers are numbers; one of them alone is a word."""
    pairs = (("a", "scaled2"), ("a", "scaled5"), ("a", "scaled10"), ("b", "scaled5"))
    words = tuple({"kind": kind, "load": load} for kind, load in pairs)
    table = ResultTable("few", words, {"wait_mean": np.arange(4.0)})
    spots = drawn(composition_of(table, Encoding("lines", "load", ("wait_mean",), colour="kind"))).spots
    across = {spot.row: spot.x for spot in spots}
    assert across[0] < across[1] == across[3] < across[2]


def test_bars_that_dwarf_the_others_are_cut_with_their_values_where_that_is_asked_for() -> None:
    waits = np.array([60.0, 80.0, 7200.0, 70.0, 90.0, 60.0, 90.0, 40.0, 9000.0])
    words = tuple({"policy": p, "log": log} for log in ("a", "b", "c") for p in ("easy", "sjf", "fcfs"))
    table = ResultTable("study", words, {"wait_mean": waits})
    bars = Encoding("bars", "log", ("wait_mean",), colour="policy")
    whole, cut = (composition_of(table, replace(bars, cut=on)) for on in (False, True))
    assert whole.page().notes == [DWARFED.format(option="the option cut")]
    assert drawn(whole).y.full_range[1] >= 9000.0
    assert cut.page().notes == [WERE_CUT]
    end = drawn(cut).y.full_range[1]
    assert 1.3 * 90.0 <= end < 2 * 90.0
    labels = [layer for layer in drawn(cut).layers(LIGHT) if isinstance(layer, Labels)]
    assert [text for layer in labels for text in layer.texts] == ["↑ 2 h", "↑ 2 h 30 min"]
    assert {float(layer.y[0]) for layer in labels} == {end}
    assert all(spot.y <= end for spot in drawn(cut).spots)
    # Means of two logs: the interval of the bar that is cut, which reaches far below 0, is left out.
    twice = ResultTable("twice", words[:6], {"wait_mean": np.array([60.0, 62.0, 100.0, 61.0, 64.0, 9e4])})
    means = drawn(composition_of(twice, Encoding("bars", "policy", ("wait_mean",), cut=True)))
    (whiskers,) = (layer for layer in means.layers(LIGHT) if isinstance(layer, Curve))
    assert sorted({float(x) for x in whiskers.x if np.isfinite(x)}) == [0.0, 1.0]
    assert 0.0 > means.y.full_range[0] > -60.0
    (note,) = composition_of(table, replace(bars, kind="lines")).page().notes
    assert "log-y" in note
    assert composition_of(table, replace(bars, kind="lines", log_y=True)).page().notes == []


@pytest.mark.parametrize(
    ("heights", "top"),
    [
        ([3.0, 2.0, 40.0], 3.0),
        ([3.0, 2.0, 12.0], None),
        ([40.0, 3.0], 3.0),
        ([40.0], None),
        ([0.0, 0.0, 5.0], None),
        ([1.0, 1.0, 90.0, 80.0, 2.0, float("nan"), 2.0], 2.0),  # two of six
        ([1.0, 90.0, 80.0, 2.0], None),  # a third of four bars is one
    ],
)
def test_few_bars_over_4_times_as_high_as_all_others_dwarf_them(
    heights: list[float], top: float | None
) -> None:
    assert dwarfed_top(np.array(heights)) == top


def test_whiskers_over_bars_have_the_colour_of_text_on_every_ground() -> None:
    plot = drawn(composition_of(TABLE, replace(LINES, kind="bars")))
    for theme in (LIGHT, DARK):
        whiskers = [layer for layer in plot.layers(theme) if isinstance(layer, Curve)]
        assert {layer.colour for layer in whiskers} == {theme.text}


def test_a_parameter_that_differs_between_marks_alone_is_not_summed_up_over() -> None:
    words = tuple({"policy": p, "log": p[:1], "seed": s} for p in ("easy", "fcfs") for s in "012")
    table = ResultTable("study", words, {"wait_mean": np.arange(6.0)})
    composition = composition_of(table, Encoding("lines", "policy", ("wait_mean",)))
    assert summed_parameters(composition.facets) == {"seed": range(3, 4)}
    one = ResultTable("study", words[:-1], {"wait_mean": np.arange(5.0)})
    (note,) = composition_of(one, Encoding("lines", "policy", ("wait_mean",))).page().notes
    assert note.startswith("Means of 2 to 3 runs over random seed (2 to 3 values);")
