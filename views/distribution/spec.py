"""The view of distributions."""

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
    from views.distribution.panel import DistributionPanel

    return DistributionPanel(context, theme, parent)


def _bind(panel: Any, context: ViewContext) -> None:
    from views.data.plot_choices import DistributionChoices, read_choices

    view = context.view
    view.follow(
        panel,
        "distributions",
        lambda: panel.set_choices(read_choices(DistributionChoices, view.options.distributions)),
    )
    panel.chosen.connect(lambda chosen: view.choose(distributions=chosen.spelling))


def _show(panel: Any, shown: ShownRuns) -> None:
    panel.set_results(shown.trace, shown.results)


def _draw(request: FigureRequest) -> Figure:
    from views.data.plot_choices import DistributionChoices, read_choices
    from views.figures import boxplot_figure, lines_figure

    choices = read_choices(DistributionChoices, request.options.distributions)
    if choices.kind == "box":
        return boxplot_figure(request.results, request.title, choices)
    return lines_figure(request.results, choices, request.title)


DISTRIBUTIONS = ViewSpec(
    "boxplots",
    "Distributions",
    "tab",
    _make,
    _show,
    bind=_bind,
    figures=(FigureSpec("distributions", "&Distributions…", _draw),),
)
