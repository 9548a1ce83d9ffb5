"""The groups of metrics in the table, and the format of their values."""

from __future__ import annotations

from collections.abc import Sequence

from engine.metrics.catalog import METRICS
from engine.metrics.metric import Metric
from engine.metrics.phase_metrics import PhaseRange
from views.text.counts import plural
from views.text.units import heading
from views.text.values import NOTHING, duration, minutes, percent, processor_time, thin

GROUPS = (
    ("Wait", ("wait_",)),
    ("Slowdown", ("slowdown_", "bounded_slowdown_")),
    ("Response", ("response_",)),
    ("Expected end times", ("veet_", "violated", "wt_", "tardiness")),
    (
        "Jobs and machine",
        (
            "jobs",
            "users",
            "ran",
            "refused",
            "given_up",
            "runs_stopped",
            "stopped_area",
            "preempted_runs",
            "preempted_area",
            "makespan",
            "utilization",
        ),
    ),
    ("Packing", ("awf", "awq", "psf", "loss_of_capacity")),
    ("Fairness", ("jain", "nuwt", "unfair", "fair_slowdown_")),
    ("Value", ("value", "revenue", "users_priced_out", "budget_unspent")),
    ("Estimates", ("estimate_", "underestimated")),
    ("Predicted starts", ("prediction_",)),
    ("Recorded schedule", ("recorded_",)),
    ("Energy", ("energy", "power_", "cap_passed")),
    ("Scheduler", ()),
)
"""Titles, and how the names of their metrics begin; the last takes all others."""

_ASKED = "Further"
"""The title of metrics beside the catalogue: of the user's own code, and those that take a parameter."""

Value = float | int | None


def grouped_metrics(further: Sequence[Metric] = ()) -> list[tuple[str, list[Metric]]]:
    """The metrics of the catalogue by group, in its order, behind the `further` ones that were asked for.

    Groups without any are left out.
    """
    groups: dict[str, list[Metric]] = {_ASKED: list(further), **{title: [] for title, _ in GROUPS}}
    for metric in METRICS.values():
        title = next((t for t, starts in GROUPS if metric.name.startswith(starts)), GROUPS[-1][0])
        groups[title].append(metric)
    return [(title, metrics) for title, metrics in groups.items() if metrics]


def metric_heading(metric: Metric) -> str:
    """The title of a metric with the units of its values as `format_value` shows them."""
    return heading(metric.label, "%" if metric.share else metric.unit)


def format_value(metric: Metric, value: Value) -> str:
    """A value to compare at a glance; times in their two largest units."""
    if value is None:
        return NOTHING
    if metric.unit == "s":
        return duration(value)
    if metric.unit == "processor-s":
        return processor_time(value)
    if metric.unit == "%":
        return percent(value)
    if metric.share:
        return _share(metric, value)
    if metric.unit == "min":
        return minutes(value)
    return f"{thin(metric.show(value))} {metric.unit}".rstrip()


def format_range(metric: Metric, over: PhaseRange, phases: int) -> str:
    """The least and the largest value of a metric over so many phases of a site's run."""
    low, high = (format_value(metric, bound) for bound in over)
    span = f"{low} to {high}" if low != high else low
    return f"{span} over {plural(phases, 'phase')} of slurmctld's loops"


def _share(metric: Metric, value: float) -> str:
    """A part of a whole in %, with two digits fewer than as a fraction."""
    if value in (0, 1):
        return f"{100 * value:.0f} %"
    sign = "+" if metric.format.startswith("+") else ""
    return f"{100 * value:{sign}.2f} %".replace("-", "−")


def format_exactly(metric: Metric, value: Value) -> str:
    """A value with its unit, as far as it has digits that mean something."""
    if value is None:
        return "no value"
    if metric.share:
        return f"{100 * value:.6g} %".replace("-", "−")
    digits = (
        f"{value:,}" if isinstance(value, int) else f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"
    )
    return f"{thin(digits)} {metric.unit}".rstrip()
