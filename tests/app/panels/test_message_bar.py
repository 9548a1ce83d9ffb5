"""Messages: several at once, with answers, and those that go by themselves."""

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.panels.message_bar import MOST, MessageBar
from tests.app.windows import click


@pytest.fixture
def bar(qtbot: QtBot) -> Iterator[MessageBar]:
    holder = QWidget()
    qtbot.addWidget(holder)
    bar = MessageBar(holder)
    QVBoxLayout(holder).addWidget(bar)
    holder.resize(600, 400)
    holder.show()
    QCursor.setPos(holder.mapToGlobal(holder.rect().bottomRight()))  # a message under the mouse stays
    yield bar
    holder.close()


def messages_of(bar: MessageBar) -> list[str]:
    """From the top."""
    return [message.text.text() for message in sorted(bar.shown, key=lambda message: message.y())]


def test_the_newest_message_stands_on_top_and_the_oldest_gives_way(qtbot: QtBot, bar: MessageBar) -> None:
    for number in range(MOST + 2):
        bar.show_message(f"message {number}")
    qtbot.waitUntil(lambda: messages_of(bar) == ["message 5", "message 4", "message 3", "message 2"])


def test_the_same_message_is_shown_once(qtbot: QtBot, bar: MessageBar) -> None:
    for text in ("one", "two", "one"):
        bar.show_message(text)
    qtbot.waitUntil(lambda: messages_of(bar) == ["one", "two"])


def test_a_message_closes_alone_and_the_bar_with_the_last(qtbot: QtBot, bar: MessageBar) -> None:
    bar.show_message("one", "its details")
    bar.show_message("two")
    click(qtbot, bar.newest.dismiss)
    assert messages_of(bar) == ["one"]
    click(qtbot, bar.newest.more)
    assert bar.newest.details.toPlainText() == "its details"
    assert bar.newest.details.isVisible()
    click(qtbot, bar.newest.dismiss)
    assert not bar.isVisible()


def test_another_trace_takes_away_what_it_makes_void(bar: MessageBar) -> None:
    bar.show_message("of this program", stays=True)
    bar.show_message("of that trace")
    bar.clear()
    assert messages_of(bar) == ["of this program"]


def test_an_answer_is_given_once_and_the_message_goes(qtbot: QtBot, bar: MessageBar) -> None:
    given: list[str] = []
    bar.show_message("undo?", answers={"Undo": lambda: given.append("undo"), "Never": given.clear})
    click(qtbot, bar.newest.answers["Undo"])
    assert given == ["undo"]
    assert not bar.shown


def test_a_timed_message_goes_by_itself_unless_it_is_being_read(qtbot: QtBot, bar: MessageBar) -> None:
    bar.show_message("harmless", seconds=0.05)
    qtbot.waitUntil(lambda: not bar.isVisible())
    bar.show_message("with details", "more of it", seconds=0.05)
    click(qtbot, bar.newest.more)
    qtbot.wait(150)
    assert messages_of(bar) == ["with details"]


def test_markup_in_a_message_is_shown_as_it_is(bar: MessageBar, qtbot: QtBot) -> None:
    bar.show_message("<b>a file</b>")
    assert messages_of(bar) == ["<b>a file</b>"]
    assert bar.newest.text.sizeHint().width() > bar.fontMetrics().horizontalAdvance("<b>a file")


def test_a_message_is_a_few_lines_high_whatever_it_says(qtbot: QtBot, bar: MessageBar) -> None:
    bar.show_message("one line")
    single = bar.newest.heightForWidth(580)
    bar.clear()
    for text in ("user = 1 or " * 100_000, "/folder" * 100_000, "a\nb\n" * 1000, "\n\n\n" * 100):
        bar.show_message(text, "and why")
        QApplication.processEvents()
        assert bar.newest.heightForWidth(580) < 5 * single
        assert bar.window().width() == 600
        click(qtbot, bar.newest.more)
        assert bar.newest.details.toPlainText().startswith(text[:1000])
        assert bar.newest.details.toPlainText().endswith("and why")
        bar.clear()


def test_the_file_of_a_long_path_is_reported(bar: MessageBar) -> None:
    bar.show_message(f"/{'folder/' * 40}users.csv: cannot read this file")
    assert messages_of(bar)[0].endswith("/users.csv: cannot read this file")
    assert "…" in messages_of(bar)[0]


def test_a_message_of_two_lines_is_whole_without_details(bar: MessageBar) -> None:
    bar.show_message("the first\nthe second")
    assert bar.newest.text.text() == "the first the second"
    assert not bar.newest.more.isVisible()
