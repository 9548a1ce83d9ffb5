"""The look of the panels of runs: their order, the charts of them that are hidden, and what stays on top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

Chart = tuple[int, str]
"""A chart of a run over time: the run's id, and its kind as in `ShownCharts`."""


@dataclass(frozen=True)
class PanelLook:
    """Look of the panels of runs, which are told by their ids.

    `order` is that of the panels that were moved, the others follow as in the study; the `pinned`
    one is the first of all, and stays in sight where others are scrolled.
    """

    order: tuple[int, ...] = ()
    hidden: tuple[Chart, ...] = ()
    pinned: int | None = None

    def arranged(self, runs: Sequence[int]) -> list[int]:
        """These runs from the first panel to the last."""
        known = [run for run in self.order if run in runs]
        rest = [run for run in runs if run not in known]
        return sorted([*known, *rest], key=lambda run: run != self.pinned)

    def move(self, runs: Sequence[int], run: int, to: int) -> PanelLook:
        """Put the panel of a run where that of another one is; a pinned one is pinned no longer."""
        order = self.arranged(runs)
        place = order.index(to)
        order.remove(run)
        order.insert(place, run)
        return replace(self, order=tuple(order), pinned=None if self.pinned in (run, to) else self.pinned)

    def hide(self, chart: Chart) -> PanelLook:
        """Hide a chart."""
        return replace(self, hidden=(*(one for one in self.hidden if one != chart), chart))

    def show(self, *charts: Chart) -> PanelLook:
        """Show hidden charts again."""
        return replace(self, hidden=tuple(one for one in self.hidden if one not in charts))
