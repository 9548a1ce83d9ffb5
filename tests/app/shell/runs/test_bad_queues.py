"""Site files and commands that are wrong, in the window: a clear note, and the rest works."""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.model import queue_source
from app.model.settings import NowSettings, Settings
from app.shell.window import MainWindow
from tests.app.shell.test_now import CONF, HEAD, QUEUE
from tests.app.windows import click, settle


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with a site's configuration, and another one with the print of its queue."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "slurm.conf").write_text(CONF)
    (tmp_path / "queue.txt").write_text(HEAD + QUEUE)
    return folder


def _show(window: MainWindow, site: Path) -> Any:
    window.now.open(site.parent / "queue.txt", site)
    settle(window)
    return window.page.views["now"]


def _run(window: MainWindow, code: str) -> Any:
    window.now.run(f"{sys.executable} -c {json.dumps(code)}")
    settle(window)
    return window.page.views["now"]


def test_a_half_written_configuration_is_reported_and_what_was_shown_stays(
    make_window: Callable[..., MainWindow], site: Path
) -> None:
    window = make_window()
    page = _show(window, site)
    assert not page.error.isVisible()
    (site / "slurm.conf").write_text(
        CONF.partition("PartitionName=batch")[0] + "PartitionName=batch Nodes=a[1-"
    )
    window.now.refresh()
    settle(window)
    assert page.error.isVisible()
    assert "slurm.conf" in page.error.text()
    assert "a[1-" in page.error.text()
    assert len(page.table.lines()) == 4


def test_files_that_contradict_each_other_or_end_in_the_middle_are_named(
    make_window: Callable[..., MainWindow], site: Path
) -> None:
    (site / "slurm.conf.old").write_text(CONF.replace("CPUs=4", "CPUs=64"))
    (site / "dump.cfg").write_text(
        "Cluster - 'k'\nParent - 'root'\nAccount - 'physics':Fairshare=5\nParent - 'phy"
    )
    page = _show(make_window(), site)
    assert not page.error.isVisible()
    shown = page.message.text()
    assert "slurm.conf.old: not read; slurm.conf counts, which says something else" in shown
    assert "dump" in shown
    assert len(page.table.lines()) == 4


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import sys; sys.exit('no route to host')", "no route to host"),
        ("print('<html>502 Bad Gateway</html>')", "'<html>502 Bad Gateway</html>' begins no queue"),
        ("import sys; sys.stdout.buffer.write(bytes(range(256)) * 99)", "begins no queue"),
        ("pass", "it printed nothing"),
    ],
)
def test_a_command_that_prints_something_else_is_reported(
    make_window: Callable[..., MainWindow], site: Path, code: str, why: str
) -> None:
    window = make_window()
    page = _show(window, site)
    _run(window, code)
    assert page.error.isVisible()
    assert why in page.error.text()
    assert len(page.error.text()) < 300
    assert len(page.table.lines()) == 4


def test_a_command_that_is_missing_or_hangs_is_reported(
    make_window: Callable[..., MainWindow], site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    page = _show(window, site)
    window.now.run("squeue-that-is-not-there --json")
    settle(window)
    assert "squeue-that-is-not-there --json: cannot be run (No such file or directory)" in page.error.text()
    whole = queue_source.output_of
    monkeypatch.setattr(queue_source, "output_of", lambda *given, **more: whole(given[0], 0.5, **more))
    _run(window, "import time; time.sleep(50)")
    assert "no end after 0.5 s" in page.error.text()
    assert len(page.table.lines()) == 4


def test_a_clock_that_differs_is_reported(
    qtbot: QtBot, make_window: Callable[..., MainWindow], site: Path
) -> None:
    window = make_window(Settings(theme="light", now=NowSettings(site=str(site))))
    late = int(time.time()) - 7200
    job = {"job_id": 2, "job_state": "PENDING", "partition": "batch", "cpus": 4, "time_limit": 20}
    page = _run(
        window, f"print({json.dumps({'jobs': [job], 'last_update': late})!r})".replace('"', "\\u0022")
    )
    assert page.error.text() == ""
    assert "the clock of its machine differs from this one's by 2 h" in page.message.text()
    assert len(page.table.lines()) == 2
    click(qtbot, page.refresh)
    settle(window)
    assert "differs from this one's by 2 h" in page.message.text()
