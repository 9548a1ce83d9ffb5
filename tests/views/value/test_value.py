"""What jobs are worth, what a delay leaves of it, and how much of it each run delivers."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt

from engine.policy.policy import parse_policy
from tests.traces import make_trace
from tests.views.context import ViewContext
from tests.views.results import make_result
from views.data.results import Result
from views.data.value_curves import DELTAS, delivered_over_tolerance, left_over_delay, worths
from views.theme.theme import LIGHT
from views.value.panel import ValuePanel
from views.value.plots import value_plots


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
