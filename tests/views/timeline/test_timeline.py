"""Queue depth, utilization and tunables over time, as they are seen."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage

from engine.filter import parse_filter
from engine.metrics.queue_depth import queue_depth
from engine.metrics.series import usage
from engine.schedule.schedule import CheckLog
from tests.traces import make_schedule, make_trace
from tests.views.context import ViewContext, colour_at
from tests.views.figures.samples import drawn, texts
from tests.views.results import make_result
from views.data.run_series import RunSeries
from views.data.view_options import ViewOptions
from views.figures.page_settings import Sheet, drawn_on
from views.plot.area import PlotArea
from views.plot.layers import Bands, Computed
from views.plotting.clock_plot import ClockPlot
from views.state.filter import Filter
from views.text.values import compact
from views.theme.palette import rgb, run_colour
from views.theme.theme import DARK, LIGHT
from views.timeline.heights import Heights
from views.timeline.page import TimelinePage
from views.timeline.plots import tunable_lines
from views.timeline.triggers import Triggers
from views.work.lazy import LazyValue

HOUR = 3600
TRACE = make_trace([0, 0, HOUR], [4 * HOUR, 2 * HOUR, 4 * HOUR], [50, 50, 100])
"""Half of the machine for four hours, the other half for two, then all of it for four."""


def series(run_id: int, policy: str, start: Sequence[int], checks: CheckLog | None = None) -> RunSeries:
    schedule = replace(make_schedule(TRACE, start, policy=policy), checks=checks)
    return RunSeries(
        run_id, policy, schedule, usage(schedule).processors, LazyValue.of(queue_depth(schedule))
    )


def some_checks() -> CheckLog:
    """Every half hour; the balance factor is halved from the third check on, the window never changes."""
    time = np.arange(1, 16, dtype=np.int64) * 1800
    depth = np.maximum(time - HOUR, 0) / 60
    monitor = np.stack((depth, np.full(15, 0.9)), axis=1)
    threshold = np.stack((np.full(15, 30.0), np.full(15, 0.8)), axis=1)
    tunable = np.stack((np.where(depth >= 30, 0.5, 1.0), np.ones(15)), axis=1)
    return CheckLog(time, monitor, threshold, tunable)


TUNED = series(1, "tuned-2d:queue_depth=30", [0, 0, 4 * HOUR], some_checks())
PLAIN = series(2, "easy", [0, 0, 5 * HOUR])


@pytest.fixture
def page(context: ViewContext) -> TimelinePage:
    context.clock.reset(0, 10 * HOUR)
    page = TimelinePage(context, LIGHT)
    context.qtbot.addWidget(page)
    page.resize(700, 500)
    page.set_runs([TUNED, PLAIN])
    page.show()
    context.settle(page)
    return page


def shown(page: TimelinePage, context: ViewContext, chart: ClockPlot) -> QImage:
    context.settle(page)
    return chart.grab().toImage()


def has_colour(image: QImage, colour: str, x: float, chart: ClockPlot) -> bool:
    """Whether a line of that colour crosses the plot at x."""
    plot = chart.frame().plot
    column = (colour_at(image, x, y) for y in range(round(plot.top()), round(plot.bottom())))
    return colour in set(column)


def is_there(image: QImage, colour: str, position: QPointF) -> bool:
    """Whether a line of about that colour, grid lines over it, passes within a pixel of a position."""
    for y in (-1, 0, 1):
        found = colour_at(image, position.x(), position.y() + y)
        if max(abs(a - b) for a, b in zip(rgb(found), rgb(colour), strict=True)) < 40:
            return True
    return False


def at(chart: ClockPlot, hour: float, share: float = 0.5) -> QPointF:
    """A position so high in the plot, from its lower edge."""
    frame = chart.frame()
    return QPointF(frame.scale.x(hour * HOUR), frame.plot.bottom() - share * (frame.plot.height() - 1))


def test_the_depth_grows_while_a_job_waits(page: TimelinePage, context: ViewContext) -> None:
    assert page.queue.tooltip_at(at(page.queue, 3.0)).split("\n")[1:] == [
        "tuned-2d:queue_depth=30: 120 min",
        "easy: 120 min",
    ]
    assert page.queue.tooltip_at(at(page.queue, 4.5)).split("\n")[1:] == [
        "tuned-2d:queue_depth=30: 0 min",
        "easy: 210 min",
    ]
    image = shown(page, context, page.queue)
    deep = at(page.queue, 4.5, 210 / (1.06 * 240))
    assert is_there(image, run_colour(2), deep)
    low = at(page.queue, 4.5, 0.5)
    assert colour_at(image, low.x(), low.y()) == LIGHT.chart


def test_a_low_chart_has_a_scale_too() -> None:
    ticks = Heights(7_946_018.0, format=compact).ticks(0.9)
    assert [text for _, text in ticks] == ["0", "7.95 M"]
    assert 0.9 < ticks[1][0] < 1


def test_a_logarithmic_depth_raises_small_ones(page: TimelinePage, context: ViewContext) -> None:
    before = shown(page, context, page.queue)
    context.qtbot.mouseClick(page.log, Qt.MouseButton.LeftButton)
    after = shown(page, context, page.queue)
    position = at(page.queue, 1.5, np.log1p(30) / (1.06 * np.log1p(240)))
    assert is_there(after, run_colour(1), position)
    assert not is_there(before, run_colour(1), position)


def test_utilization_is_reported_now_and_on_average(page: TimelinePage, context: ViewContext) -> None:
    found = page.use.tooltip_at(at(page.use, 3.0)).split("\n")
    assert found[2] == "easy: 50.0 % now, 83.3 % over 10 h, 83.3 % over 24 h"
    context.qtbot.mouseClick(page.averages["1 h"], Qt.MouseButton.LeftButton)
    assert "50.0 % over 1 h" in page.use.tooltip_at(at(page.use, 3.0))
    image = shown(page, context, page.use)
    for name in ("now", "1 h", "10 h"):
        context.qtbot.mouseClick(page.averages[name], Qt.MouseButton.LeftButton)
    alone = shown(page, context, page.use)
    assert alone != image
    position = at(page.use, 9.0, (200 + 100 + 400) / 900 / 1.06)  # 24 h behind 9 h are 9 h
    assert is_there(alone, run_colour(1), position)
    context.qtbot.mouseClick(page.averages["24 h"], Qt.MouseButton.LeftButton)
    assert not has_colour(shown(page, context, page.use), run_colour(1), position.x(), page.use)


def test_a_change_of_a_tunable_tells_its_reason(page: TimelinePage, context: ViewContext) -> None:
    assert page.tunables.lanes == ("bf", "window")
    change = at(page.tunables, 1.5, 0.8)
    assert page.tunables.tooltip_at(change).split("\n") == [
        "1:30:00 h, tuned-2d:queue_depth=30:",
        "queue depth 30 min ≥ 30 min: bf 1 → 0.5",
    ]
    assert page.tunables.tooltip_at(at(page.tunables, 1.25, 0.8)).split("\n")[1] == (
        "tuned-2d:queue_depth=30: bf 1, checked: queue depth 0 min < 30 min"
    )
    assert page.tunables.tooltip_at(at(page.tunables, 3.25, 0.2)).split("\n")[1] == (
        "tuned-2d:queue_depth=30: window 1, checked: utilization over 10 h 90.0 % > over 24 h 80.0 %"
    )
    image = shown(page, context, page.tunables)
    mark = page.tunables.frame().plot.top() + 4
    assert colour_at(image, change.x(), mark) == run_colour(1)
    assert colour_at(image, at(page.tunables, 2.25).x(), mark) == LIGHT.chart


def test_the_first_value_is_the_policy_s_own() -> None:
    (trigger,) = Triggers.of(TUNED, "bf").time
    assert trigger == 1.5 * HOUR
    time, value = TUNED.steps("bf")
    assert (time[0], value[0]) == (0, 1.0)
    assert not len(Triggers.of(PLAIN, "bf").time)
    assert PLAIN.tunables == ()


def test_runs_can_be_hidden_and_stay_so(page: TimelinePage, context: ViewContext) -> None:
    position = at(page.queue, 4.5)
    context.qtbot.mouseClick(page.runs[2], Qt.MouseButton.LeftButton)
    assert not has_colour(shown(page, context, page.queue), run_colour(2), position.x(), page.queue)
    page.set_runs([TUNED, PLAIN])
    assert "easy" not in page.queue.tooltip_at(position)
    context.qtbot.mouseClick(page.runs[1], Qt.MouseButton.LeftButton)
    assert page.queue.message == "All runs are hidden: switch on a run above"
    context.qtbot.mouseClick(page.runs[2], Qt.MouseButton.LeftButton)
    assert has_colour(shown(page, context, page.queue), run_colour(2), position.x(), page.queue)
    assert "add a policy such as tuned-2d" in page.tunables.message


def test_it_follows_the_clock_and_the_theme(page: TimelinePage, context: ViewContext) -> None:
    before = shown(page, context, page.queue)
    context.clock.set_window(2 * HOUR, 5 * HOUR)
    after = shown(page, context, page.queue)
    assert after != before
    page.set_theme(DARK)
    position = at(page.queue, 2.3, 0.87)
    assert colour_at(shown(page, context, page.queue), position.x(), position.y()) == DARK.chart


def test_looks_can_be_set_from_outside(page: TimelinePage, context: ViewContext) -> None:
    page.show_looks(True, ["24 h"])
    assert page.log.isChecked()
    assert page.use.averages == ("24 h",)
    assert page.use.tooltip_at(at(page.use, 3.0)).split("\n")[2] == "easy: 83.3 % over 24 h"


def test_an_empty_page_says_what_it_is_for(context: ViewContext) -> None:
    page = TimelinePage(context, LIGHT)
    context.qtbot.addWidget(page)
    assert all(
        "appears when the first run is finished and compared" in chart.message for chart in page.charts
    )


def figure_of(runs: Sequence[RunSeries], **options: Any) -> Any:
    results = [make_result(TRACE, run.schedule.start, run.run_id) for run in runs]
    return drawn("timeline", results, ViewOptions(**options), runs, (0.0, 5.0 * HOUR))


def test_the_figure_shows_what_the_window_shows() -> None:
    figure = figure_of([TUNED, PLAIN])
    written = " ".join(texts(figure))
    for words in ("Queue depth", "250 min", "balance factor (bf)", "window (jobs)", "easy"):
        assert words in written
    assert len(figure_of([PLAIN]).axes) == 2
    assert figure.axes[0].get_xlim() == (0, 5 * HOUR)
    depth, log = (figure_of([TUNED], timeline_log=on).axes[0].lines[0].get_ydata() for on in (False, True))
    assert max(log) == pytest.approx(max(depth), abs=0.01)
    assert np.mean(log) > np.mean(depth)
    assert len(figure_of([TUNED, PLAIN], timeline_hidden=(2,)).axes[0].lines) == 2  # with the threshold


def test_facets_have_a_plot_for_each_run_with_the_same_heights() -> None:
    figure = figure_of([TUNED, PLAIN], timeline_facets=True)
    assert len(figure.axes) == 5, "the depth and use of both runs, and the tuning of one"
    first, second = (axes.get_yticklabels() for axes in figure.axes[:2])
    assert [label.get_text() for label in first] == [label.get_text() for label in second]
    alone = figure_of([TUNED, PLAIN], timeline_facets=True, timeline_plots=("utilization",))
    assert [axes.texts[0].get_text() for axes in alone.axes] == [
        f"Utilization, %: now, 10 h, 24 h (thin to thick): {run.name}" for run in (TUNED, PLAIN)
    ]


def test_greys_have_a_plot_for_each_of_several_runs() -> None:
    """Four greys that cross all the time cannot be told apart."""
    runs = [replace(TUNED, run_id=k, name=f"run {k}") for k in range(1, 5)]
    with drawn_on(Sheet(grey=True)):
        titles = [axes.texts[0].get_text() for axes in figure_of(runs).axes]
        assert [title for title in titles if title.startswith("Queue depth")] == [
            f"Queue depth: {run.name}" for run in runs
        ]
        assert len(titles) == 9
        assert len(figure_of(runs[:2]).axes) == 3
    assert len(figure_of(runs).axes) == 3


def test_plots_of_single_runs_are_black_in_grey_and_need_no_legend() -> None:
    runs = [replace(TUNED, run_id=k, name=f"run {k}") for k in range(1, 5)]
    with drawn_on(Sheet(grey=True)):
        figure = figure_of(runs, timeline_plots=("depth",))
    first = {line.get_color() for line in figure.axes[0].lines}
    assert len(figure.axes) == 4
    assert all({line.get_color() for line in axes.lines} == first for axes in figure.axes)
    assert not figure.legends
    assert all(text.get_text() not in ("1", "2", "3", "4") for axes in figure.axes for text in axes.texts)
    with drawn_on(Sheet(grey=True)):  # which has plots of several runs, so that their greys tell them apart
        assert figure_of(runs).legends


def test_lines_of_a_tunable_lie_at_their_value() -> None:
    runs = [replace(TUNED, run_id=k) for k in range(4)]
    (computed, _) = tunable_lines(runs).layers(LIGHT)
    assert isinstance(computed, Computed)
    bands = computed.make(PlotArea(0.0, 0.0, 200.0, 100.0, (0.0, 5.0 * HOUR), (0.0, 1.0)))
    assert isinstance(bands, Bands)
    for lane in (bands.bands[:4], bands.bands[4:]):
        assert all((band.heights == lane[0].heights).all() for band in lane)
        thick = [band.thick for band in lane]  # the first is on top, and the others are seen on both sides
        assert thick == sorted(set(thick))
    assert [band.colour for band in bands.bands[:4]] == [run.colour for run in runs]


@pytest.mark.parametrize("averages", [("now",), ("1 h", "24 h"), ("now", "1 h", "10 h", "24 h"), ()])
def test_the_figure_has_the_averages_of_the_window(averages: tuple[str, ...]) -> None:
    figure = figure_of([TUNED], timeline_averages=averages)
    assert len(figure.axes[1].lines) == len(averages)
    text = f"Utilization, %: {', '.join(averages)}" if averages else "Utilization, %"
    assert text + (" (thin to thick)" if len(averages) > 1 else "") in texts(figure)


def test_low_charts_have_their_names_beside_them(page: TimelinePage, context: ViewContext) -> None:
    high = [chart.frame().plot.height() for chart in page.charts]
    assert not any(chart.low for chart in (page.queue, page.use, page.tunables))
    page.resize(700, 230)
    context.settle(page)
    assert all(chart.low for chart in (page.queue, page.use, page.tunables))
    low = [chart.frame().plot.height() for chart in page.charts]
    assert min(low) > 35  # with titles above them they would be half as high
    assert max(low) < 1.3 * min(low)
    image, gutter = shown(page, context, page.queue), page.queue.frame().gutter
    inked = {colour_at(image, x, gutter.center().y()) for x in range(4, 40)}
    assert len(inked) > 2  # the name
    page.resize(700, 500)
    context.settle(page)
    assert [chart.frame().plot.height() for chart in page.charts] == high


def test_names_are_cut_where_one_line_has_no_room_for_them(page: TimelinePage, context: ViewContext) -> None:
    assert [button.text() for button in page.runs.values()] == ["tuned-2d:queue_depth=30", "easy"]
    page.resize(420, 500)
    context.settle(page)
    first, second = (button.text() for button in page.runs.values())
    assert "…" in first
    assert second == "easy"  # what is short is not cut
    assert len({button.y() for button in page.runs.values()}) == 1


def test_names_have_lines_of_their_own_where_they_would_be_cut_too_much(
    page: TimelinePage, context: ViewContext
) -> None:
    page.resize(900, 400)
    names = ["easy:backfill=sjf", "fairshare-easy", "conservative", "aggressive", "saf-easy", "tuned-2d"]
    page.set_runs([series(k, name, [0, 7200, 9000]) for k, name in enumerate(names, 1)])
    context.settle(page)
    page.resize(420, 400)
    context.settle(page)
    assert all("…" not in button.text() for button in page.runs.values())
    lowest = max(button.geometry().bottom() for button in page.runs.values())
    assert page.log.y() > lowest
    assert page.queue.y() > page.log.geometry().bottom()


def test_under_a_filter_the_page_says_that_it_shows_all_jobs(
    page: TimelinePage, context: ViewContext
) -> None:
    filter = context.filter
    assert not page.all_jobs.isVisible()
    filter.set(Filter(parse_filter("procs > 60")))
    assert page.all_jobs.isVisible()
    filter.clear()
    assert not page.all_jobs.isVisible()
