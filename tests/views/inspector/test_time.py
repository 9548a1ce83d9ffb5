"""The inspector on an instant, and what runs around a job."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from engine.filter import parse_filter
from engine.policy.policy import site_policy
from engine.schedule.schedule import Decision
from engine.slurm.site.folder import read_site_at
from engine.trace import Trace
from tests.boxes import boxes_of
from tests.traces import make_trace
from tests.views.context import Told, ViewContext, after
from tests.views.results import decisions, make_result
from views.data.results import Result
from views.state.filter import Filter
from views.theme.theme import LIGHT
from views.timechart.chart import TimeChart

HOUR = 3600


def some_trace() -> Trace:
    return make_trace(
        submit=[0, 0, HOUR, HOUR],
        runtime=[4 * HOUR] * 4,
        procs=[60, 30, 40, 50],
        user=["alice", "bob", "carol", "alice"],
    )


def some_results() -> list[Result]:
    """At two hours jobs 1 and 2 run and the others wait; the last one has a reservation."""
    log = decisions((HOUR, 3, Decision.RESERVED, 7 * HOUR // 2))
    job, first, count = ([0, 1, 2, 3], [0, 60, 0, 40], [60, 30, 40, 50])
    boxes = boxes_of(*zip(job, first, count, strict=True))
    trace = some_trace()
    start = [0, 0, 4 * HOUR, 4 * HOUR]
    found = make_result(trace, start, 1, "easy", log=log)
    return [Result(1, found.schedule, found.measure, found.users, found.violations, boxes=boxes)]


@pytest.fixture
def inspector(context: ViewContext) -> Told:
    widget = Told(context)
    widget.set_results(some_trace(), some_results())
    return widget


def test_an_instant(context: ViewContext, inspector: Told) -> None:
    context.selection.select_instant(2 * HOUR + 0.7)
    words = inspector.lines()
    assert words[:2] == ["Instant", "2:00:00 h"]
    assert after(words, "■ easy", 3) == ["2", "2", "10"]
    facts = words[words.index("Running", words.index("Running") + 1) :]  # below the table of runs
    for label, expected in (
        ("Running", "2 jobs on 90 processors of 100, 90.0 %"),
        ("Most used by", "alice (60), bob (30)"),
        ("Waiting", "2 jobs for 90 processors"),
        ("Free", "10 processors; 10 of use to no waiting job"),
        ("Waiting longest", "3: 1 h, 40 processors"),
    ):
        assert after(facts, label) == [expected], label
    number = words.index("1 planned start; actual starts: 1 later")
    assert words[number + 1 :][:8] == [
        *("Job", "Planned in", "Started in", "Change"),
        *("4", "1 h 30 min", "2 h", "+30 min"),
    ]


def test_an_instant_of_a_site_names_the_command_that_plans_it(
    context: ViewContext, inspector: Told, tmp_path: Path
) -> None:
    """A site's decision log has no plans: the page shows none that `queue` would plan otherwise."""
    (tmp_path / "slurm.conf").write_text("NodeName=a CPUs=100\nPartitionName=batch Nodes=a\n")
    (result,) = some_results()
    schedule = replace(result.schedule, policy=site_policy(read_site_at(tmp_path)))
    inspector.set_results(some_trace(), [replace(result, schedule=schedule)])
    context.selection.select_instant(2 * HOUR)
    words = inspector.lines()
    how = "Planned starts of a site are not kept: batchscope queue with --at plans those of an instant."
    assert how in words
    assert "Planned in" not in words
    context.selection.select_instant(20 * HOUR)
    assert how not in inspector.lines()


def test_under_a_filter_the_page_says_that_it_is_of_all_jobs(context: ViewContext, inspector: Told) -> None:
    filter = context.filter
    context.selection.select_instant(2 * HOUR)
    before = inspector.lines()[-1]
    filter.set(Filter(parse_filter("procs > 50")))
    assert inspector.lines()[-1] == f"{before}. Of all jobs, whatever the filter"
    filter.clear()
    assert inspector.lines()[-1] == before


def test_an_instant_at_which_nothing_happens(context: ViewContext, inspector: Told) -> None:
    context.selection.select_instant(20 * HOUR)
    words = inspector.lines()
    words = words[words.index("Running") + 1 :]
    assert after(words, "Running") == ["0 jobs on 0 processors of 100, 0 %"]
    assert after(words[words.index("Running") :], "Free") == ["100 processors"]
    assert "Most used by" not in words


def test_an_instant_stays_picked_beside_a_user(context: ViewContext, inspector: Told) -> None:
    context.selection.select_instant(HOUR)
    context.selection.select_user(2)
    words = inspector.lines()
    assert words[0] == "User carol"
    assert "Instant" in words
    context.selection.select_time_range(0, HOUR)
    assert "Instant" not in inspector.lines()


def test_a_click_on_the_time_axis_picks_the_instant(qtbot: QtBot, context: ViewContext) -> None:
    chart = TimeChart(context, LIGHT, "chart")
    chart.set_message("")
    context.show(chart)
    frame = chart.frame()
    before = context.settle(chart)
    spot = QPointF(frame.scale.x(1800), frame.axis.center().y()).toPoint()
    qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=spot)
    assert context.selection.value.instant == pytest.approx(1800, abs=frame.scale.seconds_per_pixel)
    assert context.selection.value.mask(some_trace()) is None
    marked = context.settle(chart)
    x, y = round(frame.scale.x(1800)), int(frame.plot.center().y())
    assert marked.pixelColor(x, y).name() == LIGHT.accent
    qtbot.keyClick(chart, Qt.Key.Key_Escape)
    assert context.selection.value.empty
    assert context.settle(chart).pixel(x, y) == before.pixel(x, y)


def test_the_jobs_around_a_job(context: ViewContext, inspector: Told) -> None:
    context.selection.select_job(some_trace(), 3)
    words = inspector.lines()
    assert after(words, "Before it there") == ["1, 2"]
    assert after(words, "After it there") == ["no job"]
    assert after(words, "Queue at submit") == ["1 job for 40 processors: 3"]
    context.selection.select_job(some_trace(), 0)
    words = inspector.lines()
    assert after(words, "After it there") == ["3, 4"]
    assert after(words, "Queue at submit") == ["empty"]
