"""Spans of predicted starts in the window: calibrated on the open log, or by kept predictions, or neither."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.model.now_runner import _path_of
from app.shell.window import MainWindow
from engine.now import queue_forecast
from engine.now.span_claims import text_of
from engine.now.stored_predictions import Kept, read_kept, write_kept
from tests.app.windows import click, replay_times, settle
from tests.engine.logs.sacct.dumps import HEADER, job

CONF = "NodeName=a CPUs=4\nPartitionName=batch Nodes=a\nSchedulerParameters=bf_interval=30\n"
HEAD = """\
Sun Nov 29 10:00:00 2026
JOBID|PARTITION|USER|STATE|TIME|TIME_LIMIT|CPUS|NODES|NODELIST(REASON)|PRIORITY
"""
RUNNING = "{0}|batch|{1}|RUNNING|{2}|20:00|4|1|a|9\n"
WAITING = "{0}|batch|{1}|PENDING|0:00|20:00|4|1|(Resources)|9\n"


def _clock(seconds: int) -> str:
    return (datetime(2020, 1, 1, 12) + timedelta(seconds=seconds)).isoformat()


def _log(folder: Path, every: int = 55, count: int = 60) -> Path:
    """So many jobs on the only node, one every 55 s, which wait in turn for 0 to 30 s and run for 30 s."""
    rows = [
        job(
            JobID=k, User="ann", Account="physics", Partition="batch", Submit=_clock(every * k),
            Start=_clock(every * k + k % 4 * 10), End=_clock(every * k + k % 4 * 10 + 30),
            Timelimit="00:04:00", NCPUS=4, ReqCPUS=4, NNodes=1, NodeList="a",
        )
        for k in range(count)
    ]  # fmt: skip
    log = folder / "log.txt"
    log.write_text("\n".join((HEADER, *rows, "")))
    return log


def _queue(folder: Path, user: str) -> Path:
    site = folder / "site"
    site.mkdir()
    (site / "slurm.conf").write_text(CONF)
    queue = site / "queue.txt"
    queue.write_text(HEAD + RUNNING.format(101, user, "10:00") + WAITING.format(102, user))
    return queue


def _heads(window: MainWindow) -> list[str]:
    return [head.removesuffix(", s from now") for head in _page(window).table.lines()[0]]


def _page(window: MainWindow) -> Any:
    return window.page.views["now"]


@pytest.mark.parametrize(("user", "calibrated"), [("ann", True), ("stranger", False)])
def test_the_open_log_calibrates_spans_of_its_own_queue(
    qtbot: QtBot,
    make_window: Callable[..., MainWindow],
    tmp_path: Path,
    user: str,
    calibrated: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    replay_times(5, monkeypatch)
    monkeypatch.setattr(queue_forecast, "INSTANTS", 40)
    monkeypatch.setattr(queue_forecast, "within", lambda seconds: lambda done: False)
    window = make_window()
    window.open_path(_log(tmp_path, count=120))
    settle(window)
    window.open_path(_queue(tmp_path, user))
    settle(window)
    page = _page(window)
    assert bool(page.look.found.evidence) == calibrated
    share = page.look.found.share
    assert (share is not None) == calibrated
    assert (f"{100 * (share or 0):.0f} % from" in _heads(window)) == calibrated
    page.table.view.selectRow(0)
    settle(window)
    text = page.job_panel.whole.toPlainText()
    assert (f"about {100 * (share or 0):.0f} % of such spans contain the start" in text) == calibrated
    assert ("calibrated on log: of" in text) == calibrated
    assert ("It is not calibrated, so how many starts are within it is not known" in text) != calibrated
    assert ("what jobs of log used of their time limits" in text) == calibrated
    if not calibrated:
        assert "19 to 54 % of the starts in 3 archived logs" in text  # what held in tests, and no other share
        assert "of such spans contain" not in text
    learned, before = window.now.runner._learned, page.look.found.evidence
    assert (learned is not None) == calibrated
    click(qtbot, page.refresh)
    settle(window)
    assert page.look.found.evidence == before
    if learned is not None:  # the log is not asked again
        assert window.now.runner._learned.spans is learned.spans


def test_further_jobs_come_if_that_is_ticked(
    qtbot: QtBot, make_window: Callable[..., MainWindow], tmp_path: Path
) -> None:
    """As in the last two whole weeks of a log of sixty jobs, one every six hours."""
    window = make_window()
    window.open_path(_log(tmp_path, 6 * 3600))
    settle(window)
    window.open_path(_queue(tmp_path, "ann"))
    settle(window)
    page = _page(window)

    def text() -> str:
        page.table.view.selectRow(0)
        settle(window)
        return str(page.job_panel.whole.toPlainText())

    assert page.look.found.weeks == 0
    assert "no further job comes" in text()
    click(qtbot, page.arrivals)
    settle(window)
    assert page.look.found.weeks == 2
    assert "further jobs come as in each of the last 2 weeks of the log" in text()
    assert "no further job comes" not in text()


def test_kept_predictions_correct_the_spans(
    qtbot: QtBot, make_window: Callable[..., MainWindow], tmp_path: Path
) -> None:
    """Thirty kept jobs all started half an hour after their spans."""
    queue = _queue(tmp_path, "ann")
    window = make_window()
    window.open_path(queue)
    settle(window)
    page = _page(window)
    before = page.look.found.waiting[0]
    path = _path_of(window.now._source)
    assert len(read_kept(path)) == 1
    now = page.look.state.time
    late = [
        Kept(f"k{k}", now - 9000, now - 8000, now - 8100, now - 7900, now - 7900 + 1800) for k in range(30)
    ]
    write_kept(path, late)
    click(qtbot, page.refresh)
    settle(window)
    found = page.look.found
    assert text_of(found.evidence) == "by 30 kept predictions whose jobs have started"
    assert found.waiting[0].late > before.late
    assert "80 % from" in _heads(window)
    page.table.view.selectRow(0)
    settle(window)
    text = page.job_panel.whole.toPlainText()
    assert "calibrated by 30 kept predictions whose jobs have started" in text
    assert "not calibrated" not in text
    assert "of 30 predictions 0 % came within their span" in page.message.text()
