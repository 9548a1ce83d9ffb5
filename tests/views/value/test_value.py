"""What jobs are worth, what a delay leaves of it, and how much of it each run delivers."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt

from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.schedule.budgets import balances
from engine.simulation.run import simulate
from tests.engine.simulation.workloads import Case, cases
from tests.traces import make_trace
from tests.views.context import ViewContext
from tests.views.results import make_result
from views.data.results import Result
from views.data.value_curves import DELTAS, delivered_over_tolerance, left_over_delay, worths
from views.theme.theme import LIGHT
from views.value.panel import ValuePanel
from views.value.plots import budget_plots, value_plots


def valued(start: list[int], run_id: int, policy: str) -> Result:
    """Three jobs worth 1, 2 and 4, of 10 s each."""
    result = make_result(make_trace([0] * 3, [10] * 3, [1, 2, 4]), start, run_id, "fcfs")
    return replace(result, schedule=replace(result.schedule, policy=parse_policy(policy)))


def results() -> list[Result]:
    policy = "easy:order=auction,valuation=column:procs"
    return [valued([0, 10, 40], 1, policy), valued([0, 0, 0], 2, policy)]


def test_what_a_delay_leaves_falls_to_nothing_at_the_tolerance_and_one() -> None:
    delay, left = left_over_delay("linear", 5.0, 11.0)
    assert np.interp([1.0, 2.0, 6.0, 11.0], delay, left) == pytest.approx([100, 80, 0, 0])
    delay, left = left_over_delay("exponential", 5.0, 11.0)
    assert np.interp([1.0, 3.5], delay, left) == pytest.approx([100, 100 / np.e], abs=0.01)


def test_a_run_delivers_the_value_that_its_delays_leave() -> None:
    late, soon = (delivered_over_tolerance(result, "linear", 5.0) for result in results())
    assert late is not None
    assert soon is not None
    # Responses over runtimes are 1, 2 and 5, so that 1, 4/5 and 1/5 are left of 1, 2 and 4, of 7 in all.
    assert late.chosen == pytest.approx(100 * (1 + 2 * 0.8 + 4 * 0.2) / 7)
    assert soon.chosen == 100.0
    at_ten = float(np.interp(10.0, DELTAS, late.left))
    assert at_ten == pytest.approx(100 * (1 + 2 * 0.9 + 4 * 0.6) / 7, abs=0.5)
    assert (np.diff(late.left) >= 0).all()


def test_jobs_that_are_worth_nothing_have_no_curve() -> None:
    result = valued([0, 0, 0], 1, "easy:order=auction,valuation=column:ram")
    assert delivered_over_tolerance(result, "linear", 5.0) is None
    assert value_plots([result], "linear", 5.0)[2].words.message == "These jobs are worth nothing."


def test_runs_that_value_jobs_alike_have_one_curve_of_values() -> None:
    first, second = results()
    right = valued([0, 0, 0], 3, "easy:order=auction,valuation=uniform:100:200")
    (left,) = worths([first, second])
    assert (left.values.tolist(), left.runs) == ([1, 2, 4], (0, 1))
    assert [found.runs for found in worths([first, right, second])] == [(0, 2), (1,)]
    worth, _, _ = value_plots([first, second], "linear", 5.0)
    assert [line.name for line in worth.lines] == ["every run (column:procs)"]
    assert worth.lines[0].at(np.array([0.5, 2.0, 9.0])) == pytest.approx([0, 200 / 3, 100])


def auctioned(policy: str) -> Result:
    """Four jobs of two users, each of which takes the whole machine."""
    trace = make_trace([0, 1, 2, 3], [10, 10, 10, 10], 4, user=["a", "a", "b", "a"])
    trace = replace(trace, status=np.array([25, 90, 25, 99]))
    schedule = simulate(trace, Cluster.pool(4), parse_policy(f"auction:valuation=column:status{policy}"))
    result = make_result(trace, schedule.start.tolist(), 1, "fcfs")
    return replace(result, schedule=schedule)


def test_budgets_over_time_and_at_the_end() -> None:
    # Each user has 30 credits, and gets 20 more at 15 and at 30, up to 40. User a pays 25 at 0 and at 20, and
    # 20 at 30; user b pays 25 at 10.
    result = auctioned(",budget=30;20/15s;40")
    left = balances(result.schedule, np.array([0, 9, 10, 14, 15, 19, 20, 29, 30, 31]))
    assert left[:, 0].tolist() == [5, 5, 5, 5, 25, 25, 0, 0, 0, 0]
    assert left[:, 1].tolist() == [30, 30, 5, 5, 25, 25, 25, 25, 40, 40]
    over_time, at_end = budget_plots([result])
    assert over_time.lines[0].at(np.array([0.0, 9.5 / 86_400, 1.0])) == pytest.approx([17.5, 17.5, 20.0])
    assert at_end.lines[0].at(np.array([0.0, 39.0, 40.0])).tolist() == [50, 50, 100]
    assert budget_plots([auctioned("")]) == ()


def test_the_panel_shows_budgets_where_a_run_has_some(context: ViewContext) -> None:
    panel = ValuePanel(context, LIGHT)
    context.qtbot.addWidget(panel)
    panel.resize(1900, 320)
    panel.show()
    panel.set_results([auctioned("")])
    context.settle(panel)
    assert [chart.isVisible() for chart in panel.charts] == [True, True, True, False, False]
    panel.set_results([auctioned(",budget=30;20/15s;40")])
    context.settle(panel)
    assert all(chart.isVisible() for chart in panel.charts)


@settings(max_examples=40)
@given(
    cases(max_jobs=14, order="auction", tune="none", on_failure="restart"),
    st.sampled_from(("3000", "9000;500/7", "100;2500.5/20;9000", "0;4000/11;4000")),
)
def test_balances_end_with_what_the_simulation_left(case: Case, budget: str) -> None:
    trace, cluster, policy = case
    schedule = simulate(trace, cluster, policy.with_keys(budget=budget))
    assert schedule.credits_left is not None
    ran = schedule.ran & ~schedule.given_up
    if not ran.all():
        return
    last = int(schedule.start.max())
    (left,) = balances(schedule, np.array([last]))
    assert left.tolist() == pytest.approx(schedule.credits_left.tolist())
    every = np.arange(int(schedule.submit.min()), last + 1)
    assert (balances(schedule, every) >= -1e-6).all()  # nobody has less than nothing


def test_the_panel_goes_by_the_tolerance_that_is_typed(context: ViewContext) -> None:
    panel = ValuePanel(context, LIGHT)
    context.qtbot.addWidget(panel)
    panel.resize(1100, 320)
    panel.show()
    assert panel.empty.isVisible()
    panel.set_results(results())
    context.settle(panel)
    chosen = list[tuple[str, float]]()
    panel.chosen.connect(lambda shape, delta: chosen.append((shape, delta)))
    panel.delta.selectAll()
    context.qtbot.keyClicks(panel.delta, "10")
    context.qtbot.keyClick(panel.delta, Qt.Key.Key_Return)
    context.settle(panel)
    assert chosen == [("linear", 10.0)]
    assert "tolerance of 10" in text_of(panel, 10.0)
    assert f"({100 * (1 + 2 * 0.9 + 4 * 0.6) / 7:.1f} % at 10)" in text_of(panel, 10.0)
    panel.set_tolerance("exponential", 2.0)
    context.settle(panel)
    assert chosen == [("linear", 10.0)]  # nobody chose
    assert panel.shape.currentText() == "exponential"
    assert "% at 2)" in text_of(panel, 2.0)


def text_of(panel: ValuePanel, delta: float) -> str:
    """What the last plot says at a tolerance."""
    chart = panel.charts[2]
    reading = chart.read(chart.area.spot(np.log10(delta), 80.0))
    assert reading is not None
    return reading.text
