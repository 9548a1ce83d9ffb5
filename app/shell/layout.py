"""Layouts: which parts of the window are shown, where, and how the room is divided."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDockWidget

from views.data.choices import Choices, ScatterChoices, read_choices
from views.data.gantt.colours import ColourMode
from views.data.gantt.layers import Layers
from views.data.gantt.rows import RowKind
from views.data.heatmap_look import HeatmapLook

if TYPE_CHECKING:
    from app.shell.window import MainWindow

ViewName = Literal[
    "all", "gantt", "heatmap", "boxplots", "table", "timeline", "scores", "sweep", "difference"
]
VIEWS: tuple[str, ...] = get_args(ViewName)

WITH_DOCKS: tuple[ViewName, ...] = ("all", "difference")
"""Views that have the inspector beside them; the others are shown alone."""


Area = Literal["left", "right", "top", "bottom"]

_AREAS: dict[Area, Qt.DockWidgetArea] = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
    "top": Qt.DockWidgetArea.TopDockWidgetArea,
    "bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}
_MOST = 16_384  # pixels


@dataclass(frozen=True)
class Dock:
    """Where a dock is, and how wide (at the left and right) or high it is, in pixels.

    One that floats has a place on the screen: left, top, width and height; then `area` is where it
    was before.
    """

    area: Area = "left"
    shown: bool = True
    size: int = 240
    floating: tuple[int, int, int, int] | None = None


@dataclass(frozen=True)
class Layout:
    """Plain values, so that settings and sessions can hold it; every field has a default.

    Not what `saveState` gives: Qt can crash on such bytes where they are damaged, and sessions
    may come from anywhere.
    """

    docks: dict[str, Dock] = field(default_factory=dict)  # by title
    divided: tuple[int, ...] = ()  # heights in pixels: charts over time, box-plots and tables
    view: ViewName = "all"
    tab: str = ""  # of the distributions and tables, by its name
    distributions: str = ""  # Choices.spelling
    scatter: str = ""  # ScatterChoices.spelling
    charts: dict[str, bool] = field(default_factory=dict)  # over time: kind -> shown
    columns: int = 2  # run panels beside each other
    rows: RowKind = "processors"
    colours: ColourMode = "user"
    layers: Layers = field(default_factory=Layers)  # of the Gantt charts
    heatmaps: HeatmapLook = field(default_factory=HeatmapLook)


def layout_of(window: MainWindow) -> Layout:
    """The window as it is."""
    page = window.page
    return Layout(
        docks={dock.objectName(): _dock_of(window, dock) for dock in window.docks},
        divided=tuple(page.splitter.sizes()),
        view=window.view,
        tab=page.tabs.tabText(page.tabs.currentIndex()),
        distributions=page.boxplots.choices.spelling,
        scatter=page.scatter.choices.spelling,
        charts=dict(page.charts_shown),
        columns=page.columns,
        rows=page.rows,
        colours=page.colours,
        layers=page.layers,
        heatmaps=page.heatmap_look,
    )


def apply_layout(window: MainWindow, layout: Layout) -> None:
    """Bring the window into a layout; parts that it does not know stay as they are."""
    page = window.page
    window.show_view(layout.view)
    page.show_charts(**{kind: on for kind, on in layout.charts.items() if kind in page.charts_shown})
    page.set_columns(min(max(layout.columns, 1), 8))
    page.set_rows(layout.rows)
    page.set_colours(layout.colours)
    page.set_layers(layout.layers)
    page.set_heatmap_look(layout.heatmaps)
    page.boxplots.set_choices(read_choices(Choices, layout.distributions))
    page.scatter.set_choices(read_choices(ScatterChoices, layout.scatter))
    for place in range(page.tabs.count()):
        if page.tabs.tabText(place) == layout.tab:
            page.tabs.setCurrentIndex(place)
    if layout.docks:
        window.place_docks(layout.docks)
    if layout.divided:
        page.divide([min(max(size, 0), _MOST) for size in layout.divided])


def place_docks(window: MainWindow, places: dict[str, Dock]) -> None:
    """Put docks where they belong."""
    for dock in window.docks:
        place = places.get(dock.objectName())
        if place is None:
            continue
        area = _AREAS[place.area]
        dock.setFloating(False)
        if window.dockWidgetArea(dock) != area:
            window.addDockWidget(area, dock)
        dock.setVisible(place.shown)
        if place.floating is not None:
            dock.setFloating(True)
            wanted = QRect(*(min(max(edge, -_MOST), _MOST) for edge in place.floating))
            dock.setGeometry(_on_a_screen(wanted, dock.minimumSizeHint()))
            continue
        across = place.area in ("left", "right")
        way = Qt.Orientation.Horizontal if across else Qt.Orientation.Vertical
        window.resizeDocks([dock], [min(max(place.size, 1), _MOST)], way)


def _dock_of(window: MainWindow, dock: QDockWidget) -> Dock:
    area = window.dockWidgetArea(dock)
    name: Area = next((name for name, one in _AREAS.items() if one == area), "left")
    size = dock.width() if name in ("left", "right") else dock.height()
    place = dock.geometry()
    floating = (place.x(), place.y(), place.width(), place.height()) if dock.isFloating() else None
    shown = window.inspects if dock is window.inspector_dock else not dock.isHidden()
    return Dock(name, shown, size, floating)


def _on_a_screen(place: QRect, least: QSize) -> QRect:
    """That place, no smaller than `least`, or one as near as can be seen: its screen may be gone."""
    screen = QGuiApplication.screenAt(place.center()) or QGuiApplication.primaryScreen()
    room = screen.availableGeometry()
    width, height = (room.size().boundedTo(place.size().expandedTo(least))).toTuple()
    left = min(max(place.x(), room.left()), room.right() + 1 - width)
    top = min(max(place.y(), room.top()), room.bottom() + 1 - height)
    return QRect(left, top, width, height)
