"""A link to a view opens the same view on the same log, and nothing else."""

import base64
import json
import shlex
import shutil
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.model.documents.document import SavedRun, Session, Source
from app.model.file_kinds import LINK_MARK, FileKind, known_files
from app.model.reading import source_of
from app.session.link import LONGEST_LINK, link_line, path_of_line, read_linked_study
from app.shell.window import MainWindow
from engine.errors import InputError
from engine.filter import parse_filter
from engine.policy.policy import parse_policy
from engine.simulation.control import Control
from tests.app.cli.commands import HEADER
from tests.app.session.sessions import CONTROL, SHIFT
from tests.app.windows import settle, trace_of
from tests.engine.logs.lines import line, write_log
from views.data.marks import TimeMark
from views.state.filter import Filter

MakeWindow = Callable[..., MainWindow]


def copied(qtbot: QtBot, window: MainWindow) -> Path:
    """The link that the key of the command puts on the clipboard."""
    QGuiApplication.clipboard().clear()
    qtbot.keyClick(window, Qt.Key.Key_L, CONTROL | SHIFT)
    line = QGuiApplication.clipboard().text()
    command, path = shlex.split(line)
    assert command == "batchscope"
    assert path_of_line(line) == Path(path)
    return Path(path)


def shown(window: MainWindow) -> tuple[object, ...]:
    """All that a link promises to bring back."""
    study, workbench = window.workbench.study, window.workbench
    runs = [(run.id, run.policy, run.cluster, run.title) for run in study.runs]
    state = window.clock.window, window.clock.rows, window.selection.value, window.filter.value
    return runs, state, window.view.options, workbench.share


def made(text: object) -> str:
    """The part of a link behind the mark, of any document."""
    packed = zlib.compress(json.dumps(text).encode())
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def small_log(folder: Path) -> Path:
    return write_log(folder / "log.swf", *HEADER, line(1), line(2))


def linked(log: Path, **fields: object) -> Path:
    """A link to a session of a log."""
    session = Session(source=source_of(log), runs=(SavedRun(1, "easy"),))
    path = path_of_line(link_line(replace(session, **fields)))  # type: ignore[arg-type]  # by their names
    assert path is not None
    return path


def test_a_link_opens_the_same_view_elsewhere(
    qtbot: QtBot, make_window: MakeWindow, window: MainWindow, tmp_path: Path
) -> None:
    workbench = window.workbench
    workbench.remove_run(2)
    workbench.add_run(parse_policy("easy with walltime_cap=4h"))
    workbench.rename_run(1, "as it is")
    workbench.set_share("1/10")
    settle(window)
    window.selection.select_job(trace_of(window), 7)
    window.filter.set(Filter(parse_filter("procs > 1"), hides=True))
    marks = (TimeMark("here & there", "", 120_000.0, 120_000.0),)
    window.view.choose(view="waits", rows="nodes", marks=marks, compared=(1, 3))
    window.clock.set_window(90_000, 200_000, (0.5, 1.0))
    settle(window)
    before, path = shown(window), copied(qtbot, window)
    log = Path(workbench_path := str(path).partition(LINK_MARK)[0])
    assert len(str(path)) - len(workbench_path) < 1500  # fits a line of a mail
    elsewhere = tmp_path / "elsewhere" / log.name
    elsewhere.parent.mkdir()
    for file in (log, log.with_name(log.name + ".machines")):
        shutil.copy(file, elsewhere.parent) if file.exists() else None
    other = make_window()
    other.settings.view = replace(other.settings.view, rows="users")  # what its reader likes counts less
    other.open_path(Path(f"{elsewhere}{LINK_MARK}{str(path).partition(LINK_MARK)[2]}"))
    settle(other)
    assert shown(other) == before
    assert not other.keeper.dirty
    assert other.settings.recent[0] == str(elsewhere)
    assert str(copied(qtbot, other)) == str(path).replace(str(log), str(elsewhere))


def test_a_default_view_is_the_same_for_those_who_like_another(
    make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window()
    window.view.choose(view="waits")
    window.open_path(linked(small_log(tmp_path)))
    settle(window)
    assert window.view.options.view == "all"


def test_the_link_on_the_clipboard_is_opened_by_its_command(make_window: MakeWindow, tmp_path: Path) -> None:
    window, log = make_window(), small_log(tmp_path)
    opening = window.menus.offered.actions["open link"]
    QGuiApplication.clipboard().setText("batchscope 'no link")
    opening.trigger()
    assert window.messages.newest.text.text() == "The clipboard has no link to a view"
    QGuiApplication.clipboard().setText(f"batchscope '{linked(log)}'")
    opening.trigger()
    settle(window)
    assert [run.policy.spelling for run in window.workbench.study.runs] == ["easy"]


def test_another_log_is_refused_and_the_open_one_stays(window: MainWindow, tmp_path: Path) -> None:
    log = small_log(tmp_path)
    link, before = linked(log), window.workbench.study
    write_log(log, *HEADER, line(1), line(3))
    window.open_path(link)
    with pytest.raises(InputError):
        settle(window)
    assert (
        window.messages.newest.text.text()
        == f"{log}: this is another log than that of the link, which has other contents"
    )
    assert window.workbench.study is before


def test_a_file_with_the_mark_in_its_name_is_that_file(tmp_path: Path) -> None:
    link = linked(small_log(tmp_path))
    (known,) = known_files([link])
    assert known.kind is FileKind.LINK
    named = link.with_name(f"log.swf{LINK_MARK}short")
    named.write_bytes(small_log(tmp_path).read_bytes())
    (known,) = known_files([named])
    assert known.kind is FileKind.LOG
    (inside,) = known_files([linked(named)])  # a link to that file
    assert inside.kind is FileKind.LINK
    assert read_linked_study(inside.path, Control()).path == named


def test_code_in_a_link_is_not_run(tmp_path: Path) -> None:
    ran, mine = tmp_path / "ran", tmp_path / "mine.py"
    mine.write_text(
        f"open({str(ran)!r}, 'w').close()\n"
        "import batchscope\n@batchscope.order\ndef f(jobs, now, machine): ...\n"
    )
    runs = (SavedRun(1, "easy"), SavedRun(2, f"{mine}:f"))
    opened = read_linked_study(linked(small_log(tmp_path), runs=runs), Control())
    assert [run.policy.spelling for run in opened.study.runs] == ["easy"]
    (doubt,) = opened.doubts
    assert doubt.startswith(f"a run was left out: {mine} is a program of somebody's own")
    assert not ran.exists()


@pytest.mark.parametrize(
    "text", ["", "x", "a-b_c", made([1]), made("x" * (9 << 20)), "A" * (LONGEST_LINK + 1)]
)
def test_a_damaged_link_is_a_sentence(tmp_path: Path, text: str) -> None:
    log = small_log(tmp_path)
    with pytest.raises(InputError) as error:
        read_linked_study(Path(f"{log}{LINK_MARK}{text}"), Control())
    assert str(error.value) in (
        f"{log}: the link to a view of it is damaged or cut off",
        f"{log}: this is not a session of Batchscope",
    )


def test_links_of_newer_versions_and_to_missing_logs_are_refused(tmp_path: Path) -> None:
    log = small_log(tmp_path)
    newer = Path(f"{log}{LINK_MARK}{made({'format': 999, 'program': '77.0'})}")
    with pytest.raises(InputError, match=r"a newer Batchscope \(77.0\) made the link"):
        read_linked_study(newer, Control())
    link = linked(log)
    log.unlink()
    with pytest.raises(
        InputError, match="no such file; in the link, name your copy of this log before the #"
    ):
        read_linked_study(link, Control())


def test_the_log_is_also_found_in_the_present_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = linked(small_log(tmp_path))
    (there := tmp_path / "there").mkdir()
    (tmp_path / "log.swf").rename(there / "log.swf")
    monkeypatch.chdir(there)
    assert read_linked_study(link, Control()).source.path == str(there / "log.swf")


def test_a_view_that_is_too_much_is_refused(qtbot: QtBot, window: MainWindow) -> None:
    session = window.keeper.session()
    assert session is not None
    runs = tuple(
        SavedRun(number, "easy", title=f"{hash(number * 7919)}-{number**9}") for number in range(1, 3000)
    )
    with pytest.raises(InputError, match="too much for a link"):
        link_line(replace(session, runs=runs))


def test_the_example_is_found_wherever_it_is_installed() -> None:
    session = Session(
        source=Source(path="/nowhere/example.swf.gz", example=True), runs=(SavedRun(1, "fcfs"),)
    )
    link = path_of_line(link_line(session))
    assert link is not None
    assert read_linked_study(link, Control()).source.example
