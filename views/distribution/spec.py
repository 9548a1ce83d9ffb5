"""The view of distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import FigureSpec, Lazy, ViewSpec, show_jobs

if TYPE_CHECKING:
    from views.distribution.panel import DistributionPanel
    from views.state.context import ViewContext


def _bind(panel: DistributionPanel, context: ViewContext) -> None:
    from views.data.plot_choices import DistributionChoices, read_choices

    view = context.view
    view.follow(
        panel,
        "distributions",
        lambda: panel.set_choices(read_choices(DistributionChoices, view.options.distributions)),
    )
    panel.chosen.connect(lambda chosen: view.choose(distributions=chosen.spelling))


DISTRIBUTIONS = ViewSpec(
    "boxplots",
    "Distributions",
    "tab",
    Lazy("views.distribution.panel:DistributionPanel"),
    show_jobs,
    bind=_bind,
    plots=Lazy("views.distribution.plots:distribution_page"),
    figures=(FigureSpec("distributions", "&Distributions…"),),
)
