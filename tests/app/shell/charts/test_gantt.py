"""What the menus of Gantt charts do: layers, comparison with a run, and steps from job to job."""

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.model.settings import load_settings
from app.shell.window import MainWindow
from engine.machine.cluster import parse_cluster
from engine.quantities import Jobs
from tests.app.shell.test_views import entry, pick
from tests.app.windows import EASY, FCFS, box_of, large_jobs, panel, plot_of, schedule_of, seen, settle
from views.data.gantt.colours import classify
from views.gantt.step import delaying
from views.theme.palette import pixel

MakeWindow = Callable[..., MainWindow]


def test_layers_are_shown_and_remembered(make_window: MakeWindow, window: MainWindow) -> None:
    gantt = panel(window, FCFS).gantt
    plain = seen(gantt, plot_of(gantt))
    pick(window, "View", "Gantt layers", "Idle while jobs wait")
    hatched = seen(gantt, plot_of(gantt))
    assert (hatched != plain).mean() > 0.05
    pick(window, "View", "Gantt layers", "Waits")
    assert (seen(gantt, plot_of(gantt)) != hatched).any()
    window.close()
    saved = load_settings()
    layers = saved.view.layers
    assert (layers.idle, layers.waits, layers.reservations) == (True, True, False)
    other = make_window(saved)
    assert entry(other, "View", "Gantt layers", "Waits").isChecked()
    assert not entry(other, "View", "Gantt layers", "Planned starts").isChecked()


def test_starts_are_compared_with_those_of_a_run(window: MainWindow) -> None:
    pick(window, "View", "Gantt colours", "Change of start")
    fcfs, easy = panel(window, FCFS).gantt, panel(window, EASY).gantt
    usual = schedule_of(window, EASY)
    colours = [pixel(colour) for colour in classify(Jobs(usual.trace, usual, None, usual), "change").colours]
    same = colours[4]
    assert (seen(easy, plot_of(easy)) == same).mean() > 0.3  # easy is what others are compared with
    assert np.isin(seen(fcfs, plot_of(fcfs)), colours[5:]).mean() > 0.2
    job = next(j for j in large_jobs(window, FCFS) if schedule_of(window, FCFS).wait[j] > 10_000)
    assert "later than under easy" in fcfs.tooltip_at(box_of(window, FCFS, job).center())
    against = entry(window, "View", "Gantt colours", "Change of start against").menu()
    assert isinstance(against, QMenu)
    against.aboutToShow.emit()
    assert [action.text() for action in against.actions() if action.isChecked()] == ["easy"]
    next(action for action in against.actions() if action.text() == "fcfs").trigger()
    settle(window)
    assert (seen(fcfs, plot_of(fcfs)) == same).mean() > 0.3
    assert np.isin(seen(easy, plot_of(easy)), colours[:4]).mean() > 0.2
    window.workbench.remove_run(FCFS)  # the usual one again
    settle(window)
    assert (seen(easy, plot_of(easy)) == same).mean() > 0.3


def test_keys_step_from_job_to_job_in_the_chart_with_the_focus(qtbot: QtBot, window: MainWindow) -> None:
    gantt, schedule = panel(window, EASY).gantt, schedule_of(window, EASY)
    gantt.setFocus()
    codes, start = schedule.trace.user.codes, schedule.start
    job = next(
        j
        for j in large_jobs(window, EASY)
        if delaying(schedule, j) and start[j] < start[codes == codes[j]].max()
    )
    window.selection.select_job(schedule.trace, job)
    pick(window, "View", "Step from job to job", "Along the user's jobs")
    qtbot.keyClick(gantt, Qt.Key.Key_Period)
    (following,) = window.selection.value.jobs
    assert following != job
    assert codes[following] == codes[job]
    assert start[following] >= start[job]
    qtbot.keyClick(gantt, Qt.Key.Key_Comma)
    assert window.selection.value.jobs == {job}
    pick(window, "View", "Step from job to job", "Along the jobs that delayed it")
    pick(window, "View", "Step from job to job", "Next job")
    assert window.selection.value.jobs == {delaying(schedule, job)[0]}
    assert window.settings.view.step == "delay"


def test_steps_without_a_trace(make_window: MakeWindow) -> None:
    window = make_window()
    assert not entry(window, "View", "Step from job to job", "Next job").isEnabled()


def test_down_nodes_are_offered_where_a_machine_fails(window: MainWindow) -> None:
    action = entry(window, "View", "Gantt layers", "Down nodes")
    layers = entry(window, "View", "Gantt layers").menu()
    assert isinstance(layers, QMenu)
    layers.aboutToShow.emit()
    assert action.isChecked()
    assert not action.isEnabled()
    assert "20x80c~30d/4h" in action.toolTip()
    study = window.workbench.study
    run = study.runs[0]
    fails = parse_cluster(f"{run.cluster.cpus}x1c~3d/12h")
    window.workbench.change_run(run.id, run.policy, fails)
    settle(window)
    layers.aboutToShow.emit()
    assert action.isEnabled()
    gantt = panel(window, run.id).gantt
    hatched = seen(gantt, plot_of(gantt))
    pick(window, "View", "Gantt layers", "Down nodes")
    assert (seen(gantt, plot_of(gantt)) != hatched).mean() > 0.001
    assert not window.settings.view.layers.down
