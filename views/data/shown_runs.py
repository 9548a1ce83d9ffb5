"""The runs of a study that views show: those that are finished and judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from views.data.results import Result
from views.data.run_series import RunSeries

if TYPE_CHECKING:
    from engine.trace import Trace


@dataclass(frozen=True, eq=False)
class ShownRuns:
    """Finished runs in the order of the study; without a study there is no trace."""

    trace: Trace | None = None
    results: tuple[Result, ...] = ()
    series: tuple[RunSeries, ...] = ()  # of the same runs, over time
