"""What an admin does in a day, with a bound on the clicks, drags, keys and words that it takes."""

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage
from pytestqt.qtbot import QtBot

from app.model.settings import Settings
from app.panels.answer_dialog import AnswerDialog
from app.panels.policies.policy_dialog import PolicyDialog
from app.panels.policies.what_if_dialog import WhatIfDialog
from app.shell.window import MainWindow
from app.work.kernel_compilation import KernelCompilation
from engine.machine.cluster import Cluster
from tests.app.shell.hands import CONTROL, SHIFT, Hands
from tests.app.shell.test_sync import links
from tests.app.windows import (
    EASY,
    FCFS,
    box_of,
    delete,
    inspected,
    large_jobs,
    open_dialog,
    panel,
    plot_of,
    row_of,
    schedule_of,
    settle,
    show,
    site_log,
    trace_of,
)
from views.figures.page_settings import COLUMN, DPI
from views.tables.nodes_table import NodesTable

DAY = 86_400
KEY = Qt.Key
BOTH = pytest.mark.parametrize("mouse", [True, False], ids=["mouse", "keys"])


@pytest.fixture
def hands(qtbot: QtBot, same_window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> Hands:
    """Hands on the window of the file."""
    return Hands(qtbot, same_window, monkeypatch)


@pytest.fixture
def own_hands(qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> Hands:
    """Hands on a window of their own, whose runs may change."""
    return Hands(qtbot, window, monkeypatch)


def hurt_most(window: MainWindow) -> int:
    """The user with the most weighted tardiness under a run, by its definition."""
    trace, most = trace_of(window), np.zeros(len(trace_of(window).user.names))
    for run in window.workbench.finished():
        violations = run.result.violations
        assert violations is not None
        area = trace.procs * violations.tardiness
        most = np.maximum(most, [area[trace.user.codes == user].sum() for user in range(len(most))])
    return int(most.argmax())


@BOTH
def test_open_the_own_log_and_see_why_the_worst_hurt_user_waited(
    qtbot: QtBot,
    make_window: Callable[..., MainWindow],
    site: Path,
    monkeypatch: pytest.MonkeyPatch,
    mouse: bool,
) -> None:
    window = make_window()
    hands = Hands(qtbot, window, monkeypatch)
    if mouse:
        hands.drop(site)
        user = trace_of(window).user.names[hurt_most(window)]
        hands.click(panel(window, FCFS).heatmap, row_of(panel(window, FCFS).heatmap, user))
        browser = window.inspector.browser
        position, _ = next(links(browser, "job:"))
        hands.click(browser.viewport(), QPointF(position))
    else:
        hands.answer(str(site))
        hands.key(KEY.Key_O, CONTROL)
        hands.key(KEY.Key_U, CONTROL)
        assert window.selection.value.users == {hurt_most(window)}
        hands.key(KEY.Key_U, CONTROL | SHIFT)
    (job,) = window.selection.value.jobs
    found = inspected(window)
    assert trace_of(window).user.codes[job] == hurt_most(window)
    assert found.startswith(f"Job {trace_of(window).job_id[job]}")
    assert "behind" in found or "short of" in found
    assert hands.actions <= 6


@BOTH
def test_a_morning_s_work(
    qtbot: QtBot,
    make_window: Callable[..., MainWindow],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mouse: bool,
) -> None:
    """Open the log, see who is hurt, ask what a cap would bring, and copy the answer for the user.

    Ten steps with the mouse, or eleven keys and words.
    """
    site = site_log(tmp_path, stretch=4)  # some jobs ask for more than a day
    window = make_window()
    hands = Hands(qtbot, window, monkeypatch)
    if mouse:
        hands.drop(site)
        user = trace_of(window).user.names[hurt_most(window)]
        hands.click(panel(window, FCFS).heatmap, row_of(panel(window, FCFS).heatmap, user))
        browser = window.inspector.browser
        position, _ = next(links(browser, "job:"))
        hands.click(browser.viewport(), QPointF(position))
    else:
        hands.answer(str(site))
        hands.key(KEY.Key_O, CONTROL)
        hands.key(KEY.Key_U, CONTROL)
        hands.key(KEY.Key_U, CONTROL | SHIFT)
    seen = hands.actions
    if mouse:  # the menu Runs and its entry: two clicks
        window.menus.offered.actions["what ifs"].trigger()
        hands.actions += 2
    else:
        hands.command("what if")
    dialog = open_dialog(window)
    assert isinstance(dialog, WhatIfDialog)
    cap = next(button for button, asked in dialog.questions if "capped" in asked.question)
    hands.click(cap)
    hands.key(KEY.Key_Escape)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    hands.key(KEY.Key_D, CONTROL)
    page, capped = window.page.views["difference"], window.workbench.study.runs[-1]
    assert page.run_ids[1] == capped.id
    assert capped.policy.variant.scaling.walltime_cap > 0
    assert "wait" in page.answer.text()
    asked = hands.actions - seen
    window.menus.offered.actions["answer"].trigger()
    hands.actions += 1  # the link in "Selected", or Ctrl+Shift+A
    answer = open_dialog(window)
    assert isinstance(answer, AnswerDialog)
    qtbot.waitUntil(answer.copy.isEnabled)
    hands.click(answer.copy)
    copied = QGuiApplication.clipboard().text()
    assert len(copied) > 100
    assert answer.text.toPlainText().startswith(copied)  # what would have helped may have come meanwhile
    answer.reject()
    assert (seen, asked) == ((3, 5) if mouse else (4, 5))
    assert hands.actions <= (10 if mouse else 11)


@BOTH
def test_compare_a_queue_on_one_day_alone(hands: Hands, mouse: bool) -> None:
    window, trace = hands.window, trace_of(hands.window)
    zero = -trace.zero % DAY + DAY - 3600  # 2 January in Prague, an hour east of Greenwich
    if mouse:
        job = next(
            each_job
            for each_job in large_jobs(window, FCFS)
            if trace.queue.names[trace.queue.codes[each_job]] == "long"
        )
        gantt = panel(window, FCFS).gantt
        hands.menu(gantt, box_of(window, FCFS, job).center(), "Queue long", "Filter to it")
        hands.key(KEY.Key_H, CONTROL | SHIFT)
        plot, scale = plot_of(gantt), gantt.frame().scale
        begin, end = (QPointF(scale.x(zero + time), plot.center().y()) for time in (0, DAY))
        hands.drag(gantt, begin, end, SHIFT)
    else:
        hands.key(KEY.Key_Slash)
        hands.words("queue = long")
        hands.key(KEY.Key_G, CONTROL)
        hands.words("2 Jan")
    picked = window.selection.value.time_range
    assert picked == pytest.approx((zero, zero + DAY), abs=5000 if mouse else 0)  # edges of jobs snap
    hands.key(KEY.Key_M)
    hands.key(KEY.Key_D, CONTROL)
    assert picked is not None
    of_queue = np.array(trace.queue.names)[trace.queue.codes] == "long"
    submitted = (trace.submit >= picked[0]) & (trace.submit < picked[1])
    answer = window.page.views["difference"].answer.text()
    assert answer.startswith(f"Of {int((of_queue & submitted).sum())} jobs")
    assert hands.actions <= 7
    hands.key(KEY.Key_D, CONTROL)
    window.filter.reset()
    window.measured.measure_only(None)
    settle(window)


@pytest.fixture(scope="module")
def months(
    look: None, kernels: None, tuned: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MainWindow]:
    """A window with four months of two queues, from 1 January 2013 on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KernelCompilation, "needed", False)
        window = MainWindow(Settings(theme="light"), keep_settings=False)
        show(window)
        log = site_log(tmp_path_factory.mktemp("months"), "months.swf", jobs=120 * 10, stretch=10)
        window.open_path(log)
        settle(window)
        yield window
        delete(window)


@BOTH
def test_compare_a_queue_in_march_only(
    qtbot: QtBot, months: MainWindow, monkeypatch: pytest.MonkeyPatch, mouse: bool
) -> None:
    window, trace = months, trace_of(months)
    hands = Hands(qtbot, window, monkeypatch)
    zone = ZoneInfo("Europe/Prague")
    assert trace.zero is not None
    march = [datetime(2013, month, 1, tzinfo=zone).timestamp() - trace.zero for month in (3, 4)]
    assert trace.submit.min() < march[0] - 50 * DAY
    assert trace.submit.max() > march[1] + 20 * DAY
    gantt = panel(window, FCFS).gantt
    if mouse:
        long = trace.queue.names.index("long")
        job = next(each_job for each_job in large_jobs(window, FCFS) if trace.queue.codes[each_job] == long)
        hands.menu(gantt, box_of(window, FCFS, job).center(), "Queue long", "Filter to it")
        hands.key(KEY.Key_H, CONTROL | SHIFT)
        plot, scale = plot_of(gantt), gantt.frame().scale
        begin, end = (QPointF(scale.x(time), plot.center().y()) for time in march)
        hands.drag(gantt, begin, end, SHIFT)
    else:
        hands.key(KEY.Key_Slash)
        hands.words("queue = long")
        hands.key(KEY.Key_G, CONTROL)
        hands.words("2013-03")
    picked = window.selection.value.time_range
    assert picked is not None
    pixel = gantt.frame().scale.time(1) - gantt.frame().scale.time(0)
    assert picked == pytest.approx(march, abs=8 * pixel if mouse else 0)  # edges of jobs snap
    hands.key(KEY.Key_M)
    hands.key(KEY.Key_D, CONTROL)
    page = window.page.views["difference"]
    first, second = (schedule_of(window, run).start for run in page.run_ids)
    of_queue = np.array(trace.queue.names)[trace.queue.codes] == "long"
    text = of_queue & (trace.submit >= picked[0]) & (trace.submit < picked[1])
    counts = [int(text.sum()), int((second < first)[text].sum()), int((second > first)[text].sum())]
    assert min(counts) > 10
    numbers = [
        int(number.replace("\u202f", "")) for number in re.findall(r"\d[\d\u202f]*", page.answer.text())
    ]
    assert numbers[0] == counts[0]
    assert {counts[1], counts[2]} <= set(numbers)
    assert hands.actions <= 7
    hands.key(KEY.Key_D, CONTROL)
    window.filter.reset()
    window.measured.measure_only(None)
    window.selection.clear()
    window.clock.fit()
    settle(window)


def test_jump_to_a_typed_date(hands: Hands) -> None:
    hands.key(KEY.Key_G, CONTROL)
    hands.words("3 Jan 14:00")
    instant = hands.window.selection.value.instant
    assert instant is not None
    assert (instant + trace_of(hands.window).zero + 3600) % DAY == 14 * 3600
    start, end = hands.window.clock.window
    assert start < instant < end <= start + DAY
    assert hands.actions <= 2


@BOTH
def test_what_ran_on_a_node_at_an_instant(hands: Hands, mouse: bool) -> None:
    window = hands.window
    table = window.page.views["nodes"]
    assert isinstance(table, NodesTable)
    if mouse:
        axis = window.page.runs.axes[0]
        hands.click(axis, QPointF(axis.frame().scale.x(100_000), axis.frame().axis.center().y()))
        tabs = window.page.tabs
        index = next(k for k in range(tabs.count()) if tabs.tabText(k) == "Nodes")
        hands.click(tabs.tabBar(), QPointF(tabs.tabBar().tabRect(index).center()))
        row = int(np.flatnonzero(table.model.rows == 3)[0])
        position = QPointF(30, table.view.rowViewportPosition(row) + 4)
        hands.click(table.view.viewport(), position)
    else:
        hands.key(KEY.Key_G, CONTROL)
        hands.words("2 Jan 4:46:40")
        hands.key(KEY.Key_F, CONTROL)
        hands.words("small 1")
        hands.command("tab nodes")
        row = int(np.flatnonzero(table.model.rows == 3)[0])
    schedule, time = schedule_of(window, FCFS), table.time
    assert time == pytest.approx(100_000, abs=1500)
    pieces = schedule.pieces
    running = [
        str(trace_of(window).job_id[job])
        for job in np.flatnonzero((schedule.start <= time) & (time < schedule.end))
        if 3 in pieces["node"][pieces.offset[job] : pieces.offset[job + 1]]
    ]
    cells = [str(table.model.index(row, k).data()) for k in range(table.model.columnCount())]
    assert running
    assert ", ".join(running) in cells
    assert row in {index.row() for index in table.view.selectionModel().selectedRows()}
    assert hands.actions <= 6


@BOTH
def test_who_gains_from_four_more_nodes(qtbot: QtBot, own_hands: Hands, mouse: bool) -> None:
    hands, window = own_hands, own_hands.window
    if mouse:
        hands.click(window.run_list.add)
        dialog = open_dialog(window)
        assert isinstance(dialog, PolicyDialog)
        for _ in range(4):
            hands.click(dialog.machine.more)
        hands.click(dialog.buttons.button(dialog.buttons.StandardButton.Ok))
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
    else:
        hands.key(KEY.Key_N, CONTROL)
        hands.key(KEY.Key_M, Qt.KeyboardModifier.AltModifier)
        hands.words("6x8c16g+2x4c8g")
    hands.key(KEY.Key_D, CONTROL)
    page, study = window.page.views["difference"], window.workbench.study
    more = study.runs[-1]
    assert isinstance(more.cluster, Cluster)
    assert (more.policy.preset, more.cluster.nodes) == ("easy", study.cluster.nodes + 4)
    assert page.run_ids == (EASY, more.id)
    assert "wait" in page.answer.text()
    assert page.groups.model().rowCount() > 0  # users, by what they gain
    assert hands.actions <= 7


@BOTH
def test_which_jobs_were_backfilled_past_a_job(hands: Hands, mouse: bool) -> None:
    window, trace, easy = hands.window, trace_of(hands.window), schedule_of(hands.window, EASY)
    for job in large_jobs(window, EASY):
        after = np.arange(len(trace)) > job  # in the order of submission
        past = np.flatnonzero(after & (easy.start < easy.start[job]))
        if 1 <= len(past) <= 3:
            break
    if mouse:
        hands.click(panel(window, EASY).gantt, box_of(window, EASY, job).center())
    else:
        hands.key(KEY.Key_F, CONTROL)
        hands.words(f"job {trace.job_id[job]}")
    found = inspected(window)
    of_easy = found[found.index("easy", found.index("Under each run") + 150) :]
    sentence = next(line for line in of_easy.splitlines() if "went past it" in line)
    assert all(str(trace.job_id[number]) in sentence for number in past)
    assert hands.actions <= 2


@BOTH
def test_align_runs_at_the_start_of_a_job(hands: Hands, mouse: bool) -> None:
    window = hands.window
    fcfs, easy = schedule_of(window, FCFS), schedule_of(window, EASY)
    job = next(
        each_job for each_job in large_jobs(window, FCFS) if fcfs.start[each_job] != easy.start[each_job]
    )
    number = trace_of(window).job_id[job]
    if mouse:
        hands.menu(panel(window, FCFS).gantt, box_of(window, FCFS, job).center(), f"Job {number}", "Align")
    else:
        hands.key(KEY.Key_F, CONTROL)
        hands.words(f"job {number}")
        hands.key(KEY.Key_L, CONTROL)
    assert panel(window, EASY).clock.shift == easy.start[job] - fcfs.start[job]
    assert panel(window, EASY).offset_axis.isVisible()
    assert hands.actions <= 3
    hands.key(KEY.Key_Z, CONTROL)


@BOTH
def test_bookmark_and_reopen(own_hands: Hands, tmp_path: Path, mouse: bool) -> None:
    hands, window, file = own_hands, own_hands.window, tmp_path / "day.batchscope"
    window.clock.set_window(100_000, 150_000)
    settle(window)
    window.selection.select_instant(120_000)
    hands.answer("the jam")
    hands.key(KEY.Key_K)
    hands.answer(str(file))
    hands.key(KEY.Key_S, CONTROL)
    window.selection.clear()
    window.clock.fit()
    if mouse:
        hands.drop(file)
        window.clock.fit()
        settle(window)
        axis = window.page.runs.axes[0]
        hands.click(axis, QPointF(axis.frame().scale.x(120_000), axis.frame().axis.top() + 3))
    else:
        hands.answer(str(file))
        hands.key(KEY.Key_O, CONTROL)
        hands.key(KEY.Key_F, CONTROL)
        hands.words("jam")
    assert window.selection.value.instant == 120_000
    assert window.clock.start < 120_000 < window.clock.end
    assert hands.actions <= 8


@BOTH
def test_undo_five_different_things(own_hands: Hands, mouse: bool) -> None:
    hands, window = own_hands, own_hands.window
    before = window.view.options, window.filter.value, window.workbench.study
    hands.key(KEY.Key_Slash)
    hands.words("procs > 1")
    hands.key(KEY.Key_G, CONTROL)
    hands.words("2 Jan")
    hands.key(KEY.Key_M)
    hands.answer("a day")
    hands.key(KEY.Key_K)
    if mouse:
        hands.click(window.run_list.rows[EASY].remove)
        hands.menu(panel(window, FCFS).heatmap, QPointF(200, 60), "Hide this chart")
    else:
        hands.command("remove easy")
        hands.key(KEY.Key_G)
        assert window.view.options.folded
    assert EASY not in window.run_list.rows
    assert window.workbench.edits.count() == 5
    hands.actions = 0
    for _ in range(5):
        hands.key(KEY.Key_Z, CONTROL)
    assert window.view.options.marks == before[0].marks
    assert window.view.options.measured == before[0].measured
    assert window.view.options.panels == before[0].panels
    assert window.view.options.folded == before[0].folded
    assert window.filter.value == before[1]
    assert before[2] is not None
    assert [run.id for run in window.workbench.study.runs] == [run.id for run in before[2].runs]
    assert hands.actions <= 5


def test_export_a_figure_as_wide_as_a_column(hands: Hands, tmp_path: Path) -> None:
    file = tmp_path / "runs.png"
    hands.answer(str(file))
    hands.key(KEY.Key_E, CONTROL | SHIFT)
    assert QImage(str(file)).width() == pytest.approx(COLUMN * DPI, abs=1)
    assert hands.actions <= 2
