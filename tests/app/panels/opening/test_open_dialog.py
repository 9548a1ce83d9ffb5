"""Opening with options: how many jobs each leaves, columns of tables, and what is remembered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from app.model.settings import Settings, load_settings, save_settings
from app.panels.opening.open_dialog import OpenDialog
from app.session.archive import read_session
from app.shell.window import MainWindow
from engine.logs.sacct.prints.fields import LAYOUTS
from engine.reading.options import Reading
from tests.app.session.sessions import save_as
from tests.app.windows import open_dialog, settle, trace_of
from tests.engine.logs.lines import line, write_log
from tests.engine.logs.sacct.dumps import clock
from tests.fuzz import samples

OPEN = QDialogButtonBox.StandardButton.Open
ODD = """Queued at,Ran,Cores,Who,Kind
2024-01-02 10:00:00,01:00:00,4,ann,a
2024-01-02 10:05:00,00:30:00,8,bob,b
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    lines = [
        line(k, submit=100 * k, runtime=60, walltime=40, procs=4 * (k % 3 + 1), user=str(k % 2))
        for k in range(1, 9)
    ]
    lines[4] = line(5, submit=500, runtime=60, walltime=40, procs=12, user="1", preceding=1, think_time=10)
    lines.append(line(9, submit=900, runtime=0, procs=1))
    return write_log(tmp_path / "some.swf", *lines)


@pytest.fixture
def opened() -> list[tuple[Path, Reading, bool]]:
    return []


@pytest.fixture
def settings() -> Settings:
    return Settings()


@pytest.fixture
def dialog(
    qtbot: QtBot, look: None, log: Path, settings: Settings, opened: list[tuple[Path, Reading, bool]]
) -> Iterator[OpenDialog]:
    yield from make(qtbot, log, settings, opened)


def make(
    qtbot: QtBot, path: Path, settings: Settings, opened: list[tuple[Path, Reading, bool]]
) -> Iterator[OpenDialog]:
    def open_log(path: Path, reading: Reading, ready: object) -> bool:
        opened.append((path, reading, ready is not None))
        return True

    dialog = OpenDialog(path, settings, open_log)
    qtbot.addWidget(dialog)
    dialog.show()
    wait(qtbot, dialog)
    yield dialog
    dialog.reject()


def wait(qtbot: QtBot, dialog: OpenDialog) -> None:
    """Until what is chosen has been looked at."""
    qtbot.waitUntil(lambda: not (dialog._waiting.isActive() or dialog.preview.executor.busy), timeout=60_000)


def is_whole(dialog: OpenDialog) -> bool:
    """Whether the message below the pages has room for all of its lines."""
    QApplication.processEvents()
    message = dialog.message
    return message.height() >= message.heightForWidth(message.width())


def write(qtbot: QtBot, dialog: OpenDialog, name: str, text: str) -> None:
    field = dialog.form.fields[name]
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text) if text else qtbot.keyClick(field, Qt.Key.Key_Delete)
    wait(qtbot, dialog)


def counts(dialog: OpenDialog) -> dict[str, str]:
    return {option: label.text() for option, label in dialog.form.left.items() if label.text()}


def test_each_option_tells_how_many_jobs_it_leaves(qtbot: QtBot, dialog: OpenDialog) -> None:
    assert counts(dialog) == {"log": "9", "clean": "8", "machine": "8"}
    assert "8 of 9 records" in dialog.message.text()
    assert dialog.form.fields["jobs"].placeholderText() == "0:8"
    write(qtbot, dialog, "users", "1")
    write(qtbot, dialog, "start", "300")
    write(qtbot, dialog, "measure", "500:")
    assert counts(dialog) == {
        "log": "9",
        "clean": "8",
        "from": "6",
        "users": "3",
        "machine": "3",
        "measure": "2",
    }
    write(qtbot, dialog, "machine", "4c")
    assert counts(dialog)["machine"] == "1"
    assert "2 jobs of them too large" in dialog.message.text()


def test_cleaning_is_switched_and_says_how_many_it_met(qtbot: QtBot, dialog: OpenDialog) -> None:
    rule = dialog.form.rules["drop_no_runtime"]
    assert rule.text().endswith("(1)")
    rule.setFocus()
    qtbot.keyClick(rule, Qt.Key.Key_Space)
    wait(qtbot, dialog)
    assert dialog.reading == Reading(clean=("drop_no_runtime=off",))
    assert counts(dialog)["clean"] == "9"


def test_dependencies_are_switched_on_and_say_how_many_jobs_follow_others(
    qtbot: QtBot, dialog: OpenDialog, opened: list[tuple[Path, Reading, bool]]
) -> None:
    box = dialog.form.dependencies
    assert box.text().endswith("(1)")
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Space)
    wait(qtbot, dialog)
    assert dialog.reading == Reading(dependencies="on")
    qtbot.mouseClick(dialog.buttons.button(OPEN), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(opened))
    assert opened[0][1].dependencies == "on"


def test_an_error_is_reported_at_its_field_and_cannot_be_opened(qtbot: QtBot, dialog: OpenDialog) -> None:
    write(qtbot, dialog, "users", "nobody")
    assert "there is no user 'nobody'" in dialog.message.text()
    assert counts(dialog) == {"users": "!"}
    assert not dialog.buttons.button(OPEN).isEnabled()
    write(qtbot, dialog, "users", "")
    assert dialog.buttons.button(OPEN).isEnabled()


def test_the_log_is_read_once_and_opened_as_it_was_read(
    qtbot: QtBot,
    dialog: OpenDialog,
    log: Path,
    settings: Settings,
    opened: list[tuple[Path, Reading, bool]],
) -> None:
    log.unlink()
    write(qtbot, dialog, "jobs", "2:5")
    assert counts(dialog)["jobs"] == "3"
    qtbot.keyClick(dialog.form.fields["jobs"], Qt.Key.Key_Return)
    assert opened == [(log, Reading(jobs="2:5"), True)]
    assert settings.readings == {str(log.resolve()): Reading(jobs="2:5")}
    assert not dialog.isVisible()


def test_options_are_remembered_for_a_file_and_cleaning_for_all(
    qtbot: QtBot, look: None, log: Path, tmp_path: Path, opened: list[tuple[Path, Reading, bool]]
) -> None:
    settings = load_settings()
    settings.remember_reading(log, Reading(jobs="0:5", clean=("clamp_procs=off",)))
    settings.remember_columns("a,b", 'submit = "a"\n')
    save_settings(settings)
    settings = load_settings()
    assert settings.columns == {"a,b": 'submit = "a"\n'}
    for dialog in make(qtbot, log, settings, opened):
        assert dialog.reading == Reading(jobs="0:5", clean=("clamp_procs=off",))
        qtbot.mouseClick(dialog.defaults, Qt.MouseButton.LeftButton)
        assert dialog.reading == Reading()
    other = write_log(tmp_path / "other.swf", line(1))
    for dialog in make(qtbot, other, settings, opened):
        assert dialog.reading == Reading(clean=("clamp_procs=off",))


def test_further_files_are_read_as_one_log(
    qtbot: QtBot, dialog: OpenDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = write_log(tmp_path / "more.swf", line(20, submit=2000, runtime=5, procs=1))
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_, **__: ([str(more)], ""))
    qtbot.mouseClick(dialog.add, Qt.MouseButton.LeftButton)
    wait(qtbot, dialog)
    assert counts(dialog)["log"] == "10"
    assert dialog.reading.further == ("more.swf",)
    assert dialog.files.text() == "some.swf and 1 further file"


def test_columns_of_a_table_are_guessed_shown_as_jobs_and_remembered(
    qtbot: QtBot, look: None, tmp_path: Path, settings: Settings, opened: list[tuple[Path, Reading, bool]]
) -> None:
    (tmp_path / "odd.csv").write_text(ODD, "utf-8")
    for dialog in make(qtbot, tmp_path / "odd.csv", settings, opened):
        fields, table = dialog.columns.fields, dialog.columns.table
        assert dialog.pages.currentWidget() is dialog.columns
        assert fields["submit"].currentText() == "Queued at"
        assert fields["queue"].currentIndex() == 0
        heads = [table.horizontalHeaderItem(k).text() for k in range(table.columnCount())]
        procs = heads.index("Processors")
        assert [table.item(row, procs).text() for row in range(2)] == ["4", "8"]
        assert table.item(1, heads.index("Runtime")).text() == "30 min"
        assert table.isColumnHidden(heads.index("Queue"))
        fields["queue"].setFocus()
        qtbot.keyClicks(fields["queue"], "Kind")
        wait(qtbot, dialog)
        assert [table.item(row, heads.index("Queue")).text() for row in range(2)] == ["a", "b"]
        qtbot.keyClick(fields["runtime"], Qt.Key.Key_Home)  # none
        wait(qtbot, dialog)
        assert "no column holds runtime" in dialog.message.text()
        assert not dialog.buttons.button(OPEN).isEnabled()
        qtbot.keyClicks(fields["runtime"], "Ran")
        wait(qtbot, dialog)
        qtbot.mouseClick(dialog.buttons.button(OPEN), Qt.MouseButton.LeftButton)
    assert 'queue = "Kind"' in opened[0][1].columns
    (tmp_path / "next.csv").write_text(ODD.replace("ann", "eve"), "utf-8")
    for dialog in make(qtbot, tmp_path / "next.csv", settings, opened):
        assert dialog.columns.fields["queue"].currentText() == "Kind"


def test_the_order_of_dates_is_asked_for_and_chosen(
    qtbot: QtBot, look: None, tmp_path: Path, settings: Settings, opened: list[tuple[Path, Reading, bool]]
) -> None:
    text = "submit,runtime,procs\n01/02/2024 10:00,60,4\n03/02/2024 10:00,60,4\n"
    (tmp_path / "dates.csv").write_text(text, "utf-8")
    for dialog in make(qtbot, tmp_path / "dates.csv", settings, opened):
        assert "do not show the order of day and month" in dialog.message.text()
        assert not dialog.buttons.button(OPEN).isEnabled()
        form = dialog.columns
        form.dates.setFocus()
        qtbot.keyClicks(form.dates, "month")
        wait(qtbot, dialog)
        heads = [form.table.horizontalHeaderItem(k).text() for k in range(form.table.columnCount())]
        submit = heads.index("Submit")
        assert [form.table.item(row, submit).text() for row in range(2)] == [
            "2024-01-02 10:00:00",
            "2024-03-02 10:00:00",
        ]
        qtbot.mouseClick(dialog.buttons.button(OPEN), Qt.MouseButton.LeftButton)
    assert 'dates = "mdy"' in opened[0][1].columns
    for dialog in make(qtbot, tmp_path / "dates.csv", settings, opened):
        assert dialog.columns.dates.currentData() == "mdy"


def test_a_doubtful_unit_is_asked_for_and_entered(
    qtbot: QtBot, look: None, tmp_path: Path, settings: Settings, opened: list[tuple[Path, Reading, bool]]
) -> None:
    jobs = (line(job=k, submit=k, runtime=3600, procs=1, walltime=120) for k in range(1, 9))
    path = write_log(tmp_path / "minutes.swf", *jobs)
    for dialog in make(qtbot, path, settings, opened):
        assert dialog.message.text().endswith("in s; enter it in Units, as walltime=min, or walltime=s")
        assert is_whole(dialog)
        field = dialog.form.fields["units"]
        assert field.isVisible()
        assert field.placeholderText() == "walltime=min"
        assert not dialog.buttons.button(OPEN).isEnabled()
        write(qtbot, dialog, "units", "walltime=min")
        assert counts(dialog) == {"log": "8", "clean": "8", "machine": "8"}
        qtbot.mouseClick(dialog.buttons.button(OPEN), Qt.MouseButton.LeftButton)
    assert opened[0][1] == Reading(units="walltime=min")
    for dialog in make(qtbot, path, settings, opened):
        assert dialog.form.fields["units"].text() == "walltime=min"
        assert dialog.form.fields["units"].isVisible()


def test_the_usual_unit_of_a_doubtful_column_can_be_chosen(
    qtbot: QtBot, look: None, tmp_path: Path, settings: Settings, opened: list[tuple[Path, Reading, bool]]
) -> None:
    path = tmp_path / "minutes.csv"
    path.write_text("submit,runtime,walltime,procs\n0,3600,120,4\n60,3600,120,4\n")
    for dialog in make(qtbot, path, settings, opened):
        assert "choose the unit beside its column, as walltime=min, or" in dialog.message.text()
        assert not dialog.form.fields["units"].isVisible()
        unit = dialog.columns.units["walltime"]
        unit.setFocus()
        qtbot.keyClick(unit, Qt.Key.Key_Down)  # letters within a moment are one search of the list
        assert unit.currentText() == "min"
        wait(qtbot, dialog)
        assert dialog.buttons.button(OPEN).isEnabled()
        qtbot.keyClick(unit, Qt.Key.Key_Up)
        assert unit.currentText() == "s"
        wait(qtbot, dialog)
        assert dialog.buttons.button(OPEN).isEnabled()
        qtbot.mouseClick(dialog.buttons.button(OPEN), Qt.MouseButton.LeftButton)
    assert 'walltime = "s"' in opened[0][1].columns


def test_whether_numbers_are_ids_is_asked_for_and_chosen(
    qtbot: QtBot, look: None, tmp_path: Path, settings: Settings, opened: list[tuple[Path, Reading, bool]]
) -> None:
    path = tmp_path / "ids.csv"
    path.write_text("submit,runtime,procs,nodes\n0,60,12,1\n0,60,0-3,1\n0,60,7,1\n")
    for dialog in make(qtbot, path, settings, opened):
        assert dialog.message.text().endswith("beside its column, as procs=ids, or procs=count")
        assert is_whole(dialog)
        assert not dialog.buttons.button(OPEN).isEnabled()
        form = dialog.columns
        heads = [form.table.horizontalHeaderItem(k).text() for k in range(form.table.columnCount())]
        assert form.table.item(0, heads.index("Nodes")).text() == "1"
        unit = form.units["procs"]
        unit.setFocus()
        qtbot.keyClicks(unit, "i")
        assert unit.currentText() == "ids"
        wait(qtbot, dialog)
        shown = [form.table.item(row, heads.index("Processors")).text() for row in range(3)]
        assert shown == ["1", "4", "1"]
        qtbot.mouseClick(dialog.buttons.button(OPEN), Qt.MouseButton.LeftButton)
    assert 'procs = "ids"' in opened[0][1].columns


def test_a_log_opened_with_options_keeps_them_in_its_session(
    qtbot: QtBot, window: MainWindow, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_, **__: (str(log), ""))
    qtbot.keyClick(
        window, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    dialog = open_dialog(window)
    assert isinstance(dialog, OpenDialog)
    wait(qtbot, dialog)
    write(qtbot, dialog, "users", "1")
    write(qtbot, dialog, "measure", "300:700")
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    settle(window)
    assert len(trace_of(window)) == 4
    assert trace_of(window).name == "some, users 1"
    assert window.view.options.measured == (300, 700)
    window.activateWindow()  # offscreen nothing else does, when a dialog closes
    qtbot.waitUntil(window.isActiveWindow)
    save_as(qtbot, window, tmp_path / "a", monkeypatch)
    assert read_session(tmp_path / "a.batchscope").reading == Reading(users="1", measure="300:700")
    window.open_path(log)
    settle(window)
    assert len(trace_of(window)) == 8
    window.open_path(tmp_path / "a.batchscope")
    settle(window)
    assert len(trace_of(window)) == 4
    assert window.view.options.measured == (300, 700)


def test_a_dropped_table_that_says_nothing_asks_for_its_columns(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    path = tmp_path / "odd.csv"
    path.write_text(ODD, "utf-8")
    drop(window, path)
    qtbot.waitUntil(
        lambda: any(each_dialog.isVisible() for each_dialog in window.findChildren(OpenDialog)),
        timeout=60_000,
    )
    dialog = open_dialog(window)
    assert isinstance(dialog, OpenDialog)
    assert "no column holds submit" in window.messages.shown[-1].text.text()
    wait(qtbot, dialog)
    qtbot.mouseClick(dialog.buttons.button(OPEN), Qt.MouseButton.LeftButton)
    settle(window)
    assert trace_of(window).name == "odd"
    assert trace_of(window).procs.tolist() == [4, 8]
    drop(window, path)
    settle(window)
    assert "read like those of an earlier table" in window.messages.shown[-1].text.text()


def drop(window: MainWindow, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    window.dropEvent(QDropEvent(QPointF(5, 5), copy, data, left, Qt.KeyboardModifier.NoModifier))
    QApplication.processEvents()


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A dump of sacct of 8 jobs that names no fields, but has those that warehouses collect."""
    path = tmp_path / "bare.txt"
    path.write_bytes(samples.SACCT_BARE)
    return path


def test_guessed_fields_are_shown_over_the_first_lines_and_confirmed(
    qtbot: QtBot, look: None, bare: Path, settings: Settings, opened: list[tuple[Path, Reading, bool]]
) -> None:
    for dialog in make(qtbot, bare, settings, opened):
        assert dialog.pages.currentWidget() is dialog.fields
        assert "No line of this log names its fields" in dialog.fields.about.text()
        table = dialog.fields.table
        heads = [table.horizontalHeaderItem(k).text() for k in range(table.columnCount())]
        assert heads[:4] == ["JobID", "JobIDRaw", "Cluster", "Partition"]
        assert [table.item(0, heads.index(name)).text() for name in ("User", "NCPUS")] == ["ann", "4"]
        assert "will be opened" in dialog.message.text()
        names = dialog.fields.names
        names.setText(names.text().replace("Group, GID, User", "User, GID, Group"))
        names.setFocus()
        qtbot.keyClicks(names, " ")
        wait(qtbot, dialog)
        assert "will be opened" in dialog.message.text()
        names.selectAll()
        qtbot.keyClicks(names, "JobID, Submit")
        wait(qtbot, dialog)
        assert "do not contain Start, End, NCPUS" in dialog.message.text()
        assert not dialog.buttons.button(OPEN).isEnabled()
        assert table.horizontalHeaderItem(5).text() == "?"
        qtbot.mouseClick(dialog.defaults, Qt.MouseButton.LeftButton)
        wait(qtbot, dialog)
        qtbot.mouseClick(dialog.buttons.button(OPEN), Qt.MouseButton.LeftButton)
    assert opened[0][1].fields == ",".join(LAYOUTS[0])
    assert opened[0][2]


def test_a_dropped_dump_with_guessed_fields_offers_to_look_at_them(
    qtbot: QtBot, window: MainWindow, bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QMessageBox, "question", lambda *_, **__: QMessageBox.StandardButton.Ok)
    drop(window, bare)
    settle(window)
    (message,) = (
        shown_item for shown_item in window.messages.shown if "they were guessed" in shown_item.text.text()
    )
    qtbot.mouseClick(message.answers["Check the fields…"], Qt.MouseButton.LeftButton)
    dialog = open_dialog(window)
    assert isinstance(dialog, OpenDialog)
    wait(qtbot, dialog)
    assert dialog.pages.currentWidget() is dialog.fields
    qtbot.mouseClick(dialog.buttons.button(OPEN), Qt.MouseButton.LeftButton)
    settle(window)
    assert not [
        shown_item for shown_item in window.messages.shown if "they were guessed" in shown_item.text.text()
    ]
    assert not [note for note in trace_of(window).notes if note.rule == "fields_guessed"]


def test_a_dropped_dump_of_unknown_fields_asks_for_them(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    path = tmp_path / "odd.txt"
    path.write_text("".join(f"ann|{k}|DONE|{clock(k)}|{clock(9)}|{clock(60)}|4\n" for k in range(1, 5)))
    drop(window, path)
    qtbot.waitUntil(
        lambda: any(each_dialog.isVisible() for each_dialog in window.findChildren(OpenDialog)),
        timeout=60_000,
    )
    dialog = open_dialog(window)
    assert isinstance(dialog, OpenDialog)
    wait(qtbot, dialog)
    assert dialog.pages.currentWidget() is dialog.fields
    assert not dialog.buttons.button(OPEN).isEnabled()
    assert dialog.message.text().endswith("and they are none that are known")
    assert is_whole(dialog)
    qtbot.keyClicks(dialog.fields.names, "User,JobID,State,Submit,Start,End,NCPUS")
    wait(qtbot, dialog)
    qtbot.mouseClick(dialog.buttons.button(OPEN), Qt.MouseButton.LeftButton)
    settle(window)
    assert len(trace_of(window)) == 4


def test_a_dropped_log_of_several_clusters_asks_for_one(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    path = tmp_path / "two.txt"
    rows = (f"{k}|{'ab'[k % 2]}|ann|{clock(k)}|{clock(9)}|{clock(60)}|4|COMPLETED\n" for k in range(1, 6))
    path.write_text("JobID|Cluster|User|Submit|Start|End|NCPUS|State\n" + "".join(rows))
    drop(window, path)
    qtbot.waitUntil(
        lambda: any(each_dialog.isVisible() for each_dialog in window.findChildren(OpenDialog)),
        timeout=60_000,
    )
    dialog = open_dialog(window)
    assert isinstance(dialog, OpenDialog)
    # The message and the dialog both say which clusters there are.
    said = window.messages.shown[-1].text.text()
    assert "two.txt has jobs of several clusters: a (2 jobs), b (3 jobs)" in said
    wait(qtbot, dialog)
    field = dialog.form.fields["clusters"]
    assert field.placeholderText() == "a (2 jobs), b (3 jobs)"
    text = dialog.message.text()
    assert "enter one of a (2 jobs), b (3 jobs) in Clusters" in text
    assert "--" not in text
    assert is_whole(dialog)
    assert field.isVisible()
    assert not dialog.buttons.button(OPEN).isEnabled()
    # One cluster is chosen, and its jobs alone are read.
    qtbot.keyClicks(field, "a")
    wait(qtbot, dialog)
    qtbot.mouseClick(dialog.buttons.button(OPEN), Qt.MouseButton.LeftButton)
    settle(window)
    assert len(trace_of(window)) == 2
