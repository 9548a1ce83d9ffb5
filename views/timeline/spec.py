"""The view of runs over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import FigureSpec, Lazy, ViewSpec

if TYPE_CHECKING:
    from views.data.shown_runs import ShownRuns
    from views.figures.request import FigureRequest
    from views.state.context import ViewContext
    from views.timeline.page import TimelinePage


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


def _lacks(request: FigureRequest) -> str:
    hidden = request.options.timeline_hidden
    seen = any(series.run_id not in hidden for series in request.series)
    return "" if seen else "The timeline shows no run: switch on a run above it."


TIMELINE = ViewSpec(
    "timeline",
    "Timeline",
    "tab",
    Lazy("views.timeline.page:TimelinePage"),
    _show,
    bind=_bind,
    entry="&Timeline",
    keys="Ctrl+T",
    tip="Queue depth, utilization and tunables of all runs over time",
    plots=Lazy("views.timeline.plots:timeline_page"),
    figures=(FigureSpec("timeline", "&Timeline…", caption="all jobs", lacks=_lacks),),
)
