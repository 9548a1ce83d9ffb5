"""The view of two measures against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import FigureSpec, Lazy, ViewSpec, show_jobs

if TYPE_CHECKING:
    from views.data.results import Result
    from views.figures.request import FigureRequest
    from views.scatter.panel import ScatterPanel
    from views.state.context import ViewContext


def _bind(panel: ScatterPanel, context: ViewContext) -> None:
    from views.data.plot_choices import ScatterChoices, read_choices

    view = context.view
    view.follow(
        panel, "scatter", lambda: panel.set_choices(read_choices(ScatterChoices, view.options.scatter))
    )
    panel.chosen.connect(lambda chosen: view.choose(scatter=chosen.spelling))
    view.follow(panel, "scattered", lambda: panel.choose_run(view.options.scattered))
    panel.run_chosen.connect(lambda run_id: view.choose(scattered=run_id))
    view.follow(panel, "scattered_to", lambda: panel.choose_other(view.options.scattered_to))
    panel.other_chosen.connect(lambda run_id: view.choose(scattered_to=run_id))


def _runs(request: FigureRequest) -> list[Result]:
    """The chosen run, and the run that arrows lead to."""
    chosen = (request.options.scattered, request.options.scattered_to)
    places = [request.shown.place(chosen[0])]
    places += [place for place, result in enumerate(request.results) if result.run_id == chosen[1]]
    return [request.results[place] for place in dict.fromkeys(places)]


SCATTER = ViewSpec(
    "scatter",
    "Scatter",
    "tab",
    Lazy("views.scatter.panel:ScatterPanel"),
    show_jobs,
    bind=_bind,
    plots=Lazy("views.scatter.plots:scatter_page"),
    figures=(FigureSpec("scatter", "&Scatter…", runs=_runs),),
)
