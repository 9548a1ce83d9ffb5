"""The facts that objectives and bounds are about: all metrics, and how the user fares who fares worst."""

from __future__ import annotations

import numpy as np

from engine.metrics.evaluation import Evaluation
from engine.metrics.named import Value
from engine.search.question import WORST_USER, Facts

_SHORT_WAIT = 600.0  # s: of users who hardly waited any change would be large


def facts_of(evaluation: Evaluation, baseline: Evaluation) -> Facts:
    """All metrics of a schedule, with the change for the user who fares worst against the baseline."""
    return {**evaluation.summary, WORST_USER: _worst_change(evaluation, baseline)}


def _worst_change(evaluation: Evaluation, baseline: Evaluation) -> Value:
    both = evaluation.users.active & baseline.users.active
    before, after = baseline.users["wait_mean"][both], evaluation.users["wait_mean"][both]
    if not len(before):
        return None
    return float((100.0 * (after - before) / np.maximum(before, _SHORT_WAIT)).max())
