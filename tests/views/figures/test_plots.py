"""The painter of plots for print: layers, names that find no room, legends, and the figures of all views."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from app.model.chart_data import ComparedRuns, compare_runs, draw
from engine.machine.cluster import Cluster, NodeGroup
from engine.machine.power import NodePower, PowerModel, Rates, with_power
from engine.metrics.catalog import METRICS
from engine.metrics.site_twin import SiteTwin
from engine.metrics.twin import twin_of
from engine.policy.policy import parse_policy
from engine.run_source import schedule_of
from engine.search.search import search
from engine.search.typed_question import TypedQuestion
from engine.simulation.control import Control
from engine.slurm.site.site import site_of_machine
from engine.study import Study
from engine.sweep.grid import make_grid
from engine.sweep.study_file import read_study_file
from engine.sweep.study_results import StudyResults
from tests.engine.sweep.test_study_results import rows_of
from tests.paths import ROOT
from tests.traces import make_trace
from tests.views.figures.samples import (
    HOUR,
    LONG,
    cut,
    drawn,
    request_of,
    scene_faults,
    some_results,
    some_trace,
    texts,
)
from tests.views.results import make_result
from views.catalog import FIGURES, figure_spec
from views.data.comparison import RunPair
from views.data.named_rows import NamedRows
from views.data.plot_choices import DistributionChoices, ScatterChoices
from views.data.results import Result
from views.data.run_series import RunSeries
from views.data.scales import Categories, LinearScale
from views.data.search_results import SearchResults
from views.data.shown_runs import ShownRuns
from views.data.sweep_cells import SweepCells, SweepResults
from views.data.twin_look import TwinLook
from views.data.view_options import ViewOptions
from views.figures.page_settings import COLUMN, WIDTH, Sheet, drawn_on
from views.figures.plots import plots_figure
from views.figures.printing import MM, on_paper, printed
from views.grammar.choices import usual_encoding
from views.grammar.study_figure import StudyFigure
from views.plot.layers import (
    Band,
    Bands,
    Bars,
    BoxOutline,
    Curve,
    Dots,
    HangingMarks,
    Intervals,
    Labels,
    LaneBars,
    LaneColumns,
    LaneHeads,
    Layer,
    Pointers,
    Polygon,
    RadarGrid,
    Raster,
    ReferenceLine,
    StepLayer,
    TextOverlay,
)
from views.plot.page import PlotPage, runs_legend
from views.plot.plot import Category, EmptyPlot, Plot, PlotWords
from views.theme.palette import run_colour
from views.theme.theme import Theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RED, BLUE = "#d55e00", "#0072b2"
ONE, TWO = np.array([1.0]), np.array([2.0, 8.0])


@dataclass(frozen=True, eq=False, kw_only=True)
class Sample(Plot):
    """Any layers on a square of 10 by 10."""

    made: Callable[[], Sequence[Layer]]

    def layers(self, theme: Theme) -> Sequence[Layer]:
        return self.made()


def sample(*layers: Layer, words: PlotWords | None = None, slots: Sequence[Category] = ()) -> Sample:
    x = Categories(len(slots)) if slots else LinearScale(0.0, 10.0)
    return Sample(
        words=words or PlotWords("Sample"), x=x, y=LinearScale(0.0, 10.0), slots=slots, made=lambda: layers
    )


LAYERS: tuple[Layer, ...] = (
    Dots(TWO, TWO, RED),
    Curve(TWO, TWO, RED, fill=0.2),
    StepLayer(TWO, TWO, RED),
    BoxOutline(5.0, 1.0, 3.0, 4.0, 6.0, 9.0, RED, 0.5),
    BoxOutline(5.0, 1.0, 3.0, 4.0, 6.0, 9.0, RED, 0.5, lies=True),
    Raster(np.full((2, 2, 4), 255, np.uint8), (0.0, 10.0), (0.0, 10.0)),
    Bars(TWO, TWO + 1, TWO, [RED, BLUE]),
    Polygon(TWO, TWO, RED),
    Intervals(TWO, TWO, TWO - 1, TWO + 1, RED),
    RadarGrid((5.0,), [("north", "1"), ("east", "2"), ("west", "3")]),
    Labels(ONE, ONE, ["word"], 5.0),
    LaneHeads(ONE, ["run"], [RED], ["note"]),
    LaneBars(ONE, TWO[:1], ONE, [RED], 10.0),
    LaneColumns(TWO, TWO, 0.0, 0.8, RED),
    Pointers(ONE, ONE, 10.0),
    TextOverlay(5.0, 5.0, "words"),
    ReferenceLine(5.0, RED),
    Bands([Band(np.full((3, 4), 5.0), RED)], [HangingMarks(TWO, 10.0, RED)]),
)


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: type(layer).__name__)
def test_a_layer_is_drawn(layer: Layer) -> None:
    drawn_with, without = (pixels(plots_figure(PlotPage([sample(*layers)]), "")) for layers in ((layer,), ()))
    assert (drawn_with != without).any()


def pixels(figure: Figure) -> np.ndarray:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


def test_every_kind_of_layer_has_its_function() -> None:
    """`Computed` layers need none: the layer that they compute for the visible part is drawn."""
    import views.plot.layers as module

    kinds = {kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, Layer)}
    assert {type(layer) for layer in LAYERS} == kinds - {Layer, module.Computed}


def test_long_names_of_axes_and_slots_are_wrapped() -> None:
    long = "a name of an axis that goes on for much longer than any plot in a column is wide, and then some"
    slots = [Category(f"early, on time or late {k}") for k in range(3)]
    with drawn_on(Sheet(width=COLUMN)):
        figure = plots_figure(PlotPage([sample(words=PlotWords("Sample", "", long, long), slots=slots)]), "")
        assert cut(figure) == []
    (axes,) = figure.axes
    assert axes.get_xlabel().count("\n") >= 1
    assert all("\n" in label.get_text() for label in axes.get_xticklabels())
    assert axes.get_xlabel().replace("\n", " ") == long


def test_slots_without_room_are_numbered_and_named_in_the_legend() -> None:
    short = [Category("easy", BLUE, 1), Category("fcfs", RED, 2)]
    figure = plots_figure(PlotPage([sample(slots=short)]), "")
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["easy", "fcfs"]
    assert not figure.legends
    many = [Category(f"{LONG},window={k}", BLUE, k) for k in range(8)]
    figure = plots_figure(PlotPage([sample(slots=many), sample(slots=many)]), "")
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == [str(k + 1) for k in range(8)]
    lines = [text.get_text() for text in figure.legends[0].get_texts()]
    assert lines == [f"{k + 1}\u00a0\u00a0{plot.name}" for k, plot in enumerate(many)]


def test_a_number_in_the_legend_is_never_alone_on_a_line() -> None:
    name = "a_site_with_a_name_of_one_long_word_that_fills_a_line_and_more_than_a_line"
    many = [Category(f"{name}{k} with merge=long", BLUE, k) for k in range(8)]
    with drawn_on(Sheet(width=80 / 25.4)):
        figure = plots_figure(PlotPage([sample(slots=many), sample(slots=many)]), "")
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert len(texts) == 8
    for number, text in enumerate(texts, 1):
        first, *others = text.split("\n")
        assert others
        assert first.startswith(f"{number}\u00a0\u00a0{name[:10]}")


def test_runs_are_told_apart_without_colours() -> None:
    lines = [Curve(np.linspace(0, 10, 50), np.full(50, 5.0 + run), RED, run=run) for run in (1, 2, 3)]
    legend = [Category(f"run {run}", RED, run) for run in (1, 2, 3)]
    figure = plots_figure(PlotPage([sample(*lines)], legend), "")
    shapes = [line.get_marker() for line in figure.axes[0].lines]
    assert len(set(shapes)) == 3
    keys = [handle.get_marker() for handle in figure.legends[0].legend_handles]  # type: ignore[union-attr]
    assert keys == shapes
    bars = [Bars(ONE * run, ONE * run + 1, ONE, [RED], run=run) for run in (1, 2, 3)]
    figure = plots_figure(PlotPage([sample(*bars)], legend), "")
    assert len({patch.get_hatch() for patch in figure.axes[0].patches}) == 3
    figure = plots_figure(PlotPage([sample(*lines), sample(*bars)], legend), "")
    legend_lines = figure.legends[0].findobj(lambda artist: hasattr(artist, "get_marker"))
    assert [line.get_marker() for line in legend_lines] == shapes  # type: ignore[attr-defined]
    patches = [patch.get_hatch() for patch in figure.legends[0].get_patches()]
    assert len(set(patches)) == 3  # a swatch as bars are beside each line


def test_facets_stand_in_rows_that_fit_the_page() -> None:
    plots = [sample() for _ in range(4)]
    lefts = {}
    for width in (WIDTH, COLUMN):
        with drawn_on(Sheet(width=width)):
            figure = plots_figure(PlotPage(plots), "")
            lefts[width] = len({round(axes.get_position().x0, 3) for axes in figure.axes})
    assert lefts == {WIDTH: 4, COLUMN: 1}


def test_what_has_nothing_to_show_is_left_out_where_others_have() -> None:
    empty = EmptyPlot(words=PlotWords("Empty", message="Nothing here"))
    assert len(plots_figure(PlotPage([empty, sample()]), "").axes) == 1
    assert "Nothing here" in texts(plots_figure(PlotPage([empty]), ""))
    assert PlotPage([empty, empty]).lacks == "Nothing here"
    assert PlotPage([empty, sample()]).lacks == ""


def test_boxes_are_those_of_the_runs() -> None:
    from matplotlib.colors import to_hex

    users = 5
    trace = make_trace([0] * users, [600] * users, user=[f"u{n}" for n in range(users)])
    figure = drawn("distributions", [make_result(trace, [10, 100, 1000, 2000, 5000], 3)])
    assert len(figure.axes) == 4
    box = figure.axes[2].patches[-1]
    assert box.get_y() == pytest.approx(np.log10(100))  # type: ignore[attr-defined]
    assert box.get_y() + box.get_height() == pytest.approx(np.log10(2000))  # type: ignore[attr-defined]
    assert to_hex(box.get_edgecolor()) == run_colour(3)
    assert len(drawn("distributions", [make_result(trace, [0] * 5, grace=None)]).axes) == 2


def test_a_scatter_has_the_runs_that_are_chosen() -> None:
    results = some_results(some_trace())
    chosen = ScatterChoices("response", "wait", "job", "linear").spelling
    plot = drawn("scatter", results, ViewOptions(scatter=chosen, scattered=results[1].run_id))
    schedule = results[1].schedule
    assert np.array_equal(plot.axes[0].lines[0].get_xdata(), schedule.wait)
    assert results[1].name in " ".join(texts(plot))
    both = drawn("scatter", results, ViewOptions(scatter=chosen, scattered_to=results[1].run_id))
    assert {result.name for result in results} <= set(texts(both))


CUMULATIVE = ViewOptions(distributions=DistributionChoices(kind="cumulative").spelling)
HISTOGRAMS = ViewOptions(distributions=DistributionChoices(kind="histogram").spelling)


@pytest.mark.parametrize("options", [CUMULATIVE, HISTOGRAMS], ids=["cumulative", "histogram"])
def test_other_distributions_have_a_legend(options: ViewOptions) -> None:
    results = some_results(some_trace())
    figure = drawn("distributions", results, options)
    assert len(figure.axes) == 4
    assert {result.name for result in results} <= set(texts(figure))


def test_a_bar_that_dwarfs_the_others_is_cut_where_that_is_asked_for() -> None:
    trace = some_trace()
    results = [make_result(trace, [wait, HOUR + wait], k) for k, wait in enumerate((100, 120, 2400), 1)]
    offered, cut_off = (
        drawn("metrics", results, ViewOptions(bars_cut=on, bar_metrics=("wait_mean",)))
        for on in (False, True)
    )
    assert any("bars_cut=on" in text for text in texts(offered))
    assert "↑ 40 min" in texts(cut_off)
    assert offered.axes[0].get_ylim()[1] > 2400
    assert cut_off.axes[0].get_ylim()[1] < 200


def test_the_legend_names_runs() -> None:
    results = some_results(some_trace())
    assert [(plot.name, plot.colour) for plot in runs_legend(results)] == [
        (result.name, result.colour) for result in results
    ]


@dataclass(frozen=True, eq=False)
class Everything:
    """Three simulated runs, of which one searches and one tunes; a search, a study and a twin."""

    results: list[Result]
    series: list[RunSeries]
    search: SearchResults
    study: StudyFigure
    twin: TwinLook
    with_budgets: list[Result]


BUDGETS = "auction:budget=20000;5000/1d"
POWER = PowerModel((NodePower(100.0, 20.0),), price=Rates(np.array([0, 40 * HOUR]), np.array([0.1, 0.3])))


@cache
def everything() -> Everything:
    rng = np.random.default_rng(3)
    jobs = 160
    trace = make_trace(
        np.sort(rng.integers(0, 80 * HOUR, jobs)),
        rng.integers(600, 4 * HOUR, jobs),
        rng.integers(1, 9, jobs),
        user=[f"user number {k % 5}" for k in range(jobs)],
        ram=rng.integers(1, 4000, jobs).tolist(),
        walltime=[5 * HOUR] * jobs,
        cluster=with_power(Cluster((NodeGroup(2, 8, 8192),)), POWER),
        name="log",
    )
    study = Study(trace, trace.cluster or Cluster.pool(16))
    for policy in (LONG, "plan-search:trials=20", "tuned-2d:queue_depth=30", BUDGETS):
        study = study.add(parse_policy(policy))
    data = {}
    for run in study.runs:
        schedule = schedule_of(trace, run.cluster, run.policy, log=True, fair_starts=False, control=Control())
        data[run.id] = draw(lambda schedule=schedule: schedule)  # type: ignore[misc]
    judged = compare_runs(study, data, ComparedRuns(share="fair"), "fair", None, None, Control()).runs
    # Users have budgets in an auction alone, which is drawn with no other figure.
    *others, auction = judged.values()
    series = [
        RunSeries(run_id, plot.result.name, data[run_id].schedule, data[run_id].usage.processors, plot.depth)
        for run_id, plot in judged.items()
        if plot is not auction
    ]
    question = TypedQuestion(minimize=("wait_mean", "slowdown_mean"), trials=8).question()
    answer = search(trace, study.cluster, question, trials=8)
    results = SearchResults(question, answer.trials, answer)
    recorded = replace(trace, wait=series[0].schedule.wait)
    schedule = replace(series[1].schedule, trace=recorded)
    near = twin_of(schedule, 30)
    assert near is not None
    twin = TwinLook(SiteTwin(site_of_machine("slurm.conf", schedule.cluster), schedule, near))
    return Everything([plot.result for plot in others], series, results, a_study(), twin, [auction.result])


def a_study() -> StudyFigure:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.toml"
        path.write_text(
            'policies = ["queues", "auction"]\nmetrics = ["psf:alpha=2", "psf:alpha=1", "wait_mean"]\n'
            'rho = [2, 1]\nkeys = { seed = [0, 1, 2], threshold = ["2h", "30m"] }\n',
            "utf-8",
        )
        file = read_study_file(path)
    results = StudyResults(file, tuple(rows_of(file)))
    return StudyFigure(results, usual_encoding(results.table))


PLOTTED = [figure.kind for figure in FIGURES if figure.plots is not None]


def test_almost_all_figures_are_made_from_plots() -> None:
    assert {figure.kind for figure in FIGURES} - set(PLOTTED) == {"gantt", "power", "heatmap", "difference"}


OWN_PAGES = ("gantt", "power", "heatmap", "difference")
"""Kinds that are not made from plots."""


@pytest.mark.parametrize("kind", [*PLOTTED, *OWN_PAGES])
def test_every_text_lies_on_the_page_and_tells_what_it_stands_for(kind: str) -> None:
    found = everything()
    pair = RunPair(found.results[0], found.results[2])
    own = {"search": found.search, "study": found.study, "twin": found.twin, "sweep": some_cells()}
    own |= {"pair": pair} if kind == "difference" else {}
    results = found.with_budgets if kind == "budgets" else found.results
    request = request_of(results, None, found.series, **own)
    draw = figure_spec(kind).drawing(request)
    for paper in ("80mm", "85mm", "88mm", "180mm"):
        made = printed(draw, on_paper(paper, grey=paper == "85mm"))
        assert scene_faults(made) == [], paper
        assert round(made.figure.get_figwidth() * made.scale / MM) == int(paper.removesuffix("mm"))


def test_labels_beside_a_plot_end_before_the_plot_at_their_left() -> None:
    rows = replace(sample(), y=NamedRows(("15 h 30 min", "1 d 12 h")))
    figure = plots_figure(PlotPage([rows, rows]), "")
    pixels(figure)
    left, right = figure.axes
    edge = left.get_window_extent().x1
    assert all(label.get_window_extent().x0 > edge for label in right.get_yticklabels())


def some_cells(count: int = 6) -> SweepCells:
    """The first finished cells of a sweep of 2 x 3 policies."""
    grid = make_grid(parse_policy("metric"), ("bf", "0, 1"), ("window", "1, 2, 3"))
    waits = [300.0, 100.0, 200.0, 400.0, 500.0, 350.0][:count]
    return SweepResults(grid, summaries={k: {"wait_mean": wait} for k, wait in enumerate(waits)}).cells(
        METRICS["wait_mean"]
    )


def test_a_sweep_frames_its_best_cell_and_its_worst_and_names_their_values() -> None:
    results = some_results(some_trace())
    figure = drawn("sweep", results, sweep=some_cells())
    assert {"★ 1 min 40 s", "▽ 8 min 20 s", "5 min"} <= set(texts(figure))
    assert {"▽ worst: 8 min 20 s", "★ best: 1 min 40 s", "0", "1", "2", "3"} <= set(texts(figure))
    frames = [(line.get_xdata().min(), line.get_ydata().max()) for line in figure.axes[0].lines]
    assert np.allclose(frames, [(0.51, 0.49), (0.51, 1.49)])  # the worst in the lower row, the best above it
    assert "…" in texts(drawn("sweep", results, sweep=some_cells(5)))
    page = figure_spec("sweep").page(request_of(results, sweep=some_cells()))
    row = page.plots[0].pictured()[1]
    assert row == {"is": "cell", "series": "wait_mean", "bf": "0", "window": "2", "value": 100.0}


def test_plots_over_time_show_the_window_that_is_asked_for() -> None:
    found = everything()
    for kind in ("timeline", "planning", "fairshare"):
        figure = drawn(kind, found.results, series=found.series, window=(3600.0, 36_000.0))
        assert figure.axes[0].get_xlim() == (3600.0, 36_000.0)
    hidden = ViewOptions(timeline_hidden=(found.series[0].run_id,))
    assert found.series[0].name not in texts(drawn("timeline", found.results, hidden, found.series))


def test_a_study_is_drawn_as_a_heatmap_too() -> None:
    shown = everything().study
    flat = replace(shown, encoding=replace(shown.encoding, kind="cells"))
    figure = drawn("study", everything().results, study=flat)
    assert figure.axes[0].images
    assert not figure.legends


def test_the_view_to_copy_of_contributing_draws_a_figure() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    blocks = text.split("```python\n")[1:]
    spec, plots = (textwrap.dedent("  " + block.split("```")[0].strip(" ")) for block in blocks[:2])
    names: dict[str, Any] = {}
    exec(plots, names)
    results = some_results(some_trace())
    page = names["width_page"](ShownRuns(None, tuple(results)), ViewOptions())
    lines = plots_figure(page, "log").axes[0].lines
    assert [line.get_xdata()[-1] for line in lines] == [50.0, 50.0]  # type: ignore[index]
    exec(spec, names)
    assert names["WIDTHS"].figures[0].plots is names["WIDTHS"].plots
