"""Files that are dropped on a window: logs are opened, schedules of the open trace are added to it."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from app.export.output import write_table
from app.shell.window import MainWindow
from engine.quantities.job_table import schedule_table
from engine.reading.options import Reading
from engine.schedule.write import write_swf
from tests.app.shell.test_start import MakeWindow, drop, messages_of
from tests.app.windows import EASY, FCFS, click, schedule_of, settle, site_log, trace_of
from tests.paths import SHARED, needs

BATSIM = SHARED / "other-formats/batsim-workload.json"


@pytest.fixture
def easy(window: MainWindow, tmp_path: Path) -> Path:
    """The file that `simulate -o` writes."""
    path = tmp_path / "easy.csv"
    write_table(schedule_table(schedule_of(window, EASY)), path)
    return path


def runs(window: MainWindow) -> list[str]:
    """What the runs are called."""
    study = window.workbench.study
    return [study.name(run) for run in study.runs]


def answer(window: MainWindow, text: str) -> QPushButton:
    """The button of a message that says this."""
    (button,) = (
        each_button for each_button in window.messages.findChildren(QPushButton) if each_button.text() == text
    )
    return button


def test_a_schedule_of_the_open_trace_is_added_to_its_runs(window: MainWindow, easy: Path) -> None:
    before, many = trace_of(window), len(runs(window))
    assert drop(window, easy)
    settle(window)
    assert trace_of(window) is before
    assert window.windowTitle().startswith("site")
    assert len(runs(window)) == many + 1
    assert runs(window)[-1] == "easy.csv"
    added = window.workbench.study.runs[-1].id
    assert schedule_of(window, added).start.tolist() == schedule_of(window, EASY).start.tolist()
    assert "easy.csv is a schedule of the open trace: it was added to the runs." in messages_of(window)
    window.workbench.edits.undo()
    settle(window)
    assert len(runs(window)) == many


def test_who_wanted_the_log_opens_it_and_nothing_is_asked(
    qtbot: QtBot, window: MainWindow, easy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    drop(window, easy)
    settle(window)
    monkeypatch.setattr(QMessageBox, "question", lambda *_, **__: asked.append(_))
    click(qtbot, answer(window, "Open it as a log"))
    settle(window)
    assert window.windowTitle() == "easy – Batchscope"
    assert not asked
    assert "easy.csv" not in runs(window)


def test_several_schedules_are_added_together(window: MainWindow, easy: Path, tmp_path: Path) -> None:
    other = tmp_path / "fcfs.parquet"
    write_table(schedule_table(schedule_of(window, FCFS)), other)
    many = len(runs(window))
    drop(window, easy, other)
    settle(window)
    assert runs(window)[many:] == ["easy.csv", "fcfs.parquet"]


def test_a_table_beside_another_log_is_opened_as_one(window: MainWindow, easy: Path, tmp_path: Path) -> None:
    wanted: list[Path] = []
    window.another_wanted.connect(wanted.append)
    drop(window, site_log(tmp_path, "other.swf", jobs=50), easy)
    settle(window)
    assert window.windowTitle() == "other – Batchscope"
    assert wanted == [easy]


def test_logs_stay_logs(window: MainWindow, easy: Path, tmp_path: Path) -> None:
    swf = tmp_path / "copy.swf"  # a log with all that one has
    write_swf(schedule_of(window, EASY), swf)
    drop(window, swf)
    settle(window)
    assert window.windowTitle() == "copy – Batchscope"
    site_log(tmp_path, "other.swf", jobs=50)
    window.open_path(tmp_path / "other.swf")
    settle(window)
    drop(window, easy)  # of other jobs, which are called alike
    settle(window)
    assert window.windowTitle() == "easy – Batchscope"
    many = len(runs(window))
    copy = tmp_path / "again.csv"
    copy.write_bytes(easy.read_bytes())
    drop(window, copy)  # again: it is what is open
    settle(window)
    assert window.windowTitle() == "again – Batchscope"
    assert len(runs(window)) == many


def test_the_open_log_is_read_anew_where_it_has_other_starts_now(window: MainWindow, tmp_path: Path) -> None:
    for run in (EASY, FCFS):
        path = tmp_path / f"{run}.csv"
        write_table(schedule_table(schedule_of(window, run)), path)
    window.open_path(tmp_path / f"{EASY}.csv")
    settle(window)
    before, many = trace_of(window), len(runs(window))
    (tmp_path / f"{FCFS}.csv").replace(tmp_path / f"{EASY}.csv")
    drop(window, tmp_path / f"{EASY}.csv")
    settle(window)
    assert len(runs(window)) == many
    assert trace_of(window).wait.tolist() != before.wait.tolist()


def test_nothing_open_takes_a_schedule_for_a_log(
    window: MainWindow, easy: Path, make_window: MakeWindow
) -> None:
    empty = make_window()
    drop(empty, easy)
    settle(empty)
    assert empty.windowTitle() == "easy – Batchscope"


def test_schedules_may_come_together_with_their_log(
    window: MainWindow, easy: Path, make_window: MakeWindow, tmp_path: Path
) -> None:
    empty, wanted = make_window(), list[Path]()
    empty.another_wanted.connect(wanted.append)
    fcfs = tmp_path / "fcfs.parquet"
    write_table(schedule_table(schedule_of(window, FCFS)), fcfs)
    log = site_log(tmp_path, "site.swf")
    drop(empty, easy, log, fcfs)
    settle(empty)
    assert empty.windowTitle().startswith("site")
    assert runs(empty)[-2:] == ["easy.csv", "fcfs.parquet"]
    assert not wanted


def test_a_table_of_a_log_that_cannot_be_read_is_not_kept_for_the_next(
    easy: Path, make_window: MakeWindow, tmp_path: Path
) -> None:
    empty = make_window()
    bad = tmp_path / "bad.swf"
    bad.write_bytes(b"\x00\x01 this is no log\n" * 9)
    drop(empty, bad, easy)
    with pytest.raises(Exception, match=r"bad\.swf"):
        settle(empty)
    empty.open_path(site_log(tmp_path, "site.swf"))
    settle(empty)
    assert "easy.csv" not in runs(empty)


def test_nor_is_one_whose_log_was_not_opened_since_the_reader_stays(
    window: MainWindow, easy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted: list[Path] = []
    window.another_wanted.connect(wanted.append)
    window.workbench.remove_run(EASY)
    log = site_log(tmp_path, "other.swf", jobs=50)
    monkeypatch.setattr("app.session.opener.may_leave", lambda *_: False)
    drop(window, log, easy)
    session = window.keeper.session()
    assert session is not None
    assert window.opener.open_as(Path(session.source.path), Reading(jobs="0:200"))
    settle(window)
    assert "easy.csv" not in runs(window)
    assert not wanted


def test_what_is_no_table_is_reported(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(b"\x00\x01 this is not a table\n" * 9)
    before = trace_of(window)
    drop(window, path)
    with pytest.raises(Exception, match=r"bad\.csv"):
        settle(window)
    assert trace_of(window) is before
    assert "bad.csv" in messages_of(window)


@needs(BATSIM)
def test_schedules_of_batsim_are_added_to_its_workload(make_window: MakeWindow) -> None:
    window = make_window()
    schedules = [BATSIM.with_name(f"batsim-{policy}-out_jobs.csv") for policy in ("easy", "conservative")]
    drop(window, schedules[0], BATSIM)
    settle(window)
    drop(window, schedules[1])
    settle(window)
    assert runs(window)[-2:] == ["batsim-easy-out_jobs.csv", "batsim-conservative-out_jobs.csv"]
    assert trace_of(window).name == "batsim-workload"
