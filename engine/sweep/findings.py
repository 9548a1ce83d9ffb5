"""What a study came to: means over its keys, and whether what was found elsewhere holds here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.sweep.kept import Row
from engine.sweep.study_file import Conditions, Finding, StudyFile


@dataclass(frozen=True)
class Mean:
    """A metric of a policy under some conditions: its mean over the runs, and their standard deviation.

    In % of another policy under the same keys, where it is told against one. None where a run has no value.
    """

    conditions: Conditions
    policy: str
    metric: str
    value: float | None
    spread: float | None


@dataclass(frozen=True)
class Answer:
    """What becomes of a finding: the mean that is nearest to breaking it, or breaks it most, and its metric.

    `value` is None where runs failed.
    """

    finding: Finding
    value: float | None = None
    metric: str = ""

    @property
    def holds(self) -> bool | None:
        """None: it cannot be said."""
        return None if self.value is None else _room(self.finding, self.value) >= 0

    def __str__(self) -> str:
        if self.value is None:
            return f"cannot be said: {self.finding.text}"
        word = "holds" if self.holds else "does not hold"
        unit = f" % of {self.finding.against}" if self.finding.against else ""
        return f"{word} ({self.metric} {self.value:,.2f}{unit}): {self.finding.text}"


def means(study: StudyFile, rows: Sequence[Row | None], against: str | None = None) -> list[Mean]:
    """The mean of each metric of each policy under all conditions, in the order of the study.

    Told against a policy (empty: none), the study's unless another is named. A row that is None has not come
    yet.
    """
    values: dict[tuple[Conditions, str, str], list[float | None]] = {}
    for metric in study.metrics:
        for run, value in zip(study.runs, told_values(study, rows, metric, against), strict=True):
            values.setdefault((run.conditions, run.base, metric), []).append(value)
    found = []
    for (under, policy, metric), told in values.items():
        known = np.array([value for value in told if value is not None])
        whole = len(known) == len(told)
        mean, spread = (float(known.mean()), float(known.std())) if whole else (None, None)
        found.append(Mean(under, policy, metric, mean, spread))
    return found


def answers(study: StudyFile, rows: Sequence[Row | None]) -> list[Answer]:
    """What becomes of each finding; a row that is None has not come yet."""
    told = []
    found = {against: means(study, rows, against) for against in {one.against for one in study.findings}}
    for finding in study.findings:
        wanted = finding.metrics or study.metrics
        own = [
            one
            for one in found[finding.against]
            if (one.conditions, one.policy) == (finding.conditions, finding.policy) and one.metric in wanted
        ]
        known = [(_room(finding, one.value), one.value, one.metric) for one in own if one.value is not None]
        if len(known) < len(own):
            told.append(Answer(finding))
            continue
        _, value, metric = min(known)
        told.append(Answer(finding, value, metric))
    return told


def _room(finding: Finding, value: float) -> float:
    """How far a value is from breaking a finding; below 0 where it does."""
    above = math.inf if finding.least is None else value - finding.least
    below = math.inf if finding.most is None else finding.most - value
    return min(above, below)


def told_values(
    study: StudyFile, rows: Sequence[Row | None], metric: str, against: str | None = None
) -> list[float | None]:
    """The metric of each run, in % of that against which it is told; None where there is none (yet).

    That is of the policy `against` (empty: none), by default the study's.
    """
    against = study.against if against is None else against
    own = [row[metric] if row is not None else None for row in rows]
    values = [float(value) if isinstance(value, int | float) else None for value in own]
    if not against:
        return values
    keys = [(run.conditions, *(run.policy.spelled(key) for key in study.keys)) for run in study.runs]
    other = {
        key: value for key, run, value in zip(keys, study.runs, values, strict=True) if run.base == against
    }
    return [
        100.0 * (value / base) if value is not None and (base := other[key]) else None
        for key, value in zip(keys, values, strict=True)
    ]
