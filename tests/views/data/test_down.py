"""Nodes that are down: on Gantt charts, in strips, figures and on the page of an instant."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.text import Text
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage

from engine.fairness.violations import UserSteps
from engine.machine.cluster import Cluster, NodeGroup
from engine.machine.outages import Outages
from engine.metrics.loss import idle_over_time
from engine.metrics.series import usage
from engine.schedule.processors import assign_processors
from engine.schedule.schedule import FurtherRuns, Schedule
from engine.study import run_name
from engine.trace import Pieces
from tests.traces import make_schedule, make_trace
from tests.views.context import Told, ViewContext, after, colour_at
from tests.views.results import make_result
from views.data.gantt.data import gantt_data
from views.data.gantt.down_nodes import describe_failures
from views.data.gantt.look import GanttLook
from views.data.gantt.rows import RowKind
from views.data.gantt.shown_layers import GanttLayers
from views.data.results import Result
from views.figures.gantt import gantt_figure
from views.gantt.chart import GanttChart
from views.overview import OverviewBar
from views.text.ticks import axis_of
from views.theme.theme import DARK, LIGHT, Theme
from views.usage import UsageChart

HOUR = 3600
SOUND = Cluster((NodeGroup(2, 4, name="zeta"),))
FAILS = replace(
    SOUND,
    failures=Outages.merged(
        *(np.array(column) for column in ([1, 0], [2 * HOUR, 9 * HOUR], [6 * HOUR, 10 * HOUR]))
    ),
)


def on_two_nodes(cluster: Cluster = FAILS) -> Schedule:
    """Job 1 holds half of node 0 from 0 to 8 h; the second ran on node 1 until that failed, and again."""
    trace = make_trace([0, 0], [8 * HOUR, HOUR], [2, 2], user=["ann", "bob"], cluster=cluster)
    schedule = make_schedule(trace, [0, 7 * HOUR])
    columns = {"node": np.array([1]), "cpus": np.array([2]), "ram": np.zeros(1, int)}
    stopped = FurtherRuns(
        np.array([1]),
        np.array([2 * HOUR - 600]),
        np.array([2 * HOUR]),
        Pieces(np.array([0, 1]), columns),
        np.array([-1]),
    )
    pieces = Pieces(
        np.array([0, 1, 2]), {"node": np.array([0, 1]), "cpus": np.array([2, 2]), "ram": np.zeros(2, int)}
    )
    return replace(schedule, pieces=pieces, stopped=stopped)


def chart_of(
    context: ViewContext, schedule: Schedule, theme: Theme = LIGHT, rows: RowKind = "processors"
) -> GanttChart:
    context.clock.reset(0, 12 * HOUR)
    chart = GanttChart(context, theme)
    chart.set_data(schedule, assign_processors(schedule))
    chart.set_rows(rows)
    context.show(chart, 800, 260)
    return chart


def at(chart: GanttChart, hour: float, share: float) -> QPointF:
    """A position at an hour and a share of the rows."""
    plot = chart.frame().plot
    return QPointF(chart.frame().scale.x(hour * HOUR), plot.top() + share * plot.height())


def colours(
    image: QImage, chart: GanttChart, hours: tuple[float, float], shares: tuple[float, float]
) -> set[str]:
    low, high = at(chart, hours[0], shares[0]), at(chart, hours[1], shares[1])
    return {
        colour_at(image, x, y)
        for x in range(int(low.x()) + 2, int(high.x()) - 2)
        for y in range(int(low.y()) + 2, int(high.y()) - 2)
    }


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("rows", ["processors", "nodes", "groups"])
def test_nodes_are_hatched_while_they_are_down(context: ViewContext, theme: Theme, rows: RowKind) -> None:
    chart = chart_of(context, on_two_nodes(), theme, rows)
    image = context.settle(chart)
    assert len(colours(image, chart, (4.2, 4.8), (0.5, 1.0))) == 2  # stripes, and what is between them
    assert theme.idle not in colours(image, chart, (4.2, 4.8), (0.5, 1.0))
    assert len(colours(image, chart, (9.2, 9.8), (0.0, 0.5))) == 2
    assert theme.idle in colours(image, chart, (3.3, 3.7), (0.3, 0.5))  # node 0 is up
    assert theme.idle in colours(image, chart, (0.3, 1.7), (0.75, 1.0))
    chart.set_layers(GanttLayers(down=False))
    assert theme.idle in colours(context.settle(chart), chart, (3.3, 3.7), (0.5, 1.0))


def test_rows_of_users_have_nothing_that_is_down(context: ViewContext) -> None:
    chart = chart_of(context, on_two_nodes(), rows="users")
    assert LIGHT.idle in colours(context.settle(chart), chart, (3.3, 3.7), (0.5, 1.0))
    assert chart.tooltip_at(at(chart, 4, 0.9)) == ""


def test_what_is_down_does_not_idle() -> None:
    lost = idle_over_time(on_two_nodes())
    time = np.array([0, 4 * HOUR, 5 * HOUR, 7 * HOUR + 1])
    assert lost.idle.at(time).tolist() == [6, 2, 2, 4]
    assert lost.wanted.at(time).tolist() == [2, 2, 2, 0]


def test_lost_capacity_is_not_hatched_where_nodes_are_down(context: ViewContext) -> None:
    chart = chart_of(context, on_two_nodes())
    down = colours(context.settle(chart), chart, (4.2, 4.8), (0.5, 1.0))
    chart.set_layers(GanttLayers(idle=True))
    assert colours(context.settle(chart), chart, (4.2, 4.8), (0.5, 1.0)) == down


def test_the_mouse_over_the_hatch_tells_of_the_outage(context: ViewContext) -> None:
    chart = chart_of(context, on_two_nodes())
    found = chart.tooltip_at(at(chart, 4, 0.9)).split("\n")
    assert found == ["zeta 1 is down for 4 h", "from 2:00:00 h", "to 6:00:00 h", "stopped 1 job: 2"]
    assert chart.tooltip_at(at(chart, 9.5, 0.2)).split("\n")[0] == "zeta 0 is down for 1 h"
    assert chart.tooltip_at(at(chart, 9.5, 0.9)) == ""
    chart.set_layers(GanttLayers(down=False))
    context.settle(chart)
    assert chart.tooltip_at(at(chart, 4, 0.9)) == ""


def test_a_stopped_run_is_a_box_that_ends_in_a_bold_line(context: ViewContext) -> None:
    schedule = on_two_nodes()
    boxes = assign_processors(schedule)
    assert boxes.order.tolist() == [0, 1]
    assert boxes.further is not None
    assert (boxes.further.first.tolist(), boxes.further.count.tolist()) == ([4], [2])
    chart = chart_of(context, schedule)
    context.clock.set_window(1.8 * HOUR, 2.1 * HOUR)
    image = context.settle(chart)
    run = colours(image, chart, (1.9, 1.95), (0.52, 0.7))
    assert LIGHT.idle not in run
    assert LIGHT.bad in colours(image, chart, (1.97, 2.02), (0.52, 0.7))
    found = chart.tooltip_at(at(chart, 1.95, 0.6)).split("\n")
    assert found[0].startswith("job 2 · user bob")
    assert found[-1] == "this run was cut short after 10 min: a node failed"
    context.clock.set_window(6.9 * HOUR, 7.2 * HOUR)  # the same job, when it ran to its end
    image = context.settle(chart)
    assert not run & colours(image, chart, (7.1, 7.15), (0.52, 0.7))
    assert "cut short" not in chart.tooltip_at(at(chart, 7.1, 0.6))


@pytest.mark.parametrize("kind", ["processors", "nodes", "users", "queues", "jobs"])
def test_stopped_runs_have_rows_of_any_kind_and_lie_over_no_other_job(kind: RowKind) -> None:
    schedule = on_two_nodes()
    data = gantt_data(schedule, assign_processors(schedule), kind)
    assert data.job.tolist() == [0, 1, 1]
    assert data.extra.tolist() == [False, True, False]
    assert data.entry.tolist() == [0, 2]
    assert data.start.tolist() == [0, 2 * HOUR - 600, 7 * HOUR]
    seen = data.boxes(np.arange(3))
    areas = np.stack((seen.start, seen.end, seen.first, seen.first + seen.count), axis=1).tolist()
    for k, (start, end, top, bottom) in enumerate(areas):
        assert 0 <= top < bottom <= data.rows.total
        for other in areas[k + 1 :]:
            assert end <= other[0] or other[1] <= start or bottom <= other[2] or other[3] <= top
    alone = data.only(np.array([False, True]))
    assert (alone.extra.tolist(), alone.entry.tolist()) == ([True, False], [-1, 1])


def test_the_legend_names_the_hatch_and_its_other_entries_are_clicked_as_ever(context: ViewContext) -> None:
    charts = [chart_of(context, on_two_nodes(cluster)) for cluster in (SOUND, FAILS)]
    plain, hatched = (context.settle(chart).copy(chart.frame().title.toRect()) for chart in charts)
    assert plain != hatched
    title = charts[1].frame().title
    stops = [QPointF(x, title.center().y()) for x in range(int(title.left()), int(title.right()), 4)]
    lines = [charts[1].tooltip_at(position).split("\n")[0] for position in stops]
    bob = stops[lines.index("user bob: 1 job")]
    context.qtbot.mouseClick(charts[1], Qt.MouseButton.LeftButton, pos=bob.toPoint())
    assert str(context.filter.value.expression) == "user = bob"


def test_the_strip_shows_what_is_up(context: ViewContext) -> None:
    schedule = on_two_nodes()
    context.clock.reset(0, 12 * HOUR)
    strip = UsageChart(context, LIGHT, "cpu")
    strip.set_data(schedule, usage(schedule))
    context.show(strip, 800, 120)
    image = context.settle(strip)
    plot = strip.frame().plot

    def line(hour: float) -> float:
        """How high the line is, as a share of the capacity."""
        x = strip.frame().scale.x(hour * HOUR)
        rows = range(int(plot.top()), int(plot.bottom()))
        dark = [y for y in rows if colour_at(image, x, y) == LIGHT.text]
        return (plot.bottom() - np.mean(dark)) / plot.height() * 1.04

    assert [line(hour) for hour in (1.3, 4.3, 7.3, 9.5, 11.3)] == pytest.approx([1, 0.5, 1, 0.5, 1], abs=0.03)
    position = QPointF(strip.frame().scale.x(4.3 * HOUR), plot.center().y())
    assert strip.tooltip_at(position).split("\n")[1:] == [
        "in use: 2 of 4 (50 %)",
        "requested by running and waiting jobs: 4 of 4 (100 %)",
        "down: 4 of 8 (50 %)",
    ]
    position.setX(strip.frame().scale.x(7.3 * HOUR))
    assert "down" not in strip.tooltip_at(position)


def result_of(schedule: Schedule) -> Result:
    found = make_result(schedule.trace, schedule.start)
    return replace(found, schedule=schedule, boxes=assign_processors(schedule))


def test_the_page_of_an_instant_lists_what_is_down(context: ViewContext) -> None:
    inspector = Told(context)
    schedule = on_two_nodes()
    inspector.set_results(schedule.trace, [result_of(schedule)])
    context.selection.select_instant(4.0 * HOUR)
    assert after(inspector.lines(), "Down") == ["zeta 1 (4 processors), until 6:00:00 h"]
    assert after(inspector.lines()[10:], "Running") == ["1 job on 2 processors of 4 that are up, 50.0 %"]
    context.selection.select_instant(7.0 * HOUR)
    assert "Down" not in inspector.lines()


def test_pages_divide_by_what_is_up(context: ViewContext) -> None:
    inspector = Told(context)
    schedule = on_two_nodes()
    inspector.set_results(schedule.trace, [result_of(schedule)])
    context.selection.select_time_range(HOUR, 7 * HOUR)
    # Job 0 on 2 of 8 processors for 6 h, job 1 for 10 min up to 2 h; 4 of them are down for 4 h.
    row = inspector.lines()[inspector.lines().index("■ easy") :][:4]
    assert row == ["■ easy", "2", "1", f"{100 * (2 * 6 + 2 / 6) / (8 * 6 - 4 * 4):.1f} %"]
    context.selection.clear()
    context.selection.select_user(0)
    assert f"{100 * 16 / (8 * 8 - 16):.1f} %" in after(inspector.lines(), "Share of the machine")


def test_a_run_that_another_job_ended_says_so() -> None:
    """Job 1 is preempted by job 0 once, and its last run is cancelled for it."""
    schedule = on_two_nodes()
    schedule = replace(
        schedule, stopped=replace(schedule.stopped, by=np.array([0])), cancelled_for=np.array([-1, 0])
    )
    data = gantt_data(schedule, assign_processors(schedule), "processors")
    assert data.lost.tolist() == [False, True, True]
    axis = axis_of(schedule.trace)
    first = describe_failures(data, (2 * HOUR - 300, 2 * HOUR - 200, 4, 6), False, axis)
    last = describe_failures(data, (7.5 * HOUR, 7.6 * HOUR, 4, 6), False, axis)
    assert first == ["this run was preempted after 10 min by job 1 of ann"]
    assert last == ["cancelled after 1 h for job 1 of ann (preemption)"]


def test_the_overview_tells_the_share_of_what_is_up(context: ViewContext) -> None:
    schedule = on_two_nodes()
    context.clock.reset(0, 12 * HOUR)
    bar = OverviewBar(context, LIGHT)
    nobody = UserSteps(np.zeros(3, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64))
    bar.set_run(result_of(schedule), usage(schedule).processors, nobody)
    context.show(bar, 800, 44)
    context.settle(bar)
    for hour, expected in ((4.3, "2 of 4 (50 %)"), (7.3, "4 of 8 (50 %)")):
        position = QPointF(bar.frame().scale.x(hour * HOUR), bar.frame().plot.center().y())
        assert f"processors in use: {expected}" in bar.tooltip_at(position)


def test_a_figure_shows_and_names_it() -> None:
    results = [result_of(on_two_nodes())]
    for rows, named in (("processors", True), ("users", False)):
        figure = gantt_figure(results, look=GanttLook(rows=rows))
        words = {text.get_text() for text in figure.findobj(Text)}
        assert ("node down" in words) == named
        (image,) = (axes.images[0] for axes in figure.axes if axes.images)
        picture = np.asarray(image.get_array())
        height, width = picture.shape[:2]
        # the window is that of the log: 8 h; node 1 is down from 2 to 6 h of it
        down = picture[int(0.8 * height), int(0.3 * width) : int(0.7 * width)]
        assert (down.min() < 230) == named
    bare = gantt_figure(results, look=GanttLook(layers=GanttLayers(down=False)))
    assert "node down" not in {text.get_text() for text in bare.findobj(Text)}


def test_runs_on_the_same_nodes_are_told_apart_by_how_these_fail() -> None:
    from engine.machine.cluster import parse_cluster
    from engine.policy.policy import parse_policy

    policy, own, fails = parse_policy("easy"), parse_cluster("2x4c"), parse_cluster("2x4c~30d/4h")
    assert run_name(policy, own, own) == "easy"
    assert run_name(policy, fails, own) == "easy with ~30d/4h"
    assert run_name(policy, own, fails) == "easy without failures"
    assert run_name(policy, parse_cluster("3x4c~30d/4h"), own) == "easy on 3x4c~30d/4h"
