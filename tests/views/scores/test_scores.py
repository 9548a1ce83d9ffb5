"""The radar of scores and the bars of relative gains, as they are seen."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF
from pytestqt.qtbot import QtBot

from engine.errors import InputError
from engine.metrics.gain import GAIN_METRICS, WEIGHTS
from engine.policy.policy import site_policy
from engine.schedule.schedule import NOT_RUN
from engine.slurm.site.folder import read_site_at
from tests.traces import make_trace
from tests.views.context import ViewContext, colour_at, drag, wheel
from tests.views.figures.samples import drawn, texts
from tests.views.results import make_result
from views.data.metric_scores import OWN_WEIGHTS, GainScale, MetricScores
from views.data.results import Result
from views.data.view_options import ViewOptions
from views.plot.layers import Labels
from views.plotting.pixel_items import wrapped
from views.plotting.widget import PlotWidget
from views.scores.gains import GainsPlot, gains_plot
from views.scores.page import ScoresPage
from views.scores.radar import RadarPlot, radar_plot
from views.theme.fonts import tick_font
from views.theme.palette import rgb, run_colour
from views.theme.theme import DARK, LIGHT

TRACE = make_trace([0, 60], [3600, 3600], 60)
PAPER = {  # Tang et al. 2013, table 2: wait in minutes, unfair jobs, loss of capacity in %
    "easy": (245.2, 10, 15.7),
    "metric:bf=0.5,window=4": (70.4, 49, 13.9),
    "tuned-2d": (71.3, 19, 12.1),
}


def run(run_id: int, policy: str, **values: float | None) -> Result:
    result = make_result(TRACE, [0, 3600], run_id, policy)
    summary: Mapping[str, float | int | None] = {**result.summary, **values}
    return replace(result, measure=lambda: summary)


def paper(unfair: bool = True) -> list[Result]:
    return [
        run(
            number + 1,
            policy,
            wait_mean=60 * wait,
            unfair_jobs=jobs if unfair else None,
            loss_of_capacity_fit=loss / 100,
            bounded_slowdown_mean=10.0 * (number + 1),
        )
        for number, (policy, (wait, jobs, loss)) in enumerate(PAPER.items())
    ]


@pytest.fixture
def page(context: ViewContext) -> ScoresPage:
    page = ScoresPage(context, LIGHT)
    context.qtbot.addWidget(page)
    page.resize(1000, 400)
    page.set_results(paper())
    page.show()
    context.settle(page)
    return page


def text_of(chart: PlotWidget, at: QPointF) -> str:
    """What lies at a pixel; empty: nothing."""
    reading = chart.read(at)
    return reading.text if reading is not None else ""


def corner(page: ScoresPage, run: int, axis: int) -> QPointF:
    """Where a run lies on an axis of the radar."""
    assert isinstance(page.radar.plot, RadarPlot)
    x, y = page.radar.plot.corners(run)
    return page.radar.area.spot(x[axis], y[axis])


def bar(page: ScoresPage, group: str, run: int) -> QRectF:
    """Where the bar of a run other than the baseline stands."""
    plot, area = page.bars.plot, page.bars.area
    assert isinstance(plot, GainsPlot)
    k = plot.groups.index(group)
    left, right = plot.bar(k, run)
    return QRectF(area.spot(left, plot.gains[k, run]), area.spot(right, 0.0)).normalized()


def title(chart: PlotWidget) -> str:
    assert chart.plot is not None
    return chart.plot.words.title


def test_the_scores_of_the_paper() -> None:
    scores = MetricScores.of(paper())
    assert scores.axes[:3] == ("wait_mean", "unfair_jobs", "loss_of_capacity_fit")
    assert np.allclose(scores.scores[:, 0], [100, 28.7, 29.1], atol=0.05)
    assert np.allclose(scores.scores[0, :3], [100, 100 * 10 / 49, 100])
    gains = scores.gains(0, [100, 0, 0])
    assert list(gains) == ["EQUAL", "WAIT+", "UNFAIR+", "LOC+", "average", "yours"]
    assert np.allclose(gains["yours"], [0, 100 * (1 - 70.4 / 245.2), 100 * (1 - 71.3 / 245.2)])
    assert np.allclose(scores.gains(0, [0, 0, 0])["yours"], gains["EQUAL"])
    assert np.allclose(gains["average"], sum(list(gains.values())[:4]) / 4)


def test_bounded_slowdown_stands_in_where_fair_starts_are_not_known(page: ScoresPage, qtbot: QtBot) -> None:
    assert not page.work_out.isVisible()
    page.set_results(paper(unfair=False))
    assert page.names[1].text() == "bounded slowdown"
    assert page.work_out.isVisible()
    with qtbot.waitSignal(page.fair_starts_wanted):
        qtbot.mouseClick(page.work_out, Qt.MouseButton.LeftButton)
    assert not page.work_out.isEnabled()
    assert "SLOW+" in MetricScores.of(paper(unfair=False)).gains(0, [1, 1, 1])


def test_the_log_s_own_schedule_has_no_unfair_jobs_and_does_not_hide_those_of_others() -> None:
    scores = MetricScores.of([*paper(), run(4, "recorded", unfair_jobs=None)])
    assert scores.knows_unfair
    assert np.isnan(scores.scores[3, 1])
    assert np.isnan(scores.gains(0, [1, 1, 1])["EQUAL"][3])
    assert scores.format(3, 1) == "Jobs treated unfairly: not known"


def test_the_radar_says_where_unfair_jobs_are_of_a_sample(tmp_path: Path) -> None:
    """Of a large log under a site's own Slurm fair starts are known of some jobs alone."""
    (tmp_path / "slurm.conf").write_text("NodeName=a1 CPUs=100\n")
    first, other, *_ = paper()
    fair = np.array([0, NOT_RUN])
    policy = site_policy(read_site_at(tmp_path))
    sampled = replace(other, title="mine", schedule=replace(other.schedule, policy=policy, fair_start=fair))
    text = "Unfair jobs are of a sample, drawn by a seed: 1 job of mine."
    assert radar_plot(MetricScores.of([first, sampled])).words.text == text
    assert radar_plot(MetricScores.of([first, other])).words.text == ""


def test_a_corner_of_the_radar_has_the_run_s_colour_and_tells_its_scores(page: ScoresPage) -> None:
    top = corner(page, 0, 0)
    image = page.radar.grab().toImage()
    assert colour_at(image, top.x(), top.y()) == run_colour(1)
    assert text_of(page.radar, top).split("\n")[:2] == ["easy", "Mean wait: 4 h 5 min (score 100)"]
    assert text_of(page.radar, top + QPointF(60, 0)) == ""
    assert corner(page, 2, 1).x() < corner(page, 1, 1).x()  # fewer unfair jobs, nearer to the centre


def test_the_radar_is_round_in_any_size_and_is_not_zoomed(page: ScoresPage, context: ViewContext) -> None:
    for size in ((1000, 400), (720, 500), (1300, 260)):
        page.resize(*size)
        context.settle(page)
        area = page.radar.area
        middle, right, up = area.spot(0, 0), area.spot(100, 0), area.spot(0, 100)
        assert right.x() - middle.x() == pytest.approx(middle.y() - up.y())
        assert area.rect.contains(up)
    before = page.radar.area
    wheel(page.radar, middle, 4)
    drag(page.radar, middle, middle + QPointF(40, 20))
    assert page.radar.area == before
    assert not page.radar.zoomed


def test_a_score_that_is_not_known_parts_the_line(page: ScoresPage, context: ViewContext) -> None:
    page.set_results([run(3, "recorded", unfair_jobs=None), *paper()[:2]])
    image = context.settle(page.radar)
    assert isinstance(page.radar.plot, RadarPlot)
    x, y = page.radar.plot.corners(0)
    assert np.isnan(x).tolist() == [False, True, False, False, False]
    known = page.radar.area.spot(x[0], y[0])
    assert colour_at(image, known.x(), known.y()) == run_colour(3)


def test_clicks_on_the_legend_pick_and_hide_runs(page: ScoresPage, context: ViewContext) -> None:
    first, second = bar(page, "EQUAL", 0).center(), bar(page, "EQUAL", 1).center()
    page.legend.linkActivated.emit("3")
    image = context.settle(page.bars)
    assert colour_at(image, second.x(), second.y()) == run_colour(3)
    assert colour_at(image, first.x(), first.y()) != run_colour(2)  # it stands back
    page.legend.linkHovered.emit("3")
    context.qtbot.mouseDClick(page.legend, Qt.MouseButton.LeftButton)
    context.settle(page)
    assert isinstance(page.bars.plot, GainsPlot)
    assert [result.run_id for result in page.bars.plot.runs] == [3]
    assert isinstance(page.radar.plot, RadarPlot)
    assert page.radar.plot.shown == [2]
    assert page.radar.plot.scores.scores[2, 0] == pytest.approx(29.1, abs=0.05)  # of the worst of all runs


def test_bars_stand_for_gains_over_the_baseline(page: ScoresPage, context: ViewContext) -> None:
    gain = bar(page, "WAIT+", 1)
    image = page.bars.grab().toImage()
    assert colour_at(image, gain.center().x(), gain.center().y()) == run_colour(3)
    assert text_of(page.bars, gain.center()).split("\n")[0] == "tuned-2d"
    assert "\nhalf wait (WAIT+): +" in text_of(page.bars, gain.center())
    below = QPointF(gain.center().x(), page.bars.area.box.bottom + 9)
    assert text_of(page.bars, below).startswith("WAIT+: mean wait counts half, each of the other two")
    # A loss hangs from 0, where gains stand.
    assert bar(page, "UNFAIR+", 1).top() == pytest.approx(gain.bottom())
    page.baseline.setFocus()
    context.qtbot.keyClick(page.baseline, Qt.Key.Key_Down)
    context.settle(page)
    assert page.baseline_index == 1
    assert title(page.bars) == "Relative gain over metric:bf=0.5,window=4"
    page.set_results(paper())
    assert page.baseline_index == 1
    page.set_results(paper()[2:])
    assert page.baseline_index == 0


def test_values_stand_at_their_bars_as_far_as_these_are_wide_enough(
    page: ScoresPage, context: ViewContext
) -> None:
    def words_above(k: int) -> set[str]:
        """The colours above a bar, where its value stands."""
        room, image = bar(page, "WAIT+", k), context.settle(page.bars)
        rows = range(int(room.top()) - 10, int(room.top()) - 3)
        columns = range(int(room.left()) + 1, int(room.right()) - 1)
        return {colour_at(image, x, y) for x in columns for y in rows}

    assert min(max(rgb(colour)) for colour in words_above(1)) < 80
    many = [
        run(k, "easy", wait_mean=3600.0 / k, unfair_jobs=1, loss_of_capacity_fit=0.1) for k in range(1, 41)
    ]
    page.set_results(many)
    context.settle(page)
    assert words_above(38) <= {LIGHT.chart, LIGHT.grid}


def test_weights_of_the_reader_s_own(page: ScoresPage, context: ViewContext, qtbot: QtBot) -> None:
    before = bar(page, "yours", 1).height()
    page.sliders[1].setFocus()
    with qtbot.waitSignal(page.weights_changed) as text_of:
        qtbot.keyClick(page.sliders[1], Qt.Key.Key_Home)
    assert text_of.args == [[50, 0, 25]]
    assert [label.text() for label in page.shares] == ["67 %", "0 %", "33 %"]
    context.settle(page)
    assert bar(page, "yours", 1).height() != before
    page.set_weights([0, 0, 0])
    assert [label.text() for label in page.shares] == ["33 %"] * 3


def test_one_run_alone_is_compared_with_nothing(page: ScoresPage, context: ViewContext) -> None:
    page.set_results(paper()[:1])
    context.settle(page)
    assert "needs two finished runs" in page.radar.accessibleDescription()
    assert "add a second run" in page.bars.accessibleDescription()
    page.set_run_count(2)  # the other one is being simulated
    context.settle(page)
    assert "1 of the 2 runs is finished so far" in page.bars.accessibleDescription()
    assert text_of(page.bars, QPointF(300, 100)) == ""
    page.set_results([])
    assert not page.work_out.isVisible()


def test_another_theme(page: ScoresPage, context: ViewContext) -> None:
    page.set_theme(DARK)
    image = context.settle(page.bars)
    assert colour_at(image, image.width() - 14, 32) == DARK.chart


def test_losses_are_cut_off_and_ticks_are_round() -> None:
    scale = GainScale.of([-900.0, 12.0, math.nan])
    assert scale.full_range[0] == pytest.approx(-200 - 0.12 * 212)
    assert scale.ticks(40.0) == [
        (-200, "−200 %"),
        (-150, "−150 %"),
        (-100, "−100 %"),
        (-50, "−50 %"),
        (0, "0 %"),
    ]
    assert scale.ticks(0.1, (0.0, 2.5)) == [(0, "0 %"), (1, "1 %"), (2, "2 %")]


def test_bars_that_leave_the_axis_are_cut_there_with_their_number() -> None:
    results = [
        run(1, "easy", wait_mean=60.0),
        run(2, "fcfs", wait_mean=660.0),
        run(3, "saf-easy", wait_mean=30.0),
    ]
    plot = gains_plot(results, 0, {"wait": np.array([0.0, -1000.0, 50.0])})
    assert isinstance(plot, GainsPlot)
    low = plot.y.full_range[0]
    labels = [layer for layer in plot.layers(LIGHT) if isinstance(layer, Labels)]
    written = {text: float(y) for layer in labels for text, y in zip(layer.texts, layer.y, strict=True)}
    assert written == {"↓ −1000": low, "50": 50.0}


def test_each_bar_that_is_cut_has_its_number_however_thin_it_is() -> None:
    results = [run(1, "easy", wait_mean=60.0), *(run(k, "fcfs", wait_mean=600.0 + k) for k in range(2, 9))]
    losses = -np.arange(0.0, 8.0) * 1000
    plot = gains_plot(results, 0, {"wait": losses, "slowdown": losses, "fair": losses, "own": losses})
    assert isinstance(plot, GainsPlot)
    labels = [layer for layer in plot.layers(LIGHT) if isinstance(layer, Labels) and len(layer.texts)]
    assert [set(layer.texts) for layer in labels] == [{f"↓ −{k}000"} for k in range(1, 8)]
    assert {layer.width for layer in labels} == {1.0}  # of a group, though each bar has a tenth of it
    # No two are in one line, and lines are further apart than a number is high.
    lines = [layer.anchor[1] for layer in labels]
    assert min(np.diff(lines)) > 1.25


def test_the_figures_name_what_they_show() -> None:
    chosen = ViewOptions(gain_weights=(1, 1, 2))
    for kind in ("radar", "gains"):
        written = " ".join(texts(drawn(kind, paper(), chosen)))
        assert "tuned-2d" in written
        assert "Mean wait" in written or "WAIT+" in written
    assert "25:25:50" in written
    assert "yours" not in written


def test_gains_that_are_not_known_say_why() -> None:
    fair = [run(1, "fcfs", wait_mean=60.0, unfair_jobs=0, loss_of_capacity_fit=0.1), *paper()]
    with pytest.raises(InputError, match="in % of fcfs, and its unfair jobs are 0"):
        drawn("gains", fair, ViewOptions(baseline=1))
    written = texts(drawn("scores", fair, ViewOptions(gains_over=1, baseline=2)))
    assert not any(text.startswith("WAIT+") for text in written)
    some = [*paper(), run(4, "recorded", wait_mean=60.0, unfair_jobs=None, loss_of_capacity_fit=0.1)]
    written = texts(drawn("gains", some, ViewOptions()))
    assert written.count("?") == len(WEIGHTS) + 2
    assert any("Gains cannot be computed for unfair jobs of recorded." in text for text in written)
    assert not any("Not known" in text for text in texts(drawn("radar", some, ViewOptions())))


def test_gains_over_a_run_without_unfair_jobs_say_why_in_the_window(
    page: ScoresPage, context: ViewContext
) -> None:
    page.set_results([run(1, "fcfs", wait_mean=60.0, unfair_jobs=0, loss_of_capacity_fit=0.1), *paper()])
    page.choose_baseline(1)
    context.settle(page)
    assert "its unfair jobs are 0" in page.bars.accessibleDescription()


def test_scores_and_gains_stand_in_one_figure() -> None:
    shown = paper()
    scores = MetricScores.of(shown)
    assert len(scores.axes) == 5
    assert scores.of_weighed.axes == GAIN_METRICS
    assert scores.of_weighed.gains(0, OWN_WEIGHTS)["WAIT+"] == pytest.approx(
        scores.gains(0, OWN_WEIGHTS)["WAIT+"], nan_ok=True
    )
    figure = drawn("scores", shown, ViewOptions())
    assert len(figure.axes) == 3
    written = texts(figure)
    assert "Scores of the weighed metrics" in written
    assert sum(text.startswith("Mean wait") for text in written) == 2
    assert "WAIT+" in written


def test_names_beside_the_radar_are_whole(page: ScoresPage, context: ViewContext) -> None:
    page.resize(720, 230)
    page.set_results(paper(unfair=False))
    metrics = QFontMetricsF(tick_font(page.radar.font()))
    assert wrapped("Mean bounded slowdown", metrics, 90) == ["Mean bounded", "slowdown"]
    assert wrapped("Mean bounded slowdown", metrics, 10) == ["Mean", "bounded", "slowdown"]
    assert wrapped("Mean wait", metrics, 300) == ["Mean wait"]
    image = context.settle(page.radar)
    right = page.radar.area.spot(100, 0)
    beside = range(round(right.x()) + 12, page.radar.width() - 2)
    middle = round(right.y())
    rows = [y for y in range(middle - 30, middle + 30) if len({image.pixel(x, y) for x in beside}) > 1]
    assert max(rows) - min(rows) > 2 * metrics.height()  # three lines of text


def test_the_legend_is_below_the_baseline_where_it_has_no_line_there(
    page: ScoresPage, context: ViewContext
) -> None:
    assert page.legend.y() < page.baseline.geometry().bottom()
    page.resize(420, 400)
    context.settle(page)
    assert page.legend.y() > page.baseline.geometry().bottom()
    assert page.legend.height() >= page.legend.heightForWidth(page.legend.width())


def test_the_radar_is_higher_than_the_words_around_it(page: ScoresPage, context: ViewContext) -> None:
    page.resize(600, 120)
    context.settle(page)
    line = QFontMetricsF(tick_font(page.radar.font())).height()
    assert page.radar.height() > 9 * line
    area = page.radar.area
    assert area.spot(0, -100).y() - area.spot(0, 0).y() >= 2 * line


def test_values_of_neighbours_do_not_touch(page: ScoresPage, context: ViewContext) -> None:
    """A value is left out unless its bar is wider."""
    wide = QFontMetricsF(tick_font(page.bars.font())).horizontalAdvance("73")
    page.set_results([run(k, "easy", wait_mean=3600.0 / k, unfair_jobs=1) for k in range(1, 6)])
    for width, seen in ((1400, True), (420, False)):
        page.resize(width, 400)
        image = context.settle(page.bars)
        room = bar(page, "EQUAL", 3)
        assert (room.width() > wide + 4) == seen
        rows, columns = (
            range(int(room.top()) - 12, int(room.top()) - 3),
            range(int(room.left()), int(room.right())),
        )
        dark = [(x, y) for x in columns for y in rows if max(rgb(colour_at(image, x, y))) < 100]
        assert bool(dark) == seen
