"""Rows of the fields of a policy's keys, below the headings of their groups, in a narrow column."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFormLayout, QFrame, QHBoxLayout, QLabel, QScrollArea, QWidget

from app.panels.policies.policy_field import KeyField
from engine.policy.keys import KEY
from engine.policy.names import KeyGroup
from engine.policy.phrases import key_title
from views.widgets.elided_label import ElidedLabel
from views.work.widget_handlers import EventWatch

_ABOVE_GROUP = 6
"""Pixels above the heading of a group of keys."""


class KeyRows(QFormLayout):
    """A form whose fields lie below their labels. Fields of keys are added above its last row.

    `labels` are those of the keys, by their names.
    """

    def __init__(self, holder: QWidget) -> None:
        super().__init__(holder)
        self.setContentsMargins(0, 0, 4, 0)
        self.setVerticalSpacing(2)
        self.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)
        self.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.labels: dict[str, KeyLabel] = {}
        self._fields: dict[str, KeyField] = {}
        self._headings: dict[KeyGroup, QLabel] = {}

    def add_key(self, name: str, field: KeyField) -> None:
        """Add the row of a key, below the heading of its group where it is the first of it."""
        group, holder = KEY[name].group, self.parentWidget()
        if group not in self._headings:
            heading = self._headings[group] = QLabel(group, holder)
            bold = heading.font()
            bold.setBold(True)
            heading.setFont(bold)
            heading.setContentsMargins(0, _ABOVE_GROUP, 0, 0)
            self._insert(heading)
        label = self.labels[name] = KeyLabel(name, holder)
        label.setBuddy(field)
        self._insert(label)
        self._insert(field)
        self._fields[name] = field

    def _insert(self, part: QWidget) -> None:
        self.insertRow(self.rowCount() - 1, part)

    def show_keys(self, shown: Collection[str]) -> None:
        """Show the rows of these keys alone, and the headings of their groups."""
        for name, field in self._fields.items():
            for part in (self.labels[name], field):
                self.setRowVisible(part, name in shown)
        for group, heading in self._headings.items():
            self.setRowVisible(heading, any(KEY[name].group == group for name in shown))


class ColumnArea(QScrollArea):
    """Scroll area that is never narrower than its widget, which also other fonts and further rows widen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, widgetResizable=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the fields in it take the keys
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def hold(self, widget: QWidget) -> None:
        """Have this widget in it."""
        self.setWidget(widget)
        EventWatch(widget, self, self._fit)

    def _fit(self, _: QObject, event: QEvent) -> bool:
        widget = self.widget()
        if widget is not None and event.type() == QEvent.Type.LayoutRequest:
            bar = self.verticalScrollBar().sizeHint().width()
            self.setMinimumWidth(widget.minimumSizeHint().width() + bar)
        return False


class KeyLabel(QWidget):
    """The title of a key, and at the right end, faint, its name as policies spell it.

    A title that finds no room is elided; the name is always whole.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = ElidedLabel(key_title(name), self)
        key = QLabel(name, self, textFormat=Qt.TextFormat.PlainText)
        key.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._title, 1)
        row.addWidget(key)

    def setBuddy(self, field: QWidget) -> None:
        """Name the field by the title, for those who hear the window."""
        self._title.setBuddy(field)
