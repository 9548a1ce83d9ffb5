"""The view of two runs against each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from views.spec import FigureSpec, Lazy, ViewSpec, show_results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from views.data.results import Result
    from views.difference.page import DifferencePage
    from views.figures.request import FigureRequest
    from views.state.context import ViewContext


def _bind(page: DifferencePage, context: ViewContext) -> None:
    view = context.view
    view.follow(page, "compared", lambda: _choose(page, view.options.compared))
    view.follow(page, "rows folded", lambda: page.gantt.set_rows(view.options.rows, view.options.folded))
    view.follow(page, "layers", lambda: page.gantt.set_layers(view.options.layers))
    view.follow(
        page,
        "heatmaps",
        lambda: page.heatmap.set_look(view.options.heatmaps.rows, view.options.heatmaps.measure),
    )
    view.follow(page, "changes_by", lambda: page.set_grouping(view.options.changes_by))
    page.grouping_chosen.connect(lambda by: view.choose(changes_by=by))
    page.pair_chosen.connect(lambda first, second: view.choose(compared=(first, second)))


def _choose(page: DifferencePage, pair: tuple[int, int] | None) -> None:
    if pair is not None and pair != page.run_ids:
        page.choose(*pair)


def _draw(request: FigureRequest) -> Figure:
    from views.data.comparison import RunPair, compare
    from views.figures.difference import difference_figure

    return difference_figure(compare(*request.own.get(RunPair)), request.window, request.title)


def _lacks(request: FigureRequest) -> str:
    from views.data.comparison import TOO_FEW

    return "" if _pair(request) else TOO_FEW


def _pair(request: FigureRequest) -> Sequence[Result]:
    """The two runs that are compared; empty if there are no two."""
    from views.data.comparison import RunPair

    return request.own.find(RunPair) or ()


DIFFERENCE = ViewSpec(
    "difference",
    "Difference",
    "page",
    Lazy("views.difference.page:DifferencePage"),
    show_results,
    bind=_bind,
    entry="&Difference of two runs",
    keys="Ctrl+D",
    tip="Differences between two runs: which jobs moved, by how much, and whose they are",
    docks=True,
    figures=(
        FigureSpec(
            "difference",
            "&Difference of two runs…",
            _draw,
            caption="time",
            runs=_pair,
            lacks=_lacks,
        ),
    ),
    own=lambda page: page.chosen,
)
