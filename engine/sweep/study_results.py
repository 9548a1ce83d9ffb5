"""The results of a study: its rows so far, and the table that figures are composed of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.spelling import format_number
from engine.sweep.findings import relative_values
from engine.sweep.parameters import POLICY
from engine.sweep.result_table import ResultTable
from engine.sweep.row_cache import Row
from engine.sweep.study_file import StudyFile


@dataclass(frozen=True, eq=False)
class StudyResults:
    """A study and its finished rows, None for rows that are missing."""

    study: StudyFile
    rows: tuple[Row | None, ...]

    @property
    def done(self) -> int:
        """The number of finished runs, failed runs included."""
        return sum(row is not None for row in self.rows)

    @property
    def errors(self) -> dict[str, int]:
        """The errors of failed runs, each with the number of runs."""
        counts: dict[str, int] = {}
        for row in self.rows:
            if row is not None and row["error"]:
                counts[str(row["error"])] = counts.get(str(row["error"]), 0) + 1
        return counts

    @cached_property
    def table(self) -> ResultTable:
        """The table of all planned runs, in their order: NaN where a run is missing or failed.

        Values are in % of the study's reference policy, if it has one.
        """
        measures = {metric: self._values(metric) for metric in self.study.metrics}
        spellings = tuple(run.policy.spelling for run in self.study.runs)
        return ResultTable(
            self.study.title or "study", self._words(), measures, self.study.against, spellings
        )

    def _values(self, metric: str) -> NDArray[np.float64]:
        values = relative_values(self.study, self.rows, metric)
        return np.array([np.nan if value is None else value for value in values], np.float64)

    def _words(self) -> tuple[dict[str, str], ...]:
        """The parameters of each run, by name."""
        return tuple(
            {
                POLICY: run.base,
                "theta": format_number(run.conditions.scaling.theta),
                "rho": format_number(run.conditions.scaling.rho),
                "machine": run.conditions.machine,
                "share": run.conditions.share,
                "react": "on" if run.conditions.react else "off",
                **{key: run.policy.format_key(key) for key in self.study.keys},
            }
            for run in self.study.runs
        )
