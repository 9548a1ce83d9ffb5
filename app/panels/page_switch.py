"""The pages of a study as buttons side by side; the button of the shown page is pressed."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QButtonGroup, QToolBar, QToolButton

from views.catalog import ALL, PLACES, view_spec
from views.state.view_state import ViewState


class PageSwitch(QObject):
    """Buttons at the beginning of a tool bar: the charts of all runs, then the pages of `PLACES`.

    Any other view has a button while it is shown alone. The pressed button leads back to the charts.
    """

    def __init__(self, view: ViewState, bar: QToolBar) -> None:
        super().__init__(bar)
        self._view = view
        self._group = QButtonGroup(self)
        self.buttons = {ALL: self._button(bar, ALL, "Charts", "The charts of all runs (Alt+1)")}
        for name in PLACES:
            spec = view_spec(name)
            assert spec is not None
            keys = f" ({spec.keys})" if spec.keys else ""
            self.buttons[name] = self._button(bar, name, spec.title, f"{spec.tip}{keys}")
        self.other = QToolButton(bar)
        self.other.setCheckable(True)
        self.other.clicked.connect(lambda: view.choose(view=ALL))
        self._group.addButton(self.other)
        self._shows_other = bar.addWidget(self.other)
        bar.addSeparator()
        view.follow(self, "view", self._show)

    def _button(self, bar: QToolBar, name: str, title: str, tip: str) -> QToolButton:
        button = QToolButton(bar)
        button.setText(title)
        button.setToolTip(tip)
        button.setCheckable(True)
        button.clicked.connect(partial(self._go, name))
        self._group.addButton(button)
        bar.addWidget(button)
        return button

    def _go(self, name: str) -> None:
        """Turn to a page; from the page itself to the charts."""
        self._view.choose(view=ALL if name == self._view.options.view else name)
        self._show()  # a button that was pressed already stays so

    def _show(self) -> None:
        name = self._view.options.view
        spec = view_spec(name)
        self.buttons.get(name, self.other).setChecked(True)
        self._shows_other.setVisible(name not in self.buttons)
        if name not in self.buttons and spec is not None:
            self.other.setText(spec.title)
            self.other.setToolTip("Only this view is shown; click: show all charts again")
