from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage

from engine.machine.cluster import Cluster, NodeGroup, parse_cluster
from engine.metrics.series import StepSeries, UsageSeries, usage
from engine.schedule.schedule import Schedule
from engine.trace import Pieces
from tests.traces import make_schedule, make_trace
from tests.views.context import ViewContext, colour_at
from views.data.usage import further_of
from views.theme.palette import luminance
from views.theme.theme import DARK, LIGHT
from views.usage import UsageChart

HOUR = 3600


def series_of(*steps: tuple[float, int]) -> StepSeries:
    return StepSeries(
        np.array([int(hour * HOUR) for hour, _ in steps], np.int64),
        np.array([value for _, value in steps], np.int64),
    )


NOTHING = series_of()


def machine(cpus: int, ram: int | None = None) -> Schedule:
    trace = make_trace([0, 0], [HOUR, HOUR], 50, cluster=Cluster((NodeGroup(1, cpus, ram),)))
    return make_schedule(trace, [0, HOUR])


def usage_of(
    held: StepSeries,
    requested: StepSeries | None = None,
    waiting: StepSeries = NOTHING,
    ram: StepSeries = NOTHING,
) -> UsageSeries:
    return UsageSeries(held, ram, waiting, requested or held, ram)


SCHEDULE = machine(100)


@pytest.fixture
def chart(context: ViewContext) -> UsageChart:
    context.clock.reset(0, 10 * HOUR)
    chart = UsageChart(context, LIGHT, "cpu")
    chart.set_data(SCHEDULE, usage_of(series_of((0, 100), (2, 50), (8, 0))))
    context.show(chart, 700, 200)
    return chart


def at(chart: UsageChart, hour: float, share: float) -> QPointF:
    """A position at a share of the capacity."""
    frame = chart.frame()
    return QPointF(frame.scale.x(hour * HOUR), frame.plot.bottom() - share / 1.04 * frame.plot.height())


def hue(chart: UsageChart, image: QImage, hour: float, share: float) -> str:
    position = at(chart, hour, share)
    return colour_at(image, position.x(), position.y())


def test_the_area_reaches_up_to_what_is_used(chart: UsageChart, context: ViewContext) -> None:
    image = context.settle(chart)
    full = hue(chart, image, 1.3, 0.1)
    assert hue(chart, image, 1.3, 0.95) == full != LIGHT.chart
    assert hue(chart, image, 4.3, 0.45) == full
    assert hue(chart, image, 4.3, 0.55) == LIGHT.chart
    assert hue(chart, image, 9.3, 0.05) == LIGHT.chart


def test_peaks_within_a_pixel_are_a_lighter_area(context: ViewContext) -> None:
    context.clock.reset(0, 10 * HOUR)
    chart = UsageChart(context, DARK, "cpu")
    steps = [(k * 0.001, 100 if k % 4 == 0 else 20) for k in range(9999)]
    chart.set_data(SCHEDULE, usage_of(series_of(*steps, (10, 0))))
    context.show(chart, 700, 200)
    image = context.settle(chart)
    mean, peak, above = (luminance(hue(chart, image, 4.3, share)) for share in (0.2, 0.8, 1.03))
    assert mean > peak > above


def test_the_selected_users_part_is_drawn_in_front(chart: UsageChart, context: ViewContext) -> None:
    before = context.settle(chart)
    chart.set_own(usage_of(series_of((0, 25), (8, 0))))
    image = context.settle(chart)
    assert luminance(hue(chart, image, 4.3, 0.2)) < luminance(hue(chart, before, 4.3, 0.2))
    assert hue(chart, image, 4.3, 0.4) == hue(chart, before, 4.3, 0.4)
    assert "by the selected: 25 of 100 (25 %)" in chart.tooltip_at(at(chart, 4, 0.5))


def test_the_mouse_tells_what_is_in_use(chart: UsageChart) -> None:
    assert chart.tooltip_at(at(chart, 1, 0.5)).split("\n")[1] == "in use: 100 of 100 (100 %)"
    assert chart.tooltip_at(at(chart, 9, 0.5)).split("\n")[1] == "in use: 0 of 100 (0 %)"
    assert chart.tooltip_at(QPointF(1, 1)) == ""


def test_more_in_use_than_there_is(chart: UsageChart, context: ViewContext) -> None:
    """A log may tell of more processors than its machine has: the area stays inside the plot."""
    chart.set_data(SCHEDULE, usage_of(series_of((0, 200), (8, 0))))
    image = context.settle(chart)
    frame = chart.frame()
    x = frame.scale.x(4.3 * HOUR)
    assert colour_at(image, x, frame.plot.top() + 1) == LIGHT.chart
    assert colour_at(image, x, frame.plot.top() + 0.06 * frame.plot.height() + 3) != LIGHT.chart


def test_what_waits_is_requested_on_top_of_the_use_and_cut_off_at_twice_the_machine(
    chart: UsageChart, context: ViewContext
) -> None:
    used, requested = series_of((0, 100), (8, 0)), series_of((0, 150), (4, 900), (6, 100), (8, 0))
    chart.set_data(SCHEDULE, usage_of(used, requested))
    image = context.settle(chart)
    frame = chart.frame()

    def hue_at(hour: float, processors: float) -> str:
        y = frame.plot.bottom() - processors / 208 * frame.plot.height()
        return colour_at(image, frame.scale.x(hour * HOUR), y)

    in_use, waiting = hue_at(2.3, 50), hue_at(2.3, 125)
    assert len({in_use, waiting, LIGHT.chart}) == 3
    assert hue_at(2.3, 175) == LIGHT.chart
    assert hue_at(4.7, 190) == waiting
    assert colour_at(image, frame.scale.x(4.7 * HOUR), frame.plot.top() + 1) == LIGHT.faint
    assert colour_at(image, frame.scale.x(2.7 * HOUR), frame.plot.top() + 1) == LIGHT.chart
    assert hue_at(6.7, 125) == LIGHT.chart
    line = [colour_at(image, frame.scale.x(9 * HOUR), y) for y in range(int(frame.plot.top()), 200)]
    assert LIGHT.text in line  # what the machine has
    position = QPointF(frame.scale.x(5 * HOUR), frame.plot.center().y())
    assert "requested by running and waiting jobs: 900 of 100 (900 %)" in chart.tooltip_at(position)


def test_machines_of_any_size_share_a_scale(chart: UsageChart, context: ViewContext) -> None:
    small = UsageChart(context, LIGHT, "cpu")
    small.set_data(machine(10), usage_of(series_of((0, 10), (8, 0)), series_of((0, 900), (8, 0))))
    context.show(small, 700, 200)
    for plot in (chart, small):
        plot.set_scale_max(max(chart.own_most, small.own_most))
        image = context.settle(plot)
        down = [colour_at(image, plot.frame().scale.x(9 * HOUR), y) for y in range(200)]
        assert abs(down.index(LIGHT.text) - at(plot, 9, 1 / 2).y()) <= 1  # both machines reach half of it


def test_the_queue_is_reported_in_jobs_and_processors(context: ViewContext) -> None:
    context.clock.reset(0, 10 * HOUR)
    chart = UsageChart(context, LIGHT, "queue")
    usage = usage_of(
        series_of((0, 50), (9, 0)), series_of((0, 90), (4, 50), (9, 0)), series_of((0, 7), (4, 0))
    )
    chart.set_data(SCHEDULE, usage)
    context.show(chart, 700, 90)
    image = context.settle(chart)
    plot = chart.frame().plot
    assert colour_at(image, chart.frame().scale.x(2.3 * HOUR), plot.top() + 10) != LIGHT.chart
    assert colour_at(image, chart.frame().scale.x(5.3 * HOUR), plot.bottom() - 3) == LIGHT.chart
    assert chart.tooltip_at(at(chart, 2, 0.5)).endswith("waiting: 7 jobs, 40 processors")
    chart.set_own(usage_of(NOTHING, series_of((0, 8), (4, 0)), series_of((0, 1), (4, 0))))
    assert chart.tooltip_at(at(chart, 2, 0.5)).endswith("of the selected: 1 job, 8 processors")
    assert chart.accessibleDescription() == "up to 7 jobs wait"
    chart.set_data(SCHEDULE, usage_of(series_of((0, 50), (9, 0))))
    assert chart.message == "No job waited"


def test_ram_is_reported_in_units_of_memory(context: ViewContext) -> None:
    context.clock.reset(0, 10 * HOUR)
    chart = UsageChart(context, LIGHT, "ram")
    usage = usage_of(NOTHING, ram=series_of((0, 512), (8, 0)))
    chart.set_data(machine(100, 2048), usage)
    context.show(chart, 600, 90)
    assert "512 MiB of 2 GiB (25 %)" in chart.tooltip_at(at(chart, 4, 0.2))
    chart.set_data(SCHEDULE, usage)
    context.settle(chart)
    assert chart.tooltip_at(at(chart, 4, 0.2)).endswith("in use: 512 MiB")


def test_nothing_is_known(context: ViewContext) -> None:
    chart = UsageChart(context, LIGHT, "ram")
    context.show(chart, 300, 60)
    assert chart.message == "Nothing to show yet"
    chart.set_data(SCHEDULE, usage_of(NOTHING))
    assert chart.message == "The log has no RAM use"
    context.settle(chart)
    assert chart.accessibleName() == "RAM"


def test_a_strip_is_low(chart: UsageChart) -> None:
    assert chart.sizeHint().height() < 100
    with_axis = chart.minimumSizeHint().height()
    chart.show_axis(False)
    assert chart.minimumSizeHint().height() < with_axis


def test_a_strip_of_gpus_or_of_what_jobs_ask_for_instead(context: ViewContext) -> None:
    cluster = parse_cluster("2x50c4gpu")
    trace = make_trace([0, 0], [HOUR, HOUR], 50, gpus=[4, 6], cluster=cluster)
    schedule = make_schedule(trace, [0, HOUR])
    context.clock.reset(0, 2 * HOUR)
    chart = UsageChart(context, LIGHT, "gpu")
    chart.set_data(schedule, usage(schedule))
    context.show(chart, 700, 200)
    image = context.settle(chart)
    assert chart.title == "GPU"
    assert hue(chart, image, 0.5, 0.35) == hue(chart, image, 1.5, 0.55) != LIGHT.chart
    text = chart.tooltip_at(at(chart, 0.5, 0.4))
    assert "in use: 4 of 8 (50 %)" in text
    assert "requested by running and waiting jobs: 10 of 8 (125 %)" in text
    columns = dict(trace.tasks.columns)
    licences = Pieces(trace.tasks.offset, {"licence": columns.pop("gpu"), **columns})
    other = make_schedule(replace(trace, tasks=licences), [0, HOUR], cluster=parse_cluster("2x50c4licence"))
    chart.set_data(other, usage(other))
    assert chart.title == "licence"
    assert further_of(make_schedule(trace, [0, HOUR], cluster=Cluster.pool(100))) is None
