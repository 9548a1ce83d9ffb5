"""The view of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from views.spec import FigureSpec, ViewSpec

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from PySide6.QtWidgets import QWidget

    from views.data.shown_runs import ShownRuns
    from views.figures.request import FigureRequest
    from views.scores.page import ScoresPage
    from views.state.context import ViewContext
    from views.theme.theme import Theme


def _make(context: ViewContext, theme: Theme, parent: QWidget) -> QWidget:
    from views.scores.page import ScoresPage

    return ScoresPage(context, theme, parent)


def _bind(page: ScoresPage, context: ViewContext) -> None:
    view = context.view
    view.follow(page, "gain_weights", lambda: page.set_weights(view.options.gain_weights))
    view.follow(page, "gains_over", lambda: page.choose_baseline(view.options.gains_over))
    page.baseline_chosen.connect(lambda run_id: view.choose(gains_over=run_id))
    page.weights_changed.connect(lambda weights: view.choose(gain_weights=tuple(weights)))


def _show(panel: Any, shown: ShownRuns) -> None:
    panel.set_results(shown.results)


def _draw_radar(request: FigureRequest) -> Figure:
    from views.figures import radar_figure

    return radar_figure(request.results, request.title)


def _draw_gains(request: FigureRequest) -> Figure:
    from views.figures import gains_figure

    return gains_figure(request.results, request.baseline, request.options.gain_weights, request.title)


SCORES = ViewSpec(
    "scores",
    "Scores",
    "tab",
    _make,
    _show,
    measured=True,
    bind=_bind,
    entry="Sc&ores",
    tip="Several metrics of all runs at once, and what each gains over another",
    figures=(
        FigureSpec("radar", "&Radar of scores…", _draw_radar),
        FigureSpec("gains", "Relative g&ains…", _draw_gains),
    ),
)
