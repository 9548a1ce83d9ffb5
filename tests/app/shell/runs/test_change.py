"""A change of a site's rules in the window: asked, compared, told, cancelled, saved and exported."""

from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from app.model.settings import ChangeSettings, Settings
from app.shell.window import MainWindow
from engine.api import change, read
from tests.app.windows import click, settle, slow_simulations
from tests.engine.report.changed_sites import ChangedLog, write_changed_log
from views.catalog import ALL


@pytest.fixture
def written(tmp_path: Path) -> ChangedLog:
    return write_changed_log(tmp_path)


@pytest.fixture
def window(make_window: Callable[..., MainWindow], written: ChangedLog) -> MainWindow:
    """A window with the log on the page, before anything is chosen."""
    window = make_window(Settings(theme="light", policies=["recorded"]))
    window.open_path(written.log)
    settle(window)
    window.show_view("change")
    settle(window)
    return window


def page_of(window: MainWindow) -> Any:
    return window.page.views["change"]


def drop(button: Any, path: Path) -> None:
    """Drop a file or folder on a button."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(button, QDragEnterEvent(QPoint(3, 3), copy, data, left, none))
    QApplication.sendEvent(button, QDropEvent(QPointF(3, 3), copy, data, left, none))


def compare(qtbot: QtBot, window: MainWindow, written: ChangedLog) -> Any:
    """Drop both sites, set the date, and compare."""
    page = page_of(window)
    drop(page.sites[0], written.before)
    drop(page.sites[1], written.after / "slurm.conf")
    page.date.show_date(written.at)
    click(qtbot, page.go)
    settle(window)
    return page


def test_the_page_tells_what_the_command_tells(qtbot: QtBot, window: MainWindow, written: ChangedLog) -> None:
    page = page_of(window)
    assert page.lead.isVisible()
    assert "Did a change of slurm.conf help?" in page.lead.text()
    compare(qtbot, window, written)
    assert page.error.text() == ""
    sites = f"site:{written.before}", f"site:{written.after}"
    answer = change(read(written.log), written.at, *sites)
    assert page.sentence.text() == answer.sentence
    titles, whole, *others = page.groups.lines()
    values = dict(zip(titles, whole, strict=True))
    assert float(values["Rules alone, %"]) == pytest.approx(100 * answer.change.whole.rules_change)
    assert float(values["Wait before, s"]) == pytest.approx(answer.change.whole.recorded[0])
    # No account but physics has thirty jobs on each side.
    assert [row[0] for row in others] == ["physics", "batch", "2-8 processors, under 1 min"]
    recorded, rules, load, both = (label.text() for label in page.headline.numbers)
    assert rules.startswith("−9")
    assert load.startswith("+")
    assert recorded.startswith("−" if answer.change.whole.recorded_change < 0 else "+")
    assert both != recorded
    assert "1 and 1 week are too few for an interval" in page.headline.notes[0].text()
    assert page.verdicts.text().startswith("Old rules, by the jobs before the change: the model's mean wait")
    # The groups are chosen by the keys.
    box = page.choosers.boxes["by"]
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    settle(window)
    assert [row[0] for row in page.groups.lines()[1:]] == ["all jobs", "physics"]
    kept = window.settings.change
    assert (kept.before, kept.by) == (str(written.before), "account")
    assert kept.after == str(written.after / "slurm.conf")


def test_the_date_lies_within_the_log_and_is_remembered(
    qtbot: QtBot, make_window: Callable[..., MainWindow], window: MainWindow, written: ChangedLog
) -> None:
    page = page_of(window)
    first, last = page.date.minimumDateTime(), page.date.maximumDateTime()
    assert first.toString(Qt.DateFormat.ISODate).startswith("2020-01-01T12:00:00")
    assert first < page.date.dateTime() < last
    assert first.secsTo(page.date.dateTime()) == pytest.approx(first.secsTo(last) / 2, abs=1)
    page.date.setFocus()
    page.date.setCurrentSection(page.date.Section.MinuteSection)
    qtbot.keyClick(page.date, Qt.Key.Key_Up)
    chosen = page.date.text_of_date
    assert window.settings.change.at == chosen
    again = make_window(window.settings)
    again.open_path(written.log)
    settle(again)
    again.show_view("change")
    settle(again)
    assert page_of(again).date.text_of_date == chosen


def test_a_site_that_is_open_is_the_old_one_and_others_are_asked_for(
    qtbot: QtBot, window: MainWindow, written: ChangedLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = page_of(window)
    window.settings.change = ChangeSettings(before="/of/another.conf", log="another")
    window.drops.take([written.before])
    settle(window)
    assert page.sites[0].path == str(written.before)
    asked: list[str] = []

    def answer(_: object, title: str, *__: object) -> tuple[str, str]:
        asked.append(title)
        return str(written.after / "slurm.conf"), ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", answer)
    click(qtbot, page.go)
    settle(window)
    assert asked == ["Choose the slurm.conf of the new rules"]
    assert page.look is not None
    assert page.look.sites == (f"site:{written.before}", f"site:{written.after}")
    click(qtbot, page.sites[0])
    assert asked[1:] == ["Choose the slurm.conf of the old rules"]
    assert page.sites[0].path == str(written.after / "slurm.conf")


def test_it_is_cancelled_and_faults_are_said_while_the_answer_stays(
    qtbot: QtBot, window: MainWindow, written: ChangedLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = compare(qtbot, window, written)
    sentence = page.sentence.text()
    with slow_simulations(monkeypatch) as gate:
        click(qtbot, page.go)
        qtbot.waitUntil(gate.arrived.is_set)
        assert page.go.text() == "Cancel"
        assert page.progress.isVisible()
        click(qtbot, page.go)
    settle(window)
    assert page.error.text() == "Cancelled: what was compared before is shown."
    assert page.go.text() == "Compare"
    assert page.sentence.text() == sentence
    # A file that is no configuration, then one that is gone, then a date before all jobs.
    broken = written.log.parent / "broken.conf"
    broken.write_text("hello")
    drop(page.sites[1], broken)
    click(qtbot, page.go)
    settle(window)
    assert "broken.conf" in page.error.text()
    broken.unlink()
    click(qtbot, page.go)
    settle(window)
    assert "the files of the new rules are not there" in page.error.text()
    drop(page.sites[1], written.after)
    page.date.show_date(page.date.minimumDateTime().toString(Qt.DateFormat.ISODate).rstrip("Z"))
    click(qtbot, page.go)
    settle(window)
    assert page.error.text() == "sacct: no job ran that was submitted before this date"
    assert page.sentence.text() == sentence


def test_the_answer_is_copied_saved_and_exported(
    qtbot: QtBot, window: MainWindow, written: ChangedLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = page_of(window)
    assert not page.copy.isVisible()
    window.menus.exporter.export_table("change")
    assert "There is no change of rules to export" in window.messages.newest.whole
    compare(qtbot, window, written)
    click(qtbot, page.copy)
    copied = QGuiApplication.clipboard().text().split("\n")
    assert page.sentence.text() in copied
    assert any(line.startswith("account\tphysics\t") and "\t30\t30\t" in line for line in copied)
    html, table = written.log.parent / "answer.html", written.log.parent / "table.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(html), ""))
    click(qtbot, page.save)
    text = unescape(html.read_text())
    assert page.sentence.text() in text
    assert '<td class="left">physics</td>' in text
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(table), ""))
    window.menus.exporter.export_table("change")
    settle(window)
    lines = table.read_text().split("\n")
    assert lines[0].startswith(
        "by,name,recorded_before (s),recorded_after (s),recorded_change (%),rules (%),"
    )
    assert lines[1].startswith("all,,")


def test_both_configurations_become_runs_which_are_undone(
    qtbot: QtBot, window: MainWindow, written: ChangedLog
) -> None:
    page, before = compare(qtbot, window, written), len(window.workbench.study.runs)
    click(qtbot, page.show_runs)
    settle(window)
    assert window.view.options.view == ALL
    runs = window.workbench.study.runs[before:]
    assert [window.workbench.study.name(run) for run in runs] == ["before", "after"]
    for run, schedule in zip(runs, (page.look.answer.first, page.look.answer.second), strict=True):
        live = window.workbench.live_run(run.id)
        assert live is not None
        assert live.schedule is not None
        assert live.schedule.start.tolist() == schedule.start.tolist()
    page.runs_wanted.emit()  # they are there already
    assert len(window.workbench.study.runs) == before + 2
    window.workbench.edits.undo()
    window.workbench.edits.undo()
    assert len(window.workbench.study.runs) == before


def test_a_report_of_the_window_tells_the_change_first(
    qtbot: QtBot, window: MainWindow, written: ChangedLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.report.make.FIGURES", ())
    page, folder = compare(qtbot, window, written), written.log.parent / "report"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(folder), ""))
    window.menus.reporter.ask()
    settle(window)
    text = unescape((folder / "index.html").read_text("utf-8"))
    assert page.sentence.text() in text
    assert (folder / "tables" / "change.csv").is_file()
