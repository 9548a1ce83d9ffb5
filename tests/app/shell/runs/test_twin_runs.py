"""What-ifs on a fitted site: estimates are ticked, the site is a run, and says how near it is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.export.provenance import Provenance
from app.model.settings import Settings
from app.panels.answer_dialog import AnswerDialog
from app.shell.window import MainWindow
from engine.machine.cluster import parse_cluster
from engine.policy.policy import parse_policy
from engine.shown_text import escaped
from tests.app.windows import click, settle
from tests.engine.logs.sacct.dumps import HEADER, clock, job

CONF = "NodeName=a CPUs=4\nPartitionName=batch Nodes=a\nSchedulerParameters=bf_interval=60\n"
VERDICT = "of the log (40 jobs; its delays were fitted to earlier jobs)"


@pytest.fixture
def window(
    make_window: Callable[..., MainWindow], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> MainWindow:
    """A log of 80 jobs, each alone and launched 7 s late, on the page of the twin."""
    # Each job ends before the next is submitted: no wait of the log is one for processors.
    rows = [
        job(
            JobID=k + 1,
            Submit=clock(44 * k),
            Start=clock(44 * k + 7),
            End=clock(44 * k + 17),
            Partition="batch",
            NodeList="a",
        )
        for k in range(80)
    ]
    (tmp_path / "site").mkdir()
    conf = tmp_path / "site" / "slurm.conf"
    conf.write_text(CONF)
    log = tmp_path / "sacct.txt"
    log.write_text("\n".join((HEADER, *rows, "")))
    # The site's file is asked for in a dialog, which the test answers.
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(conf), ""))
    window = make_window(Settings(theme="light", policies=["recorded"]))
    window.open_path(log)
    settle(window)
    window.show_view("twin")
    settle(window)
    window.page.views["twin"].site.click()
    settle(window)
    return window


def _fitted(qtbot: QtBot, window: MainWindow) -> Any:
    page = window.page.views["twin"]
    click(qtbot, page.fit)
    settle(window)
    return page


def test_each_estimate_is_accepted_or_refused(qtbot: QtBot, window: MainWindow) -> None:
    plain = window.page.views["twin"].look.schedule.start.tolist()
    page = _fitted(qtbot, window)
    launch = page.estimates.ticks[0]
    assert launch.text() == "Launch delay 6 s"
    assert launch.isChecked()
    assert page.show_run.text() == "Add the fitted site as a &run"
    fitted = page.look.schedule.start.tolist()
    assert fitted == [start + 6 for start in plain]
    click(qtbot, launch)
    settle(window)
    assert not launch.isChecked()
    assert page.look.schedule.start.tolist() == plain
    assert page.show_run.text() == "Show as a &run"
    click(qtbot, launch)
    settle(window)
    assert page.look.schedule.start.tolist() == fitted


def test_a_fitted_site_is_a_run_in_the_session(qtbot: QtBot, window: MainWindow) -> None:
    page = _fitted(qtbot, window)
    before = window.workbench.study
    click(qtbot, page.show_run)
    settle(window)
    study = window.workbench.study
    run = study.runs[-1]
    assert study.name(run) == "fitted site"
    live = window.workbench.live_run(run.id)
    assert live is not None
    assert live.schedule is not None
    assert live.schedule.start.tolist() == page.look.schedule.start.tolist()
    session = window.keeper.session()
    assert session is not None
    saved = session.runs[-1]
    assert saved.title == "fitted site"
    assert parse_policy(saved.policy) == run.policy
    window.workbench.edits.undo()
    assert len(window.workbench.study.runs) == len(before.runs)
    window.workbench.edits.redo()
    assert window.workbench.study.runs[-1].policy == run.policy


def test_every_what_if_carries_how_near_the_site_is(qtbot: QtBot, window: MainWindow) -> None:
    page = _fitted(qtbot, window)
    click(qtbot, page.show_run)
    settle(window)
    run = window.workbench.study.runs[-1]
    # Another machine: the number stays that of the site's own machine.
    window.workbench.change_run(run.id, run.policy, parse_cluster("2x4c"))
    settle(window)
    live = window.workbench.live_run(run.id)
    assert live is not None
    verdict = live.verdict
    assert verdict.startswith(f"a what-if of {escaped(run.policy.spelling)}: the model's mean wait is ")
    assert verdict.endswith(VERDICT)
    assert window.explore.note.text() == f"A{verdict[1:]}."
    panel = window.page.runs.panels[run.id]
    assert panel.gantt.title.startswith("fitted site: what-if; model's mean wait ")
    finished = window.workbench.finished()
    results = [each_run.result for each_run in finished]
    about = Provenance(results, None, None, (0.0, 1.0), "fair")
    assert f"fitted site: {verdict}" in about.note(timed=True).replace("\n", " ")
    assert dict(about.add_to([("k", [0])]))["accuracy"] == [f"fitted site: {verdict}"]
    dialog = AnswerDialog(window.executor, finished[-1:], 0, None, window)
    assert verdict in dialog.whole.toPlainText()
    dialog.reject()
    dialog.deleteLater()
