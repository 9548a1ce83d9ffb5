"""Rows of users, queues and lanes: against what an obvious count of each second says."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QImage

from engine.machine.cluster import Cluster
from engine.schedule.processors import assign_processors
from engine.schedule.schedule import NOT_RUN, Schedule
from engine.trace import Trace
from tests.traces import make_schedule, make_trace
from tests.views.context import ViewContext, colour_at
from views.data.gantt.data import GanttData, gantt_data
from views.data.gantt.layout import lay_out, most_at_once
from views.data.gantt.rows import RowKind
from views.gantt.chart import GanttChart
from views.theme.theme import LIGHT


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    """Some jobs of three users on a machine that is large enough for all at once; some are not run."""
    jobs = draw(
        st.lists(st.tuples(*[st.integers(1, 9)] * 3, st.sampled_from("abc")), min_size=1, max_size=12)
    )
    trace = make_trace(
        [0] * len(jobs),
        [job[0] for job in jobs],
        [job[1] for job in jobs],
        user=[job[3] for job in jobs],
        queue=["q" if job[1] < 5 else "r" for job in jobs],
        cluster=Cluster.pool(120),
    )
    return make_schedule(trace, [job[2] if job[2] < 9 else NOT_RUN for job in jobs])


def at_once(schedule: Schedule, jobs: list[int], size: list[int]) -> int:
    """The greatest sum of sizes over all seconds."""
    return max(
        sum(size[j] for j in jobs if schedule.ran[j] and schedule.start[j] <= second < schedule.end[j])
        for second in range(25)
    )


@given(schedules())
def test_the_most_at_once_of_each_band(schedule: Schedule) -> None:
    users, procs = schedule.trace.user, schedule.procs.tolist()
    found = most_at_once(schedule, users.codes.astype(np.int64), schedule.procs, len(users.names))
    for code, most in enumerate(found):
        own = np.flatnonzero(users.codes == code).tolist()
        assert most == max(at_once(schedule, own, procs), 1)


@given(schedules(), st.sampled_from(["users", "queues", "jobs"]))
def test_jobs_lie_in_their_rows_and_never_over_one_another(schedule: Schedule, kind: RowKind) -> None:
    data = gantt_data(schedule, assign_processors(schedule), kind)
    owner = np.repeat(np.arange(len(data.job)), np.diff(data.offset))
    boxes = [
        (int(data.job[k]), float(first), float(first + count))
        for k, first, count in zip(owner, data.first, data.count, strict=True)
    ]
    assert {job for job, _, _ in boxes} == set(np.flatnonzero(schedule.ran).tolist())
    for job, top, bottom in boxes:
        assert -1e-5 <= top < bottom <= data.rows.total + 1e-5
        if kind != "jobs":
            names = schedule.trace.user if kind == "users" else schedule.trace.queue
            assert data.rows.names[int(top + 1e-5)] == names.names[names.codes[job]]
            assert int(top + 1e-5) == int(bottom - 1e-5)
    for k, (job, top, bottom) in enumerate(boxes):
        for other, over, under in boxes[:k]:
            apart = schedule.end[job] <= schedule.start[other] or schedule.end[other] <= schedule.start[job]
            assert apart or bottom <= over + 1e-5 or under <= top + 1e-5


@given(schedules())
def test_lanes_are_as_many_as_jobs_run_at_once(schedule: Schedule) -> None:
    rows, boxes = lay_out(schedule, assign_processors(schedule), "jobs")
    n = len(schedule.start)
    assert rows.total == max(at_once(schedule, list(range(n)), [1] * n), 1)
    assert (boxes.count == 1).all()
    assert sorted(boxes.job.tolist()) == np.flatnonzero(schedule.ran).tolist()


def two_users() -> GanttData:
    """Ann has 6 processors for 10 h, bob 2 for 5 h and 2 for 3 h at the same time."""
    trace = make_trace([0, 0, 0], [10, 5, 3], [6, 2, 2], user=["bob", "ann", "bob"], cluster=Cluster.pool(20))
    schedule = make_schedule(trace, [0, 0, 0])
    return gantt_data(schedule, assign_processors(schedule), "users")


def test_rows_of_users_are_of_equal_height_the_heaviest_on_top() -> None:
    data = two_users()
    assert data.rows.names == ("bob", "ann")
    heights = {int(job): float(count) for job, count in zip(data.job, data.count, strict=True)}
    assert heights == {0: 0.75, 1: 1.0, 2: 0.25}


def by_user(context: ViewContext, trace: Trace) -> GanttChart:
    """A chart with a row a user, of jobs that all start at once."""
    schedule = make_schedule(trace, [0] * len(trace))
    context.clock.reset(0, 10)
    chart = GanttChart(context, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    chart.set_rows("users")
    context.show(chart, 500, 240)
    return chart


def test_names_stand_beside_rows_and_never_over_one_another(context: ViewContext) -> None:
    n = 40
    users = [f"u{k}" for k in range(n)]
    trace = make_trace([0] * n, [10] * n, [n - k for k in range(n)], user=users, cluster=Cluster.pool(2000))
    chart = by_user(context, trace)
    frame = chart.frame()

    def named(image: QImage) -> list[int]:
        """Heights of the ticks beside names."""
        heights = range(int(frame.plot.top()), int(frame.plot.bottom()))
        colours = {LIGHT.faint, LIGHT.accent}
        return [y for y in heights if colour_at(image, frame.gutter.right() - 3, y) in colours]

    some = named(context.settle(chart))
    assert 10 <= len(some) < n
    assert min(np.diff(some)) >= 10
    context.selection.select_user(30)
    image = context.settle(chart)
    middle = frame.plot.top() + 30.5 * frame.plot.height() / n
    assert colour_at(image, frame.gutter.right() - 3, middle) == LIGHT.accent
    assert min(np.diff(named(image))) >= 10


def test_of_very_low_rows_one_of_some_has_a_name(context: ViewContext) -> None:
    n = 500
    trace = make_trace([0] * n, [10] * n, 1, user=[f"u{k}" for k in range(n)], cluster=Cluster.pool(n))
    chart = by_user(context, trace)
    image, frame = context.settle(chart), chart.frame()
    heights = range(int(frame.plot.top()), int(frame.plot.bottom()))
    ticks = [y for y in heights if colour_at(image, frame.gutter.right() - 3, y) == LIGHT.faint]
    assert 8 <= len(ticks) <= 20
    assert min(np.diff(ticks)) >= 10


def test_a_user_without_jobs_has_no_row() -> None:
    trace = make_trace([0, 0], [10, 5], [6, 2], user=["bob", "ann"], cluster=Cluster.pool(20))
    only = trace.take(np.array([1]))
    schedule = make_schedule(only, [0])
    assert gantt_data(schedule, assign_processors(schedule), "users").rows.names == ("ann",)


def test_nothing_ran() -> None:
    schedule = make_schedule(make_trace([0], [10], [999]), [NOT_RUN])
    for kind in ("users", "queues", "jobs"):
        data = gantt_data(schedule, assign_processors(schedule), kind)
        assert len(data.first) == 0
        assert data.rows.total == 1
