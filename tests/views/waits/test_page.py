"""The page of what waits are made of: its table and chart, by each grouping, and what clicks select."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetricsF

from engine.machine.cluster import Cluster
from engine.metrics.waits import KINDS
from engine.schedule.schedule import Decision
from engine.trace import Trace
from tests.traces import make_names, make_trace
from tests.views.context import ViewContext, colour_at
from tests.views.figures.samples import drawn
from tests.views.results import decisions, make_result
from views.data.results import Result
from views.theme.fonts import tick_font
from views.theme.theme import DARK, LIGHT
from views.waits.groups import REASON_COLOURS
from views.waits.page import WaitsPage
from views.waits.plots import ShareBars, WeekColumns
from views.waits.spec import WAITS

WEEK = 7 * 86_400
MONDAY = 1_795_996_800


def trace() -> Trace:
    """Ann's job 1 of phys and Bob's jobs 2 and 3 of bio wait; job 3 comes a week later, job 0 at once."""
    made = make_trace(
        [0, 0, 0, WEEK], [100] * 4, [4] * 4, user=["ann", "ann", "bob", "bob"], cluster=Cluster.pool(4)
    )
    return replace(made, group=make_names(["phys", "phys", "bio", "bio"]), zero=MONDAY)


def results() -> list[Result]:
    """Under the first run job 1 waits 100 s for processors; job 2 behind it for 100 s, then 100 s at a limit;
    job 3 waits 50 s for processors. Under the second run job 2 alone waits.
    """
    log = decisions(
        (0, 1, Decision.CPUS, 0),
        (0, 2, Decision.BEHIND, 1),
        (100, 2, Decision.LIMIT, 0),
        (WEEK, 3, Decision.CPUS, 0),
    )
    alone = decisions((0, 2, Decision.CPUS, 0))
    return [
        make_result(trace(), [0, 100, 200, WEEK + 50], 1, log=log),
        make_result(trace(), [0, 0, 100, WEEK], 2, "fcfs", log=alone),
    ]


@pytest.fixture
def page(context: ViewContext) -> WaitsPage:
    made = WaitsPage(context, LIGHT)
    assert WAITS.bind is not None
    WAITS.bind(made, context)
    context.qtbot.addWidget(made)
    made.resize(1000, 500)
    made.show()
    made.set_results(trace(), results())
    context.settle(made)
    return made


def rows(page: WaitsPage) -> list[str]:
    model = page.table.model
    return [model.headerData(row, Qt.Orientation.Vertical) for row in range(model.rowCount())]


def choose(context: ViewContext, page: WaitsPage, by: str) -> None:
    """As the reader does."""
    index = page.by.findData(by)
    page.by.setCurrentIndex(index)
    page.by.activated.emit(index)
    context.settle(page)


def test_rows_are_groups_with_the_shares_of_each_kind_under_each_run(page: WaitsPage) -> None:
    assert rows(page) == ["bio", "phys"]
    head, bio, phys = page.table.lines()
    assert head[1:] == [
        *("Wait, s (easy)", "Wait, s (fcfs)", "Resources, % (easy)", "Resources, % (fcfs)"),
        *("Priority, % (easy)", "Priority, % (fcfs)", "Limits, % (easy)", "Limits, % (fcfs)"),
    ]
    assert bio == ["bio", "250", "100", "20", "100", "40", "0", "40", "0"]
    assert phys == ["phys", "100", "", "100", "", "0", "", "0", ""]  # nobody of phys waits under fcfs
    assert page.about.text().startswith(
        "easy: account bio waits 4 min 10 s in all, 71 % of all waiting; 40 % of this is at the limit"
    )
    assert [name in page.legend.text() for name in KINDS] == [name in head_words(head) for name in KINDS]


def head_words(head: list[str]) -> set[str]:
    return {title.partition(",")[0].lower() for title in head}


def test_the_grouping_that_is_chosen_is_shown_and_kept(page: WaitsPage, context: ViewContext) -> None:
    for by, expected in (("user", ["bob", "ann"]), ("week", ["2026-11-30", "2026-12-07"])):
        choose(context, page, by)
        assert context.view.options.waits_by == by
        assert rows(page) == expected
    plot = page.chart.plot
    assert isinstance(plot, WeekColumns)
    assert plot.steps == ("2026-11-30", "2026-12-07")
    image = context.settle(page.chart)
    spot = page.chart.area.spot(0, plot.bottom(0)) - QPointF(0, 4)
    assert colour_at(image, spot.x(), spot.y()) == REASON_COLOURS["resources"]
    reading = page.chart.read(spot)
    assert reading is not None
    assert reading.text.startswith("easy\nweek of 2026-11-30: 5 min of 2 jobs\n33 % resources")
    nobody = page.chart.read(page.chart.area.spot(1, plot.bottom(1)) - QPointF(0, 4))
    assert nobody is not None
    assert nobody.text.endswith("week of 2026-12-07: nobody waited")


def test_a_bar_tells_its_parts_and_a_click_selects_the_group(page: WaitsPage, context: ViewContext) -> None:
    choose(context, page, "user")
    plot = page.chart.plot
    assert isinstance(plot, ShareBars)
    assert [lane.name for lane in plot.lanes] == ["user bob, easy", "user bob, fcfs", "user ann, easy"]
    image = context.settle(page.chart)
    for percent, kind in ((10, "resources"), (40, "priority"), (80, "limits")):
        spot = page.chart.area.spot(percent, plot.bottom(0) + 0.5)
        assert colour_at(image, spot.x(), spot.y()) == REASON_COLOURS[kind]
        reading = page.chart.read(spot)
        assert reading is not None
        assert f"user bob, easy\n{20 if percent == 10 else 40} % {kind}: " in reading.text
    context.qtbot.mouseClick(page.chart, Qt.MouseButton.LeftButton, pos=spot.toPoint())
    assert context.selection.value.users == {1}
    assert page.table._picked.items.tolist() == [1]


@pytest.mark.parametrize("points", [9, 14])
def test_bars_do_not_touch_their_names_in_a_low_page(
    page: WaitsPage, context: ViewContext, points: int
) -> None:
    font = page.font()
    font.setPointSize(points)
    page.setFont(font)
    page.resize(1000, 120)
    choose(context, page, "user")
    context.settle(page)
    plot, line = page.chart.plot, QFontMetricsF(tick_font(page.chart.font())).height()
    assert isinstance(plot, ShareBars)
    middle, top = (page.chart.area.spot(50, plot.bottom(0) + part).y() for part in (0.5, 1))
    assert middle - 6 >= top + 1 + line


def test_a_click_on_a_row_selects_the_jobs_of_an_account(page: WaitsPage, context: ViewContext) -> None:
    page.table.view.selectRow(0)
    assert context.selection.value.jobs == {2, 3}
    page.chart.picked.emit([0], True)  # a bar of phys, with ctrl
    assert context.selection.value.jobs == {0, 1, 2, 3}
    context.selection.select_user(0)
    assert page.table._picked.items.tolist() == []


def test_a_log_without_accounts_is_grouped_by_what_it_has(page: WaitsPage, context: ViewContext) -> None:
    plain = replace(trace(), group=make_names(["-1"] * 4))
    page.set_results(plain, [make_result(plain, [0, 100, 200, WEEK + 50], policy="recorded")])
    context.settle(page)
    assert page.by.currentData() == "user"
    assert rows(page) == ["bob", "ann"]
    assert "seems to be" in page.about.text()  # inferred, for nothing is logged


def test_nobody_waits_and_nothing_is_shown_without_runs(page: WaitsPage, context: ViewContext) -> None:
    page.set_theme(DARK)
    page.set_results(trace(), [make_result(trace(), [0, 0, 0, WEEK], log=decisions())])
    context.settle(page)
    assert rows(page) == []
    assert page.chart.plot is not None
    assert page.chart.plot.words.message == "No job waited."
    page.set_results(trace(), [])
    context.settle(page)
    assert page.empty.isVisible()
    assert not page.table.isVisible()


def test_the_figure_follows_the_grouping(context: ViewContext) -> None:
    shown = drawn("waits", results(), replace(context.view.options, waits_by="partition"))
    words = " ".join(text.get_text() for text in shown.findobj(lambda part: hasattr(part, "get_text")))
    assert "resources" in words
    assert "What waits are made of, by partition" in words
    assert "easy: partition batch waits 5 min 50 s in all, 100 % of all waiting;" in words.replace("\n", " ")
