"""The inspector: what it tells of a job, a user, a time range; and its links."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from pytestqt.qtbot import QtBot

from engine.machine.cluster import Cluster, NodeGroup
from engine.schedule.schedule import Decision
from engine.trace import Trace
from tests.traces import make_names, make_trace
from tests.views.context import Told, ViewContext, after
from tests.views.results import decisions, make_result
from views.data.results import Result
from views.state.selection import SelectionModel
from views.text.processors import format_nodes
from views.text.values import duration
from views.theme.theme import DARK, LIGHT

HOUR = 3600
NOON = 1_357_041_600  # Tuesday, 1 January 2013, 12:00 UTC
LONG = "fairshare-easy:penalty=cpu,half_life=2h"


def some_trace() -> Trace:
    return make_trace(
        submit=[0, 0, 0, HOUR],
        runtime=[HOUR] * 4,
        procs=[10, 20, 30, 40],
        walltime=[2 * HOUR] * 4,
        user=["alice", "bob <b>", "alice", "carol"],
        queue=["batch", "batch", "short", "short"],
        ram=[2048, -1, 1024, 512],
        zero=NOON,
    )


def some_results() -> list[Result]:
    """Under the first run job 3 (index 2) waits two hours, and the log says why."""
    log = decisions(
        (0, 2, Decision.CPUS, 7),
        (0, 2, Decision.RESERVED, 4 * HOUR),
        (HOUR, 2, Decision.RESERVED, 3 * HOUR),
        (HOUR, 3, Decision.BACKFILLED, 2),
        (HOUR + 60, 2, Decision.RESERVED, 3 * HOUR),
    )
    trace = some_trace()
    return [
        make_result(trace, [0, 0, 2 * HOUR, HOUR], 1, "easy", log=log),
        make_result(trace, [0, 0, 0, HOUR], 2, LONG),
    ]


@pytest.fixture
def selection(context: ViewContext) -> SelectionModel:
    return context.selection


@pytest.fixture
def inspector(context: ViewContext) -> Told:
    widget = Told(context)
    widget.set_results(some_trace(), some_results())
    return widget


def anchors(inspector: Told) -> Iterator[tuple[str, int]]:
    """The text of each link, and its middle in the document."""
    block = inspector.browser.document().begin()
    while block.isValid():
        pieces = block.begin()
        while not pieces.atEnd():
            piece = pieces.fragment()
            if piece.charFormat().isAnchor():
                yield piece.text(), piece.position() + piece.length() // 2
            pieces += 1
        block = block.next()


def click_link(qtbot: QtBot, inspector: Told, words: str) -> None:
    inspector.context.settle(inspector)
    browser = inspector.browser
    middle = QTextCursor(browser.document())
    middle.setPosition(next(at for text, at in anchors(inspector) if text == words))
    browser.setTextCursor(middle)
    browser.ensureCursorVisible()
    spot = browser.cursorRect(middle).center() + QPoint(1, 0)
    qtbot.mouseMove(browser.viewport(), spot)
    qtbot.mouseClick(browser.viewport(), Qt.MouseButton.LeftButton, pos=spot)


def test_hints_while_nothing_is_selected(inspector: Told) -> None:
    assert inspector.lines()[0] == "Nothing selected"
    assert any("Gantt" in line for line in inspector.lines())
    inspector.set_results(None, [])
    assert inspector.lines()[0] == "Nothing open"


def test_a_job(inspector: Told, selection: SelectionModel) -> None:
    selection.select_job(some_trace(), 2)
    words = inspector.lines()
    assert words[0] == "Job 3"
    for label, value in (
        ("User", "alice"),
        ("Queue", "short"),
        ("Submitted", "Tue 1 Jan 2013 12:00:00"),
        ("Processors", "30"),
        ("RAM", "1 GiB"),
        ("Walltime", "2 h (7 200 s)"),
        ("Runtime", "1 h (3 600 s)"),
        ("Started", "Tue 1 Jan 2013 14:00:00"),
        ("Waited", "2 h (7 200 s)"),
        ("Ended", "Tue 1 Jan 2013 15:00:00"),
        ("Bounded slowdown", "3"),
        ("Expected end", "Tue 1 Jan 2013 13:10:00"),
        ("Ran on", "30 of 100 processors"),
    ):
        assert after(words, label) == [value], label
    assert after(words, "■ easy", 3) == ["2 h", "3", "1.8 h"]
    assert after(words, f"■ {LONG}", 3) == ["0 s", "1", "in time"]
    assert words[-1] == "Times: UTC"


def test_why_a_job_waited(inspector: Told, selection: SelectionModel) -> None:
    selection.select_job(some_trace(), 2)
    words = inspector.lines()
    why = words.index("2 h short of processors (7 of its 30 missing at first)")
    assert words.index("■ easy") < why < words.index("Started")  # the answer goes first
    assert "First reserved at Tue 1 Jan 2013 12:00:00: to start by Tue 1 Jan 2013 16:00:00." in words
    moved = "The reservation moved once, last at Tue 1 Jan 2013 13:01:00 to Tue 1 Jan 2013 15:00:00."
    assert moved in words
    assert "It started 1 h (3 600 s) before that." in words
    assert "1 job of 1 user went past it: 4." in words
    selection.select_job(some_trace(), 3)
    assert "It was backfilled past job 3, which had waited 1 h." in inspector.lines()
    assert "It started at its submission." in inspector.lines()


def test_the_wait_of_a_recorded_job_is_inferred_and_links_who_was_started_past_it(
    qtbot: QtBot, inspector: Told, selection: SelectionModel
) -> None:
    trace = some_trace()
    inspector.set_results(trace, [make_result(trace, [0, 0, 2 * HOUR, HOUR], 1, "recorded")])
    selection.select_job(trace, 2)
    words = inspector.lines()
    at = words.index("This is the log's own schedule: it does not record why jobs waited.")
    assert words[at + 1].startswith("Inferred, since no reasons were recorded: for 2 h enough")
    assert "Inferred: 1 job that came later started before it: 4." in words
    click_link(qtbot, inspector, "4")
    assert selection.value.jobs == {3}


def test_a_run_without_a_decision_log_says_so(inspector: Told, selection: SelectionModel) -> None:
    trace = some_trace()
    inspector.set_results(trace, [make_result(trace, [0, 0, 600, HOUR])])
    selection.select_job(trace, 2)
    assert any("No decisions were kept" in line for line in inspector.lines())


def test_a_job_that_was_refused(inspector: Told, selection: SelectionModel) -> None:
    trace = some_trace()
    inspector.set_results(trace, [make_result(trace, [0, 0, -1, HOUR])])
    selection.select_job(trace, 2)
    assert after(inspector.lines(), "■ easy", 3) == ["refused", "–", "–"]
    assert "Not run: too large for this machine." in inspector.lines()


def test_a_job_without_expected_ends(inspector: Told, selection: SelectionModel) -> None:
    trace = some_trace()
    inspector.set_results(trace, [make_result(trace, [0, 0, 60, HOUR], grace=None)])
    selection.select_job(trace, 2)
    assert "Expected end" not in inspector.lines()
    assert after(inspector.lines(), "■ easy", 3) == ["1 min", "1.02", "–"]


def test_what_only_some_logs_tell(inspector: Told, selection: SelectionModel) -> None:
    trace = replace(
        some_trace(),
        gpus=np.array([0, -1, 4, 0]),
        priority=np.array([-1, -1, 1250, -1]),
        qos=make_names(["", "", "high", ""]),
        reservation=make_names(["", "", "school", ""]),
        reason=make_names(["", "", "<Resources>", ""]),
    )
    inspector.set_results(trace, [make_result(trace, [0, 0, 2 * HOUR, HOUR], 1, "easy")])
    selection.select_job(trace, 2)
    text = " ".join(" ".join(inspector.lines()).split())
    for words in ("GPUs 4", "QOS high", "Priority 1 250", "Reservation school", "Reason <Resources>"):
        assert words in text.replace("\u2009", " ").replace("\u202f", " ")
    selection.select_job(trace, 1)
    assert "GPUs" not in inspector.lines()


def test_what_a_job_used(inspector: Told, selection: SelectionModel) -> None:
    trace = some_trace()
    trace = replace(
        trace,
        cpu_used=np.where(np.arange(4) == 2, 0.25 * trace.recorded_procs * trace.recorded_runtime, -1.0),
        ram=np.full(4, 1024),
        ram_used=np.array([512, -1, 512, -1]),
        ram_used_bound=np.array([False, False, True, False]),
        energy=np.array([540, -1, 3_600_000, -1]),
    )
    inspector.set_results(trace, [make_result(trace, [0, 0, 2 * HOUR, HOUR], 1, "easy")])
    selection.select_job(trace, 2)
    words = inspector.lines()
    held = int(trace.recorded_procs[2] * trace.recorded_runtime[2])
    assert after(words, "CPU time used") == [f"{duration(held / 4)}, 25.0 %"]
    assert after(words, "RAM used") == ["at most 512 MiB, 50.0 %"]
    assert after(words, "Energy") == ["1 kWh"]
    assert "GPUs busy" not in words
    selection.select_job(trace, 0)
    assert after(inspector.lines(), "RAM used") == ["512 MiB, 50.0 %"]
    assert after(inspector.lines(), "Energy") == ["540 J"]
    assert "CPU time used" not in inspector.lines()


def test_a_user(inspector: Told, selection: SelectionModel) -> None:
    selection.select_user(0)
    words = inspector.lines()
    assert words[0] == "User alice"
    assert after(words, "Jobs") == ["2, 50.0 % of all"]
    assert after(words, "Area") == ["40 CPU h, 40.0 % of all"]
    assert after(words, "Share of the machine") == ["13.3 %"]  # 40 h of 100 processors in 3 h
    assert after(words, "■ easy", 3) == ["50.0 %", "1 h", "1 h"]
    assert f"Worst under ■ easy: 55 CPU h of weighted tardiness. Best under ■ {LONG}: 0 CPU h." in words
    assert after(words, "Most delayed jobs under ■ easy", 4) == ["Job", "Late by", "3", "1 h 50 min"]
    assert words[-2] == "1 h 50 min"  # a job in time is not delayed
    inspector.context.view.choose(looked_at=2)
    assert after(inspector.lines(), f"Most delayed jobs under ■ {LONG}") == ["No job is late."]


def test_beside_a_difference_the_jobs_that_moved_most_are_listed(
    inspector: Told, selection: SelectionModel
) -> None:
    results = some_results()
    trace = results[0].schedule.trace
    moved = make_result(trace, [HOUR, 0, 5 * HOUR, HOUR], 3, "saf-easy")
    inspector.set_results(trace, [*results, moved])
    selection.select_user(0)
    view = inspector.context.view
    view.choose(view="difference", compared=(1, 3))
    words = inspector.lines()
    assert after(words, "Moved most under ■ saf-easy against ■ easy", 6) == [
        *("Job", "Start"),
        *("3", "3 h later"),
        *("1", "1 h later"),
    ]
    assert words.index("Moved most under ■ saf-easy against ■ easy") < words.index(
        "Most delayed jobs under ■ easy"
    )
    view.choose(compared=(3, 1))
    turned = after(inspector.lines(), "Moved most under ■ easy against ■ saf-easy", 4)
    assert turned[2:] == ["3", "3 h earlier"]
    view.choose(compared=None)  # the last two
    assert f"Moved most under ■ saf-easy against ■ {LONG}" in inspector.lines()
    selection.select_user(1)
    told = after(inspector.lines(), f"Moved most under ■ saf-easy against ■ {LONG}")
    assert told == ["No job that ran under both starts at another time."]
    view.choose(view="all")
    assert not any(line.startswith("Moved most") for line in inspector.lines())


def test_names_from_the_log_are_no_markup(inspector: Told, selection: SelectionModel) -> None:
    selection.select_user(1)
    assert inspector.lines()[0] == "User bob <b>"


def test_a_time_range(inspector: Told, selection: SelectionModel) -> None:
    selection.select_time_range(0, 2 * HOUR)
    words = inspector.lines()
    assert words[0] == "Time range"
    assert after(words, "From") == ["Tue 1 Jan 2013 12:00:00"]
    assert after(words, "Length") == ["2 h (7 200 s)"]
    assert after(words, "Submitted") == ["4"]
    # of two hours: jobs 1, 2 and 4 run one each, job 3 waits both; (10 + 20 + 40) / 200 processor hours
    assert after(words, "■ easy", 3) == ["4", "3", "35.0 %"]
    assert after(words, f"■ {LONG}", 3) == ["4", "4", "50.0 %"]
    busy = words[words.index("Jobs at a time, on average") :]
    assert after(busy, "■ easy", 2) == ["1.5", "1.0"]
    assert after(busy, f"■ {LONG}", 2) == ["2.0", "0.0"]
    fared = words[words.index("Of the jobs submitted") :]
    assert after(fared, "■ easy", 3) == ["1", "30 min", "1.7 h"]  # linear between 0 and 2 h
    assert after(fared, f"■ {LONG}", 3) == ["0", "0 s", "0 s"]
    assert "■ easy: carol (57.1 %), bob <b> (28.6 %), alice (14.3 %)" in words


def test_a_user_within_a_time_range(inspector: Told, selection: SelectionModel) -> None:
    selection.select_time_range(0, 60)
    selection.select_user(2)  # carol submits later
    words = inspector.lines()
    assert words[0] == "User carol"
    assert after(words, "Jobs") == ["0, 0 % of all"]
    assert "Time range" in words


def test_several_users_jobs_and_a_queue(inspector: Told, selection: SelectionModel) -> None:
    selection.select_users([0, 2])
    assert inspector.lines()[:2] == ["2 users", "alice, carol"]
    assert after(inspector.lines(), "■ easy", 3) == ["33.3 %", "40 min", "0 s"]
    trace = some_trace()
    selection.select_job(trace, 0)
    selection.select_job(trace, 1, toggle=True)
    assert inspector.lines()[:2] == ["2 jobs", "1, 2"]
    selection.clear()
    selection.select_queue(1)
    assert inspector.lines()[0] == "Queue short"
    assert after(inspector.lines(), "Jobs") == ["2, 50.0 % of all"]
    assert after(inspector.lines(), "Most area by") == ["carol (57.1 %), alice (42.9 %)"]


def test_runs_that_treat_all_alike_hurt_nobody_most(inspector: Told, selection: SelectionModel) -> None:
    selection.select_user(1)
    assert not any("Hurt" in line for line in inspector.lines())


def test_links_select(qtbot: QtBot, inspector: Told, selection: SelectionModel) -> None:
    trace = some_trace()
    selection.select_job(trace, 2)
    click_link(qtbot, inspector, "alice")
    assert selection.value.users == {0}
    assert not selection.value.jobs
    selection.select_queue(1)
    click_link(qtbot, inspector, "3")
    assert selection.value.jobs == {2}
    click_link(qtbot, inspector, "short")
    assert selection.value.queues == {1}


def test_times_can_be_clicked(qtbot: QtBot, inspector: Told, selection: SelectionModel) -> None:
    selection.select_job(some_trace(), 2)
    with qtbot.waitSignal(inspector.time_clicked) as caught:
        click_link(qtbot, inspector, "Tue 1 Jan 2013 14:00:00")
    assert caught.args == [2.0 * HOUR]


def test_text_can_be_selected_and_copied(qtbot: QtBot, inspector: Told, selection: SelectionModel) -> None:
    selection.select_user(0)
    inspector.context.settle(inspector)
    inspector.browser.setFocus()
    qtbot.keyClick(inspector.browser, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(inspector.browser, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert "User alice" in QGuiApplication.clipboard().text()


def test_a_hidden_inspector_is_written_when_it_is_shown(inspector: Told, selection: SelectionModel) -> None:
    inspector.hide()
    selection.select_user(0)
    assert inspector.lines()[0] == "Nothing selected"
    inspector.show()
    assert inspector.lines()[0] == "User alice"


def test_selections_of_another_trace_do_no_harm(inspector: Told, selection: SelectionModel) -> None:
    selection.select_job(some_trace(), 3)
    small = make_trace([0], [10])
    inspector.set_results(small, [make_result(small, [0])])
    assert "Job" not in inspector.lines()[0]
    selection.select_user(99)
    assert inspector.lines()


def test_links_follow_the_theme(inspector: Told, selection: SelectionModel) -> None:
    selection.select_user(0)
    for theme in (LIGHT, DARK):
        inspector.set_theme(theme)
        inspector.context.settle(inspector)
        assert theme.link in inspector.browser.toHtml()


def test_nodes_in_words() -> None:
    named = Cluster((NodeGroup(4, 16, name="fat"), NodeGroup(8, 8, name="thin")))
    assert format_nodes(named, np.array([0])) == "fat 0"
    assert format_nodes(named, np.array([1, 2, 3, 4, 5, 9])) == "fat 1–3, thin 0–1, 5"
    plain = Cluster((NodeGroup(40, 16),))
    assert format_nodes(plain, np.array([3, 7, 8])) == "node 3, 7–8"
    hosts = Cluster((NodeGroup(4, 16, names=("c001", "c002", "c017", "c018")), NodeGroup(3, 8, name="thin")))
    assert format_nodes(hosts, np.arange(7)) == "c001–c002, c017–c018, thin 0–2"
    assert format_nodes(hosts, np.array([1, 2, 5])) == "c002, c017, thin 1"
    many = np.arange(0, 40, 2)
    assert format_nodes(plain, many) == "node 0, 2, 4, 6, 8, 10 and 14 more nodes"


def test_a_job_on_nodes(qtbot: QtBot, inspector: Told, selection: SelectionModel) -> None:
    trace = make_trace([0], [60], 6, cluster=Cluster((NodeGroup(4, 4),)))
    inspector.set_results(trace, [make_result(trace, [0])])
    selection.select_job(trace, 0)
    assert after(inspector.lines(), "Ran on") == ["node 0 (6 processors)"]


def test_no_run_of_the_window_and_no_number_is_broken_beside_it(
    context: ViewContext, inspector: Told, selection: SelectionModel
) -> None:
    trace = some_trace()
    late = [2_900, 0, 9 * 24 * HOUR + 40_000, HOUR]
    names = ("fcfs", "conservative", "fairshare-easy")
    inspector.set_results(trace, [make_result(trace, late, k, name) for k, name in enumerate(names, 1)])
    inspector.resize(300, 700)
    for select in (lambda: selection.select_job(trace, 2), lambda: selection.select_user(0)):
        select()
        words = inspector.lines()
        broken = [text for text, lines in lines_of_cells(inspector) if lines > 1]
        for name in names:
            row = [f"■ {name}", *after(words, f"■ {name}", 3)]
            assert not set(row) & set(broken)
        assert not set(after(words, "Run", 3)) & set(broken)
        assert inspector.browser.horizontalScrollBar().maximum() == 0
        selection.clear()


def lines_of_cells(inspector: Told) -> Iterator[tuple[str, int]]:
    """Texts, and on how many lines each is seen."""
    block = inspector.browser.document().begin()
    while block.isValid():
        yield block.text().replace("\u00a0", " ").strip(), block.layout().lineCount()
        block = block.next()


def test_no_word_of_a_time_range_is_broken(
    context: ViewContext, inspector: Told, selection: SelectionModel
) -> None:
    trace = some_trace()
    late = [2_900, 0, 9 * 24 * HOUR + 40_000, HOUR]
    names = ("fcfs", "recorded", "fairshare-fcfs", "fairshare-easy")
    inspector.set_results(trace, [make_result(trace, late, k, name) for k, name in enumerate(names)])
    inspector.resize(300, 700)
    selection.select_time_range(0, 400 * HOUR)
    assert "Mean wait" in inspector.lines()
    block, seen = inspector.browser.document().begin(), 0
    while block.isValid():
        layout, text = block.layout(), block.text()
        for number in range(1, layout.lineCount()):
            start = layout.lineAt(number).textStart()
            assert not (text[start - 1].isalpha() and text[start].isalpha()), text
            seen += 1
        block = block.next()
    assert seen


def test_a_log_without_queues_has_none_to_be_clicked(inspector: Told, selection: SelectionModel) -> None:
    trace = make_trace(submit=[0], runtime=[HOUR], procs=[1], walltime=[HOUR], user=["ann"], queue=["-1"])
    inspector.set_results(trace, [make_result(trace, [0])])
    selection.select_job(trace, 0)
    assert after(inspector.lines(), "Queue") == ["no queue"]
    assert "-1" not in [text for text, _ in anchors(inspector)]


def test_the_button_of_a_page_whose_job_is_no_longer_selected_asks_nothing(
    qtbot: QtBot, inspector: Told, selection: SelectionModel
) -> None:
    selection.select_job(some_trace(), 2)
    inspector.lines()
    assert inspector.answer.isVisibleTo(inspector)
    asked: list[int] = []
    inspector.answer_wanted.connect(asked.append)
    selection.clear()
    with qtbot.captureExceptions() as errors:
        inspector.answer.click()  # the page still shows the job
    assert (asked, errors) == ([], [])


def test_no_page_of_another_trace_can_be_followed(inspector: Told, selection: SelectionModel) -> None:
    selection.select_job(some_trace(), 2)
    inspector.lines()
    assert list(anchors(inspector))
    inspector.set_results(make_trace(submit=[0], runtime=[1], procs=[1]), [])
    assert not list(anchors(inspector))
    assert not inspector.answer.isVisibleTo(inspector)
