"""The view of two measures against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from views.spec import FigureSpec, ViewSpec

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from PySide6.QtWidgets import QWidget

    from views.data.shown_runs import ShownRuns
    from views.figures.request import FigureRequest
    from views.state.context import ViewContext
    from views.theme.theme import Theme


def _make(context: ViewContext, theme: Theme, parent: QWidget) -> QWidget:
    from views.scatter.panel import ScatterPanel

    return ScatterPanel(context, theme, parent)


def _bind(panel: Any, context: ViewContext) -> None:
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


def _show(panel: Any, shown: ShownRuns) -> None:
    panel.set_results(shown.trace, shown.results)


def _draw(request: FigureRequest) -> Figure:
    from views.data.plot_choices import ScatterChoices, read_choices
    from views.figures import scatter_figure

    choices = read_choices(ScatterChoices, request.options.scatter)
    title = request.title and f"{request.scattered.name} on {request.title}"
    return scatter_figure(request.scattered, choices, title)


SCATTER = ViewSpec(
    "scatter",
    "Scatter",
    "tab",
    _make,
    _show,
    bind=_bind,
    figures=(FigureSpec("scatter", "&Scatter…", _draw, runs=lambda request: (request.scattered,)),),
)
