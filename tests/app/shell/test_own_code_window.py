"""Code of a user's own in the window: asked about once, under sliders, read again when it is saved."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QMessageBox, QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.actions.menu_tree import entries
from app.model.documents.document import SavedRun
from app.model.live_run import Phase
from app.model.own_files import CodeQuestion
from app.panels.own_code import CodeDialog
from app.panels.policies.policy_dialog import PolicyDialog
from app.shell.window import MainWindow
from engine.filter import parse_filter
from engine.metrics import own_metric
from engine.metrics.metric_names import parse_metric
from engine.own.allowed_code import is_allowed
from engine.own.file import read_own_file
from engine.policy.policy import parse_policy
from engine.study import Run
from tests.app.cli.commands import HEADER
from tests.app.session.test_link import linked
from tests.app.session.test_trust import drop, session_of
from tests.app.windows import settle
from tests.engine.logs.lines import line, write_log
from views.data.measures import MEASURES, measures_of
from views.data.metric_scores import MetricScores
from views.data.shown_runs import ShownRuns
from views.data.view_options import ViewOptions
from views.search.form import SearchForm
from views.sweep.page import SweepPage
from views.tables.metrics_model import MetricsModel
from views.tables.plots import metric_bars
from views.tables.runs_table import RunEntry, run_content
from views.text.metrics import format_value
from views.theme.theme import LIGHT

ORDER = """import batchscope
from batchscope import Range

@batchscope.order
def wide(jobs, now, machine, *, alpha: Range(-2, 4) = 1):
    return jobs.procs ** alpha
"""

LIAR = """import batchscope

@batchscope.scheduler
def liar(state):
    for job, procs in zip(state.waiting.index, state.waiting.procs):
        if procs <= state.free or len(state.waiting) > 3:
            yield job
"""

PATIENCE_MS = 60_000


@pytest.fixture
def window(reopened_window: MainWindow) -> Iterator[MainWindow]:
    """The window of the file, which asks questions, and forgets which files it trusts."""
    reopened_window.asks = True
    yield reopened_window
    reopened_window.asks = False
    reopened_window.models.code._trusted.clear()
    reopened_window.models.code._watched.clear()
    own_metric._offered.clear()  # other windows of this process would show them, too


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A file of its own text, which nothing has allowed yet, that others cannot write."""
    path = tmp_path / "mine.py"
    path.write_text(f"{ORDER}# {path}\n")
    return path


def shown_texts(dialog: CodeDialog) -> list[str]:
    pages = [dialog.texts.widget(k) for k in range(dialog.texts.count())]
    return [page.toPlainText() for page in pages if isinstance(page, QPlainTextEdit)]


def answered(qtbot: QtBot, window: MainWindow, run: bool) -> list[str]:
    """The texts that were shown by the dialog that asks about code, once it is answered."""
    qtbot.waitUntil(lambda: bool(window.findChildren(CodeDialog)), timeout=PATIENCE_MS)
    (dialog,) = window.findChildren(CodeDialog)
    texts = shown_texts(dialog)
    qtbot.mouseClick(dialog.run if run else dialog.leave, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.findChildren(CodeDialog), timeout=PATIENCE_MS)
    return texts


def own_run(window: MainWindow) -> Run:
    (run,) = [run for run in window.workbench.study.runs if run.policy.own is not None]
    return run


def added(qtbot: QtBot, window: MainWindow, path: Path) -> Run:
    """The run of a file that is dropped and allowed."""
    drop(window, path)
    answered(qtbot, window, run=True)
    qtbot.waitUntil(lambda: any(run.policy.own for run in window.workbench.study.runs), timeout=PATIENCE_MS)
    settle(window)
    return own_run(window)


def save(path: Path, text: str) -> None:
    """Write a text as editors do: a new file in the place of the old one."""
    part = path.with_suffix(".part")
    part.write_text(text)
    part.replace(path)


def test_a_file_that_is_refused_does_not_run(qtbot: QtBot, window: MainWindow, mine: Path) -> None:
    before = window.workbench.study
    shown: list[str] = []
    window.models.code.asked.connect(lambda question: shown.append(question.file.digest))
    drop(window, mine)
    answered(qtbot, window, run=False)
    settle(window)
    assert shown == [read_own_file(mine).digest]
    assert not is_allowed(shown[0])
    assert window.workbench.study is before


def test_the_question_shows_all_that_would_run_also_what_is_not_seen(qtbot: QtBot, tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    (tmp_path / "beside_it.py").write_text("x = 1  # \u202e hidden\n")
    mine.write_text(f"import beside_it\n{ORDER}")
    file = read_own_file(mine)
    dialog = CodeDialog(CodeQuestion(file, "Why.", (), lambda names: None, lambda: None))
    qtbot.addWidget(dialog)
    texts = shown_texts(dialog)
    assert [dialog.texts.tabText(k) for k in range(2)] == ["mine.py", "beside_it.py"]
    assert texts[0] == mine.read_text()
    assert "\u202e" not in texts[1]
    assert "hidden" in texts[1]
    assert dialog.leave.isDefault()


def test_a_dropped_file_is_a_run_under_a_slider_that_moves_it(
    qtbot: QtBot, window: MainWindow, mine: Path
) -> None:
    run = added(qtbot, window, mine)
    assert run.policy.spelling == f"{mine}:wide"
    before = run.schedule
    assert before is not None
    explore = window.explore
    explore.choose(run.id)
    assert list(explore.own) == ["alpha"]
    slider = explore.own["alpha"].numbers["a number"].slider
    slider.setValue(slider.minimum())
    settle(window)
    now = own_run(window)
    assert now.policy.spelling == f"{mine}:wide,alpha=-2"
    assert now.schedule is not None
    assert (now.schedule.start != before.start).any()
    explore.choose(window.workbench.study.runs[0].id)
    assert not explore.own


def test_a_saved_file_is_read_again_and_the_run_keeps_its_schedule_until_then(
    qtbot: QtBot, window: MainWindow, mine: Path
) -> None:
    run = added(qtbot, window, mine)
    window.explore.choose(run.id)
    asked: list[CodeQuestion] = []
    window.models.code.asked.connect(asked.append)
    live, text = window.workbench.live_run(run.id), mine.read_text()
    assert live is not None
    before = live.schedule
    save(mine, text + "def (:\n")
    qtbot.waitUntil(lambda: bool(live.error), timeout=PATIENCE_MS)
    assert live.error.startswith(f"{mine}:8: ")
    assert live.phase is Phase.FAILED
    assert live.schedule is before
    save(mine, text.replace("jobs.procs ** alpha", "-jobs.procs ** alpha").replace("= 1", "= 2"))
    qtbot.waitUntil(lambda: live.schedule is not before, timeout=PATIENCE_MS)
    settle(window)
    assert not live.error
    now = own_run(window)
    assert now.policy.own is not None
    assert now.policy.own.file.digest == read_own_file(mine).digest
    assert now.policy.own.texts == {"alpha": "2"}
    assert window.explore.own["alpha"].text() == "2"
    assert not asked


@pytest.mark.skipif(os.name != "posix", reason="others can write files there")
def test_a_file_that_others_can_write_is_asked_about_again(
    qtbot: QtBot, window: MainWindow, mine: Path
) -> None:
    run = added(qtbot, window, mine)
    mine.chmod(0o666)
    mine.write_text(mine.read_text().replace("procs", "walltime"))
    answered(qtbot, window, run=False)
    settle(window)
    assert own_run(window).policy == run.policy
    assert not is_allowed(read_own_file(mine).digest)


def test_a_module_beside_it_that_others_can_write_is_asked_about_again(
    qtbot: QtBot, window: MainWindow, mine: Path
) -> None:
    beside = mine.with_name("score_of_mine.py")
    beside.write_text("def score(jobs): return jobs.procs\n")
    mine.write_text(f"from score_of_mine import score\n{mine.read_text()}")
    run = added(qtbot, window, mine)
    beside.chmod(0o666)
    beside.write_text("def score(jobs): return -jobs.procs\n")
    assert answered(qtbot, window, run=True)[1] == beside.read_text()
    qtbot.waitUntil(lambda: own_run(window).policy != run.policy, timeout=PATIENCE_MS)


def test_a_session_that_names_a_file_asks_first(
    qtbot: QtBot, window: MainWindow, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    discard = QMessageBox.StandardButton.Discard
    monkeypatch.setattr(QMessageBox, "question", lambda *_: discard)
    mine.write_text(mine.read_text().replace("def wide", "def f"))
    session, before = session_of(mine), window.workbench.study
    drop(window, session)
    answered(qtbot, window, run=False)
    qtbot.waitUntil(lambda: window.workbench.study is not before, timeout=PATIENCE_MS)
    settle(window)
    assert [run.policy.spelling for run in window.workbench.study.runs] == ["easy"]
    drop(window, session)
    answered(qtbot, window, run=True)
    qtbot.waitUntil(lambda: len(window.workbench.study.runs) == 2, timeout=PATIENCE_MS)
    settle(window)
    assert [run.policy.spelling for run in window.workbench.study.runs] == ["easy", f"{mine}:f"]


def test_a_lie_of_a_scheduler_is_a_line_that_leads_to_its_instant(
    qtbot: QtBot, window: MainWindow, mine: Path
) -> None:
    mine.write_text(f"{LIAR}# {mine}\n")
    run = added(qtbot, window, mine)
    live = window.workbench.live_run(run.id)
    assert live is not None
    assert live.phase is Phase.FAILED
    fault = live.fault
    assert fault is not None
    assert (fault.job, fault.time) != (None, None)
    assert live.schedule is None
    assert live.stopped is not None
    shown = live.stopped.chart_data.schedule
    assert shown.ran.any()
    assert not shown.ran[fault.job]
    assert shown.start.max() <= fault.time
    assert window.page.runs.panels[run.id].gantt.schedule is shown
    message = window.messages.newest
    assert message.whole == live.error
    assert "liar starts it, but the free resources are too few" in message.whole
    (button,) = message.answers.values()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.selection.value.jobs == {fault.job}
    assert window.selection.value.instant == fault.time
    low, high = window.clock.window
    assert low <= fault.time <= high
    # The details do not lie over that instant.
    settle(window)
    gantt, dock = window.page.runs.panels[run.id].gantt, window.inspector_dock
    assert dock.isVisible()
    middle = gantt.mapTo(window, QPoint(gantt.width() // 2, gantt.height() // 2))
    assert not QRect(dock.mapTo(window, QPoint()), dock.size()).contains(middle)


def test_looking_at_the_file_leaves_the_error_of_its_present_text(
    qtbot: QtBot, window: MainWindow, mine: Path
) -> None:
    mine.write_text(f"{LIAR}# {mine}\n")
    run, code = added(qtbot, window, mine), window.models.code
    live = window.workbench.live_run(run.id)
    assert live is not None
    error = live.error
    # As after any change of the study: all files are read again, the present text with them.
    code._follow_study()
    qtbot.waitUntil(lambda: mine in code._stamps, timeout=PATIENCE_MS)
    settle(window)
    assert (live.phase, live.error) == (Phase.FAILED, error)
    assert live.fault is not None


METRICS = """import batchscope, numpy as np

@batchscope.metric(unit="s")
def longest(jobs):
    return jobs.wait.max()

@batchscope.metric(unit="s", by="user")
def of_users(jobs):
    found = np.full(len(jobs.names["user"]), np.nan)
    np.fmax.at(found, jobs.user, jobs.wait)
    return found

@batchscope.metric()
def broken(jobs):
    return jobs.nothing

@batchscope.quantity(unit="s")
def twice(jobs):
    return 2 * jobs.wait
"""


def test_metrics_of_a_file_stand_in_tables_bars_scores_searches_and_sweeps(
    qtbot: QtBot, window: MainWindow, mine: Path
) -> None:
    mine.write_text(f"{METRICS}# {mine}\n")
    drop(window, mine)
    answered(qtbot, window, run=True)
    settle(window)
    names = [f"mine.py:{name}" for name in ("longest", "of_users", "broken")]
    results = window.workbench.comparison.metrics
    for result in results:
        waits = result.schedule.wait[result.measured]
        assert result.summary[names[0]] == waits.max()
        users = result.users.column(names[1])
        assert isinstance(users, np.ndarray)
        assert result.summary[names[1]] == pytest.approx(np.nanmean(users))
        assert np.nanmax(users) == waits.max()
        assert result.summary[names[2]] is None  # what its code does wrong is said, and nothing else fails
    assert "jobs have no 'nothing'" in window.messages.newest.whole
    rows = run_content([RunEntry(r.run_id, r.name, "", "", 1.0, r) for r in results]).columns
    assert [column.key for column in rows[-3:]] == names
    model = MetricsModel()
    model.set_results(results, None)
    assert model.text(1, 0) == format_value(parse_metric(names[0]), results[0].summary[names[0]])
    bars = metric_bars(ShownRuns(results[0].schedule.trace, tuple(results)), ViewOptions()).plots
    assert [plot.words.title for plot in bars[-2:]] == names[:2]
    assert MetricScores.of(results).axes[-3:-1] == tuple(names[:2])
    form, page = SearchForm(), SweepPage(LIGHT)
    for widget in (form, page):
        qtbot.addWidget(widget)
    form.offer_metrics(window.models.code.metrics)
    form.metrics[0].setCurrentIndex(form.metrics[0].findData(names[0]))
    assert form.asked.minimize == (names[0],)
    assert form.asked.question().objectives[0].metric == names[0]
    page.offer_metrics(window.models.code.metrics)
    page.measure.setCurrentIndex(page.measure.findData(names[0]))
    assert page.measure.currentData() == names[0]


def test_a_saved_file_of_columns_is_read_again(qtbot: QtBot, window: MainWindow, mine: Path) -> None:
    mine = mine.with_name("columns.py")  # names are of the first file that has them
    mine.write_text(f"{METRICS}# {mine}\n")
    drop(window, mine)
    answered(qtbot, window, run=True)
    settle(window)

    # The quantity is a colour, a measure of plots and a field of filters, as soon as its file may run.
    assert "columns.py:twice" in [entry.name for entry in entries(window.menuBar())]
    assert "columns.py:twice" in measures_of(window.workbench.study.trace)
    assert parse_filter("columns.py:twice > 1h").mask(window.workbench.comparison.metrics[0].fared).any()

    def longest() -> float | int | None:
        (result, *_) = window.workbench.comparison.metrics
        return result.summary.get("columns.py:longest")

    (result, *_) = window.workbench.comparison.metrics
    before, waits = longest(), result.schedule.wait
    text = (
        mine.read_text().replace("return jobs.wait.max()", "return jobs.wait.max() + 1").replace("2 *", "3 *")
    )
    save(mine, text)
    qtbot.waitUntil(lambda: before is not None and longest() == before + 1, timeout=PATIENCE_MS)
    settle(window)
    twice = MEASURES["columns.py:twice"].values(window.workbench.comparison.metrics[0], "job")
    assert isinstance(twice, np.ndarray)
    assert np.nanmax(twice) == 3 * waits[result.measured].max()
    save(mine, text + "def (:\n")
    qtbot.waitUntil(lambda: f"{mine}:" in window.messages.newest.whole, timeout=PATIENCE_MS)
    assert longest() == before + 1  # what was offered stays


def test_a_policy_that_is_spelled_is_asked_about_once(qtbot: QtBot, window: MainWindow, mine: Path) -> None:
    cluster = window.workbench.study.cluster
    dialog = PolicyDialog(parse_policy("easy"), cluster, cluster, "Add a run", window, window.models.code)
    qtbot.addWidget(dialog)
    dialog.spelling.textEdited.emit(f"{mine}:wide,alpha=3")
    dialog.spelling.setText(f"{mine}:wide,alpha=3")
    answered(qtbot, window, run=True)
    qtbot.waitUntil(lambda: dialog.policy.own is not None, timeout=PATIENCE_MS)
    assert dialog.policy.spelling == f"{mine}:wide,alpha=3"
    assert dialog.fields["order"].text() == "own"
    dialog.fields["depth"].show_text("all")
    dialog.fields["depth"].edited.emit()
    assert dialog.policy.spelling == f"{mine}:wide,alpha=3,depth=all"


def test_a_study_that_names_a_file_asks_and_runs_once_it_may(
    qtbot: QtBot, window: MainWindow, mine: Path
) -> None:
    study = mine.with_name("study.toml")
    policies = f'policies = ["easy", "{mine}:wide"]\nmetrics = ["wait_mean"]\nagainst = "easy"\n'
    study.write_text(policies)
    drop(window, study)
    answered(qtbot, window, run=True)
    qtbot.waitUntil(lambda: window.studying.results is not None, timeout=PATIENCE_MS)
    settle(window)
    results = window.studying.results
    assert results is not None
    assert [row is not None and row["error"] for row in results.rows] == ["", ""]


def test_a_link_that_names_a_file_asks_first(
    qtbot: QtBot, window: MainWindow, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    discard = QMessageBox.StandardButton.Discard
    monkeypatch.setattr(QMessageBox, "question", lambda *_: discard)
    log = write_log(mine.with_name("log.swf"), *HEADER, line(1), line(2))
    link = linked(log, runs=(SavedRun(1, "easy"), SavedRun(2, f"{mine}:wide")))
    for run, policies in ((False, ["easy"]), (True, ["easy", f"{mine}:wide"])):
        before = window.workbench.study
        window.open_path(link)
        assert answered(qtbot, window, run=run) == [mine.read_text()]
        qtbot.waitUntil(lambda before=before: window.workbench.study is not before, timeout=PATIENCE_MS)
        settle(window)
        assert [each.policy.spelling for each in window.workbench.study.runs] == policies
