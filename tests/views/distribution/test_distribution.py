"""Distributions: what they show, over users, queues, classes and jobs."""

import subprocess
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.traces import make_trace
from tests.views.context import colour_at
from tests.views.distribution.shown import (
    LONG,
    SLOWDOWN,
    USERS,
    VEET,
    WAIT,
    WT,
    Shown,
    area_of,
    some_results,
    some_trace,
    starts,
)
from tests.views.results import make_result
from views.data.measures import MEASURES, OVERVIEW, Over
from views.data.plot_choices import DistributionChoices, read_choices
from views.data.results import Result
from views.data.samples import samples_of
from views.distribution.boxes import box_plot
from views.distribution.cumulative import Cumulative
from views.distribution.histogram import histogram
from views.distribution.panel import DistributionPanel
from views.plotting.axes import wrap
from views.plotting.run_legend import RunLegend
from views.plotting.widget import PlotWidget
from views.theme.palette import run_colour
from views.theme.theme import DARK, LIGHT


def test_boxes_hold_the_users_of_each_run() -> None:
    samples = samples_of(MEASURES["wait"], "user", some_results(some_trace()))
    assert [run.name for run in samples.runs] == ["easy", LONG]
    waits = np.append(np.arange(11) * 60.0, 11 * 6000.0)
    np.testing.assert_array_equal(samples.runs[0].values, waits)
    box = samples.runs[0].box
    assert box is not None
    assert (box.q1, box.median, box.q3) == tuple(np.quantile(waits, (0.25, 0.5, 0.75)))
    assert list(samples.outliers.run) == [0, 1]
    assert list(samples.outliers.unit) == [11, 11]
    np.testing.assert_allclose(samples.outliers.y, np.log10([66_000, 132_000]))
    assert len(samples.all_dots.x) == 2 * USERS


@pytest.mark.parametrize("name", OVERVIEW)
def test_groups_have_the_values_of_the_table_of_users(name: str) -> None:
    trace = some_trace()
    result = make_result(trace, starts(trace, 60))
    column = {"wait": "wait_mean", "bounded_slowdown": "bounded_slowdown_mean"}.get(name, name)
    values = MEASURES[name].values(result, "user")
    assert isinstance(values, np.ndarray)
    np.testing.assert_allclose(values, np.where(result.users.active, result.users[column], np.nan))


def test_normalized_waits_are_sums_over_sums() -> None:
    trace = make_trace([0, 0, 0], [10, 30, 20], [1, 2, 1], user=["a", "a", "b"])
    result = make_result(trace, [5, 9, 0])
    values = MEASURES["nuwt"].values(result, "user")
    assert isinstance(values, np.ndarray)
    np.testing.assert_allclose(values, [14 / 70, 0])
    whole = MEASURES["nuwt"].values(result, "queue")
    assert isinstance(whole, np.ndarray)
    np.testing.assert_allclose(whole, [14 / 90])


@pytest.mark.parametrize("over", ["user", "queue", "class", "job"])
def test_what_was_not_measured_is_no_zero(over: Over) -> None:
    trace = some_trace()
    start = np.array(starts(trace, 60))
    start[:2] = -1  # the jobs of user 0 are refused
    for measure in MEASURES.values():
        values = measure.values(make_result(trace, start), over)
        if isinstance(values, np.ndarray) and over in ("user", "job"):
            assert np.isnan(values[0])
            assert not np.isnan(values[-1])


def test_only_measured_jobs_count() -> None:
    trace = some_trace()
    whole = make_result(trace, starts(trace, 60))
    jobs = np.arange(len(trace)) % 2 == 0
    part = Result(1, whole.schedule, whole.measure, whole.users, whole.violations, jobs)
    values = MEASURES["wait"].values(part, "queue")
    assert isinstance(values, np.ndarray)
    assert np.isnan(values[1])
    of_jobs = MEASURES["wait"].values(part, "job")
    assert isinstance(of_jobs, np.ndarray)
    assert np.isnan(of_jobs[1])


def test_values_of_groups_are_kept_by_their_run_and_go_with_it_when_its_ghost_goes() -> None:
    trace = some_trace()
    ghost, run = make_result(trace, starts(trace, 60), 1), make_result(trace, starts(trace, 30), 1)
    run = replace(run, ghost=ghost)
    wait = MEASURES["wait"]
    values = wait.values(run, "user")
    assert isinstance(values, np.ndarray)
    assert wait.values(run, "user") is values
    assert wait.values(run.alone, "user") is values
    assert run.alone.ghost is None
    assert ghost.alone is ghost
    assert wait.values(ghost, "user") is not values
    assert wait.values(run, "queue") is not values
    with pytest.raises(ValueError, match="read-only"):
        values[0] = 1.0


def test_empty_until_a_run_is_done(shown: Shown) -> None:
    assert shown.panel.empty.isVisible()
    shown.show(some_results(shown.trace))
    assert not shown.panel.empty.isVisible()
    assert all(chart.isVisible() for chart in shown.panel.charts)
    shown.panel.set_results(None, [])
    assert shown.panel.empty.isVisible()


def test_measures_that_were_not_computed_say_so(shown: Shown) -> None:
    shown.show([make_result(shown.trace, starts(shown.trace, 60), grace=None)])
    assert shown.plot(VEET).words.message
    assert shown.plot(WT).words.message
    assert not shown.plot(WAIT).words.message
    assert "Not computed: no expected ends." in shown.panel.charts[VEET].accessibleDescription()


def test_one_user_and_waits_of_zero_only() -> None:
    trace = make_trace([0, 0], [10, 10])
    for over in ("user", "job"):
        samples = samples_of(MEASURES["wait"], over, [make_result(trace, [0, 0])])
        plot = box_plot(samples)
        assert len(plot.layers(LIGHT)) == 2
        assert plot.box_text(0).split("\n")[3] == "median: 0 s"
        assert samples.scale.ticks(0.1)[0][1] == "0"


def test_points_can_be_left_out_or_all_shown(shown: Shown) -> None:
    images = {}
    for points in ("off", "outliers", "all"):
        shown.show(some_results(shown.trace), f"wait user box log {points}")
        images[points] = shown.panel.charts[0].grab().toImage()
    lone = shown.dot(0, run=0, unit=11)
    colours = {points: colour_at(image, lone.x(), lone.y()) for points, image in images.items()}
    assert colours["off"] == LIGHT.chart
    assert colours["outliers"] != LIGHT.chart
    assert colours["all"] != LIGHT.chart
    assert images["all"] != images["outliers"]


def test_a_histogram_counts_every_unit_once() -> None:
    samples = samples_of(MEASURES["wait"], "user", some_results(some_trace()))
    plot = histogram(samples)
    for share in plot.shares:
        assert share.sum() == pytest.approx(100)
    zero = area_of(plot).point(float(samples.scale.coordinates_of(np.array(0.0))), 4.0)
    reading = plot.read(area_of(plot), zero)
    assert reading is not None
    assert reading.text.split("\n") == ["0 s", "easy: 8.3 %", f"{LONG}: 8.3 %", "Click: the users of easy"]


def test_a_cumulative_curve_says_how_many_have_at_most_a_value(shown: Shown) -> None:
    shown.show(some_results(shown.trace), "wait user cumulative log off")
    plot = shown.plot()
    assert isinstance(plot, Cumulative)
    easy = plot.lines[0]
    np.testing.assert_allclose(
        easy.at(np.array([-1, 0, 59, 60, 1e9])), [0, 100 / 12, 100 / 12, 200 / 12, 100]
    )
    chart, at = shown.panel.charts[0], shown.area().spot(np.log10(360.0), 50.0)
    reading = chart.read(at)
    assert reading is not None
    assert reading.text.split("\n")[1:] == ["easy: 58.3 %", f"{LONG}: 33.3 %"]
    image = chart.grab().toImage()
    middle = [colour_at(image, at.x(), y) for y in range(image.height())]
    assert run_colour(1) in middle
    assert run_colour(2) in middle


def test_choices_are_made_in_boxes_and_reported(shown: Shown) -> None:
    received: list[DistributionChoices] = []
    shown.panel.chosen.connect(received.append)
    shown.show(some_results(shown.trace))
    shown.choose("kind", "histograms")
    assert not shown.panel.choosers.boxes["points"].isEnabled()
    shown.choose("over", "over queues")
    shown.choose("measure", "Mean response")
    assert received[-1] == DistributionChoices("response", "queue", "histogram")
    assert [chart.isVisible() for chart in shown.panel.charts] == [True, False, False, False]
    words = shown.plot(0).words
    assert (words.title, words.y_name) == ("Mean response", "% of the queues")


def test_choices_round_trip_and_unknown_ones_are_as_by_default() -> None:
    chosen = DistributionChoices("nuwt", "class", "cumulative", "linear", "off")
    assert read_choices(DistributionChoices, chosen.spelling) == chosen
    assert read_choices(DistributionChoices, "") == DistributionChoices()
    assert read_choices(DistributionChoices, "nonsense queue pie") == DistributionChoices(over="queue")


def test_a_double_click_shows_one_alone_and_all_again(qtbot: QtBot, shown: Shown) -> None:
    shown.show(some_results(shown.trace))
    spot = QPoint(20, 10)
    qtbot.mouseDClick(shown.panel.charts[SLOWDOWN], Qt.MouseButton.LeftButton, pos=spot)
    shown.settle()
    assert shown.panel.choices.measure == "bounded_slowdown"
    assert shown.plot(0).words.title == "Mean bounded slowdown"
    assert shown.panel.charts[0].width() > 1000
    qtbot.mouseDClick(shown.panel.charts[0], Qt.MouseButton.LeftButton, pos=spot)
    shown.settle()
    assert all(chart.isVisible() for chart in shown.panel.charts)


def test_a_single_job_is_late_by_so_much_but_no_share(shown: Shown) -> None:
    shown.show(some_results(shown.trace), "overview job")
    titles = [shown.plot(k).words.title for k in range(4)]
    assert titles == ["Tardiness", "Weighted tardiness", "Wait", "Bounded slowdown"]
    shown.show(choices="veet job")
    assert "single job" in shown.plot(0).words.message


def test_the_legend_has_the_height_of_all_its_lines(qtbot: QtBot) -> None:
    """Else what stands below it would lie over it."""
    legend = RunLegend()
    qtbot.addWidget(legend)
    legend.set_results(some_results(some_trace(), 6))
    heights = []
    for width in (1500, 300, 1500):
        legend.resize(width, 40)
        legend.show()
        QApplication.processEvents()
        heights.append(legend.minimumHeight())
    assert heights[0] == heights[2] < heights[1] / 2


def test_the_legend_names_every_run_in_full(shown: Shown) -> None:
    shown.show(some_results(shown.trace))
    text = shown.panel.legend.text()
    assert all(run_colour(k) in text for k in (1, 2))
    assert "half_life=2h" in text


@pytest.mark.parametrize("size", [(1200, 380), (1200, 250), (640, 500), (360, 800), (200, 900)])
@pytest.mark.parametrize("runs", [1, 4, 8])
def test_names_are_written_whole_or_not_at_all(shown: Shown, runs: int, size: tuple[int, int]) -> None:
    shown.panel.resize(*size)
    shown.show(some_results(shown.trace, runs, ("easy", "fairshare-fcfs")))
    for chart in shown.panel.charts:
        assert chart.area.height > 20
        image = chart.grab().toImage()
        lowest = {colour_at(image, x, image.height() - 1) for x in range(image.width())}
        assert lowest == {LIGHT.chart}  # nothing is cut


def test_names_are_broken_where_policies_are_spelled_in_parts() -> None:
    metrics = QFontMetricsF(QFont(QApplication.font()))
    width = metrics.horizontalAdvance("fairshare-easy:")
    assert wrap("easy", width, metrics) == ["easy"]
    assert wrap("fairshare-easy:bf=1,n=2", width, metrics) == ["fairshare-easy:", "bf=1,n=2"]
    assert wrap("fairshare-easy", metrics.horizontalAdvance("fairshare-") + 1, metrics) == [
        "fairshare-",
        "easy",
    ]
    assert wrap("fairshare-easy", metrics.horizontalAdvance("fair"), metrics) is None
    assert wrap("10 min to 1 h", metrics.horizontalAdvance("10 min"), metrics) == ["10 min", "to 1 h"]
    assert wrap("6 h to 1 d", metrics.horizontalAdvance("6 h to 1"), metrics) == ["6 h to", "1 d"]


def test_the_row_breaks_where_it_gets_narrow(qtbot: QtBot, shown: Shown) -> None:
    shown.show(some_results(shown.trace))
    assert has_rows(shown.panel, 1)
    for width, rows in ((500, 2), (250, 4), (1000, 1)):
        shown.panel.resize(width, 800)
        qtbot.waitUntil(partial(has_rows, shown.panel, rows))


def has_rows(panel: DistributionPanel, rows: int) -> bool:
    return len({chart.mapTo(panel, QPoint(0, 0)).y() for chart in panel.charts}) == rows


def test_both_themes_are_painted(shown: Shown) -> None:
    shown.show(some_results(shown.trace))
    for theme in (LIGHT, DARK):
        shown.panel.set_theme(theme)
        shown.settle()
        chart: PlotWidget = shown.panel.charts[0]
        image = chart.grab().toImage()
        assert image.pixel(chart.width() - 2, 30) == QColor(theme.chart).rgb()


def test_no_heavy_library_is_loaded() -> None:
    code = (
        "import sys, views.distribution, views.tables, views.inspector, views.figures;"
        "print([m for m in ('numba', 'pandas', 'pyarrow', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
