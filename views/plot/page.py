"""The plots of a view together, with what print writes around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from views.data.results import NO_JOBS, Result, has_jobs
from views.plot.plot import Category, EmptyPlot, Plot


@dataclass(frozen=True, eq=False)
class PlotPage:
    """The plots of a view. `legend` names their colours; `notes` are lines below them.

    `title` is a common title, if their own titles are not enough. With `columns` the plots are a grid of so
    many side by side; 0: as many as there is room for, of plots that belong together in `groups` of so many
    a part of these, so that no row has plots of two groups.
    """

    plots: Sequence[Plot]
    legend: Sequence[Category] = ()
    legend_title: str = ""
    title: str = ""
    notes: Sequence[str] = ()
    columns: int = 0
    groups: int = 0

    @property
    def lacks(self) -> str:
        """The reason why nothing is shown; empty if something is."""
        messages = [plot.words.message for plot in self.plots]
        return messages[0] if messages and all(messages) else ""


def with_jobs(page: PlotPage, results: Sequence[Result]) -> PlotPage:
    """The page of these runs, with a message in each plot where no job of the runs is measured."""
    if has_jobs(results):
        return page
    return replace(page, plots=[EmptyPlot(words=replace(plot.words, message=NO_JOBS)) for plot in page.plots])


def runs_legend(results: Sequence[Result]) -> tuple[Category, ...]:
    """The legend entries of the runs: colour and name."""
    return tuple(Category(result.name, result.colour, result.run_id) for result in results)
