"""Surfaces of penalties: their values by hand, where users lie, and what the panel shows of them."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

from engine.machine.cluster import parse_cluster
from tests.traces import make_trace
from tests.views.context import ViewContext
from tests.views.figures.samples import drawn
from tests.views.results import make_result
from views.data.penalty_surfaces import FORMULAS, SIDE, penalty_surfaces
from views.data.results import Result
from views.penalties.panel import PenaltiesPanel
from views.penalties.plots import NO_RAM, PenaltyPlot
from views.theme.theme import DARK, LIGHT

MACHINE = parse_cluster("4x4c1000m")


def result(machine: str = "4x4c1000m") -> Result:
    """Ann has a job of half the CPUs and a quarter of the RAM; Bob two, one three times as long."""
    trace = make_trace(
        [0, 0, 100],
        [100, 100, 300],
        [8, 4, 4],
        user=["ann", "bob", "bob"],
        ram=[1000, 4000, 0],
        cluster=parse_cluster(machine),
    )
    return make_result(trace, [0, 100, 200])


def test_surfaces_are_the_formulas() -> None:
    found = penalty_surfaces(result().schedule, whole=True)
    assert found is not None
    assert found.reach == 100.0
    x, y = 0.25, 0.5
    column, row = (round(share * (SIDE - 1)) for share in (x, y))
    by_hand = {
        "cpu": x,
        "max": y,
        "sqrt": 1 - ((1 - x) * (1 - y)) ** 0.5,
        "product": 1 - (1 - x) * (1 - y),
        "equivalent": y,  # on nodes that are alike, of jobs that are spread evenly
    }
    assert set(by_hand) == set(FORMULAS)
    for name, value in by_hand.items():
        assert found.values[name][row, column] == pytest.approx(100 * value)


def test_a_user_lies_at_the_mean_job_by_runtime() -> None:
    found = penalty_surfaces(result().schedule)
    assert found is not None
    assert found.reach == 50.0
    assert found.cpu.tolist() == pytest.approx([50.0, 25.0])
    assert found.ram.tolist() == pytest.approx([25.0, 25.0])
    # Bob: all RAM in a quarter of the time, none in the rest, a quarter of the CPUs.
    assert found.penalty["max"].tolist() == pytest.approx([50.0, 0.25 * 100 + 0.75 * 25])


def test_without_ram_there_is_nothing_to_tell_apart(context: ViewContext) -> None:
    plain = result("16c")
    assert penalty_surfaces(plain.schedule) is None
    panel = shown(context, plain)
    assert all(chart.plot is not None and chart.plot.words.message == NO_RAM for chart in panel.charts)


def test_a_click_on_a_dot_selects_its_user(context: ViewContext) -> None:
    panel = shown(context, result())
    chart = panel.charts[1]
    assert isinstance(chart.plot, PenaltyPlot)
    context.qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=chart.area.spot(25.0, 25.0).toPoint())
    assert context.selection.value.users == frozenset({1})
    assert "bob" in panel.marked.text()
    found = chart.read(chart.area.spot(25.0, 25.0))
    assert found is not None
    assert "mean job: 25 % of the CPUs, 25 % of the RAM\nmax: 43.8 %" in found.text
    surface = chart.read(chart.area.spot(40.0, 10.0))
    assert surface is not None
    assert surface.text.endswith("40 %")
    title = chart.read(QPointF(5, 5))
    assert title is not None
    assert title.text.startswith("The weight, in its user's usage, of a job")


def test_axes_reach_as_far_as_users_or_the_machine(context: ViewContext) -> None:
    panel = shown(context, result())

    def reach() -> float:
        plot = panel.charts[0].plot
        assert isinstance(plot, PenaltyPlot)
        return plot.surfaces.reach

    assert reach() == 50.0
    panel.whole.click()
    context.settle(panel)
    assert reach() == 100.0
    panel.set_theme(DARK)
    panel.resize(300, 900)
    context.settle(panel)
    assert reach() == 100.0


def test_the_figure_reaches_as_far_as_the_window(context: ViewContext) -> None:
    panel = shown(context, result())
    panel.whole.click()
    assert context.view.options.penalties_whole
    whole = drawn("penalties", [result()], context.view.options)
    assert len(whole.axes) == len(FORMULAS)
    assert whole.axes[1].get_xlim()[1] == pytest.approx(105.0)
    context.view.choose(penalties_whole=False)
    assert not panel.whole.isChecked()
    part = drawn("penalties", [result()], context.view.options).axes[1]
    assert part.get_xlim()[1] == pytest.approx(52.5)
    dots = part.get_lines()[-1]
    assert np.asarray(dots.get_xdata(), float).tolist() == pytest.approx([50.0, 25.0])


def shown(context: ViewContext, *results: Result) -> PenaltiesPanel:
    panel = PenaltiesPanel(context, LIGHT)
    context.qtbot.addWidget(panel)
    panel.resize(1200, 360)
    panel.set_results(results)
    panel.show()
    context.settle(panel)
    return panel
