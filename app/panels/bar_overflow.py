"""What finds no room in a tool bar, as a menu of the button at its end."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QMenu, QToolBar, QToolButton

from views.widgets.menu_entries import MenuEntry, MenuItem, literal, refill
from views.work.widget_handlers import EventWatch

_PRESSES = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick)


class BarOverflow(QObject):
    """Menu of the buttons of a tool bar that are not seen.

    Qt unfolds the bar over the window below it, and folds it when the mouse leaves it: until then it covers
    whatever a key or a change of size puts there. A menu closes as all menus do.
    """

    def __init__(self, bar: QToolBar) -> None:
        super().__init__(bar)
        self._bar = bar
        self._menu = QMenu("More of the tool bar", bar)
        button = bar.findChild(QToolButton, "qt_toolbar_ext_button")  # Qt's name of it, for style sheets
        assert isinstance(button, QToolButton)
        self.button = button
        button.setAccessibleName(self._menu.title())
        EventWatch(button, self, self._take_press)

    def _take_press(self, _: QObject, event: QEvent) -> bool:
        """Open the menu in place of what Qt does."""
        if not isinstance(event, QMouseEvent) or event.type() not in _PRESSES:
            return False
        if event.button() == Qt.MouseButton.LeftButton:
            refill(self._menu, list(self._entries()))
            corner = self.button.mapToGlobal(QPoint(self.button.width(), self.button.height()))
            self._menu.popup(corner - QPoint(self._menu.sizeHint().width(), 0))
        return True

    def _entries(self) -> Iterator[MenuItem]:
        """What the buttons do that are there and not seen, from the left."""
        for action in self._bar.actions():
            button = self._bar.widgetForAction(action)
            # Actions and their buttons may be hidden because they do not apply now.
            if not isinstance(button, QToolButton) or button.isVisible() or not action.isVisible():
                continue
            if (menu := button.menu()) is not None:
                yield menu
            elif button.defaultAction() is not None:
                yield button.defaultAction()
            else:
                on = button.isChecked() if button.isCheckable() else None
                yield MenuEntry(
                    literal(button.text()), button.click, button.isEnabled(), on, tip=button.toolTip()
                )
