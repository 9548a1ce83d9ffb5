"""The result of a search: the trials, the front of best trials, and their metrics on unseen time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.claims.claim import NOBODY, Population
from engine.policy.policy import Policy
from engine.search.interval import Interval
from engine.search.question import Objective

if TYPE_CHECKING:
    from engine.search.beliefs import Beliefs


@dataclass(frozen=True)
class Advantage:
    """The mean weekly change of a metric relative to the baseline, in % of its weekly mean there.

    `weeks` is the number of weeks with a value under both, `effective_weeks` the equivalent number of
    independent weeks. `low` and `high` bound the change with 95 % confidence (`engine/search/interval.py`);
    None if there are too few weeks. `span` is from the first to the last submission, s, 0 if unknown.
    """

    change: float
    weeks: int
    effective_weeks: float
    low: float | None = None
    high: float | None = None
    span: int = 0

    @property
    def side(self) -> int:
        """1 if the interval is above 0, -1 if it is below, 0 if it contains 0 or is missing."""
        if self.low is None or self.high is None:
            return 0
        return Interval(self.low, self.high).side


@dataclass(frozen=True)
class Trial:
    """A policy with its metrics on the searched span; `kept` is True if all bounds hold there."""

    policy: Policy
    values: dict[str, float | None]
    kept: bool


@dataclass(frozen=True)
class Dropped:
    """A policy that lost a race, as a trial on the first `seconds` of the searched span, and no longer."""

    trial: Trial
    seconds: int


@dataclass(frozen=True)
class CheckedTrial:
    """A policy of the front with its metrics on the searched span, and on the span that no trial saw."""

    trial: Trial
    values: dict[str, float | None]
    kept: bool


@dataclass(frozen=True)
class SearchResult:
    """The result of a search.

    `trials` are all tried policies, without repetitions; `front` those that none of them beats in all
    objectives, the best by the first objective first. `advantages` compare the first of the front with the
    baseline on the judged span, an entry for each objective. `baseline` has the values of the baseline policy
    on both spans. `contradiction` says why a combination of keys made no policy, empty if all did. `beliefs`
    say how far a search on a site is to be believed. `judged` are the jobs that are measured on the judged
    span. `dropped` are tried policies that lost on the first part of the searched span, and are not among
    `trials`.
    """

    trials: tuple[Trial, ...]
    front: tuple[CheckedTrial, ...]
    baseline: CheckedTrial
    advantages: tuple[Advantage | None, ...]
    contradiction: str = ""
    beliefs: Beliefs | None = None
    judged: Population = NOBODY
    dropped: tuple[Dropped, ...] = ()

    def shown(self, objectives: Sequence[Objective]) -> bool:
        """True if the first of the front is significantly better than the baseline in the first objective."""
        if self.beliefs is not None and self.beliefs.misleading:
            return False
        return bool(self.front) and self.front[0].kept and _gain(objectives[0], self.advantages[0]) > 0

    def worse(self, objectives: Sequence[Objective]) -> list[Objective]:
        """The objectives in which the first of the front is worse than the baseline, not by luck."""
        pairs = zip(objectives, self.advantages, strict=False)  # without a front there are no advantages
        return [objective for objective, value in pairs if _gain(objective, value) < 0]


def _gain(objective: Objective, value: Advantage | None) -> int:
    """1 where a change is shown to be for the better, -1 for the worse, 0 where neither is."""
    side = 0 if value is None else value.side
    return side if objective.large else -side


def front_of(tried: Sequence[Trial], objectives: Sequence[Objective]) -> list[Trial]:
    """The trials within all bounds that no other such trial beats, the best by the first objective first."""
    rows = [(trial, _losses(trial, objectives)) for trial in tried if trial.kept]
    good = [(trial, values) for trial, values in rows if values is not None]
    front = [
        (values, trial)
        for trial, values in good
        if not any(
            other != values and all(a <= b for a, b in zip(other, values, strict=True)) for _, other in good
        )
    ]
    return [trial for _, trial in sorted(front, key=lambda pair: pair[0])]


def _losses(trial: Trial, objectives: Sequence[Objective]) -> tuple[float, ...] | None:
    """The value to minimise of each objective."""
    values = list(_known(trial, objectives))
    return tuple(values) if len(values) == len(objectives) else None


def _known(trial: Trial, objectives: Sequence[Objective]) -> Iterator[float]:
    for objective in objectives:
        value = trial.values[objective.metric]
        if value is not None:
            yield -value if objective.large else value
