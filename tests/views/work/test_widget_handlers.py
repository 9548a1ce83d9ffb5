"""Handlers that end with their widgets: nothing is called with a widget whose C++ part is gone."""

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QApplication, QLabel, QTableWidget, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from views.widgets.table_copies import CopyRows
from views.work.widget_handlers import EventWatch, while_alive


class Heard:
    """What a handler was called with."""

    def __init__(self) -> None:
        self.kinds: list[QEvent.Type] = []
        self.takes = False

    def handle(self, _: QObject, event: QEvent) -> bool:
        self.kinds.append(event.type())
        return self.takes


def test_a_table_in_destruction_asks_nothing_of_the_filter_that_copies_its_rows(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    table = QTableWidget(2, 2, parent)
    CopyRows(table)
    parent.show()
    table.setFocus()
    QApplication.processEvents()
    with qtbot.captureExceptions() as errors:
        delete(table)
    assert not errors


def test_events_of_a_widget_in_destruction_are_passed_on_unseen(qtbot: QtBot) -> None:
    class Seen(QObject):
        count = 0

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
            Seen.count += 1
            return False

    parent, heard = QWidget(), Heard()
    qtbot.addWidget(parent)
    widget = QTableWidget(2, 2, parent)
    widget.installEventFilter(Seen(widget))
    EventWatch(widget, parent, heard.handle)
    parent.show()
    widget.setFocus()
    QApplication.processEvents()
    before, Seen.count = len(heard.kinds), 0
    assert before > 0
    delete(widget)
    assert Seen.count > 0  # events that a plain filter sees
    assert len(heard.kinds) == before


def test_a_watch_keeps_events_until_it_is_stopped_or_its_owner_is_gone(qtbot: QtBot) -> None:
    widget, owner, heard = QLabel(), QLabel(), Heard()
    qtbot.addWidget(widget)
    heard.takes = True
    key = QEvent(QEvent.Type.HelpRequest)
    watch = EventWatch(widget, owner, heard.handle)
    assert QApplication.sendEvent(widget, key)
    watch.stop()
    assert not QApplication.sendEvent(widget, key)
    EventWatch(widget, owner, heard.handle)
    assert QApplication.sendEvent(widget, key)
    delete(owner)
    assert not QApplication.sendEvent(widget, key)
    assert len(heard.kinds) == 2


def test_a_stopped_watch_may_have_lost_its_widget(qtbot: QtBot) -> None:
    owner, widget = QLabel(), QLabel()
    qtbot.addWidget(owner)
    watch = EventWatch(widget, owner, Heard().handle)
    delete(widget)
    watch.stop()


def test_a_model_that_outlives_a_widget_is_not_heard_any_more(qtbot: QtBot) -> None:
    class Model(QObject):
        changed = Signal(str)

    model, label = Model(), QLabel()
    model.changed.connect(while_alive(label, lambda text: label.setText(text)))
    model.changed.emit("first")
    assert label.text() == "first"
    delete(label)
    with qtbot.captureExceptions() as errors:
        model.changed.emit("second")
    assert not errors
