"""The help beside the window: its contents, a search in them, and the page, so that steps can be followed."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPoint, QRect, QSize, Qt, QUrl
from PySide6.QtGui import QImage, QTextBlock, QTextCursor, QTextDocument
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from app.panels.help_contents import WORDS, Topic, page_path, topics, words_page

_PICTURE = 840
"""Pixels across: the width of all pictures, where there is room."""

_CONTENTS, _MARGINS = 300, 60
"""Pixels of the width of the contents at most, and around a picture."""

_TOPIC = Qt.ItemDataRole.UserRole


def place_beside(spot: QPoint, size: QSize, room: QRect) -> QPoint:
    """The corner of a window of this size at the side of a screen's `room` that is farther from a spot."""
    right = room.right() + 1 - size.width()
    left = right if spot.x() < room.center().x() else room.left()
    middle = room.center().y() - size.height() // 2
    return QPoint(max(left, room.left()), max(middle, room.top()))


class GuideDialog(QDialog):
    """Contents at the left, with a search over them, the page at the right; the window can be used meanwhile.

    It opens on the guide. Enter in the search shows the first topic that has the words in its title.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Help")
        self.search = QLineEdit(
            self, placeholderText="Search: a key, a metric, a command", clearButtonEnabled=True
        )
        self.search.setAccessibleName("Search")
        self.contents = QListWidget(self)
        self.contents.setAccessibleName("Contents")
        self.contents.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.page = _Page(self)
        self.page.setAccessibleName("Guide")
        self.page.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.page.document().setDocumentMargin(16)
        self._shown = ""
        self._fill()
        self._lay_out()
        # A click on the entry that is current already shows its beginning again; only the second signal tells
        # of it.
        self.contents.currentItemChanged.connect(lambda item, _: self._show(item))
        self.contents.itemClicked.connect(self._show)
        self.search.textChanged.connect(self._filter)
        self.search.returnPressed.connect(self._show_first)
        self.contents.setCurrentRow(0)
        self.page.setFocus()

    def show_topic(self, title: str) -> None:
        """Show the topic of this title, else the first whose title contains these words, if there is one."""
        items = (self.contents.item(row) for row in range(self.contents.count()))
        same = next((item for item in items if item.data(_TOPIC).title == title), None)
        if same is not None:
            self.contents.setCurrentItem(same)
            self.contents.scrollToItem(same)
            return
        self.search.setText(title)
        self._show_first()

    def _fill(self) -> None:
        for topic in topics():
            item = QListWidgetItem(f"{'    ' * (topic.level - 1)}{topic.title}", self.contents)
            item.setData(_TOPIC, topic)
            item.setToolTip(topic.title)
            if topic.level == 1:
                font = item.font()
                font.setBold(True)
                item.setFont(font)

    def _lay_out(self) -> None:
        side = QWidget(self)
        left = QVBoxLayout(side)
        left.setContentsMargins(0, 0, 0, 0)
        left.addWidget(self.search)
        left.addWidget(self.contents, 1)
        split = QSplitter(self)
        split.setChildrenCollapsible(False)
        split.addWidget(side)
        split.addWidget(self.page)
        split.setStretchFactor(1, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(split)
        column.addWidget(buttons)
        # The list is as wide as its longest entry, and the text gets the rest.
        bar = self.contents.verticalScrollBar().sizeHint().width()
        contents = min(
            self.contents.sizeHintForColumn(0) + bar + 2 * self.contents.frameWidth() + 4, _CONTENTS
        )
        wanted = QSize(contents + _PICTURE + 2 * _MARGINS, 720)
        self.resize(wanted.boundedTo(self.screen().availableSize()))
        split.setSizes([contents, self.width() - contents])
        # Pictures are scaled to the text's width, which is known only after the sizes are set.
        self.page.picture = min(_PICTURE, max(self.width() - contents - 2 * _MARGINS, 100))

    def _filter(self, typed: str) -> None:
        wanted = typed.casefold().split()
        for row in range(self.contents.count()):
            item = self.contents.item(row)
            title = item.text().casefold()
            item.setHidden(not all(word in title for word in wanted))

    def _show_first(self) -> None:
        items = (self.contents.item(row) for row in range(self.contents.count()))
        first = next((item for item in items if not item.isHidden()), None)
        if first is not None:
            self.contents.setCurrentItem(first)
            self._show(first)

    def _show(self, item: QListWidgetItem | None) -> None:
        """Show the page of a topic, from its heading on."""
        topic: Topic | None = item.data(_TOPIC) if item is not None else None
        if topic is None:
            return
        if topic.page == WORDS:
            if self._shown != WORDS:
                self.page.setMarkdown(words_page())
        else:
            self.page.setSource(QUrl.fromLocalFile(str(page_path(topic.page))))
        self._shown = topic.page
        self.page.scroll_to(topic.title if topic.level > 1 else "")


class _Page(QTextBrowser):
    """Markdown whose pictures are `picture` pixels wide."""

    picture = _PICTURE

    def scroll_to(self, heading: str) -> None:
        """Scroll to a heading, otherwise to the first occurrence of the word; empty: to the title."""
        block: QTextBlock = self.document().begin()
        while heading and block.isValid():
            if block.blockFormat().headingLevel() and block.text().strip() == heading.strip():
                break
            block = block.next()
        if not block.isValid():
            block = self.document().find(heading, 0, QTextDocument.FindFlag.FindWholeWords).block()
        if block.isValid():
            self.setTextCursor(QTextCursor(block))
            top = self.document().documentLayout().blockBoundingRect(block).top()
            self.verticalScrollBar().setValue(round(top) if heading else 0)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Pictures are scaled down; anything else is as Qt reads it."""
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return super().loadResource(kind, name)
        picture = QImage(self.source().resolved(QUrl(name)).toLocalFile())
        return picture.scaledToWidth(self.picture, Qt.TransformationMode.SmoothTransformation)
