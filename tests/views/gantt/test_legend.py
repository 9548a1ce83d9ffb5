"""The legend of the Gantt chart says what colours mean, and picks what has them."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage
from PySide6.QtWidgets import QApplication, QMenu, QToolTip

from engine.filter import parse_filter
from engine.machine.cluster import parse_cluster
from engine.quantities import Jobs
from engine.schedule.processors import assign_processors
from engine.schedule.schedule import NOT_RUN, Decision, Schedule
from engine.trace import Trace
from tests.traces import make_schedule, make_trace
from tests.views.context import ViewContext, colour_at, mouse
from tests.views.results import decisions
from views.data.gantt.colours import COLOUR_NAMES, NO_CLASS, ColourMode, classify
from views.data.other_run import OtherRun
from views.gantt.chart import GanttChart
from views.gantt.legend_entries import LegendEntries
from views.state.filter import Filter
from views.text.tooltips import tip
from views.theme.fonts import tick_font
from views.theme.palette import OTHER_USERS, USER_COLOURS, contrast
from views.theme.theme import DARK, LIGHT, Theme
from views.timechart.frame import legend_room
from views.timechart.legend import MORE, Swatches, lay_out_swatches

HOUR, DAY = 3600, 86_400


PREDICTED = {1: 2 * HOUR, 2: 2 * HOUR + 60, 4: 3 * HOUR, 19: 0}
"""First planned starts of some of them, s."""


def one_an_hour() -> Schedule:
    """Twenty jobs of as many users in two queues; the k-th waits k hours, and asks for twice its time."""
    n = 20
    trace = make_trace(
        [0] * n,
        [HOUR] * n,
        [1 + k for k in range(n)],
        walltime=[2 * HOUR] * n,
        user=[f"u{k}" for k in range(n)],
        queue=["odd" if k % 2 else "even" for k in range(n)],
        cluster=parse_cluster("100c"),
    )
    trace = with_use(trace)
    lines = [(0, k, Decision.RESERVED, start) for k, start in PREDICTED.items()]
    lines += [(3 * HOUR, 3, Decision.BACKFILLED, 4), (7 * HOUR, 7, Decision.BACKFILLED, 0)]
    return make_schedule(trace, [k * HOUR for k in range(n)], estimate=trace.walltime, log=decisions(*lines))


def with_use(trace: Trace) -> Trace:
    """What the k-th job used: 8 k % of its processors, 2^k MiB of 64 times as much, k GPUs of 10, k^6 kJ."""
    k = np.arange(len(trace))
    return replace(
        trace,
        cpu_used=0.08 * k * trace.procs * trace.runtime,
        ram=64 << k,
        ram_used=1 << k,
        gpus=np.full(len(trace), 10),
        gpu_used=k.astype(np.float64),
        energy=np.where(k > 0, 1000 * k**6, -1),
    )


@pytest.fixture
def chart(context: ViewContext) -> GanttChart:
    schedule = one_an_hour()
    context.clock.reset(0, 21 * HOUR)
    chart = GanttChart(context, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    context.show(chart, 1200, 240)
    return chart


def entry(chart: GanttChart, name: str) -> QPointF:
    """Where the legend has this entry."""
    legend = chart._legend()
    assert isinstance(legend, Swatches)
    room = legend_room(chart.frame(), chart.title, "", chart.font())
    placed = lay_out_swatches(room, legend, QFontMetricsF(tick_font(chart.font())).horizontalAdvance)
    (found,) = (item for item in placed if legend.entries[item.entry][1] == name)
    return found.swatch.center()


def click(chart: GanttChart, context: ViewContext, name: str, control: bool = False) -> None:
    keys = Qt.KeyboardModifier.ControlModifier if control else Qt.KeyboardModifier.NoModifier
    context.qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, keys, entry(chart, name).toPoint())


def test_entries_have_the_colours_of_the_jobs(chart: GanttChart, context: ViewContext) -> None:
    image = context.settle(chart)
    for name in ("u19", "u12", "6 others"):
        position = entry(chart, name)
        assert colour_at(image, position.x(), position.y()) in {*USER_COLOURS, OTHER_USERS}
    assert colour_at(image, entry(chart, "6 others").x(), entry(chart, "6 others").y()) == OTHER_USERS


def filtered(context: ViewContext) -> str:
    return str(context.filter.value.expression)


def test_a_click_filters_by_a_user_and_with_ctrl_by_more_of_them(
    chart: GanttChart, context: ViewContext
) -> None:
    context.selection.select_user(3)
    click(chart, context, "u19")
    assert filtered(context) == "user = u19"
    assert not context.filter.value.hides
    click(chart, context, "u18", control=True)
    assert filtered(context) == "user = u19 or user = u18"
    click(chart, context, "u19", control=True)
    assert filtered(context) == "user = u18"
    click(chart, context, "6 others")
    assert filtered(context).startswith("not user in (u6, u7,")
    click(chart, context, "6 others")
    assert context.filter.value == Filter()
    assert context.selection.value.users == {3}


def test_the_users_without_a_colour_get_some_when_they_are_clicked_and_a_second_click_undoes_that(
    chart: GanttChart, context: ViewContext
) -> None:
    context.settle(chart)
    before = chart._legend()
    click(chart, context, "6 others")
    context.settle(chart)
    legend = chart._legend()
    assert isinstance(legend, Swatches)
    names = [name for _, name in legend.entries]
    assert {f"u{k}" for k in range(6)} <= set(names)
    assert names[-1] == "6 others"
    assert chart.tooltip_at(entry(chart, "6 others")).endswith(
        "The filter has this colour. Click: remove it.\nDouble-click: hide the others."
    )
    click(chart, context, "6 others")
    context.settle(chart)
    assert context.filter.value == Filter()
    assert chart._legend() == before
    click(chart, context, "6 others")
    context.settle(chart)
    click(chart, context, "u3", control=True)
    assert filtered(context).endswith(" or user = u3")
    context.settle(chart)
    click(chart, context, "6 others", control=True)
    assert filtered(context) == "user = u3"


LONG = "fairshare-easy on 20x80c517018m+48x12c91832m~30d/12h"


def test_a_long_title_is_cut_before_the_legend_and_reported_in_full(
    chart: GanttChart, context: ViewContext
) -> None:
    chart.set_title(LONG)
    chart.resize(360, 240)
    context.settle(chart)
    assert entry(chart, "u18").x() > 180  # half of the line is left to the legend
    mouse(chart, QEvent.Type.MouseMove, QPointF(60, 12), Qt.MouseButton.NoButton)
    assert QToolTip.text() == tip(LONG)
    mouse(chart, QEvent.Type.MouseMove, entry(chart, "u19"), Qt.MouseButton.NoButton)
    assert "u19: 1 job" in QToolTip.text()
    chart.resize(1200, 240)
    context.settle(chart)
    mouse(chart, QEvent.Type.MouseMove, QPointF(60, 12), Qt.MouseButton.NoButton)
    context.qtbot.waitUntil(lambda: not QToolTip.isVisible())
    assert entry(chart, "6 others").x() > 1000


def test_what_is_not_picked_is_drawn_back(chart: GanttChart, context: ViewContext) -> None:
    before = context.settle(chart)
    click(chart, context, "u19")
    after = context.settle(chart)
    frame = chart.frame()
    down = frame.plot.height() / 100
    own = QPointF(frame.scale.x(19.5 * HOUR), frame.plot.top() + 15 * down)
    other = QPointF(frame.scale.x(18.5 * HOUR), frame.plot.top() + 15 * down)
    assert after.pixel(own.toPoint()) == before.pixel(own.toPoint())
    assert after.pixel(other.toPoint()) != before.pixel(other.toPoint())


def test_entries_without_anything_selected_are_drawn_back(chart: GanttChart, context: ViewContext) -> None:
    before = context.settle(chart)
    click(chart, context, "u19")
    after = context.settle(chart)
    own, other = entry(chart, "u19").toPoint(), entry(chart, "u18").toPoint()
    assert after.pixel(own) == before.pixel(own)
    assert after.pixel(other) != before.pixel(other)
    context.filter.set(Filter(context.filter.value.expression, hides=True))
    assert context.settle(chart).pixel(other) == after.pixel(other)
    click(chart, context, "u19")
    assert context.settle(chart).pixel(other) == before.pixel(other)


def test_a_click_filters_by_a_queue(chart: GanttChart, context: ViewContext) -> None:
    chart.set_colours("queue")
    context.settle(chart)
    click(chart, context, "odd")
    assert filtered(context) == "queue = odd"
    click(chart, context, "even", control=True)
    assert filtered(context) == "queue = odd or queue = even"


def test_steps_of_a_value_join_what_is_filtered_already(chart: GanttChart, context: ViewContext) -> None:
    chart.set_colours("wait")
    context.settle(chart)
    context.filter.set(Filter(parse_filter("queue = odd"), hides=True))
    click(chart, context, "≤ 1 h", control=True)
    assert filtered(context) == "queue = odd or wait > 10m and wait <= 1h"
    click(chart, context, "≤ 6 h")
    assert filtered(context) == "wait > 1h and wait <= 6h"
    assert context.filter.value.hides


def test_what_no_filter_asks_for_is_selected(chart: GanttChart, context: ViewContext) -> None:
    before = make_schedule(one_an_hour().trace, [2 * HOUR] * 20)
    chart.set_others((OtherRun(before, "fcfs", "#d55e00"),))
    chart.set_colours("change")
    context.settle(chart)
    click(chart, context, "≤ 1 h earlier")
    assert context.selection.value.jobs == {1}
    click(chart, context, "same start", control=True)
    assert context.selection.value.jobs == {1, 2}
    assert context.filter.value == Filter()


def test_a_click_on_a_class_without_jobs_changes_nothing(chart: GanttChart, context: ViewContext) -> None:
    context.selection.select_user(3)
    chart.set_others((OtherRun(chart.schedule, "fcfs", "#d55e00"),))
    for mode, name in (("wait", "> 7 d"), ("change", "> 1 d earlier")):
        chart.set_colours(mode)
        context.settle(chart)
        assert chart.tooltip_at(entry(chart, name)).startswith(f"{name}: 0 jobs")
        click(chart, context, name)
        context.qtbot.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=entry(chart, name).toPoint())
        assert context.selection.value.users == {3}
        assert context.filter.value == Filter()


def field_of(image: QImage) -> str:
    """The colour that most of a swatch has, under its hatch."""
    colours = [image.pixelColor(x, y).name() for x in range(10) for y in range(10)]
    return max(set(colours), key=colours.count)


def test_entries_without_room_are_in_a_menu(chart: GanttChart, context: ViewContext) -> None:
    chart.resize(360, 240)
    context.settle(chart)
    legend = chart._legend()
    assert isinstance(legend, Swatches)
    room = legend_room(chart.frame(), chart.title, "", chart.font())
    placed = lay_out_swatches(room, legend, QFontMetricsF(tick_font(chart.font())).horizontalAdvance)
    more = placed[-1]
    assert more.entry == MORE
    assert len(placed) < len(legend.entries)
    mouse(chart, QEvent.Type.MouseMove, more.whole.center(), Qt.MouseButton.NoButton)
    assert chart.cursor().shape() == Qt.CursorShape.PointingHandCursor

    def open_menu() -> QMenu:
        context.qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=more.whole.center().toPoint())
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        return menu

    menu = open_menu()
    assert [action.text() for action in menu.actions()] == [
        f"{name}\t{6 if name == '6 others' else 1}" for _, name in legend.entries
    ]
    colours = [field_of(action.icon().pixmap(14, 10).toImage()) for action in menu.actions()]
    assert colours == [colour for colour, _ in legend.entries]
    last = menu.actionGeometry(menu.actions()[-1]).center()
    context.qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=last)
    assert filtered(context).startswith("not user in (u6, u7,")
    menu = open_menu()
    assert [action.isChecked() for action in menu.actions()] == [False] * 14 + [True]
    menu.close()


def test_the_mouse_over_an_entry_tells_how_many_jobs_it_is(chart: GanttChart, context: ViewContext) -> None:
    chart.set_colours("wait")
    context.settle(chart)
    text = chart.tooltip_at(entry(chart, "≤ 6 h"))
    assert text.split("\n")[0] == "≤ 6 h: 5 jobs"
    chart.set_colours("queue")
    context.settle(chart)
    assert chart.tooltip_at(entry(chart, "odd")).startswith("queue odd: ")
    assert chart.tooltip_at(QPointF(4, 4)) == ""
    chart.set_colours("wait")
    context.settle(chart)
    mouse(chart, QEvent.Type.MouseMove, entry(chart, "≤ 6 h"), Qt.MouseButton.NoButton)
    assert chart.cursor().shape() == Qt.CursorShape.PointingHandCursor
    mouse(chart, QEvent.Type.MouseMove, chart.frame().plot.center(), Qt.MouseButton.NoButton)
    assert chart.cursor().shape() == Qt.CursorShape.ArrowCursor


def test_an_entry_tells_whether_a_filter_can_ask_for_it(chart: GanttChart, context: ViewContext) -> None:
    chart.set_others((OtherRun(chart.schedule, "fcfs", "#d55e00"),))
    for mode, name, expected in (
        ("wait", "≤ 6 h", "Double-click: hide the others."),
        ("estimate", "≤ 2 ×", "Double-click: hide the others."),
        ("estimate", "no estimate", "No filter: a filter matches values, and these jobs have none."),
        (
            "change",
            "≤ 6 h earlier",
            "No filter: a filter matches jobs of a single run, but a change is between two runs.",
        ),
        (
            "late",
            "not computed: no expected ends",
            "No filter: a filter matches values, and these jobs have none.",
        ),
    ):
        chart.set_colours(mode)
        context.settle(chart)
        assert chart.tooltip_at(entry(chart, name)).split("\n")[-1] == expected
    chart.set_colours("change")
    context.settle(chart)
    context.qtbot.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=entry(chart, "≤ 6 h earlier").toPoint())
    assert context.filter.value == Filter()


def test_a_double_click_on_an_entry_does_not_zoom(chart: GanttChart, context: ViewContext) -> None:
    context.clock.set_window(HOUR, 2 * HOUR)
    context.settle(chart)
    context.qtbot.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=entry(chart, "u19").toPoint())
    assert context.clock.window == (HOUR, 2 * HOUR)


def test_a_double_click_hides_the_others(chart: GanttChart, context: ViewContext) -> None:
    def double_click(name: str) -> str:
        """As the window system sends it: a click comes first."""
        click(chart, context, name)
        context.qtbot.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=entry(chart, name).toPoint())
        context.settle(chart)
        assert context.filter.value.hides
        return filtered(context)

    assert double_click("u19") == "user = u19"
    context.filter.clear()
    context.settle(chart)
    others = double_click("6 others")
    assert others.startswith("not user in (u6, u7,")
    legend = chart._legend()
    assert isinstance(legend, Swatches)
    seen = {name for _, name in legend.entries}
    assert {f"u{k}" for k in range(20) if f"u{k}," not in others and f"u{k})" not in others} <= seen


@pytest.mark.parametrize("mode", COLOUR_NAMES)
def test_the_filter_of_a_class_leaves_just_its_jobs(mode: ColourMode) -> None:
    schedule = one_an_hour()
    late = np.arange(20) * HOUR // 2
    classes = classify(Jobs(schedule.trace, schedule, late, schedule), mode)
    for entry in range(len(classes.names)):
        expression = LegendEntries(schedule.trace, mode, classes).filter(entry)
        if mode == "change" or classes.names[entry] in (
            "no estimate",
            "none predicted",
            "no value",
            _NO_POWER,
        ):
            assert expression is None  # no field of a filter says that
        elif (classes.of_job == entry).any():
            assert expression is not None
            assert parse_filter(str(expression)) == expression
            found = expression.mask(Jobs(schedule.trace, schedule, late))
            assert found.tolist() == (classes.of_job == entry).tolist()


_NO_POWER = "not computed: the power of the machine is not known"

EXPECTED: dict[ColourMode, dict[int, str]] = {
    "user": {19: "u19", 0: "6 others"},
    "queue": {1: "odd"},
    "size": {0: "1", 7: "≤ 8", 8: "≤ 64"},
    "wait": {0: "≤ 1 min", 1: "≤ 1 h", 7: "≤ 1 d"},
    "slowdown": {0: "≤ 1.1", 1: "≤ 2", 2: "≤ 5", 9: "≤ 10", 10: "≤ 100"},
    "late": {0: "on time", 1: "≤ 1 h late", 2: "> 7 d late"},
    "value_lost": {0: "≤ 0", 12: "≤ 1 000", 19: "≤ 10 000"},
    "estimate": {0: "≤ 2 ×"},
    "prediction_error": {
        0: "as predicted",
        1: "≤ 1 h early",
        2: "as predicted",
        3: "none predicted",
        4: "≤ 1 h late",
        19: "≤ 1 d late",
    },
    "passed": {0: "in its turn", 3: "ahead of 1 job", 4: "in its turn"},
    "cpu_efficiency": {0: "≤ 10 %", 3: "≤ 25 %", 10: "≤ 90 %", 19: "> 110 %"},
    "ram_used": {0: "≤ 1 GiB", 10: "≤ 1 GiB", 11: "≤ 8 GiB", 19: "≤ 1 TiB"},
    "ram_efficiency": {0: "≤ 10 %", 19: "≤ 10 %"},
    "gpu_efficiency": {0: "≤ 10 %", 2: "≤ 25 %", 9: "≤ 90 %", 12: "> 110 %"},
    "walltime_used": {0: "≤ 50 %", 19: "≤ 50 %"},
    "energy": {0: "no value", 1: "≤ 0.01 kWh", 2: "≤ 0.1 kWh", 3: "≤ 1 kWh", 19: "> 1 MWh"},
    "run_energy": {0: _NO_POWER},
    "change": {0: "≤ 6 h earlier", 1: "≤ 1 h earlier", 2: "same start", 19: "≤ 1 d later"},
}


@pytest.mark.parametrize("mode", COLOUR_NAMES)
def test_classes_of_jobs(mode: ColourMode) -> None:
    schedule = one_an_hour()
    late = np.zeros(20, np.int64)
    late[1:3] = 1, 8 * DAY
    before = make_schedule(schedule.trace, [2 * HOUR] * 20)
    classes = classify(Jobs(schedule.trace, schedule, late, before), mode)
    assert len(classes.names) == len(classes.colours) == len(set(classes.names))
    for job, name in EXPECTED[mode].items():
        assert classes.names[classes.of_job[job]] == name


@pytest.mark.parametrize("mode", COLOUR_NAMES)
def test_refused_jobs_are_of_no_class(mode: ColourMode) -> None:
    trace = one_an_hour().trace
    schedule = make_schedule(trace, [NOT_RUN, *(k * HOUR for k in range(1, 20))])
    before = make_schedule(trace, [0, NOT_RUN, *(k * HOUR for k in range(2, 20))])
    classes = classify(Jobs(trace, schedule, np.zeros(20, np.int64), before), mode)
    counts = [int((classes.of_job == entry).sum()) for entry in range(len(classes.names))]
    assert classes.of_job[0] not in range(len(classes.names))
    assert sum(counts) == 19
    if mode == "change":
        assert counts[classes.names.index("same start")] == 18
        assert counts[classes.names.index("refused there")] == 1


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("late", "no expected ends"),
        ("estimate", "no estimates"),
        ("change", "no run to compare with"),
        ("cpu_efficiency", "the log does not give the CPU time used"),
    ],
)
def test_what_was_not_computed_has_one_class_that_says_why(mode: ColourMode, why: str) -> None:
    trace = replace(one_an_hour().trace, cpu_used=None)
    schedule = make_schedule(trace, [NOT_RUN, *[0] * 19], policy="recorded")
    classes = classify(Jobs(trace, schedule), mode)
    assert classes.names == (f"not computed: {why}",)
    assert classes.of_job.tolist() == [NO_CLASS, *[0] * 19]
    assert LegendEntries(trace, mode, classes).filter(0) is None


def test_a_colour_and_the_filter_of_its_class_tell_of_the_same_size() -> None:
    """Under the recorded schedule a job may hold more processors than it asked for."""
    trace = make_trace([0, 0], [60, 60], [1, 8], cluster=parse_cluster("100c"))
    schedule = make_schedule(trace, [0, 0], procs=[64, 8], policy="recorded")
    jobs = Jobs(trace, schedule)
    classes = classify(jobs, "size")
    expression = LegendEntries(trace, "size", classes).filter(int(classes.of_job[0]))
    assert expression is not None
    assert expression.mask(jobs).tolist() == [True, False]


def test_where_room_is_scarce_small_and_large_stay() -> None:
    classes = classify(Jobs(one_an_hour().trace, one_an_hour()), "wait")

    def shown(width: float) -> tuple[list[int], list[str]]:
        room = QRectF(0, 0, width, 24)
        placed = lay_out_swatches(
            room, Swatches(classes.entries, classes.ordered), lambda text: 7.0 * len(text)
        )
        for k, item in enumerate(placed):
            assert room.contains(item.whole)
            assert not any(item.whole.adjusted(1, 0, -1, 0).intersects(o.whole) for o in placed[:k])
        named = [item.entry for item in placed if item.name is not None and item.entry != MORE]
        return [item.entry for item in placed], [classes.names[entry] for entry in named]

    assert shown(900) == ([0, 1, 2, 3, 4, 5, 6], list(classes.names))
    assert shown(220) == ([0, 1, 2, 3, 4, 5, 6, MORE], ["≤ 1 min", "> 7 d"])
    assert shown(110) == ([0, 1, 2, 3, 4, 5, 6, MORE], [])
    assert shown(50) == ([MORE], [])
    assert shown(10) == ([], [])


def test_where_there_is_no_room_at_all_there_is_no_legend() -> None:
    room = QRectF(100, 0, -20, 24)  # the title takes more than there is
    assert lay_out_swatches(room, Swatches((("#0072b2", "1"),)), lambda text: 7.0) == []


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("mode", ["size", "wait", "slowdown", "late", "value_lost", "passed"])
def test_more_is_further_from_the_background(mode: ColourMode, theme: Theme) -> None:
    jobs = Jobs(one_an_hour().trace, one_an_hour(), np.arange(20) * HOUR)
    colours = classify(jobs, mode, theme.dark).colours
    ramp = colours[1:] if mode in ("late", "passed") else colours
    apart = [contrast(colour, theme.chart) for colour in ramp]
    assert apart == sorted(apart)
    assert apart[-1] > 4.5
