"""The view of what waits are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import FigureSpec, Lazy, ViewSpec, show_jobs
from views.tables.spec import bind_columns

if TYPE_CHECKING:
    from views.state.context import ViewContext
    from views.waits.page import WaitsPage


def _bind(page: WaitsPage, context: ViewContext) -> None:
    view = context.view
    view.follow(page, "waits_by", lambda: page.choose_by(view.options.waits_by))
    page.by_chosen.connect(lambda by: view.choose(waits_by=by))
    bind_columns("waits", page.table, context)


WAITS = ViewSpec(
    "waits",
    "Waits",
    "tab",
    Lazy("views.waits.page:WaitsPage"),
    show_jobs,
    bind=_bind,
    plots=Lazy("views.waits.plots:waits_page"),
    figures=(FigureSpec("waits", "&Waits by reason…"),),
    tip="What the waits of accounts, partitions, users or weeks are made of, by reasons logged or inferred",
)
