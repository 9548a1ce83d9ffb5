"""Pages of which one is shown: what changes in them stays among them."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from views.widgets.page_stack import PageStack


class Layouts(QObject):
    """Counts how often a widget is laid out anew."""

    def __init__(self, watched: QObject) -> None:
        super().__init__(watched)
        self.count = 0
        watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        self.count += event.type() == QEvent.Type.LayoutRequest
        return False


def test_one_page_is_shown_and_fills_its_parent(qtbot: QtBot) -> None:
    parent, pages = QWidget(), (QLabel("one"), QLabel("two"))
    qtbot.addWidget(parent)
    stack = PageStack(parent, *pages)
    parent.resize(200, 100)
    parent.show()
    assert [page.isVisible() for page in pages] == [True, False]
    stack.setCurrentIndex(1)
    assert [page.isVisible() for page in pages] == [False, True]
    parent.resize(300, 150)
    assert pages[1].size() == parent.size()
    assert stack.sizeHint() == pages[1].sizeHint()
    assert stack.minimumSizeHint() == pages[1].minimumSizeHint()


def test_words_and_widgets_that_come_in_a_page_are_laid_out_there_alone(qtbot: QtBot) -> None:
    window, page = QWidget(), QWidget()
    qtbot.addWidget(window)
    panel = QWidget(window)
    QVBoxLayout(window).addWidget(panel)
    PageStack(panel, page)
    column, label, late = QVBoxLayout(page), QLabel("few"), QLabel("later")
    column.addWidget(label)
    column.addWidget(late)
    late.hide()
    window.resize(300, 200)
    window.show()
    for _ in range(5):
        QApplication.processEvents()
    around, before = Layouts(window), label.geometry()
    label.setText("many more words than there were before")
    late.show()
    for _ in range(5):
        QApplication.processEvents()
    assert around.count == 0
    assert label.geometry() != before
    assert late.geometry().top() > label.geometry().bottom()


def test_a_page_that_needs_less_than_at_first_is_not_held_as_high_as_then(qtbot: QtBot) -> None:
    area, panel, page = QScrollArea(widgetResizable=True), QWidget(), QWidget()
    qtbot.addWidget(area)
    PageStack(panel, page)
    column, tall = QVBoxLayout(page), QLabel("charts in a column")
    column.addWidget(tall)
    tall.setMinimumHeight(500)
    area.setWidget(panel)
    area.resize(300, 200)
    area.show()
    for _ in range(5):
        QApplication.processEvents()
    assert panel.height() >= 500
    tall.setMinimumHeight(90)
    for _ in range(5):
        QApplication.processEvents()
    assert panel.height() == area.viewport().height() < 200
    assert not area.verticalScrollBar().isVisible()
