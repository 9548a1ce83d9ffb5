"""The charts of a run before it is done, and in little room."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QRect, QThreadPool
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from engine.filter import parse_filter
from engine.reading.options import Reading
from tests.app.shell.test_views import pick
from tests.app.windows import EASY, FAIR_FCFS, FCFS, Gate, Pixels, panel, seen, settle, slow_simulations
from views.data.view_options import ShownCharts
from views.state.filter import Filter
from views.timechart.chart import TimeChart


@pytest.fixture
def window(reopened_window: MainWindow) -> MainWindow:
    """One for all tests of this file."""
    return reopened_window


def zone(window: MainWindow) -> Pixels:
    """What the time axis says beside its ticks: how times are told."""
    chart = window.page.runs.axes[0]
    axis = chart.frame().axis.toRect()
    return seen(chart, QRect(axis.left(), axis.top(), 80, axis.height()))


def test_the_axis_tells_times_before_a_run_is_done_as_it_does_later(
    qtbot: QtBot, make_window: Callable[..., MainWindow], site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    with slow_simulations(monkeypatch):
        window.open_path(site)
        qtbot.waitUntil(lambda: len(window.page.runs.panels) == 4)
        qtbot.waitUntil(lambda: panel(window, FCFS).gantt.message == "Simulating…")
        qtbot.waitUntil(lambda: window.page.runs.axes[0].frame().axis.width() > 300)  # laid out
        before = zone(window)
    settle(window)
    assert np.array_equal(before, zone(window))


def test_charts_of_a_run_that_waits_for_a_processor_say_so(
    qtbot: QtBot, make_window: Callable[..., MainWindow], site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    pool = window.workbench.executor.findChild(QThreadPool)
    assert isinstance(pool, QThreadPool)
    pool.setMaxThreadCount(1)
    with slow_simulations(monkeypatch):
        window.open_path(site)
        qtbot.waitUntil(lambda: len(window.page.runs.panels) == 4)
        qtbot.waitUntil(lambda: panel(window, FCFS).gantt.message == "Simulating…")
        assert {chart.message for chart in panel(window, EASY).charts} == {"Waiting for a processor…"}
        window.workbench.cancel_run(FCFS)
        assert panel(window, FCFS).gantt.message == "Cancelled"
        qtbot.waitUntil(lambda: panel(window, FAIR_FCFS).gantt.message == "Simulating…")
        assert panel(window, EASY).gantt.message == "Waiting for a processor…"


def test_a_heatmap_says_that_expected_ends_are_worked_out(
    qtbot: QtBot, make_window: Callable[..., MainWindow], site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import engine.metrics.evaluation as module

    gate, evaluate = Gate(), module.evaluate

    def slow(*arguments: object, **options: object) -> object:
        gate.wait()
        return evaluate(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "evaluate", slow)
    window = make_window()
    window.open_path(site)
    qtbot.waitUntil(lambda: len(window.workbench.open_study.drawn) == len(window.page.runs.panels) == 4)
    run = panel(window, EASY)
    qtbot.waitUntil(lambda: run.heatmap.message == "Computing expected end times…")
    assert run.gantt.message == ""
    gate.open()
    settle(window)
    assert run.heatmap.message == ""


def heights(window: MainWindow, name: str) -> set[int]:
    """How high the plots of these charts are, in all runs."""
    charts: list[TimeChart] = [getattr(run, name) for run in window.page.runs.panels.values()]
    return {round(chart.frame().plot.height()) for chart in charts}


def strips(window: MainWindow) -> list[list[bool]]:
    """Whether CPU, RAM, GPU, power and queue are seen, in each run."""
    return [[strip.isVisible() for strip in run.strips] for run in window.page.runs.panels.values()]


def test_charts_are_folded_where_room_is_short(window: MainWindow) -> None:
    window.resize(1280, 800)
    settle(window)
    assert strips(window) == [[True, False, False, False, False]] * 4
    assert min(heights(window, "gantt") | heights(window, "heatmap")) >= 70
    assert len(heights(window, "gantt")) == 1
    assert not window.page.runs.verticalScrollBar().isVisible()
    window.filter.set(Filter(parse_filter("user = 1")))
    settle(window)
    assert window.page.filter_bar.isVisible()
    assert not window.page.runs.verticalScrollBar().isVisible()
    window.filter.clear()
    settle(window)
    pick(window, "View", "Show", "Fold charts where room is short")
    assert strips(window) == [[True, True, False, False, True]] * 4
    assert not window.settings.view.charts.folds
    pick(window, "View", "Show", "Fold charts where room is short")
    window.view.choose(columns=2)
    window.resize(1600, 1700)
    settle(window)
    assert strips(window) == [[True, True, False, False, True]] * 4
    pick(window, "View", "Show", "RAM strips")
    assert strips(window) == [[True, False, False, False, True]] * 4


def test_a_heatmap_that_would_be_a_mere_line_is_folded_and_that_is_reported(window: MainWindow) -> None:
    window.view.choose(columns=1, tabs_open=True)
    window.resize(1280, 640)
    settle(window)
    runs = window.page.runs
    assert {run.folded for run in runs.panels.values()} == {("heatmap", "CPU", "RAM", "Queue")}
    assert all(run.gantt.isVisible() and not run.heatmap.isVisible() for run in runs.panels.values())
    assert min(heights(window, "gantt")) >= 45
    window.resize(1280, 1400)
    settle(window)
    assert all(run.heatmap.isVisible() for run in runs.panels.values())


def test_a_strip_that_appears_is_painted_in_its_place_at_once(window: MainWindow) -> None:
    whole = panel(window, FCFS)
    window.view.choose(charts=ShownCharts(queue=False))
    settle(window)
    whole.queue.setGeometry(0, 0, 100, 60)  # as Qt makes it
    window.view.choose(charts=ShownCharts(folds=False))
    assert whole.queue.width() == whole.width()
    assert whole.queue.y() > whole.heatmap.geometry().bottom()


def test_charts_that_are_left_have_their_heights_at_once_when_another_is_folded(window: MainWindow) -> None:
    run = panel(window, EASY)
    run.share_height(400)
    run.resize(run.width(), 400)
    assert not run.heatmap.isHidden()
    run.resize(run.width(), 120)
    run.share_height(120)
    assert run.heatmap.isHidden()
    assert run.gantt.height() == 120  # before anything is painted, for which a picture would be made


def test_gpus_have_a_strip_where_the_machine_has_some_and_jobs_ask_for_them(
    make_window: Callable[..., MainWindow], tmp_path: Path
) -> None:
    log = tmp_path / "gpus.csv"
    rows = "".join(f"{k},{60 * k},60,600,4,{k % 3},ann\n" for k in range(1, 30))
    log.write_text(f"job_id,submit,wait,runtime,procs,gpus,user\n{rows}")
    window = make_window()
    window.opener.open_as(log, Reading(machine="2x16c4gpu"))
    settle(window)
    window.view.choose(charts=ShownCharts(folds=False))
    settle(window)
    assert {tuple(strip) for strip in strips(window)} == {(True, False, True, False, True)}
    window.resize(1280, 800)
    window.view.choose(columns=1)
    settle(window)
    assert window.page.runs.verticalScrollBar().maximum() > 0  # what is not folded has its room
    for run in window.page.runs.panels.values():
        assert run.height() >= run.minimumHeight()
        below = [other.y() for other in window.page.runs.panels.values() if other.y() > run.y()]
        assert run.y() + run.height() <= min(below, default=run.y() + run.height())
    pick(window, "View", "Show", "GPU strips")
    assert {tuple(strip) for strip in strips(window)} == {(True, False, False, False, True)}


def test_power_has_a_strip_where_it_is_known(make_window: Callable[..., MainWindow], tmp_path: Path) -> None:
    log, power = tmp_path / "log.csv", tmp_path / "power.toml"
    rows = "".join(f"{k},{60 * k},60,600,4,ann\n" for k in range(1, 30))
    log.write_text(f"job_id,submit,wait,runtime,procs,user\n{rows}")
    power.write_text("[[nodes]]\nidle_w = 100\ncore_w = 20\n[price]\nper_kwh = 0.25\n")
    window = make_window()
    window.opener.open_as(log, Reading(machine="2x16c", power=str(power)))
    settle(window)
    window.view.choose(charts=ShownCharts(folds=False))
    settle(window)
    assert {tuple(strip) for strip in strips(window)} == {(True, False, False, True, True)}
    strip = next(iter(window.page.runs.panels.values())).power
    assert strip.summary() == "up to 1 kW, the price of energy 0 to 0.250 per kWh"  # 200 W, and 40 cores
    frame = strip.frame()
    tip = strip.tooltip_at(frame.plot.center()).split("\n")
    assert tip[1:] == ["power: 1 kW", "price: 0.250 per kWh"]
    pick(window, "View", "Show", "Power strips")
    assert {tuple(strip) for strip in strips(window)} == {(True, False, False, False, True)}
