"""The view of runs over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import FigureSpec, ViewSpec

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from PySide6.QtWidgets import QWidget

    from views.data.shown_runs import ShownRuns
    from views.figures.request import FigureRequest
    from views.state.context import ViewContext
    from views.theme.theme import Theme
    from views.timeline.page import TimelinePage


def _make(context: ViewContext, theme: Theme, parent: QWidget) -> QWidget:
    from views.timeline.page import TimelinePage

    return TimelinePage(context, theme, parent)


def _bind(page: TimelinePage, context: ViewContext) -> None:
    view = context.view
    view.follow(
        page,
        "timeline_log timeline_averages",
        lambda: page.show_looks(view.options.timeline_log, view.options.timeline_averages),
    )
    view.follow(page, "timeline_hidden", lambda: page.hide_runs(view.options.timeline_hidden))
    page.hidden_changed.connect(lambda run_ids: view.choose(timeline_hidden=run_ids))
    page.looks_changed.connect(
        lambda: view.choose(timeline_log=page.log.isChecked(), timeline_averages=tuple(page.use.averages))
    )


def _show(page: TimelinePage, shown: ShownRuns) -> None:
    page.set_runs(shown.series)


def _draw(request: FigureRequest) -> Figure:
    from views.figures import timeline_figure

    look = request.options
    return timeline_figure(
        request.series,
        request.window,
        look.timeline_log,
        marks=look.marks,
        averages=look.timeline_averages,
    )


def _lacks(request: FigureRequest) -> str:
    return "" if request.series else "The timeline shows no run: switch one on above it."


TIMELINE = ViewSpec(
    "timeline",
    "Timeline",
    "tab",
    _make,
    _show,
    bind=_bind,
    entry="&Timeline",
    keys="Ctrl+T",
    tip="Queue depth, utilization and tunables of all runs over time",
    figures=(FigureSpec("timeline", "&Timeline…", _draw, caption="all jobs", lacks=_lacks),),
)
