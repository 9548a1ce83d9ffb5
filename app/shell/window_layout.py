"""The layout of a window: its docks, how its room is divided, and the options of its view."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QEvent, QObject, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from app.model.layout import Area, Dock, LayoutState
from app.panels.charts.chart_splitter import ChartSplitter
from app.shell.overlay import Overlay
from app.shell.shared_column import SharedColumn
from views.catalog import view_spec
from views.state.selection import SelectionModel
from views.state.view_state import ViewState
from views.work.widget_handlers import EventWatch

_AREAS: dict[Area, Qt.DockWidgetArea] = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
    "top": Qt.DockWidgetArea.TopDockWidgetArea,
    "bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}
_MOST = 16_384  # pixels


_FIRST_WIDTHS = {"Explore": 38, "Selected": 50}
"""In letters of the window's font."""

_FIRST_HEIGHT = 0.3
"""The part of the window's height that the inspector takes below the charts."""

_FIRST_SHOWN = ("Runs",)

_LEAST_CENTRE = 0.4, 40
"""The part of the window's width that charts keep beside docks, and how many letters of the window's font."""

_LEAST_HEIGHT = 0.55
"""The part of the window's height that the charts and their tabs keep above the inspector."""

_STATE = 1
"""Version for `saveState`: states of windows with runs at the left are not restored."""


class WindowLayout(QObject):
    """Layout of the docks, applied when `settle` reports that there is a study to show.

    The inspector lies over the charts of all runs, and over pages with `docks`, while something is selected;
    or it keeps a place beside or below them, so that selecting changes the width of no chart. It stays closed
    after the user closed it. `changed`: a dock or its size changed.
    """

    changed = Signal()

    def __init__(
        self,
        window: QMainWindow,
        view: ViewState,
        selection: SelectionModel,
        division: ChartSplitter,
        docks: list[tuple[str, QWidget, Area]],
        inspector: str,
    ) -> None:
        """`docks` have titles and areas; the dock named `inspector` describes the selection."""
        super().__init__(window)
        self._window, self._view, self._selection, self._division = window, view, selection, division
        self._settled = False
        self._state = QByteArray()
        self._states: dict[str, Dock] = {}
        self._by_title = {title: self._add(title, widget, area) for title, widget, area in docks}
        self._inspector = self._by_title[inspector]
        letter = window.fontMetrics().averageCharWidth()
        widths = {title: width * letter for title, width in _FIRST_WIDTHS.items() if title in self._by_title}
        parts = [self._by_title[title] for title in widths]
        window.resizeDocks(parts, list(widths.values()), Qt.Orientation.Horizontal)
        self._column = SharedColumn(window, *parts)
        self._overlay = Overlay(self._inspector, division, view)
        selection.changed.connect(self._bring_inspector)
        division.splitterMoved.connect(self.changed)
        self._inspector.toggleViewAction().triggered.connect(self._want_inspector)
        selection.changed.connect(self._follow)
        self._put_away: list[QDockWidget] = []  # while the charts are alone
        view.follow(self, "inspector_at", self._follow_place)
        view.follow(self, "view inspector", self._follow)
        view.follow(self, "alone solo", self._follow_alone)
        self._room = QTimer(self, singleShot=True, interval=0)
        self._room.timeout.connect(self._keep_room)
        EventWatch(window, self, self._follow_window)

    @property
    def docks(self) -> list[QDockWidget]:
        """The docks as they were added."""
        return list(self._by_title.values())

    def _add(self, title: str, widget: QWidget, area: Area) -> QDockWidget:
        """A dock, hidden until there is a study."""
        dock = QDockWidget(title, self._window)
        dock.setObjectName(title)
        # Qt writes the title of a dock in the font that the program had when the dock was made, unless the
        # dock's own font is not the program's: this font differs from that in nothing that is seen.
        font = dock.font()
        font.setStretch(QFont.Stretch.Unstretched)
        dock.setFont(font)
        dock.setWidget(widget)
        self._window.addDockWidget(_AREAS[area], dock)
        dock.hide()
        EventWatch(dock, self._window, self._follow_dock)
        dock.dockLocationChanged.connect(self.changed)
        dock.topLevelChanged.connect(self.changed)
        return dock

    def _follow_dock(self, dock: QObject, event: QEvent) -> bool:
        """Docks send no signal of a new size, nor of having been closed by hand."""
        if event.type() == QEvent.Type.Close and dock is self._inspector:
            self._view.choose(inspector=False)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide) and self._settled:
            self.changed.emit()
            self._room.start()
        return False

    def _follow_window(self, _: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.FontChange) and self._settled:
            self._room.start()
        return False

    def _keep_room(self) -> None:
        """Take from docks what the charts need beside or above them: a dock may come from a larger screen.

        Each column of docks gives in proportion to what it has above the least width of all its docks.
        """
        centre, window = self._window.centralWidget(), self._window
        share, letters = _LEAST_CENTRE
        least = max(share * window.width(), letters * window.fontMetrics().averageCharWidth())
        if not centre.isVisible():  # not laid out yet
            return
        self._keep_height(centre.height())
        # Enough room: docks keep what the reader gave them.
        lack = least - centre.width()
        if lack <= 0:
            return
        columns: dict[Qt.DockWidgetArea, list[QDockWidget]] = {}
        for dock in self.docks:
            area = window.dockWidgetArea(dock)
            if _is_beside(dock) and area in (_AREAS["left"], _AREAS["right"]):
                columns.setdefault(area, []).append(dock)
        # A dock behind another tab keeps an older width: a column is as wide as its widest dock.
        widest = [max(column, key=QDockWidget.width) for column in columns.values()]
        least_widths = [max(dock.minimumSizeHint().width() for dock in column) for column in columns.values()]
        pairs = zip(widest, least_widths, strict=True)
        spare = [max(dock.width() - least_width, 0) for dock, least_width in pairs]
        if sum(spare) > 0:
            # All give the same part of what they can spare.
            part = min(lack / sum(spare), 1.0)
            widths = [dock.width() - round(part * room) for dock, room in zip(widest, spare, strict=True)]
            window.resizeDocks(widest, widths, Qt.Orientation.Horizontal)

    def _keep_height(self, height: int) -> None:
        """Take from the inspector below the charts what these lack of their least height."""
        window, dock = self._window, self._inspector
        lack = round(_LEAST_HEIGHT * window.height()) - height
        if lack > 0 and _is_beside(dock) and window.dockWidgetArea(dock) == _AREAS["bottom"]:
            low = max(dock.height() - lack, dock.minimumSizeHint().height())
            if low < dock.height():
                window.resizeDocks([dock], [low], Qt.Orientation.Vertical)

    def restore_state(self, state: QByteArray, heights: list[int]) -> None:
        """Bring back how the window was left last time, as soon as there is a study."""
        self._state = state
        self._division.set_heights(heights)

    def state(self) -> QByteArray:
        """The state of the docks, for `restore_state`, as in a window that has room for all."""
        self._column.part()
        return self._window.saveState(_STATE)

    def settle(self) -> None:
        """Arrange the docks as they were left last time, for a study is there; at first few are shown."""
        for title in _FIRST_SHOWN:
            self._by_title[title].show()
        self._window.restoreState(self._state, _STATE)
        self._follow_place()
        self._settled = True
        self._arrange(self._states)
        # Docks that have their size from a larger screen already send no event of it.
        self._room.start()

    @property
    def settled(self) -> bool:
        """True if the docks are in a state to save: there was a study."""
        return self._settled

    def layout(self) -> LayoutState:
        """The present layout."""
        return LayoutState(
            docks={dock.objectName(): self._dock_of(dock) for dock in self.docks},
            divided=tuple(self._division.heights),
            options=self._view.options,
        )

    def apply(self, layout: LayoutState) -> None:
        """Restore a layout of the window; docks that it does not contain stay as they are."""
        self._view.restore(layout.options)
        if layout.docks:
            self._states = layout.docks
            if self._settled:
                self._arrange(layout.docks)
        if layout.divided:
            self._division.set_heights([min(max(size, 0), _MOST) for size in layout.divided])

    def keep_inspector_off(self, widget: QWidget) -> None:
        """Have the inspector, where it lies over the charts, not cover the middle of one of them."""
        self._overlay.keep_off(widget)

    def _want_inspector(self, on: bool) -> None:
        """Show the inspector from the menu, even while nothing is selected: it then shows hints."""
        self._view.choose(inspector=on)
        self._inspector.setVisible(on)

    def _follow_place(self) -> None:
        """Have the inspector where it is wanted: over the charts, or as a dock beside or below them."""
        window, dock, place = self._window, self._inspector, self._view.options.inspector_at
        self._column.part()
        if place == "over":
            self._overlay.lie()
        else:
            was_over, is_below = self._overlay.lies, window.dockWidgetArea(dock) == _AREAS["bottom"]
            self._overlay.end()
            if was_over or is_below != (place == "below"):
                window.addDockWidget(_AREAS["right" if place == "side" else "bottom"], dock)
                self._size_inspector()
        self._follow()

    def _size_inspector(self) -> None:
        """Give the inspector its first width beside the charts, or its first height below them."""
        letter = self._window.fontMetrics().averageCharWidth()
        for size, way in (
            (_FIRST_WIDTHS["Selected"] * letter, Qt.Orientation.Horizontal),
            (round(_FIRST_HEIGHT * self._window.height()), Qt.Orientation.Vertical),
        ):
            self._window.resizeDocks([self._inspector], [size], way)

    def _follow_alone(self) -> None:
        """Put all docks away, or bring those back that were."""
        bare = self._view.options.bare
        if bare and not self._put_away:
            self._put_away = [dock for dock in self.docks if not dock.isHidden()]
            for dock in self._put_away:
                dock.hide()
        elif not bare:
            away, self._put_away = self._put_away, []
            for dock in away:
                dock.show()
            self._follow()

    def _follow(self) -> None:
        """Show or hide the inspector after a change of selection or view."""
        if self._settled and not self._view.options.bare:
            options = self._view.options
            there = options.inspector_at != "over" or not self._selection.value.empty
            self._inspector.setVisible(options.inspector and there and not self._is_lone)

    @property
    def _is_lone(self) -> bool:
        """True if the current view has no inspector beside it."""
        spec = view_spec(self._view.options.view)
        return spec is not None and not spec.docks

    def _bring_inspector(self) -> None:
        if not self._selection.value.empty:
            self._column.bring()

    def _arrange(self, states: dict[str, Dock]) -> None:
        self._column.part()
        for title, dock in self._by_title.items():
            if title in states:
                self._arrange_dock(dock, states[title])
        self._follow()
        self._column.fit()

    def _arrange_dock(self, dock: QDockWidget, state: Dock) -> None:
        if dock is self._inspector and self._overlay.lies:
            return  # its width is an option of the view
        window, area = self._window, _AREAS[state.area]
        dock.setFloating(False)
        if window.dockWidgetArea(dock) != area:
            window.addDockWidget(area, dock)
        dock.setVisible(state.shown)
        if state.floating is not None:
            dock.setFloating(True)
            wanted = QRect(*(min(max(edge, -_MOST), _MOST) for edge in state.floating))
            least = dock.minimumSizeHint().expandedTo(dock.minimumSize())
            least = least.expandedTo(dock.widget().minimumSize())
            dock.setGeometry(_on_a_screen(wanted, least))
            return
        across = state.area in ("left", "right")
        way = Qt.Orientation.Horizontal if across else Qt.Orientation.Vertical
        window.resizeDocks([dock], [min(max(state.size, 1), _MOST)], way)

    def _dock_of(self, dock: QDockWidget) -> Dock:
        if dock is self._inspector and self._overlay.lies:
            return Dock("right", self._view.options.inspector, dock.width())
        area = self._column.area_of(dock)
        name: Area = next(
            (name for name, dock_widget_area in _AREAS.items() if dock_widget_area == area), "left"
        )
        size = dock.width() if name in ("left", "right") else dock.height()
        rect = dock.geometry()
        floating = (rect.x(), rect.y(), rect.width(), rect.height()) if dock.isFloating() else None
        seen = not dock.isHidden() or dock in self._put_away
        shown = self._view.options.inspector if dock is self._inspector else seen
        return Dock(name, shown, size, floating)


def _is_beside(dock: QDockWidget) -> bool:
    """True if a dock takes room in the window."""
    return dock.isVisible() and not dock.isFloating()


def _on_a_screen(rect: QRect, least: QSize) -> QRect:
    """The rectangle, no smaller than `least`, moved onto an existing screen if necessary."""
    screen = QGuiApplication.screenAt(rect.center()) or QGuiApplication.primaryScreen()
    room = screen.availableGeometry()
    width, height = (room.size().boundedTo(rect.size().expandedTo(least))).toTuple()
    left = min(max(rect.x(), room.left()), room.right() + 1 - width)
    top = min(max(rect.y(), room.top()), room.bottom() + 1 - height)
    return QRect(left, top, width, height)
