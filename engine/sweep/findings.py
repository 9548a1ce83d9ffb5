"""The results of a study: its points, and the reproduction of published findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.claims.claim import NOBODY, Claim, ClaimPlace, ClaimQuantity, NamedThing, Unit
from engine.claims.studies import FindingRelation
from engine.claims.words import plain, render
from engine.metrics.metric_names import parse_metric
from engine.sweep.conditions import SEED, Conditions
from engine.sweep.finding import Finding
from engine.sweep.paper_claim import SEVERITY, ClaimResult
from engine.sweep.row_cache import Row
from engine.sweep.study_file import StudyFile

Keys = tuple[tuple[str, str], ...]
"""The keys of a study but the seed, each with a value."""


@dataclass(frozen=True)
class PointMean:
    """A point of a study: a metric of a policy under some conditions at a value of each of its keys.

    It has the mean over seeds, and their standard deviation, in % of another policy with the same seed if
    there is a reference. None if a run has no value.
    """

    conditions: Conditions
    policy: str
    keys: Keys
    metric: str
    value: float | None
    spread: float | None


@dataclass(frozen=True)
class FindingResult:
    """The result of a finding: the worst verdict of all its points, with that point's `value`.

    `where` identifies that point. `verdict` and `value` are None if runs failed.
    """

    finding: Finding
    verdict: ClaimResult | None = None
    value: float | None = None
    metric: str = ""
    where: str = ""

    def numbers(self, name: str = "") -> str:
        """The measured number, its subject, and the paper's number; `name` overrides the metric's name."""
        return "" if self.value is None else plain(render(self.claim(FindingRelation.MEASURED, name)))

    def claim(self, relation: FindingRelation | None = None, name: str = "") -> Claim:
        """What is claimed of the finding, by default its result; `name` overrides the metric's name."""
        place = ClaimPlace("findings", 0)
        finding, claim = self.finding, self.finding.claim
        subject = NamedThing("text", finding.text, place)
        # Runs that it is about are missing, or failed.
        if self.value is None or self.verdict is None:
            undecided = FindingRelation.UNDECIDED
            return Claim(subject, undecided, (), (subject,), NOBODY, (place,))
        unit = " ".join(
            [finding.unit or parse_metric(self.metric).unit, *(["apart"] if claim.apart is not None else [])]
        )
        rounded = claim.decisive_rounding(self.value)
        about = (
            NamedThing("row", ", ".join(filter(None, (self.where, name or self.metric))), place),
            NamedThing("unit", f" {unit.strip()}" if unit.strip() else "", place),
            NamedThing("rounding", f", {rounded} in the paper's digits" if rounded else "", place),
            NamedThing("paper", str(claim), place),  # as the study file has it
            subject,
        )
        measured = ClaimQuantity("measured", self.value, Unit.MEASURED, place, max(claim.digits, 2))
        result = relation or FindingRelation(self.verdict.value)
        return Claim(subject, result, (measured,), about, NOBODY, (place,))

    def __str__(self) -> str:
        return plain(render(self.claim()))


def means(study: StudyFile, rows: Sequence[Row | None], against: str | None = None) -> list[PointMean]:
    """The points of each metric, in the order of the study.

    Values are in % of the policy `against` (empty: none; default: the study's). A row that is None has not
    come yet.
    """
    keys = [
        tuple((key, run.policy.format_key(key)) for key in study.keys if key != SEED) for run in study.runs
    ]
    values: dict[tuple[Conditions, str, Keys, str], list[float | None]] = {}
    for metric in study.metrics:
        changes = relative_values(study, rows, metric, against)
        for run, keys_of_run, value in zip(study.runs, keys, changes, strict=True):
            values.setdefault((run.conditions, run.base, keys_of_run, metric), []).append(value)
    points = []
    for (under, policy, keys_of_run, metric), measured in values.items():
        known = np.array([value for value in measured if value is not None])
        # A mean over some of the seeds would be of another study: it is shown when all have come.
        whole = len(known) == len(measured)
        mean, spread = (float(known.mean()), float(known.std())) if whole else (None, None)
        points.append(PointMean(under, policy, keys_of_run, metric, mean, spread))
    return points


def answers(study: StudyFile, rows: Sequence[Row | None]) -> list[FindingResult]:
    """The result of each finding that is about the log of these rows; a missing row is None."""
    trace = next((str(row.get("trace", "")) for row in rows if row is not None), "")
    findings = [finding for finding in study.findings if study.is_about(finding, trace)]
    points = {against: means(study, rows, against) for against in {finding.against for finding in findings}}
    return [_answer(finding, points[finding.against]) for finding in findings]


@dataclass(frozen=True)
class _Measured:
    """A number that a finding is about; `where` names the row of the table: its policy and keys."""

    value: float | None
    metric: str
    where: str


def _answer(finding: Finding, points: Sequence[PointMean]) -> FindingResult:
    measured = list(_measured(finding, points))
    known = [(cell.value, cell) for cell in measured if cell.value is not None]
    if len(known) < len(measured):
        return FindingResult(finding)
    claim = finding.claim
    # The worst of all measured numbers decides.
    judged = [(-SEVERITY[claim.judge(value)], claim.room(value), value, cell) for value, cell in known]
    severity, _, value, worst = min(judged, key=lambda entry: entry[:2])
    return FindingResult(finding, list(ClaimResult)[-severity], value, worst.metric, worst.where)


def _measured(finding: Finding, measured: Sequence[PointMean]) -> Iterator[_Measured]:
    """The numbers of the claim: a point, or the distance of points of a policy and metric."""
    points = list(_points(finding, measured))
    if finding.claim.apart is None:
        for mean, value in points:
            yield _Measured(value, mean.metric, _where(mean))
        return
    # apart is about the distance between points: the largest less the smallest, once all are known.
    groups: dict[tuple[str, str], list[float | None]] = {}
    for mean, value in points:
        groups.setdefault((mean.policy, mean.metric), []).append(value)
    for (policy, metric), values in groups.items():
        known = [value for value in values if value is not None]
        apart = max(known) - min(known) if len(known) == len(values) else None
        yield _Measured(apart, metric, policy)


def _points(finding: Finding, points: Sequence[PointMean]) -> Iterator[tuple[PointMean, float | None]]:
    """The points of a finding, in % of the metric beside them if there is any."""
    selected = {
        (mean.policy, mean.keys, mean.metric): mean
        for mean in points
        if mean.conditions == finding.conditions and set(finding.keys) <= set(mean.keys)
    }
    beside = dict(zip(finding.metrics, finding.beside, strict=True)) if finding.beside else {}
    for (policy, keys, metric), mean in selected.items():
        if policy not in finding.policies or metric not in finding.metrics:
            continue
        if metric not in beside:
            yield mean, mean.value
            continue
        # The other metric at the same point, policy and keys.
        base = selected[policy, keys, beside[metric]].value
        yield mean, 100.0 * mean.value / base if mean.value is not None and base else None


def _where(mean: PointMean) -> str:
    return ", ".join([mean.policy, *(f"{name}={value}" for name, value in mean.keys)])


def relative_values(
    study: StudyFile, rows: Sequence[Row | None], metric: str, against: str | None = None
) -> list[float | None]:
    """The metric of each run, in % of its reference; None if missing.

    The reference is the policy `against` (empty: none), by default the study's.
    """
    against = study.against if against is None else against
    numbers = [row[metric] if row is not None else None for row in rows]
    values = [float(value) if isinstance(value, int | float) else None for value in numbers]
    if not against:
        return values
    keys = [(run.conditions, *(run.policy.format_key(key) for key in study.keys)) for run in study.runs]
    # The reference of a run is the run of that policy under the same conditions and keys.
    other = {
        key: value for key, run, value in zip(keys, study.runs, values, strict=True) if run.base == against
    }
    return [
        100.0 * (value / base) if value is not None and (base := other[key]) else None
        for key, value in zip(keys, values, strict=True)
    ]
