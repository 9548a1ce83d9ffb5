"""The effect of the searches of a run on its plans, as lines over time and over the budget."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats
from engine.policy.names import CRITERIA
from engine.schedule.schedule import SearchLog
from views.data.results import Result
from views.text.counts import format_count
from views.text.values import signed_percent

CRITERION_NAMES = {
    "wait": "mean wait",
    "response": "mean response",
    "slowdown": "mean bounded slowdown",
    "nuwt_mean": "mean normalized wait (NUWT)",
    "nuwt_std": "deviation of normalized waits (NUWT)",
    "violated": "share of jobs past their expected ends",
    "tardiness": "mean tardiness",
    "awq": "area-weighted wait",
    "awf": "area-weighted response",
    "response_l2": "root of the sum of squared responses",
    "fair_slowdown": "mean fair slowdown",
}
"""Criteria as people read them, of the jobs that wait."""

DURATIONS = frozenset(("wait", "response", "tardiness", "awq", "awf", "response_l2"))
"""Criteria in seconds; the others are plain numbers."""


@dataclass(frozen=True, eq=False)
class PlanSearches:
    """The searches of one run."""

    result: Result
    log: SearchLog

    @property
    def name(self) -> str:
        """The run, as the legend has it."""
        return self.result.name

    @property
    def time(self) -> Floats:
        """The begin of each row of searches, s."""
        return self.log.time.astype(np.float64)

    def criterion(self, name: str) -> tuple[Floats, Floats]:
        """A criterion before and after the searches of each row."""
        index = CRITERIA.index(name)
        return self.log.before[:, index], self.log.after[:, index]

    @property
    def weighed(self) -> tuple[str, ...]:
        """The criteria that the policy weighs."""
        weights = self.result.schedule.policy.criteria_weights
        return tuple(name for name, weight in zip(CRITERIA, weights, strict=True) if weight > 0)

    @property
    def kept(self) -> Floats | None:
        """The share of accepted moves, in %, of each row; None if no moves are tried."""
        if not self.tries:
            return None
        return np.asarray(100.0 * self.log.kept / np.maximum(self.log.tried, 1))

    @property
    def gain(self) -> Floats:
        """The gain D of a search, in %, on average over each row."""
        return np.asarray(100.0 * self.log.gain / np.maximum(self.log.searches, 1))

    @property
    def gain_per_ms(self) -> Floats | None:
        """The gain D, in %, for each millisecond spent; NaN where none was; None where time is not known."""
        spent = self.log.seconds
        if spent is None:
            return None
        return np.asarray(100.0 * self.log.gain / np.where(spent > 0, 1000.0 * spent, np.nan))

    @property
    def tries(self) -> bool:
        """True if searches try moves, up to a budget; a greedy plan needs none."""
        return self.result.schedule.policy.search != "greedy"

    @property
    def budget(self) -> tuple[Floats, Floats]:
        """Numbers of trials, and the average gain D of a search in % after so many trials."""
        parts, searches = len(self.log.part_gain), max(int(self.log.searches.sum()), 1)
        trials = self.result.schedule.policy.trials * np.arange(parts + 1) / parts
        return trials, np.concatenate(([0.0], 100.0 * np.cumsum(self.log.part_gain) / searches))

    def summary(self, timed: bool = True) -> str:
        """A sentence that summarises all searches; `timed` says how long they took, which is measured."""
        log = self.log
        searches, tried, kept = (int(column.sum()) for column in (log.searches, log.tried, log.kept))
        words = f"{format_count(searches)} searches tried {format_count(tried)} moves"
        words = f"{words} and accepted {format_count(kept)}"
        if not self.tries:
            words = f"{format_count(searches)} plans were made anew"
        changes = []
        for name in self.weighed:
            before, after = (float((log.searches * values).sum()) for values in self.criterion(name))
            if before > 0:
                change = signed_percent(100 * (after - before) / before)
                changes.append(f"{CRITERION_NAMES[name]} {change}")
        spent = "" if log.seconds is None or not timed else f" in {log.seconds.sum():.2f} s"
        return f"{words}{spent}: {', '.join(changes)}" if changes else words + spent


def searches_of(results: list[Result]) -> list[PlanSearches]:
    """The searches of the runs that search for better plans."""
    return [
        PlanSearches(result, log)
        for result in results
        if (log := result.schedule.searches) is not None and len(log)
    ]
