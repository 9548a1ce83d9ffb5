"""The inspector: what it tells of a job, a user, a time range; and its links."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from pytestqt.qtbot import QtBot

from engine.cluster import Cluster, NodeGroup
from engine.schedule import Decision
from engine.trace import Trace
from tests.traces import make_trace
from tests.views.results import decisions, make_result
from views.inspector import Inspector
from views.inspector.place import spell_nodes
from views.results import Result
from views.selection import SelectionModel
from views.style import DARK, LIGHT

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
def selection() -> SelectionModel:
    return SelectionModel()


@pytest.fixture
def inspector(qtbot: QtBot, selection: SelectionModel) -> Inspector:
    widget = Inspector(selection, LIGHT)
    qtbot.addWidget(widget)
    widget.resize(420, 900)
    widget.show()
    widget.set_results(some_trace(), some_results())
    return widget


def lines(inspector: Inspector) -> list[str]:
    """What is seen, a table cell or a sentence each."""
    text = inspector.browser.toPlainText().replace("\u200b", "").replace("\ufffc", "")
    return [line.strip() for line in text.split("\n") if line.strip()]


def after(words: list[str], label: str, count: int = 1) -> list[str]:
    place = words.index(label)
    return words[place + 1 : place + 1 + count]


def anchors(inspector: Inspector) -> Iterator[tuple[str, int]]:
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


def click_link(qtbot: QtBot, inspector: Inspector, words: str) -> None:
    browser = inspector.browser
    middle = QTextCursor(browser.document())
    middle.setPosition(next(place for text, place in anchors(inspector) if text == words))
    browser.setTextCursor(middle)
    browser.ensureCursorVisible()
    spot = browser.cursorRect(middle).center() + QPoint(1, 0)
    qtbot.mouseMove(browser.viewport(), spot)
    qtbot.mouseClick(browser.viewport(), Qt.MouseButton.LeftButton, pos=spot)


def test_hints_while_nothing_is_selected(inspector: Inspector) -> None:
    assert lines(inspector)[0] == "Nothing selected"
    assert any("Gantt" in line for line in lines(inspector))
    inspector.set_results(None, [])
    assert lines(inspector)[0] == "Nothing open"


def test_a_job(inspector: Inspector, selection: SelectionModel) -> None:
    selection.select_job(some_trace(), 2)
    words = lines(inspector)
    assert words[0] == "Job 3"
    for label, value in (
        ("User", "alice"),
        ("Queue", "short"),
        ("Submitted", "Tue 1 Jan 2013 12:00:00"),
        ("Processors", "30"),
        ("RAM", "1 GiB"),
        ("Requested walltime", "2 h (7 200 s)"),
        ("Runtime", "1 h (3 600 s)"),
        ("Started", "Tue 1 Jan 2013 14:00:00"),
        ("Waited", "2 h (7 200 s)"),
        ("Ended", "Tue 1 Jan 2013 15:00:00"),
        ("Bounded slowdown", "3"),
        ("Expected end", "Tue 1 Jan 2013 13:10:00"),
        ("Ran on", "30 of 100 processors"),
    ):
        assert after(words, label) == [value], label
    assert after(words, "■ easy", 3) == ["2 h", "3", "1 h 50 min"]
    assert after(words, f"■ {LONG}", 3) == ["0 s", "1", "in time"]
    assert words[-1] == "Times: UTC"


def test_why_a_job_waited(inspector: Inspector, selection: SelectionModel) -> None:
    selection.select_job(some_trace(), 2)
    words = lines(inspector)
    assert "2 h short of processors (7 of its 30 missing at first)" in words
    assert "First reserved at Tue 1 Jan 2013 12:00:00: to start by Tue 1 Jan 2013 16:00:00." in words
    moved = "The reservation moved 1 time, last at Tue 1 Jan 2013 13:01:00 to Tue 1 Jan 2013 15:00:00."
    assert moved in words
    assert "It started 1 h (3 600 s) before that." in words
    assert "1 job of 1 user went past it: 4." in words
    selection.select_job(some_trace(), 3)
    assert "It was backfilled past job 3, which had waited 1 h." in lines(inspector)
    assert "It started at its submission." in lines(inspector)


def test_a_run_without_a_decision_log_says_so(inspector: Inspector, selection: SelectionModel) -> None:
    trace = some_trace()
    inspector.set_results(trace, [make_result(trace, [0, 0, 600, HOUR])])
    selection.select_job(trace, 2)
    assert any("No decisions were kept" in line for line in lines(inspector))


def test_a_job_that_was_refused(inspector: Inspector, selection: SelectionModel) -> None:
    trace = some_trace()
    inspector.set_results(trace, [make_result(trace, [0, 0, -1, HOUR])])
    selection.select_job(trace, 2)
    assert after(lines(inspector), "■ easy", 3) == ["refused", "–", "–"]
    assert "Not run: too large for this machine." in lines(inspector)


def test_a_job_without_expected_ends(inspector: Inspector, selection: SelectionModel) -> None:
    trace = some_trace()
    inspector.set_results(trace, [make_result(trace, [0, 0, 60, HOUR], grace=None)])
    selection.select_job(trace, 2)
    assert "Expected end" not in lines(inspector)
    assert after(lines(inspector), "■ easy", 3) == ["1 min", "1.02", "–"]


def test_a_user(inspector: Inspector, selection: SelectionModel) -> None:
    selection.select_user(0)
    words = lines(inspector)
    assert words[0] == "User alice"
    assert after(words, "Jobs") == ["2, 50.0 % of all"]
    assert after(words, "Area") == ["1 d 16 h of processor time, 40.0 % of all"]
    assert after(words, "Share of the machine") == ["13.3 %"]  # 40 h of 100 processors in 3 h
    assert after(words, "■ easy", 3) == ["50.0 %", "2 d 7 h", "1 h"]
    delayed = words[words.index("Most delayed jobs") :]
    assert delayed[1:7] == ["Job", "Under", "Late by", "3", "■ easy", "1 h 50 min"]
    assert len([word for word in delayed if word.startswith("■")]) == 1  # a job in time is not delayed


def test_names_from_the_log_are_no_markup(inspector: Inspector, selection: SelectionModel) -> None:
    selection.select_user(1)
    assert lines(inspector)[0] == "User bob <b>"


def test_a_time_range(inspector: Inspector, selection: SelectionModel) -> None:
    selection.select_span(0, 2 * HOUR)
    words = lines(inspector)
    assert words[0] == "Time range"
    assert after(words, "From") == ["Tue 1 Jan 2013 12:00:00"]
    assert after(words, "Length") == ["2 h (7 200 s)"]
    assert after(words, "Submitted") == ["4"]
    # of two hours: jobs 1, 2 and 4 run one each, job 3 waits both; (10 + 20 + 40) / 200 processor hours
    assert after(words, "■ easy", 5) == ["4", "3", "1.5", "1.0", "35.0 %"]
    assert after(words, f"■ {LONG}", 5) == ["4", "4", "2.0", "0.0", "50.0 %"]


def test_a_user_within_a_time_range(inspector: Inspector, selection: SelectionModel) -> None:
    selection.select_span(0, 60)
    selection.select_user(2)  # carol submits later
    words = lines(inspector)
    assert words[0] == "User carol"
    assert after(words, "Jobs") == ["0, 0 % of all"]
    assert "Time range" in words


def test_several_users_jobs_and_a_queue(inspector: Inspector, selection: SelectionModel) -> None:
    selection.select_users([0, 2])
    assert lines(inspector)[:2] == ["2 users", "alice, carol"]
    assert after(lines(inspector), "■ easy", 3) == ["1", "40 min", "2 h"]
    trace = some_trace()
    selection.select_job(trace, 0)
    selection.select_job(trace, 1, toggle=True)
    assert lines(inspector)[:2] == ["2 jobs", "1, 2"]
    selection.clear()
    selection.select_queue(1)
    assert lines(inspector)[0] == "Queue short"
    assert after(lines(inspector), "Jobs") == ["2, 50.0 % of all"]


def test_links_select(qtbot: QtBot, inspector: Inspector, selection: SelectionModel) -> None:
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


def test_times_can_be_clicked(qtbot: QtBot, inspector: Inspector, selection: SelectionModel) -> None:
    selection.select_job(some_trace(), 2)
    with qtbot.waitSignal(inspector.time_clicked) as caught:
        click_link(qtbot, inspector, "Tue 1 Jan 2013 14:00:00")
    assert caught.args == [2.0 * HOUR]


def test_text_can_be_selected_and_copied(
    qtbot: QtBot, inspector: Inspector, selection: SelectionModel
) -> None:
    selection.select_user(0)
    inspector.browser.setFocus()
    qtbot.keyClick(inspector.browser, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(inspector.browser, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert "User alice" in QGuiApplication.clipboard().text()


def test_a_hidden_inspector_is_written_when_it_is_shown(
    inspector: Inspector, selection: SelectionModel
) -> None:
    inspector.hide()
    selection.select_user(0)
    assert lines(inspector)[0] == "Nothing selected"
    inspector.show()
    assert lines(inspector)[0] == "User alice"


def test_selections_of_another_trace_do_no_harm(inspector: Inspector, selection: SelectionModel) -> None:
    selection.select_job(some_trace(), 3)
    small = make_trace([0], [10])
    inspector.set_results(small, [make_result(small, [0])])
    assert "Job" not in lines(inspector)[0]
    selection.select_user(99)
    assert lines(inspector)


def test_links_follow_the_theme(inspector: Inspector, selection: SelectionModel) -> None:
    selection.select_user(0)
    for theme in (LIGHT, DARK):
        inspector.set_theme(theme)
        assert theme.link in inspector.browser.toHtml()


def test_nodes_in_words() -> None:
    named = Cluster((NodeGroup(4, 16, name="fat"), NodeGroup(8, 8, name="thin")))
    assert spell_nodes(named, np.array([0])) == "fat 0"
    assert spell_nodes(named, np.array([1, 2, 3, 4, 5, 9])) == "fat 1–3, thin 0–1, 5"
    plain = Cluster((NodeGroup(40, 16),))
    assert spell_nodes(plain, np.array([3, 7, 8])) == "node 3, 7–8"
    many = np.arange(0, 40, 2)
    assert spell_nodes(plain, many) == "node 0, 2, 4, 6, 8, 10 and 14 more nodes"


def test_a_job_on_nodes(qtbot: QtBot, inspector: Inspector, selection: SelectionModel) -> None:
    trace = make_trace([0], [60], 6, cluster=Cluster((NodeGroup(4, 4),)))
    inspector.set_results(trace, [make_result(trace, [0])])
    selection.select_job(trace, 0)
    assert after(lines(inspector), "Ran on") == ["node 0 (6 processors)"]
