"""Cumulative curves over the area of jobs."""

from typing import Any

import numpy as np
from PySide6.QtCore import QPointF

from engine.trace import Trace
from tests.traces import make_trace
from tests.views.context import ViewContext, colour_at
from tests.views.results import make_result
from views.curves.plots import size_plots
from views.curves.spec import SIZES
from views.data.results import Result
from views.theme.palette import run_colour
from views.theme.theme import LIGHT

AREAS = (100, 400, 2000)


def some_trace() -> Trace:
    """Four jobs with areas of 100, 400, 400 and 2000 processor-seconds."""
    return make_trace([0] * 4, [100, 200, 100, 500], [1, 2, 4, 4])


def some_results() -> list[Result]:
    trace = some_trace()
    return [
        make_result(trace, [0, 10, 20, 1000], 1, "fcfs"),
        make_result(trace, [0, 0, 0, 50], 2, "easy"),
    ]


def test_shares_of_jobs_and_work_and_the_wait_area() -> None:
    jobs, work, wait = size_plots(some_results())
    for plot, expected in (
        (jobs, [25, 75, 100]),
        (work, [100 * 100 / 2900, 100 * 900 / 2900, 100]),
        (wait, [0, 10 * 2 + 20 * 4, 100 + 4 * 1000]),
    ):
        np.testing.assert_allclose(plot.lines[0].at(np.array(AREAS)), expected)
    assert wait.lines[1].at(np.array([99, 2000])).tolist() == [0, 200]


def test_what_is_the_same_for_all_runs_is_one_curve() -> None:
    jobs, work, wait = size_plots(some_results())
    assert [line.name for line in jobs.lines] == [line.name for line in work.lines] == ["every run"]
    assert [line.name for line in wait.lines] == ["fcfs", "easy"]
    alone, _, _ = size_plots(some_results()[:1])
    assert [line.name for line in alone.lines] == ["fcfs"]


def test_only_measured_jobs_count() -> None:
    whole = some_results()[0]
    measured = np.array([True, True, True, False])
    part = Result(1, whole.schedule, whole.measure, whole.users, whole.violations, measured)
    _, _, wait = size_plots([part])
    assert wait.lines[0].y.tolist() == [0, 100]


def test_the_panel_shows_three_and_reads_them(context: ViewContext) -> None:
    assert SIZES.make is not None
    panel: Any = SIZES.make(context, LIGHT, None)  # type: ignore[arg-type]
    context.qtbot.addWidget(panel)
    panel.resize(1000, 300)
    panel.show()
    assert panel.empty.isVisible()
    panel.set_results(some_results())
    context.settle(panel)
    assert not panel.empty.isVisible()
    chart = panel.charts[2]
    area = chart.area
    position = area.spot(np.log10(1900.0), 2000.0)
    reading = chart.read(position)
    assert reading is not None
    assert reading.text.split("\n")[1:] == ["fcfs: 0.028 CPU h", "easy: 0 CPU h"]
    image = chart.grab().toImage()
    columns = range(int(area.left), int(area.left + area.width))
    colours = {colour_at(image, x, y) for x in columns for y in range(image.height())}
    assert {run_colour(1), run_colour(2)} <= colours
    assert chart.read(QPointF(area.rect.center().x(), area.rect.bottom() + 5)) is None
    panel.resize(400, 900)
    context.settle(panel)
    assert len({chart.y() for chart in panel.charts}) == 3
    panel.set_results([])
    assert panel.empty.isVisible()
