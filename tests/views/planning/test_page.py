"""The page of the optimiser: what searches came to, against their log."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from engine.schedule.schedule import SearchLog
from tests.traces import make_trace
from tests.views.context import ViewContext
from tests.views.figures.samples import drawn, texts
from tests.views.results import make_result
from views.data.plan_searches import PlanSearches, searches_of
from views.data.results import Result
from views.data.view_options import ViewOptions
from views.planning.page import PlanningPage
from views.planning.spec import PLANNING
from views.theme.theme import DARK, LIGHT

HOUR = 3600


def result(seconds: bool = True, policy: str = "plan-search:trials=100") -> Result:
    """Two rows: a search that gains 10 %, and two that gain nothing."""
    found = make_result(make_trace([0, 0], [HOUR, 3 * HOUR]), [0, HOUR], policy=policy)
    before = np.array([[100.0] * 7, [50.0] * 7])
    log = SearchLog(
        time=np.array([0, 2 * HOUR]),
        searches=np.array([1, 2]),
        jobs=np.array([4.0, 2.0]),
        tried=np.array([100, 50]),
        kept=np.array([5, 0]),
        seconds=np.array([0.002, 0.0]) if seconds else None,
        gain=np.array([0.1, 0.0]),
        before=before,
        after=np.array([[90.0] * 7, [50.0] * 7]),
        part_gain=np.array([0.06, 0.03, 0.0, 0.01]),
        part_kept=np.array([2.0, 2.0, 0.0, 1.0]),
    )
    return replace(found, schedule=replace(found.schedule, searches=log))


def test_what_searches_came_to() -> None:
    (only,) = searches_of([result(), make_result(make_trace([0], [HOUR]), [0])])
    assert only.gain.tolist() == [10.0, 0.0]
    assert only.kept is not None
    assert only.kept.tolist() == [5.0, 0.0]
    assert only.gain_per_ms is not None
    assert only.gain_per_ms[0] == 5.0
    assert np.isnan(only.gain_per_ms[1])
    trials, gain = only.budget
    assert trials.tolist() == [0.0, 25.0, 50.0, 75.0, 100.0]
    assert gain == pytest.approx([0.0, 2.0, 3.0, 3.0, 10 / 3])
    assert only.summary().startswith(
        "3 searches tried 150 moves and accepted 5 in 0.00 s: mean wait −5.0 %, "
    )
    assert PlanSearches(only.result, replace(only.log, seconds=None)).gain_per_ms is None


def test_plots_show_them_and_follow_the_criterion(context: ViewContext) -> None:
    context.clock.reset(0, 4 * HOUR)
    page = PlanningPage(context, LIGHT)
    PLANNING.bind(page, context)  # type: ignore[misc]
    context.qtbot.addWidget(page)
    page.resize(1100, 600)
    page.show()
    page.set_results([result()])
    context.settle(page)
    text = page.values.tooltip_at(spot(page, 1))
    assert [line.rpartition(": ")[2] for line in text.split("\n")[1:]] == ["1 min 30 s", "1 min 40 s"]
    assert page.gains.tooltip_at(spot(page, 1)).endswith(": 10")
    assert page.kept.tooltip_at(spot(page, 1)).endswith(": 5")
    assert page.speed.tooltip_at(spot(page, 1)).endswith(": 5")
    page.criterion.setCurrentIndex(3)
    assert context.view.options.plan_criterion == "nuwt_mean"
    context.view.choose(plan_criterion="slowdown")
    assert page.criterion.currentData() == "slowdown"
    page.set_results([result(seconds=False)])
    assert page.speed.message == "The time of searches is not known here"
    page.set_theme(DARK)
    context.settle(page)
    page.set_results([])
    assert page.empty.isVisible()


def test_greedy_plans_show_neither_moves_nor_a_budget(context: ViewContext) -> None:
    greedy = result(policy="plan-search:search=greedy")
    context.clock.reset(0, 4 * HOUR)
    page = PlanningPage(context, LIGHT)
    context.qtbot.addWidget(page)
    page.resize(1100, 600)
    page.show()
    page.set_results([greedy])
    assert not page.kept.isVisible()
    assert not page.budget.isVisible()
    assert page.message.text().startswith("3 plans were made anew in 0.00 s: mean wait −5.0 %")
    page.set_results([greedy, result()])
    assert page.kept.isVisible()
    assert page.budget.isVisible()
    context.settle(page)
    assert [line.name for line in page.kept.lines] == ["plan-search:trials=100"]
    assert len(page.gains.lines) == 2
    assert len(drawn("planning", [greedy]).axes) == 2
    assert len(drawn("planning", [greedy, result()]).axes) == 4


def spot(page: PlanningPage, hour: float) -> QPointF:
    frame = page.values.frame()
    return QPointF(frame.scale.x(hour * HOUR), frame.plot.center().y())


def test_the_figure_has_the_plots_of_the_page_but_measured_times() -> None:
    only = result()
    chosen = ViewOptions(plan_criterion="slowdown")
    figure = drawn("planning", [only], chosen, window=(0.0, 4.0 * HOUR))
    values, gains, kept, budget = figure.axes

    def at(axes: Any, line: int, hour: float) -> float:
        return float(np.interp(hour * HOUR, *axes.lines[line].get_data()))

    assert [at(values, line, 1.0) for line in (0, 1)] == [100.0, 90.0]
    assert [at(axes, 0, 1.0) for axes in (gains, kept)] == [10.0, 5.0]
    assert list(budget.lines[0].get_ydata()) == pytest.approx([0.0, 2.0, 3.0, 3.0, 10 / 3])
    assert values.get_xlim() == (0.0, 4.0 * HOUR)
    written = " ".join(texts(figure))
    assert "bounded slowdown: pale before" in written
    assert "3 searches tried 150 moves and accepted 5: mean wait" in written
