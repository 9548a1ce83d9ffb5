"""The look of the panels of runs: the charts of them that are hidden, and what stays on top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

Chart = tuple[int, str]
"""A chart of a run over time: the run's id, and its kind as in `ShownCharts`."""


@dataclass(frozen=True)
class PanelLook:
    """The look of the panels of runs, which are identified by their run ids.

    Panels follow the order of the study, except the `pinned` panel, which comes first and stays visible while
    the others scroll.
    """

    hidden: tuple[Chart, ...] = ()
    pinned: int | None = None

    def arranged(self, runs: Sequence[int]) -> list[int]:
        """These runs from the first panel to the last."""
        return sorted(runs, key=lambda run: run != self.pinned)

    def hide(self, *charts: Chart) -> PanelLook:
        """Hide charts."""
        return replace(self, hidden=(*(kind for kind in self.hidden if kind not in charts), *charts))

    def show(self, *charts: Chart) -> PanelLook:
        """Show hidden charts again."""
        return replace(self, hidden=tuple(kind for kind in self.hidden if kind not in charts))
