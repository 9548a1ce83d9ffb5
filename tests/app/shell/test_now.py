"""The queue as it is in the window: opened, looked into, read again, asked of, mapped, saved."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QInputDialog, QMenu
from pytestqt.qtbot import QtBot

from app.model import now_runner
from app.model.queue_source import QueueSource
from app.model.settings import NowSettings, Settings
from app.panels.sources.queue_command import QueueCommandDialog
from app.shell.window import MainWindow
from tests.app.windows import click, replay_times, settle
from tests.engine.logs.queue.prints import QSTAT
from views.catalog import ALL
from views.data.asked_job import AskedJob

CONF = """\
NodeName=a[1-4] CPUs=4
PartitionName=batch Nodes=a[1-3] Default=YES
PartitionName=debug Nodes=a4
SchedulerParameters=bf_interval=30
"""
HEAD = """\
Sun Nov 29 10:00:00 2026
JOBID|PARTITION|USER|ACCOUNT|STATE|TIME|TIME_LIMIT|CPUS|NODES|NODELIST(REASON)|PRIORITY
"""
QUEUE = """\
1|batch|ann|physics|RUNNING|10:00|1:10:00|8|2|a[1-2]|9
2|batch|bob|chemistry|PENDING|0:00|2:00:00|12|3|(Resources)|9
3|batch|ann|physics|PENDING|0:00|2:00:00|4|1|(Priority)|5
4|batch|eve|chemistry|PENDING|0:00|20:00|4|1|(JobHeldUser)|0
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with a site's configuration and the print of its queue."""
    (tmp_path / "slurm.conf").write_text(CONF)
    (tmp_path / "queue.txt").write_text(HEAD + QUEUE)
    return tmp_path


@pytest.fixture
def window(make_window: Callable[..., MainWindow], site: Path) -> MainWindow:
    """A window without a log, in which the queue was opened."""
    window = make_window()
    window.open_path(site / "queue.txt")
    settle(window)
    return window


def page_of(window: MainWindow) -> Any:
    return window.page.views["now"]


def cells(window: MainWindow) -> list[list[str]]:
    return [line[:5] for line in page_of(window).table.lines()[1:]]


def test_the_queue_is_opened_without_a_log_and_left(qtbot: QtBot, window: MainWindow) -> None:
    """Its site lies beside it. Running jobs and planned starts are on one chart, with a line at now."""
    page = page_of(window)
    assert page.isVisible()
    assert page.look.found.replays > 0
    assert [line[0] for line in cells(window)] == ["2", "3", "4"]
    schedule, now = page.chart.schedule, page.look.laid.now
    assert schedule.ran.sum() == 3
    starts = dict(zip(schedule.trace.job_id.tolist(), (schedule.start - now).tolist(), strict=True))
    assert starts["1"] == -600
    assert starts["2"] == pytest.approx(3600, abs=95)
    assert starts["3"] == pytest.approx(3600 + 7200, abs=95)
    (mark,) = page._own.view.options.marks
    assert (mark.name, mark.start) == ("now", now)
    assert not page.error.isVisible()
    assert window.settings.now.queue.endswith("queue.txt")
    window.page.setFocus()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert window.start_page.isVisible()
    assert window.view.options.view == ALL


def test_a_job_is_reported_and_helped(qtbot: QtBot, window: MainWindow) -> None:
    page = page_of(window)
    page.table.view.selectRow(1)
    settle(window)
    panel = page.job_panel
    brief = panel.answer.toPlainText()
    assert brief.startswith("Job 3 starts in ")
    assert "likelihood unknown" in brief
    assert panel.whole.isHidden()
    click(qtbot, panel.method)
    assert panel.whole.isVisible()
    text = panel.whole.toPlainText()
    assert "Job 3 (user ann, account physics, partition batch)" in text
    assert "Why it waits: " in text
    assert "not calibrated" in text
    (entry,) = page._own.selection.value.jobs
    assert page.look.laid.jobs[entry].job_id == "3"
    # What would help is planned when it is asked for.
    click(qtbot, panel.helps)
    settle(window)
    text = panel.whole.toPlainText()
    assert "a time limit of 1 h instead of 2 h: planned start" in text or "30 min instead of 2 h" in text
    assert "partition debug instead of batch: planned start now" in text
    assert not panel.helps.isEnabled()
    click(qtbot, panel.copy)
    copied = QGuiApplication.clipboard().text()
    assert copied == panel.answer.toPlainText()
    said, clause = brief.split(", which it would delay.")
    assert (copied, clause) == (f"{said}. It starts now with a time limit of 30 min.", "")
    assert len(copied.split()) <= 40
    assert window.settings.now.method
    assert page.ask.method.isChecked()
    click(qtbot, page.job_panel.method)
    assert (panel.whole.isHidden(), window.settings.now.method) == (True, False)


def test_a_click_in_the_chart_tells_of_the_job_there(qtbot: QtBot, window: MainWindow) -> None:
    page = page_of(window)
    frame, schedule = page.chart.frame(), page.chart.schedule
    (job,) = np.flatnonzero(schedule.trace.job_id == "2").tolist()
    x = frame.scale.x(float(schedule.start[job] + 3600))
    spot = QPointF(x, frame.plot.top() + 5)
    assert page.chart.tooltip_at(spot).startswith("Job 2 (user bob")
    click(qtbot, page.chart, spot)
    settle(window)
    assert page.job_panel.answer.toPlainText().startswith("Job 2 starts in ")
    assert [index.row() for index in page.table.view.selectionModel().selectedRows()] == [0]


def test_users_accounts_and_partitions_are_looked_into(qtbot: QtBot, window: MainWindow) -> None:
    page = page_of(window)
    box = page.fields["account"]
    assert [box.itemText(k) for k in range(box.count())] == ["All accounts", "chemistry", "physics"]
    page.table.view.selectRow(1)
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    settle(window)
    assert [line[0] for line in cells(window)] == ["2", "4"]
    assert page.count.text().startswith("0 jobs on 0 processors run, 2 wait; next planned start: job 2")
    assert str(page._own.filter.value.expression) == "group = chemistry"
    assert page.job_panel.answer.toPlainText() == ""  # job 3 is of another account
    click(qtbot, page.all)
    settle(window)
    assert len(cells(window)) == 3
    assert page._own.filter.value.expression is None


def test_the_menu_of_a_job_looks_into_its_user(qtbot: QtBot, window: MainWindow) -> None:
    page = page_of(window)
    view = page.table.view
    view.selectRow(1)
    view.customContextMenuRequested.emit(view.visualRect(view.model().index(1, 0)).center())
    (menu,) = (each_menu for each_menu in page.findChildren(QMenu) if each_menu.isVisible())
    texts = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert texts == [
        "Show only user ann",
        "Show only account physics",
        "Show only partition batch",
        "What would &help?",
        "&All jobs",
        "&Fit all time",
    ]
    menu.actions()[0].trigger()
    menu.close()
    settle(window)
    assert [line[0] for line in cells(window)] == ["3"]
    page.look_at_all()
    frame, schedule = page.chart.frame(), page.chart.schedule
    (job,) = np.flatnonzero(schedule.trace.job_id == "2").tolist()
    spot = QPointF(frame.scale.x(float(schedule.start[job] + 3600)), frame.plot.top() + 5).toPoint()
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Mouse, spot, page.chart.mapToGlobal(spot), Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(page.chart, event)
    (menu,) = (each_menu for each_menu in page.findChildren(QMenu) if each_menu.isVisible())
    assert menu.actions()[0].text() == "Show only user bob"
    menu.close()


def test_predictions_are_scored_when_their_jobs_start(qtbot: QtBot, window: MainWindow, site: Path) -> None:
    """Job 2 is said to start between 30 s and an hour from now; by the next print it does so at once."""
    page = page_of(window)
    assert page.look.answer.score is None
    later = QUEUE.replace("2|batch|bob|chemistry|PENDING|0:00|2:00:00|12|3|(Resources)|9\n", "")
    head = HEAD.replace("10:00:00", "10:30:00")
    rows = f"{head}{later}2|batch|bob|chemistry|RUNNING|0:10|2:00:00|12|3|a[1-3]|9\n"
    (site / "queue.txt").write_text(rows)
    click(qtbot, page.refresh)
    settle(window)
    score = page.look.answer.score
    assert score.jobs == 1
    assert f"of 1 prediction {100 * score.within:.0f} % came within their span" in page.message.text()


def test_a_file_in_place_of_the_predictions_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(now_runner, "user_data_path", lambda _: tmp_path)
    source = QueueSource("queue.txt")
    assert now_runner._own_of(source) == ()
    now_runner._keep(source, ())
    (path,) = (tmp_path / "predictions").iterdir()
    assert path.read_text() == "[]"
    path.write_text("a letter")
    assert now_runner._own_of(source) is None
    assert path.read_text() == "a letter"


def test_reading_again_keeps_what_is_looked_at_and_errors_keep_the_page(
    qtbot: QtBot, window: MainWindow, site: Path
) -> None:
    page = page_of(window)
    page.table.view.selectRow(1)
    settle(window)
    (site / "queue.txt").write_text(HEAD + QUEUE.replace("1|batch|ann", "9|batch|zoe"))
    qtbot.keyClick(page.table.view, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: "zoe" in page.look.names("user"))
    settle(window)
    assert page.job_panel.answer.toPlainText().startswith("Job 3 ")
    (site / "queue.txt").write_text("hello")
    click(qtbot, page.refresh)
    settle(window)
    assert "begins no queue" in page.error.text()
    assert page.error.isVisible()
    assert len(cells(window)) == 3
    (site / "queue.txt").write_text(HEAD + QUEUE)
    page.minute.click()
    assert window.settings.now.minutely
    window.now._minute.setInterval(10)
    qtbot.waitUntil(lambda: not page.error.isVisible())
    page.minute.click()
    assert not window.now._minute.isActive()
    settle(window)
    assert "ann" in page.look.names("user")


def test_a_file_without_a_date_is_asked_for_its_time(qtbot: QtBot, window: MainWindow, site: Path) -> None:
    page = page_of(window)
    assert page.printed.isHidden()
    undated = site / "undated.txt"
    undated.write_text((HEAD + QUEUE).partition("\n")[2])
    window.now.open(undated)
    settle(window)
    assert "does not say when it was printed" in page.error.text()
    assert page.printed.isVisible()
    qtbot.keyClicks(page.printed, "noon")
    qtbot.keyClick(page.printed, Qt.Key.Key_Return)
    settle(window)
    assert "expected a date" in page.error.text()
    page.printed.setText("2026-11-29T10:00Z")
    qtbot.keyClick(page.printed, Qt.Key.Key_Return)
    settle(window)
    assert not page.error.isVisible()
    assert page.look.state.time == 1_795_946_400
    window.now.open(site / "queue.txt")
    settle(window)
    assert page.printed.isHidden()
    assert page.printed.text() == ""


def test_one_of_several_clusters_is_chosen(qtbot: QtBot, window: MainWindow, site: Path) -> None:
    page = page_of(window)
    assert page.cluster.isHidden()
    _, _, fewer = QUEUE.partition("\n")
    (site / "all.txt").write_text(f"CLUSTER: alpha\n{HEAD}{QUEUE}\nCLUSTER: beta\n{HEAD}{fewer}")
    window.now.open(site / "all.txt")
    settle(window)
    assert [page.cluster.itemText(k) for k in range(page.cluster.count())] == ["alpha", "beta"]
    assert (page.look.state.cluster, len(page.look.state.jobs)) == ("alpha", 4)
    page.cluster.setFocus()
    qtbot.keyClick(page.cluster, Qt.Key.Key_Down)
    settle(window)
    assert (page.cluster.currentText(), page.look.state.cluster) == ("beta", "beta")
    assert [job.job_id for job in page.look.state.jobs] == ["2", "3", "4"]


def test_it_is_cancelled(qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    import engine.now.queue_forecast as module

    monkeypatch.setattr(module, "within", lambda seconds: lambda done: False)
    replay_times(5000, monkeypatch)
    page, before = page_of(window), page_of(window).look
    click(qtbot, page.refresh)
    qtbot.waitUntil(lambda: page.look is not before)  # the plan is there
    qtbot.waitUntil(page.cancel.isVisible)
    click(qtbot, page.cancel)
    settle(window)
    assert not window.now.runner.busy
    qtbot.waitUntil(lambda: window.workbench.executor._pool.activeThreadCount() == 0)
    assert page.look.found.replays == 0
    assert page.refresh.isVisible()


def test_a_job_is_asked_about_and_the_map_fills_its_fields(qtbot: QtBot, window: MainWindow) -> None:
    page = page_of(window)
    page.tabs.setCurrentWidget(page.ask)
    # A walltime that cannot be read is said, then corrected.
    page.ask.limit.setText("soon")
    click(qtbot, page.ask.ask)
    assert "walltime" in page.ask.answer.text()
    page.ask.cpus.setValue(4)
    page.ask.limit.setText("30m")
    qtbot.keyClick(page.ask.limit, Qt.Key.Key_Return)
    settle(window)
    brief = page.ask.answer.text()
    assert brief.startswith("The new job starts ")
    assert len(brief.split()) <= 40
    click(qtbot, page.ask.method)
    assert page.ask.whole.isVisible()
    assert page.ask.whole.toPlainText().startswith(
        "The new job (partition batch) asks for 4 processors on 1 node"
    )
    click(qtbot, page.ask.method)
    assert page.ask.whole.isHidden()
    assert window.settings.now.asked == AskedJob(1, 4, 0, 0, "30m", "", "batch")
    # The map is drawn for the job that was asked about, and a cell of it fills the fields.
    click(qtbot, page.ask.map)
    settle(window)
    found = page.map.start_map
    assert found.sizes == (1, 2, 4, 8, 12)
    plot, area = page.map.plot.plot, page.map.plot.area
    column, row = found.limits.index(4 * 3600), 3
    spot = area.point(column, row)
    assert "8 processors for 4 h\nplanned start in" in plot.read(area, spot).text
    click(qtbot, page.map.plot, QPointF(spot.x, spot.y))
    settle(window)
    assert page.tabs.currentWidget() is page.ask
    assert page.ask.asked == AskedJob(2, 4, 0, 0, "4h", "", "batch")
    assert page.ask.answer.text().startswith("The new job starts ")


def test_the_page_for_users_is_saved(
    qtbot: QtBot, window: MainWindow, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = site / "users.html"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    click(qtbot, page_of(window).save)
    text = path.read_text()
    assert "bob" in text
    assert "not calibrated" in text


def test_the_last_queue_is_there_when_the_page_is_turned_to(
    make_window: Callable[..., MainWindow], site: Path
) -> None:
    kept = NowSettings(str(site / "queue.txt"), str(site), rows="users", colours="queue", method=True)
    window = make_window(Settings(theme="light", now=kept))
    window.now.wanted.emit()
    window.show_view("now")
    settle(window)
    page = page_of(window)
    assert len(cells(window)) == 3
    assert page.looks.boxes["rows"].currentData() == "users"
    assert not page.job_panel.whole.isHidden()
    window.open_path(site / "slurm.conf")  # of no log
    assert page.isVisible()


def test_a_command_prints_the_queue(
    qtbot: QtBot, make_window: Callable[..., MainWindow], site: Path, tmp_path: Path
) -> None:
    """It is asked for, run as given, kept in the settings alone, and not run unasked in the next window."""
    runs = tmp_path / "runs"
    script = tmp_path / "print queue.py"
    script.write_text(
        "import pathlib, sys\n"
        f"with open({str(runs)!r}, 'a') as file: file.write('x')\n"
        f"sys.stdout.write(pathlib.Path({str(site / 'queue.txt')!r}).read_text())\n"
    )
    window = make_window(Settings(theme="light", now=NowSettings(site=str(site))))
    window.now.wanted.emit()
    window.show_view("now")
    page = page_of(window)
    click(qtbot, page.command)
    (dialog,) = window.findChildren(QueueCommandDialog)
    # What cannot be run is refused in the dialog.
    for wrong, why in (("", "Enter a command."), ("squeue '", "No closing quotation.")):
        dialog.command.setText(wrong)
        dialog.accept()
        assert dialog.problem.text() == why
    assert not runs.exists()
    # A name with a blank is one argument, and words that a shell would run are not run.
    dialog.command.setText(f"{sys.executable} '{script}' '; touch {tmp_path / 'made'}'")
    qtbot.keyClick(dialog.command, Qt.Key.Key_Return)
    settle(window)
    assert [line[0] for line in cells(window)] == ["2", "3", "4"]
    assert runs.read_text() == "x"
    assert not (tmp_path / "made").exists()
    assert "print queue.py" in page.queue.toolTip()
    click(qtbot, page.refresh)
    settle(window)
    assert runs.read_text() == "xx"
    # A command that fails leaves the old queue.
    script.write_text("import sys; sys.exit('no route to host')")
    click(qtbot, page.refresh)
    settle(window)
    assert "no route to host" in page.error.text()
    assert len(cells(window)) == 3
    kept = window.settings.now
    assert kept.by_command
    # The next window knows the command, and does not run it unasked.
    script.write_text(f"open({str(runs)!r}, 'a').write('y')")
    other = make_window(Settings(theme="light", now=kept))
    other.now.wanted.emit()
    other.show_view("now")
    settle(other)
    assert runs.read_text() == "xx"


def test_a_command_that_hangs_is_cancelled(
    qtbot: QtBot, make_window: Callable[..., MainWindow], site: Path
) -> None:
    window = make_window(Settings(theme="light", now=NowSettings(site=str(site))))
    window.now.run(f"{sys.executable} -c 'import time; time.sleep(50)'")
    page = page_of(window)
    qtbot.waitUntil(page.cancel.isVisible)
    click(qtbot, page.cancel)
    began = time.monotonic()
    qtbot.waitUntil(lambda: window.workbench.executor._pool.activeThreadCount() == 0)
    assert time.monotonic() - began < 40
    assert not page.error.isVisible()


def test_the_start_page_opens_the_queue(
    qtbot: QtBot, make_window: Callable[..., MainWindow], site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = (str(site / "queue.txt"), "")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: chosen)
    window = make_window()
    click(qtbot, window.start_page.queue)
    settle(window)
    assert page_of(window).isVisible()
    assert len(cells(window)) == 3


def test_files_are_chosen_in_dialogs_and_a_site_is_asked_for(
    make_window: Callable[..., MainWindow], site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conf = (site / "slurm.conf").rename(site / "other.conf")
    asked: list[str] = []

    def choose(_: object, title: str, *__: object) -> tuple[str, str]:
        asked.append(title)
        return ("", "") if len(asked) == 2 else (str(site / "queue.txt" if len(asked) == 1 else conf), "")

    monkeypatch.setattr(QFileDialog, "getOpenFileName", choose)
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: ("", False))
    window = make_window()
    window.menus.offered.actions["open queue"].trigger()
    settle(window)
    page = page_of(window)
    assert page.isVisible()
    assert page.error.text() == "Also choose the site's slurm.conf: its policy plans the queue."
    page.site.click()
    settle(window)
    assert asked == ["Open the queue as it is now", *2 * ["Choose the site's slurm.conf"]]
    assert len(cells(window)) == 3


def test_a_queue_of_pbs_is_planned_on_a_machine_that_is_spelled(
    make_window: Callable[..., MainWindow], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a slurm.conf the user is asked for the nodes, and again if they cannot be read."""
    path, spelled = tmp_path / "qstat.txt", iter(("2 of them", "2x12c64g"))
    path.write_text(QSTAT)
    asked: list[str] = []

    def choose(_: object, title: str, *__: object) -> tuple[str, str]:
        asked.append(title)
        return (str(path), "") if len(asked) == 1 else ("", "")

    monkeypatch.setattr(QFileDialog, "getOpenFileName", choose)
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: (next(spelled), True))
    window = make_window()
    window.menus.offered.actions["open queue"].trigger()
    settle(window)
    page = page_of(window)
    assert "2 of them" in page.error.text()
    page.site.click()
    settle(window)
    assert "does not say when it was printed" in page.error.text()
    page.printed.setText("2026-11-29T10:00")
    page.printed.returnPressed.emit()
    settle(window)
    assert page.error.text() == ""
    assert window.settings.now.site == "2x12c64g"
    assert [job.job.job_id for job in page.look.found.waiting] == ["8", "9"]


def test_the_map_is_exported(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, path = page_of(window), tmp_path / "starts.png"
    click(qtbot, page.ask.map)
    settle(window)
    assert page.map.start_map.sizes == (1, 2, 4, 8, 12)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    click(qtbot, page.map.export)
    settle(window)
    assert path.read_bytes().startswith(b"\x89PNG")
