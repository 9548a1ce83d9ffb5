"""Names of files, users and policies are shown as they are, whatever they look like."""

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTableView,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.model.settings import Settings
from app.shell.window import MainWindow
from engine.policy.policy import parse_policy
from engine.reading.options import Reading
from engine.shown_text import printable
from tests.app.windows import compared, settle, show_tab
from views.data.selection import Selection

MARKUP = "<h1>big<img src=x>"


def test_nothing_in_a_window_takes_a_name_for_markup(
    qtbot: QtBot, make_window: Callable[..., MainWindow], site: Path, tmp_path: Path
) -> None:
    log, shares = tmp_path / f"{MARKUP}.swf", tmp_path / f"{MARKUP}.csv"
    site.rename(log)
    shares.write_text("user,share\n1,2\n")
    policies = ["easy", f"fairshare-easy:shares={shares}"]
    window = make_window(Settings(theme="light", policies=policies, recent=[str(log)]))
    window.open_path(log)
    settle(window)
    window.show_view("all")
    settle(window)
    labels = [label for label in window.findChildren(QLabel) if MARKUP in label.text()]
    assert window.status.trace in labels
    for label in labels:
        assert label.textFormat() == Qt.TextFormat.PlainText or plain(label.text()).count(MARKUP), label
    tips = [part.toolTip() for part in window.findChildren(QWidget) if "img src" in part.toolTip()]
    assert tips
    for tip in tips:
        assert MARKUP in plain(tip), tip


def plain(rich: str) -> str:
    """What Qt shows of a text with markup."""
    document = QTextDocument()
    document.setHtml(rich)
    return document.toPlainText()


HOSTILE = (MARKUP, "\u202eevil", "\x1b[31mred", "two\nlines", "back\\slash", "x" * 10_000)


def test_nothing_in_a_window_shows_a_name_raw(
    qtbot: QtBot, make_window: Callable[..., MainWindow], tmp_path: Path
) -> None:
    log = tmp_path / "lo\u202eg\x1b.csv"
    with log.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["job_id", "submit", "runtime", "walltime", "procs", "user", "group", "queue", "wait"])
        for k in range(48):
            user, account, queue = (HOSTILE[(k + shift) % len(HOSTILE)] for shift in range(3))
            rows.writerow([f"{k}{user[:9]}", 60 * k, 500, 600, 8, user, account, queue, 5 + k])
    window = make_window(Settings(theme="light", policies=["easy"], recent=[str(log)]))
    assert window.opener.open_as(log, Reading(machine="16c"))
    settle(window)
    window.workbench.rename_run(1, "ru\u202en\x1b<b>")
    window.show_view("all")
    settle(window)
    for tab in ("Users", "Jobs", "Queues", "Accounts"):
        show_tab(qtbot, window, tab)
        settle(window)
    for picked in (Selection(users=frozenset({0, 1, 2, 3})), Selection(jobs=frozenset({1}))):
        window.selection.select(picked)
        settle(window)
    seen = set(texts_of(window))
    assert any("\\u202eevil" in text for text in seen)
    assert any("back\\\\slash" in text for text in seen)
    # Lines may break at the one, and the other is a picture.
    shown = {text.replace("\u200b", "").replace("\ufffc", "") for text in seen}
    raw = sorted(text for text in shown if printable(text) != text)
    assert not raw
    assert not [text[:200] for text in seen if len(text) > 5000]


def texts_of(window: QWidget) -> Iterator[str]:
    """The words of widgets, their tooltips, and the cells of tables."""
    for part in (window, *window.findChildren(QWidget)):
        yield from (part.windowTitle(), part.toolTip(), part.accessibleName(), part.accessibleDescription())
        if isinstance(part, QLabel | QAbstractButton | QLineEdit):
            yield part.text()
        if isinstance(part, QComboBox):
            yield from (part.itemText(k) for k in range(part.count()))
        if isinstance(part, QTextEdit | QPlainTextEdit):
            yield part.toPlainText()
        if isinstance(part, QTableView):
            yield from cells_of(part)
    yield from (action.text() for action in window.findChildren(QAction))


def cells_of(view: QTableView) -> Iterator[str]:
    model = view.model()
    rows, columns = min(model.rowCount(), 20), model.columnCount()
    for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
        for row in range(rows):
            yield str(model.headerData(row, Qt.Orientation.Vertical, role) or "")
            yield from (str(model.index(row, k).data(role) or "") for k in range(columns))
        for k in range(columns):
            yield str(model.headerData(k, Qt.Orientation.Horizontal, role) or "")


def test_runs_of_the_same_policy_are_called_apart_everywhere(fresh_window: MainWindow) -> None:
    window = fresh_window
    for _ in range(2):
        window.workbench.add_run(parse_policy("easy"))
    settle(window)
    listed = [window.workbench.study.name(run) for run in window.workbench.study.runs]
    assert listed[-2:] == ["easy (2)", "easy (3)"]
    results = [run.result for run in window.workbench.finished()]
    assert [result.name for result in results] == listed
    assert [result.own_name for result in results] == listed
    assert [result.description for result in results] == listed
    assert compared(window) == listed
    window.show_view("difference")
    settle(window)
    boxes = [box for box in window.page.findChildren(QComboBox) if box.findText("easy (2)") >= 0]
    assert len(boxes) >= 2, "the two runs of the difference"
    window.workbench.remove_run(window.workbench.study.runs[-2].id)
    settle(window)
    assert [run.result.name for run in window.workbench.finished()] == [*listed[:-2], "easy (2)"]
