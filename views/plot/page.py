"""The plots of a view together, with what print writes around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from views.data.results import Result
from views.plot.plot import Category, Plot


@dataclass(frozen=True, eq=False)
class PlotPage:
    """The plots of a view. `legend` names their colours; `notes` are lines below them.

    `title` is a common title, if their own titles are not enough.
    """

    plots: Sequence[Plot]
    legend: Sequence[Category] = ()
    legend_title: str = ""
    title: str = ""
    notes: Sequence[str] = ()

    @property
    def lacks(self) -> str:
        """The reason why nothing is shown; empty if something is."""
        messages = [plot.words.message for plot in self.plots]
        return messages[0] if messages and all(messages) else ""


def runs_legend(results: Sequence[Result]) -> tuple[Category, ...]:
    """The legend entries of the runs: colour and name."""
    return tuple(Category(result.name, result.colour, result.run_id) for result in results)
