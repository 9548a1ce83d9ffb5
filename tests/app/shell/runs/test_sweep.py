"""Sweeps, scores and timelines in the window."""

from pathlib import Path

import pandas as pd
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.model.settings import load_settings
from app.shell.window import MainWindow
from engine.filter import parse_filter
from tests.app.windows import click, settle, show_tab
from views.state.filter import Filter


def run_names(window: MainWindow) -> list[str]:
    study = window.workbench.study
    return [study.name(run) for run in study.runs]


def small_sweep(qtbot: QtBot, window: MainWindow) -> None:
    """Four cells, as a reader would ask for them."""
    page = window.page.views["sweep"]
    for line, text in zip(page.values, ("0.5, 1", "1 2"), strict=True):
        line.selectAll()
        qtbot.keyClicks(line, text)
    click(qtbot, page.go)


def test_a_cell_of_a_sweep_becomes_a_run(qtbot: QtBot, window: MainWindow) -> None:
    show_tab(qtbot, window, "Sweep")
    small_sweep(qtbot, window)
    page = window.page.views["sweep"]
    assert page.sweeping
    settle(window)
    QApplication.processEvents()
    assert not page.sweeping
    assert page.cells is not None
    assert page.cells.best is not None
    cell = page.surface.visualRect(page.surface.model().index(0, 1)).center().toPointF()
    text = page.surface.tooltip_at(cell)
    click(qtbot, page.surface.viewport(), cell)
    settle(window)
    assert run_names(window)[-1] == "metric:bf=0.5,window=2"
    wait = window.workbench.finished()[-1].result.summary["wait_mean"]
    assert page.cells.summaries[1]["wait_mean"] == wait
    assert text.startswith("metric:bf=0.5,window=2\nMean wait: ")


def test_a_metric_that_takes_more_is_worked_out_when_a_sweep_is_asked_for_it(
    qtbot: QtBot, window: MainWindow
) -> None:
    show_tab(qtbot, window, "Sweep")
    page = window.page.views["sweep"]
    small_sweep(qtbot, window)
    settle(window)
    assert not page.message.isVisible()
    page.measure.setCurrentIndex(page.measure.findData("unfair_jobs"))
    assert "press Sweep" in page.message.text()
    assert set(page.cells.values.values()) == {None}
    click(qtbot, page.go)
    settle(window)
    assert not page.message.isVisible()
    assert None not in page.cells.values.values()
    assert "unfair_delay_mean" in page.cells.summaries[0]


def test_a_sweep_is_cancelled_and_does_not_outlive_its_trace(
    qtbot: QtBot, window: MainWindow, site: Path
) -> None:
    show_tab(qtbot, window, "Sweep")
    page = window.page.views["sweep"]
    small_sweep(qtbot, window)
    click(qtbot, page.go)
    assert not page.sweeping
    assert "Cancelled" in page.message.text()
    settle(window)
    small_sweep(qtbot, window)
    window.open_path(site)
    settle(window)
    assert page.results is None
    assert not page.message.isVisible()


def test_a_sweep_is_exported_as_a_figure_and_as_a_table(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    window.menus.exporter.export_table("sweep")
    assert "There is no sweep to export" in window.messages.shown[0].text.text()
    window.messages.clear()
    show_tab(qtbot, window, "Sweep")
    small_sweep(qtbot, window)
    settle(window)
    page = window.page.views["sweep"]
    page.measure.setCurrentText("Utilization")
    for name in ("sweep.svg", "sweep.pdf", "sweep.png"):
        window.menus.exporter.write_chart("sweep", tmp_path / name)
    window.menus.exporter.write_table("sweep", tmp_path / "sweep.csv")
    settle(window)
    assert not window.messages.shown
    drawn = (tmp_path / "sweep.svg").read_text("utf-8")
    assert page.cells is not None
    for index in range(4):
        assert page.cells.text(index) in drawn
    assert "all of bf with window, from metric:bf=0.5 to metric:window=2" in drawn
    table = pd.read_csv(tmp_path / "sweep.csv")
    assert list(table["policy"]) == [policy.spelling for policy in page.cells.grid.policies]
    assert list(table["bf"]) == [0.5, 0.5, 1, 1]
    assert list(table["window"]) == [1, 2, 1, 2]
    assert list(table["utilization"]) == [page.cells.values[index] for index in range(4)]
    assert set(page.cells.summaries[0]) <= set(table.columns)


def test_weights_are_kept_and_fair_starts_worked_out_on_demand(qtbot: QtBot, window: MainWindow) -> None:
    page = window.page.views["scores"]
    show_tab(qtbot, window, "Scores")
    assert page.work_out.isVisible()
    click(qtbot, page.work_out)
    settle(window)
    assert not page.work_out.isVisible()
    assert window.settings.fair_starts
    page.sliders[0].setFocus()
    qtbot.keyClick(page.sliders[0], Qt.Key.Key_End)
    window.close()
    assert load_settings().view.gain_weights == (100, 25, 25)


def test_the_looks_of_the_timeline_are_kept(qtbot: QtBot, window: MainWindow) -> None:
    page = window.page.views["timeline"]
    show_tab(qtbot, window, "Timeline")
    for button in (page.log, page.averages["1 h"], page.averages["now"]):
        click(qtbot, button)
    window.close()
    kept = load_settings()
    assert kept.view.timeline_log
    assert kept.view.timeline_averages == ("1 h", "10 h", "24 h")


def test_a_sweep_measures_the_jobs_that_match_the_filter(qtbot: QtBot, window: MainWindow) -> None:
    window.filter.set(Filter(parse_filter("procs = 1"), hides=True))
    settle(window)
    show_tab(qtbot, window, "Sweep")
    small_sweep(qtbot, window)
    settle(window)
    page = window.page.views["sweep"]
    cell = page.surface.visualRect(page.surface.model().index(1, 0))  # bf=1, window=1
    click(qtbot, page.surface.viewport(), cell.center().toPointF())
    settle(window)
    assert run_names(window)[-1] == "metric"
    assert page.cells.summaries[2]["jobs"] == window.workbench.finished()[-1].result.summary["jobs"] < 300
    assert page.cells.summaries[2]["wait_mean"] == window.workbench.finished()[-1].result.summary["wait_mean"]


def test_the_timeline_tells_when_a_tunable_changed(qtbot: QtBot, window: MainWindow) -> None:
    from engine.policy.policy import parse_policy

    page = window.page.views["timeline"]
    show_tab(qtbot, window, "Timeline")
    settle(window)
    assert "add a policy such as tuned-2d" in page.tunables.message
    window.workbench.add_run(parse_policy("tuned-2d:queue_depth=10"))
    settle(window)
    assert page.tunables.lanes == ("bf", "window")
    trigger = page.tunables._lines.triggers[0]
    frame = page.tunables.frame()
    position = frame.plot.topLeft()
    position.setX(frame.scale.x(float(trigger.time[0])))
    assert "bf 1 → 0.5" in page.tunables.tooltip_at(position)
    qtbot.keyClick(window, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
    assert page.isVisible()
    assert not window.page.runs.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
    assert window.page.runs.isVisible()
