"""Where a run takes long, what is in view of it comes first."""

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSlider
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from engine.simulation.excerpt import jobs_in_view
from engine.simulation.run import simulate
from tests.app.panels.sliders import drag
from tests.app.windows import (
    EASY,
    FCFS,
    Gate,
    click,
    panel,
    plot_of,
    schedule_of,
    seen,
    settle,
    slow_simulations,
    trace_of,
)

BEFORE = "easy"


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, window: MainWindow) -> Iterator[Gate]:
    """A tenth of the time is in view, and whole runs take long, until the gate opens; parts do not."""
    monkeypatch.setattr("app.model.preview.SLOW_S", 0.0)
    window.explore.choose(EASY)
    assert window.page.views["difference"]  # a page is made when it is first needed
    first, last = window.clock.bounds
    tenth = (last - first) / 10
    window.clock.set_window(first + 2 * tenth, first + 3 * tenth)
    settle(window)
    assert jobs_in_view(schedule_of(window, EASY), *window.clock.window).mean() < 0.5
    with slow_simulations(monkeypatch) as gate:
        yield gate


def limit(window: MainWindow) -> QSlider:
    """The slider of a limit that delays many jobs."""
    field = window.explore.fields["max_user_jobs"]
    assert field.on is not None
    if not field.on.isChecked():
        field.on.click()
    return next(iter(field.numbers.values())).slider


def previewed(qtbot: QtBot, window: MainWindow, title: str) -> None:
    """Wait until a preview of this policy is shown."""
    gantt = panel(window, EASY).gantt
    qtbot.waitUntil(lambda: bool(gantt.note) and gantt.title == title and not window.executor.busy)


def test_what_is_in_view_comes_before_the_whole_run(qtbot: QtBot, window: MainWindow, gate: Gate) -> None:
    charts = panel(window, EASY)
    before, other = seen(charts.gantt), seen(panel(window, FCFS).gantt)
    heatmap, wait = seen(charts.heatmap), window.page.views["table"].model.export([1], [2])
    limit(window).setValue(1)
    previewed(qtbot, window, "easy:max_user_jobs=1")
    assert (seen(charts.gantt) != before).mean() > 0.02
    assert charts.gantt.note.startswith("Preview; the whole run takes about ")
    assert {strip.note for strip in charts.strips} == {"Preview"}
    assert charts.heatmap.note == "As before the change: the whole run is still being simulated"
    assert (seen(charts.heatmap) != heatmap).any()  # what it says, over the same data
    tabs, difference = window.page.notes
    assert tabs.isVisible()
    assert (
        tabs.text()
        == difference.text()
        == "easy as before the change: the whole run is still being simulated"
    )
    assert window.page.views["table"].model.export([1], [2]) == wait
    assert np.array_equal(seen(panel(window, FCFS).gantt), other)
    gate.open()
    settle(window)
    assert not any(chart.note for chart in charts.charts)
    assert tabs.isHidden()
    assert difference.isHidden()
    assert window.page.views["table"].model.export([1], [2]) != wait
    study = window.workbench.study
    run = study.run(EASY)
    assert run is not None
    assert run.policy.spelling == "easy:max_user_jobs=1"
    fresh = simulate(trace_of(window), run.cluster, run.policy)
    assert np.array_equal(schedule_of(window, EASY).start, fresh.start)


def test_beyond_what_was_in_view_nothing_is_known_yet(qtbot: QtBot, window: MainWindow, gate: Gate) -> None:
    gantt, heatmap = panel(window, EASY).gantt, panel(window, EASY).heatmap
    limit(window).setValue(1)
    previewed(qtbot, window, "easy:max_user_jobs=1")
    window.show_view("difference")
    assert window.page.notes[1].isVisible()  # over two runs of which one is not known yet
    window.show_view("all")
    start, end = window.clock.window
    window.clock.set_window(start - (end - start), end + (end - start))
    qtbot.waitUntil(lambda: not window.executor.busy)
    area = plot_of(gantt)
    left = seen(gantt, area)[40:, 2 : area.width() // 3 - 2]
    assert len(np.unique(left)) < 12  # two colours of the hatch, and grid lines over them
    middle = seen(gantt, area)[40:, area.width() // 3 + 2 : 2 * area.width() // 3 - 2]
    assert len(np.unique(middle)) > len(np.unique(left))
    assert not np.array_equal(seen(heatmap, plot_of(heatmap))[40:, : area.width() // 3], left)


def test_the_newest_step_is_the_one_that_is_simulated(qtbot: QtBot, window: MainWindow, gate: Gate) -> None:
    slider = limit(window)
    for value in (6, 5, 4, 3, 2):
        slider.setValue(value)
    previewed(qtbot, window, "easy:max_user_jobs=2")
    slider.setValue(1)
    previewed(qtbot, window, "easy:max_user_jobs=1")
    gate.open()
    settle(window)
    assert schedule_of(window, EASY).policy.spelling == "easy:max_user_jobs=1"


def test_esc_brings_back_what_was_at_once(qtbot: QtBot, window: MainWindow, gate: Gate) -> None:
    gantt, schedule = panel(window, EASY).gantt, schedule_of(window, EASY)
    before = seen(gantt)
    slider = limit(window)
    slider.setValue(1)
    previewed(qtbot, window, "easy:max_user_jobs=1")
    qtbot.keyClick(slider, Qt.Key.Key_Escape)
    assert gantt.title == BEFORE
    assert not gantt.note
    assert all(note.isHidden() for note in window.page.notes)
    assert window.workbench.open_study.live[EASY].task is None
    settle(window)
    assert schedule_of(window, EASY) is schedule
    assert np.array_equal(seen(gantt), before)


def test_a_run_that_is_cancelled_is_as_it_was(qtbot: QtBot, window: MainWindow, gate: Gate) -> None:
    gantt, before = panel(window, EASY).gantt, seen(panel(window, EASY).gantt)
    limit(window).setValue(1)
    previewed(qtbot, window, "easy:max_user_jobs=1")
    qtbot.waitUntil(gate.arrived.is_set)
    click(qtbot, window.run_list.rows[EASY].go)
    assert gantt.title == BEFORE
    settle(window)
    assert np.array_equal(seen(gantt), before)


def test_with_all_in_view_a_part_of_it_comes_first(qtbot: QtBot, window: MainWindow, gate: Gate) -> None:
    window.clock.fit()
    limit(window).setValue(1)
    previewed(qtbot, window, "easy:max_user_jobs=1")
    qtbot.waitUntil(gate.arrived.is_set)
    assert panel(window, EASY).gantt.title == "easy:max_user_jobs=1"
    gate.open()
    settle(window)
    assert panel(window, EASY).gantt.title == "easy:max_user_jobs=1"


def test_a_run_may_be_removed_while_it_is_previewed(qtbot: QtBot, window: MainWindow, gate: Gate) -> None:
    limit(window).setValue(1)
    previewed(qtbot, window, "easy:max_user_jobs=1")
    window.workbench.remove_run(EASY)
    settle(window)
    assert all(note.isHidden() for note in window.page.notes)
    assert EASY not in window.page.runs.panels


def test_a_drag_shows_previews_while_it_lasts(qtbot: QtBot, window: MainWindow, gate: Gate) -> None:
    titles: set[str] = set()
    gantt = panel(window, EASY).gantt
    slider = limit(window)
    drag(slider, 0.5, lambda: titles.add(gantt.title))
    assert len(titles) > 2
    gate.open()
    settle(window)
    assert gantt.title == schedule_of(window, EASY).policy.spelling
