"""The view of fairshare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import ViewSpec

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from views.data.shown_runs import ShownRuns
    from views.fairshare.page import FairsharePage
    from views.state.context import ViewContext
    from views.theme.theme import Theme


def _make(context: ViewContext, theme: Theme, parent: QWidget) -> QWidget:
    from views.fairshare.page import FairsharePage

    return FairsharePage(context, theme, parent)


def _bind(page: FairsharePage, context: ViewContext) -> None:
    view = context.view
    view.follow(page, "fairshare_run", lambda: page.choose_run(view.options.fairshare_run))
    page.run_chosen.connect(lambda run_id: view.choose(fairshare_run=run_id))


def _show(page: FairsharePage, shown: ShownRuns) -> None:
    page.set_results(shown.results)


FAIRSHARE = ViewSpec(
    "fairshare",
    "Fairshare",
    "tab",
    _make,
    _show,
    bind=_bind,
    tip="What users used over time against their shares, and how one user's share fills",
)
