"""The runs of a study that views show: finished and compared runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from views.data.own_data import OwnData
from views.data.results import Result
from views.data.run_series import RunSeries

if TYPE_CHECKING:
    from engine.trace import Trace


@dataclass(frozen=True, eq=False)
class ShownRuns:
    """Finished runs in the order of the study; without a study there is no trace.

    `users` are the selected users, ascending; `own` is what views show besides the runs.
    """

    trace: Trace | None = None
    results: tuple[Result, ...] = ()
    series: tuple[RunSeries, ...] = ()  # of the same runs, over time
    users: tuple[int, ...] = ()
    own: OwnData = field(default_factory=OwnData)

    def place(self, run_id: int | None) -> int:
        """The place of a run among the results; of the first where it is not there."""
        return next((place for place, result in enumerate(self.results) if result.run_id == run_id), 0)
