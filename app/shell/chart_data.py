"""The data of the chart that has the keys, as a table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtWidgets import QApplication, QWidget

from app.export.data import data_of
from app.model.models import Models
from app.panels.charts.run_panel import RunPanel
from app.panels.data_dialog import Columns, DataDialog, format_cell
from app.panels.dialogs import show_dialog
from app.shell.study_page import OpenStudyPage
from engine.errors import InputError
from engine.quantities.job_table import Table
from views.catalog import ALL, VIEWS, view_spec
from views.figures.request import FigureRequest
from views.inspector.panel import Inspector
from views.plot.plot import Plot
from views.plotting.widget import PlotWidget
from views.spec import FigureSpec, ViewSpec
from views.tables.table import Table as TableView

if TYPE_CHECKING:
    from views.now.page import NowPage

_STRIPS = {
    "cpu": ("processors", "requested_processors"),
    "ram": ("ram", "requested_ram"),
    "gpu": ("further", "requested_further"),
    "power": ("power",),
    "queue": ("waiting",),
}
"""Series of usage that strips draw, by kind."""

_WITH_UNITS = {
    "ram": "RAM, MiB",
    "requested_ram": "requested RAM, MiB",
    "power": "power, mW",
    "waiting": "waiting jobs",
}
"""Headings of series that are not numbers of processors."""

NOTHING = "This is not a chart with data: click a chart, or go to it with Tab."


def show_chart_data(models: Models, page: OpenStudyPage, window: QWidget) -> None:
    """Show the data of the chart with the focus, else of the page that is shown, in a table."""
    request = page.figure_request()
    # The chart with the focus is meant, even if the mouse is elsewhere.
    focus = QApplication.focusWidget()
    chart = None if request is None else chart_of(focus, models, page, request)
    if chart is None:
        models.messages.say(NOTHING)
        return
    name, summary, make = chart

    def show(table: Columns) -> None:
        show_dialog(DataDialog(name, summary, table, window))

    def fail(error: Exception) -> None:
        models.messages.show_message(f"{name} has no data: {error}")

    models.context.executor.submit("data of a chart", lambda _: make(), show, fail)


def chart_of(
    focus: QWidget | None, models: Models, page: OpenStudyPage, request: FigureRequest
) -> tuple[str, str, Callable[[], Columns]] | None:
    """Name, summary, and what makes the data of the chart that has the focus; None: there is none."""
    part, made = focus, page.views.made
    while part is not None:
        if isinstance(part, RunPanel):
            return _of_panel(part, focus, request)
        if isinstance(part, Inspector) and focus is not None and (table := part.data_of(focus)) is not None:
            return focus.accessibleName(), focus.accessibleDescription(), lambda: table
        for spec in VIEWS:
            if made.get(spec.name) is not part:
                continue
            if isinstance(part, TableView):
                return None  # it is a table
            if spec.own_clock:
                queue = cast("NowPage", part)
                return "The queue as it is now", queue.chart.accessibleDescription(), queue.data
            if spec.figures:
                return _of_view(_figure_of(spec, part, focus), part, focus, request)
        part = part.parentWidget()
    name = models.view.options.view
    shown = view_spec(name)
    if name == ALL:
        spec = next(view for view in VIEWS if view.title == page.tabs.tabText(page.tabs.currentIndex()))
        shown = spec if page.tabs.is_open else None
    if shown is None or not shown.figures or shown.name not in page.views:
        panel = next((run_panel for run_panel in page.runs.panels.values() if run_panel.isVisible()), None)
        return None if panel is None else _of_panel(panel, panel.gantt, request)
    return _of_view(shown.figures[0], page.views[shown.name], None, request)


def _figure_of(spec: ViewSpec[Any], view: QWidget, focus: QWidget | None) -> FigureSpec:
    """The figure of the chart with the focus alone, where there is such, else the view's first."""
    charts = view.findChildren(PlotWidget)
    alone = [(k,) for k, chart in enumerate(charts) if chart is focus]
    return next((figure for figure in spec.figures if figure.only in alone), spec.figures[0])


def _of_view(
    figure: FigureSpec, view: QWidget, focus: QWidget | None, request: FigureRequest
) -> tuple[str, str, Callable[[], Columns]]:
    name = figure.label.replace("&", "").removesuffix("…")
    described = [widget for widget in (focus, view) if widget is not None and widget.accessibleDescription()]
    make = partial(_data, figure, request)
    if isinstance(focus, PlotWidget) and focus.plot is not None:
        plot = focus.plot
        return name, described[0].accessibleDescription(), lambda: rows_of(plot, make())
    return name, described[0].accessibleDescription() if described else name, make


def rows_of(plot: Plot, table: Columns) -> Columns:
    """The rows of a plot in the data of all plots of its page, with the names and units of its axes.

    Columns without a value are left out. Where the data name no such plot they stay.
    """
    titles = [title for title, _ in table]
    rows = (
        [k for k, title in enumerate(table[0][1]) if title == plot.words.title]
        if "plot" in titles[:1]
        else []
    )
    if not rows:
        return table
    axes = {"x": axis_name("x", plot.words.x_name, plot.x), "y": axis_name("y", plot.words.y_name, plot.y)}
    columns = [(axes.get(title, title), [values[row] for row in rows]) for title, values in table[1:]]
    return [(title, values) for title, values in columns if any(format_cell(value) for value in values)]


def axis_name(axis: str, name: str, scale: object) -> str:
    """The heading of values along an axis, which are in s or processor-s where ticks are times."""
    exact = {"durations": "s", "hours": "processor-s"}
    unit = next((unit for kind, unit in exact.items() if getattr(scale, kind, False)), "")
    name = name.removesuffix(", d h min s").removesuffix(", CPU h") if unit else name
    return ": ".join(filter(None, (axis, ", ".join(filter(None, (name, unit))))))


def _of_panel(
    panel: RunPanel, focus: QWidget | None, request: FigureRequest
) -> tuple[str, str, Callable[[], Columns]] | None:
    """Name, description and columns of the focused chart of a panel; None without a result of its run."""
    result = next((candidate for candidate in request.results if candidate.run_id == panel.run_id), None)
    if result is None:
        return None
    kind = next((kind for kind, chart in panel.kinds.items() if chart is focus), "gantt")
    chart = panel.kinds[kind]
    name = f"{chart.accessibleName()}, {result.name}" if kind != "gantt" else f"Jobs of {result.name}"
    summary = chart.accessibleDescription()
    if kind in _STRIPS:
        return name, summary, partial(_usage, result.schedule, kind)
    figure = next(figure_spec for spec in VIEWS if spec.name == kind for figure_spec in spec.figures)
    alone = FigureRequest(**{**vars(request), "results": [result]})
    return name, summary, partial(_data, figure, alone)


def _data(figure: FigureSpec, request: FigureRequest) -> Table:
    try:
        return data_of(figure, request)
    except LookupError as error:  # a figure of pages that nothing was made for yet
        raise InputError("nothing is shown there yet") from error


def _usage(schedule: object, kind: str) -> Columns:
    """The times, s, at which the series of a strip change, and their values from then on."""
    import numpy as np

    from engine.metrics.power import usage_and_power

    series = usage_and_power(schedule)  # type: ignore[arg-type]
    drawn = {name: getattr(series, name) for name in _STRIPS[kind]}
    times = np.unique(np.concatenate([curve.time for curve in drawn.values()]))
    columns: list[tuple[str, object]] = [("time, s", times.tolist())]
    for name, curve in drawn.items():
        place = np.searchsorted(curve.time, times, "right")
        title = _WITH_UNITS.get(name, name.replace("_", " "))
        columns.append((title, np.append(0, curve.value)[place].tolist()))
    return columns  # type: ignore[return-value]
