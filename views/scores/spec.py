"""The view of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import FigureSpec, Lazy, ViewSpec, show_results

if TYPE_CHECKING:
    from views.scores.page import ScoresPage
    from views.state.context import ViewContext


def _bind(page: ScoresPage, context: ViewContext) -> None:
    view = context.view
    view.follow(page, "gain_weights", lambda: page.set_weights(view.options.gain_weights))
    view.follow(
        page,
        "gains_over baseline",
        lambda: page.choose_baseline(view.options.gains_over, view.options.baseline),
    )
    page.baseline_chosen.connect(lambda run_id: view.choose(gains_over=run_id))
    page.weights_changed.connect(lambda weights: view.choose(gain_weights=tuple(weights)))


SCORES = ViewSpec(
    "scores",
    "Scores",
    "tab",
    Lazy("views.scores.page:ScoresPage"),
    show_results,
    measured=True,
    bind=_bind,
    entry="Sc&ores",
    tip="Several metrics of all runs at once, and what each gains over another",
    plots=Lazy("views.scores.plots:score_page"),
    figures=(
        FigureSpec("radar", "&Radar of scores…", only=(0,)),
        FigureSpec("gains", "Relative g&ains…", only=(1,)),
        FigureSpec("scores", "Sc&ores and gains…", only=(2, 0, 1)),
    ),
)
