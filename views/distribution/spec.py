"""The view of distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from views.spec import FigureSpec, Lazy, ViewSpec

if TYPE_CHECKING:
    from views.data.shown_runs import ShownRuns
    from views.state.context import ViewContext


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


DISTRIBUTIONS = ViewSpec(
    "boxplots",
    "Distributions",
    "tab",
    Lazy("views.distribution.panel:DistributionPanel"),
    _show,
    bind=_bind,
    plots=Lazy("views.distribution.plots:distribution_page"),
    figures=(FigureSpec("distributions", "&Distributions…"),),
)
