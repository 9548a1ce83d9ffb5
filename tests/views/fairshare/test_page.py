"""The page of fairshare: use over time by hand, and what a click on a share's blocks does."""

import math
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt

from engine.fairness.violations import judge
from engine.machine.cluster import Cluster
from engine.trace import Names, Trace
from tests.traces import make_schedule, make_trace
from tests.views.context import ViewContext
from tests.views.figures.samples import drawn
from tests.views.results import make_result
from views.data.fairshare import TINTS, filling_of, use_by, users_within, uses_of
from views.data.results import Result
from views.data.shown_runs import ShownRuns
from views.fairshare.page import FairsharePage
from views.fairshare.spec import FAIRSHARE
from views.theme.palette import mix, rgb
from views.theme.theme import DARK, LIGHT

HOUR = 3600


def trace() -> Trace:
    """Ann has half of the machine for two hours, then all of it for one; Bob a quarter for four."""
    return make_trace(
        [0, 0, 0],
        [2 * HOUR, 4 * HOUR, HOUR],
        [4, 2, 8],
        user=["ann", "bob", "ann"],
        cluster=Cluster.pool(8),
    )


def result(start: int = 4) -> Result:
    found = make_result(trace(), [0, 0, start * HOUR], policy="fairshare-easy:half_life=2h")
    violations = judge(found.schedule, np.full((2, 1), 4))
    return Result(start, found.schedule, found.measure, found.users, violations)


def page_of(context: ViewContext) -> FairsharePage:
    context.clock.reset(0, 6 * HOUR)
    page = FairsharePage(context, LIGHT)
    FAIRSHARE.bind(page, context)  # type: ignore[misc]
    context.qtbot.addWidget(page)
    page.resize(900, 500)
    page.show()
    page.set_results([result(4), result(5)])
    context.settle(page)
    return page


def test_use_and_shares_by_account(context: ViewContext) -> None:
    """Ann works for two accounts, half of her 16 processor hours for each, which divides her share so."""
    jobs = replace(trace(), group=Names(np.array([0, 0, 1], np.int32), ("lab", "-1")))
    found = make_result(jobs, [0, 0, 4 * HOUR], policy="fairshare-easy:half_life=2h")
    lab, none = uses_of(found.schedule, (), "account")
    assert (lab.name, none.name) == ("lab", "no account")
    assert (lab.share, none.share) == (75, 25)
    assert lab.divisor == 1.5
    (only,) = uses_of(found.schedule, (1,), "account")
    assert only.name == "lab"
    page = page_of(context)
    untold = replace(trace(), group=Names(np.zeros(3, np.int32), ("-1",)))
    assert use_by(untold, "account") == "user"
    page.set_results([make_result(untold, [0, 0, 4 * HOUR], policy="fairshare-easy")])
    assert page.by.isHidden()
    page.set_results([found])
    assert page.by.isVisible()
    page.by.setCurrentIndex(1)
    page.by.activated.emit(1)
    context.settle(page)
    assert context.view.options.fairshare_by == "account"
    assert [schedule.name for schedule in page._known.value[0]] == ["lab", "no account"]  # type: ignore[index]
    assert "sum of those of the users" in page.about.text()
    assert page.within.title == "Users of account lab: part of its use, % (dashed: the share)"
    assert (page.within.isVisible(), page.filling.isVisible()) == (True, False)
    ann, bob = users_within(found.schedule, 0)
    assert (ann.name, bob.name) == ("ann", "bob")
    assert [line.name for line in page.within.lines] == ["ann", "bob"]
    at = np.array([2.0 * HOUR])  # Ann used 4 processors for two hours, Bob 2: decayed alike
    assert ann.part(at) == pytest.approx([200 / 3])
    assert bob.part(at) == pytest.approx([100 / 3])
    figure = drawn("fairshare", [found], context.view.options)
    assert len(figure.axes) == 3


def test_factors_and_parts_by_hand() -> None:
    ann, bob = uses_of(result().schedule, ())
    assert (ann.name, bob.name) == ("ann", "bob")
    assert (ann.share, bob.share) == (50.0, 50.0)
    time = np.array([0.0, 2.0, 4.0, 5.0]) * HOUR
    mean = 2 / math.log(2)
    used = [0.0, 0.5 * mean * 0.5, 0.25 * mean * 0.5]
    used.append(used[-1] * 0.5**0.5 + mean * (1 - 0.5**0.5))
    assert ann.factor(time) == pytest.approx(used)
    other = [0.0, 0.25 * mean * 0.5, 0.25 * mean * 0.75]
    other.append(other[-1] * 0.5**0.5)
    assert bob.factor(time) == pytest.approx(other)
    assert np.isnan(ann.part(time)[0])
    parts = [100 * a / (a + b) for a, b in zip(used[1:], other[1:], strict=True)]
    assert ann.part(time)[1:] == pytest.approx(parts)
    assert ann.most == pytest.approx(used[-1])


def test_shares_of_the_policy_divide() -> None:
    schedule = make_schedule(trace(), [0, 0, 4 * HOUR], policy="fairshare-easy:half_life=none")
    (bob,) = uses_of(schedule, (1,))
    assert bob.factor(np.array([4.0 * HOUR])).tolist() == [1.0]


def test_the_share_fills_as_expected_ends_have_it() -> None:
    found = filling_of(result(), 0)
    assert found is not None
    assert (found.capacity, found.jobs.tolist(), found.late.tolist()) == (4, [0, 2], [False, True])
    rows = zip(*(column.tolist() for column in found.blocks), strict=True)
    assert list(rows) == [(0, 0, 2 * HOUR, 0, 4), (1, 2 * HOUR, 4 * HOUR, 0, 4)]
    assert filling_of(make_result(trace(), [0, 0, 0]), 0) is None


def test_a_click_on_a_block_picks_its_job(context: ViewContext) -> None:
    page = page_of(context)
    plot = page.filling.frame().plot
    spot = QPointF(page.filling.frame().scale.x(3 * HOUR), plot.center().y())
    assert page.filling.tooltip_at(spot).split("\n")[1:] == [
        "job 3, 8 processors",
        "is expected to end at 4:00:00 h",
        "ends at 5:00:00 h",
    ]
    context.qtbot.mouseClick(page.filling, Qt.MouseButton.LeftButton, pos=spot.toPoint())
    assert context.selection.value.jobs == {2}
    empty = QPoint(round(page.filling.frame().scale.x(5.5 * HOUR)), round(plot.center().y()))
    context.qtbot.mouseClick(page.filling, Qt.MouseButton.LeftButton, pos=empty)
    assert context.selection.value.empty


def test_who_is_selected_is_shown_under_the_run_that_is_chosen(context: ViewContext) -> None:
    page = page_of(context)
    assert [line.name for line in page.factors.lines] == ["ann", "bob"]
    assert all(name in page.legend.text() for name in ("ann", "bob"))
    context.selection.select_user(1)
    context.settle(page)
    assert [line.name for line in page.factors.lines] == ["bob"]
    assert "ann" not in page.legend.text()
    assert page.filling.title == "Share of user bob: 4 processors (red: ends late)"
    page.run.setCurrentIndex(1)
    context.settle(page)
    assert context.view.options.fairshare_run == 5
    assert page.result is not None
    assert page.result.run_id == 5
    context.view.choose(fairshare_run=None)
    assert page.result.run_id == 4
    position = QPointF(page.parts.frame().scale.x(HOUR), page.parts.frame().plot.center().y())
    assert page.parts.tooltip_at(position).split("\n")[1] == "bob: 33.3 %"
    page.set_theme(DARK)
    page.set_results(ShownRuns().results)
    assert page.filling.message.startswith("This page compares")


def test_the_filling_alone_has_no_legend_of_users() -> None:
    assert drawn("fairshare", [result()], window=(0.0, 6.0 * HOUR)).legends
    figure = drawn("filling", [result()], window=(0.0, 6.0 * HOUR))
    assert (len(figure.axes), figure.legends) == (1, [])


def test_the_figure_has_the_plots_of_the_page() -> None:
    figure = drawn("fairshare", [result()], window=(0.0, 6.0 * HOUR))
    factors, parts, share = figure.axes
    (ann, bob) = uses_of(result().schedule, ())
    time = np.array(factors.lines[1].get_xdata())  # the first is on top
    assert np.array(factors.lines[1].get_ydata()) == pytest.approx(ann.factor(time))
    dashed = [line.get_ydata()[0] for line in parts.lines if len(line.get_xdata()) == 2]  # type: ignore[index, arg-type]
    assert dashed[:2] == [ann.share, bob.share]

    def colour_of(hour: float) -> tuple[int, ...]:
        picture = np.asarray(share.images[0].get_array())
        return tuple(picture[picture.shape[0] // 2, int(hour / 6 * picture.shape[1]), :3].tolist())

    assert colour_of(1.0) == rgb(ann.colour)
    assert colour_of(3.0) == rgb(mix(LIGHT.bad, LIGHT.chart, TINTS[1]))
    alone = make_result(trace(), [0, 0, 4 * HOUR])
    assert len(drawn("fairshare", [alone], users=(1,)).axes) == 2  # no ends are expected
