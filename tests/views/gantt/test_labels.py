"""Over very many boxes, which have no outlines, the selected ones are found all the same."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint

from engine.machine.cluster import parse_cluster
from engine.schedule.processors import Boxes, assign_processors
from tests.traces import make_schedule, make_trace
from tests.views.context import ViewContext, colour_at
from views.gantt.chart import GanttChart
from views.gantt.labels import FEW, MARKED
from views.theme.theme import LIGHT

JOBS = FEW + 500


def test_labels_of_boxes_that_overlap_keep_a_gap(context: ViewContext) -> None:
    """As a log may tell them: the second job starts about where the words in the box of the first end."""
    gaps = set()
    for second in range(60, 130, 3):
        trace = make_trace([0, second], [600, 600], [1, 1], user=["ann", "bob"], cluster=parse_cluster("1c"))
        schedule = make_schedule(trace, [0, second])
        context.clock.reset(0, 600)
        chart = GanttChart(context, LIGHT)
        chart.set_data(schedule, assign_processors(schedule))
        context.show(chart, 698, 120)  # a second is a pixel
        picture = chart._memo.value
        assert picture is not None
        middle = picture.words.boundingRect().center().y()
        written = [x for x in range(600) if picture.words.contains(QPoint(x, middle))]
        gaps.add(max(np.diff(written)) - 1)
    assert min(gaps) == 0  # the second label was left out
    assert min(gaps - {0}) >= 3


@pytest.mark.parametrize(("picked", "seen"), [(0, False), (1, True), (MARKED, True), (MARKED + 1, False)])
def test_selected_jobs_among_very_many_have_a_ring(context: ViewContext, picked: int, seen: bool) -> None:
    begin = np.arange(JOBS) // 50 * 100
    trace = make_trace(begin, [100] * JOBS, 1, cluster=parse_cluster("50c"))
    context.clock.reset(0, 100 * JOBS // 50)
    chart = GanttChart(context, LIGHT)
    schedule = make_schedule(trace, begin)
    chart.set_data(schedule, assign_processors(schedule))
    context.show(chart, 700, 200)
    middle = JOBS // 2 + 24
    context.selection.select_jobs(trace, frozenset(range(middle, middle + picked)))
    image = context.settle(chart)
    plot = chart.frame().plot
    x = chart.frame().scale.x(float(begin[middle]) + 50)
    y = plot.top() + (middle % 50 + 0.5) / 50 * plot.height()
    around = {colour_at(image, x + across, y + down) for across in range(-9, 10) for down in range(-9, 10)}
    assert (LIGHT.accent in around) == seen


def test_the_ring_around_a_job_in_many_pieces_leaves_its_colour_to_be_seen(context: ViewContext) -> None:
    """Every other processor is taken, so that the job's boxes lie closer than their rings are tall."""
    trace = make_trace([0] * 40 + [10], [1000] * 40 + [100], [1] * 40 + [40], cluster=parse_cluster("80c"))
    boxes = Boxes(
        order=np.arange(41, dtype=np.int32),
        offset=np.append(np.arange(41), 80).astype(np.int32),
        first=np.append(np.arange(0, 80, 2), np.arange(1, 80, 2)).astype(np.int32),
        count=np.ones(80, np.int32),
    )
    schedule = make_schedule(trace, [0] * 40 + [100])
    context.clock.reset(0, 1000)
    chart = GanttChart(context, LIGHT)
    chart.set_data(schedule, boxes)
    context.show(chart, 700, 300)
    context.selection.select_job(trace, 40)
    image, frame = context.settle(chart), chart.frame()
    x, plot = frame.scale.x(150), frame.plot
    down = [colour_at(image, x, y) for y in range(int(plot.top()) + 12, int(plot.bottom()) - 12)]
    assert LIGHT.accent not in down
    assert len(set(down)) > 1
    assert LIGHT.accent in {colour_at(image, x, plot.top() + y) for y in range(12)}
