"""The table of metrics: name, label, unit, direction, and definition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from engine.quantities import offered
from engine.schedule.predictions import TOLERANCE

Better = Literal["lower", "higher"]

NO_VALUE = "–"


@dataclass(frozen=True)
class Metric:
    """A metric of a schedule.

    `better` is None for metrics that describe a run without rating it. `text` is the definition, with formula
    and source; s, b, c are submission, start and end of a job, Q = b - s, D = c - b, F = c - s its wait,
    runtime and response, r its processors and R the machine's. `format` is a Python format specification. The
    value of a `share` is a part of a whole, 0 to 1, which the window shows in %.
    """

    name: str
    label: str
    unit: str
    better: Better | None
    text: str
    format: str = ",.0f"
    share: bool = False

    def show(self, value: float | None) -> str:
        """The value as people read it, without its unit."""
        return NO_VALUE if value is None else format(value, self.format)


_GOPONENKO = "Goponenko et al. 2022"
_TANG = "Tang et al. 2013"
_TOTH = "Toth & Klusacek 2014"
_BOSSCHE = "Van den Bossche et al. 2011"
_KLUSACEK = "Klusacek, Chlumsky & Rudova 2014"

_POSITIONS = (
    ("mean", "Mean {}", "mean over jobs"),
    ("median", "Median {}", "median over jobs"),
    ("p95", "P95 {}", "95 % of the jobs have at most this"),
    ("max", "Longest {}", "largest of all jobs"),
)


def _spreads() -> Iterator[Metric]:
    for name, one in offered("spread").items():
        style = ",.0f" if one.unit == "s" else ",.2f"
        unit = "" if one.unit == "ratio" else one.unit
        source = f" ({one.source})" if one.source else ""
        for position, label, what in _POSITIONS:
            title = (label if unit or position != "max" else "Largest {}").format(one.title.lower())
            text = f"{one.title} {one.formula}{source}: {what}."
            yield Metric(f"{name}_{position}", title, unit, "lower", text, style)


def _packing() -> Iterator[Metric]:
    yield Metric(
        "awf",
        "Area-weighted response",
        "s",
        "lower",
        "AWF = sum(a F) / sum(a) with the area a = r D: how early work gets done, "
        f"whatever the sizes of the jobs that it comes in ({_GOPONENKO}, III).",
    )
    yield Metric(
        "awq",
        "Area-weighted wait",
        "s",
        "lower",
        f"AWQ = sum(a Q) / sum(a) with the area a = r D ({_GOPONENKO}, III).",
    )
    for alpha in (1, 2, 3):
        yield Metric(
            f"psf{alpha}",
            f"P{'¹²³'[alpha - 1]}SF",
            "s",
            "lower",
            f"Priority weighted specific response time: {alpha + 1}/{alpha + 2} "
            f"sum r (F^{alpha + 2} - Q^{alpha + 2}) / sum r (F^{alpha + 1} - Q^{alpha + 1}). "
            "Rates packing and fairness to those who waited longest; the power says how much "
            f"fairness weighs ({_GOPONENKO}, IV).",
        )
    yield Metric(
        "response_l2",
        "Response, l2 norm",
        "s",
        "lower",
        f"sqrt(sum F^2): long responses count more than in the mean (after Pruhs et al.; {_GOPONENKO}, VII).",
    )
    yield Metric(
        "loss_of_capacity_demand",
        "Loss of capacity, demand",
        "",
        "lower",
        "Integral of min(processors that jobs wait for, idle processors), over R makespan less what is "
        f"down: the part of the machine's time that idles while it is asked for ({_GOPONENKO}, VII).",
        ".4f",
        share=True,
    )
    yield Metric(
        "loss_of_capacity_fit",
        "Loss of capacity, fit",
        "",
        "lower",
        "Integral of the idle processors while some waiting job asks for no more than is idle on all nodes "
        "together, over R makespan less what is down: the part of the machine's time that idles though a job "
        f"would fit ({_TANG}, equation 4).",
        ".4f",
        share=True,
    )
    yield Metric(
        "loss_of_capacity_fragmented",
        "Loss of capacity, fragmented",
        "",
        "lower",
        "The part of the loss by fit while none of the waiting jobs could be placed: what is free is "
        "scattered over the nodes, or partitions hold more than jobs ask for "
        f"(after {_TANG}, equation 4).",
        ".4f",
        share=True,
    )


def _estimates() -> Iterator[Metric]:
    yield Metric(
        "estimate_r2",
        "R² of estimates",
        "",
        "higher",
        "1 - sum((D - E)^2) / sum((D - mean D)^2) of the runtimes E estimated at submission: 1 when all "
        f"are right, 0 when no better than the mean runtime, below 0 when worse ({_GOPONENKO}, VI).",
        ".4f",
    )
    yield Metric(
        "underestimated",
        "Jobs underestimated",
        "",
        "lower",
        f"The part of the jobs that run longer than estimated at submission ({_GOPONENKO}, VI).",
        ".4f",
        share=True,
    )


def _predictions() -> Iterator[Metric]:
    text = (
        "Of the jobs that a start was predicted for (their first planned or reserved start, or they started "
        "at submission), in %, those that start"
    )
    yield Metric(
        "prediction_early",
        "Starts earlier than predicted",
        "%",
        None,
        f"{text} more than {TOLERANCE} s before it ({_KLUSACEK}). Needs the decision log.",
        ".1f",
    )
    yield Metric(
        "prediction_on_time",
        "Starts as predicted",
        "%",
        "higher",
        f"{text} within {TOLERANCE} s of it ({_KLUSACEK}). Needs the decision log.",
        ".1f",
    )
    yield Metric(
        "prediction_late",
        "Starts later than predicted",
        "%",
        "lower",
        f"{text} more than {TOLERANCE} s after it ({_KLUSACEK}). Needs the decision log.",
        ".1f",
    )


def _recorded() -> Iterator[Metric]:
    yield Metric(
        "recorded_start_difference",
        "Start difference to recorded",
        "s",
        "lower",
        "Median over jobs of |start - start in the recorded schedule|.",
    )
    yield Metric(
        "recorded_wait_correlation",
        "Wait correlation with recorded",
        "",
        "higher",
        "Rank correlation of the jobs' waits with those of the recorded schedule: 1 when the same jobs "
        "wait longest, 0 when there is no relation (Spearman 1904).",
        ".3f",
    )
    yield Metric(
        "recorded_utilization_difference",
        "Utilization difference to recorded",
        "",
        None,
        "Utilization less that of the recorded schedule, over the same jobs.",
        "+.4f",
        share=True,
    )


def _all() -> Iterator[Metric]:
    yield Metric("jobs", "Jobs measured", "", None, "Jobs that the metrics are taken of.")
    yield Metric("users", "Users", "", None, "Users with at least one measured job.")
    yield Metric("ran", "Jobs run", "", None, "Jobs of the whole trace that the schedule runs.")
    yield Metric(
        "refused",
        "Jobs refused",
        "",
        "lower",
        "Jobs that the schedule does not run: too large for the machine.",
    )
    yield Metric(
        "given_up",
        "Jobs given up",
        "",
        "lower",
        "Jobs that nodes failed under more often than the policy starts a job again (max_restarts), or that "
        "are lost at the first failure (on_failure=lose).",
    )
    yield Metric(
        "stopped",
        "Runs stopped by failures",
        "",
        "lower",
        "How often nodes failed under a measured job, also one that was given up.",
    )
    yield Metric(
        "lost_area",
        "Processor time lost to failures",
        "processor-s",
        "lower",
        "Processors times the time of the runs that failures of nodes cut short and that jobs did not go on "
        "from.",
    )
    yield Metric("makespan", "Makespan", "s", "lower", "From the first submission to the last end.")
    yield Metric(
        "utilization",
        "Utilization",
        "",
        "higher",
        "sum(r D) / (R makespan): the part of the machine's time that jobs used; time in which nodes are "
        "down is none of it, and runs that failures cut short count as unused, where jobs do not go on.",
        ".4f",
        share=True,
    )
    for resource, label in (("ram", "RAM"), ("gpu", "GPU")):
        yield Metric(
            f"utilization_{resource}",
            f"{label} utilization",
            "",
            "higher",
            f"The part of the time of the machine's {label} that jobs asked for, as `utilization` is that "
            "of its processors; nothing where the machine's is not known.",
            ".4f",
            share=True,
        )
    yield from _spreads()
    yield from _packing()
    yield Metric(
        "queue_depth_mean",
        "Mean queue depth",
        "min",
        "lower",
        "Minutes that all waiting jobs together have waited so far, averaged over the makespan "
        f"({_TANG}, 4.2).",
        ",.1f",
    )
    yield Metric(
        "queue_depth_max",
        "Largest queue depth",
        "min",
        "lower",
        f"The most minutes that all waiting jobs together have waited at any moment ({_TANG}, 4.2).",
        ",.1f",
    )
    yield from _fairness()
    yield Metric(
        "jain_wait",
        "Jain index of waits",
        "",
        "higher",
        "(sum x)^2 / (m sum x^2) of the mean waits x of m users: 1 when all wait alike, "
        "1 / m when one does all the waiting (Jain, Chiu & Hawe 1984).",
        ".3f",
    )
    nuwt = (
        "NUWT_u, the total wait of a user over the processor-seconds that the user got, RAM weighed in where "
        f"the machine limits it ({_KLUSACEK}, 3.2)"
    )
    yield Metric(
        "nuwt_mean",
        "Mean NUWT",
        "",
        "lower",
        f"{nuwt}: mean over users.",
        ",.3g",
    )
    yield Metric(
        "nuwt_std",
        "Spread of NUWT",
        "",
        "lower",
        f"{nuwt}: standard deviation over users, 0 when all wait alike for what they get.",
        ",.3g",
    )
    yield from _unfairness()
    yield from _value()
    yield from _estimates()
    yield from _predictions()
    yield from _recorded()
    yield Metric(
        "backfilled",
        "Jobs backfilled",
        "",
        None,
        "Measured jobs that were started before a waiting job. Needs the decision log.",
    )
    yield Metric("passes", "Scheduling passes", "", None, "Number of scheduling passes.")
    yield Metric(
        "pass_mean_us",
        "Mean time of a pass",
        "µs",
        "lower",
        f"Computing time of a scheduling pass, measured where the decision log is kept; else that of the "
        f"whole simulation over its passes ({_TANG}, table 4).",
        ",.2f",
    )
    yield Metric(
        "pass_p95_us",
        "Time of a pass, 95 %",
        "µs",
        "lower",
        f"What 95 % of the passes stay below, measured where the decision log is kept ({_TANG}, table 4).",
        ",.2f",
    )


def _value() -> Iterator[Metric]:
    left = (
        "what is left of the jobs' values v (by the policy's valuation and seed) when they end, summed over "
        "jobs: f = v max(0, 1 - (F / D - 1) / 5)"
    )
    yield Metric("value", "Value", "", "higher", f"Aggregate value, {left} ({_BOSSCHE}, equations 2 and 9).")
    yield Metric(
        "value_percent",
        "Value of the auction's",
        "%",
        "higher",
        f"The value in % of that under the first compared policy with order=auction ({_BOSSCHE}, 6).",
        ".2f",
    )
    yield Metric(
        "revenue",
        "Revenue",
        "",
        None,
        f"What jobs pay: the prices of their queues, or their bids ({_BOSSCHE}, 3).",
    )


def _unfairness() -> Iterator[Metric]:
    fair = (
        "The fair start of a job is when the same policy would start it, from the state at its "
        "submission, if no later job came and all ran as long as estimated"
    )
    yield Metric(
        "unfair_jobs",
        "Jobs treated unfairly",
        "",
        "lower",
        f"{fair}: jobs that start later ({_TANG}, 4.2).",
    )
    yield Metric(
        "unfair_delay_mean",
        "Mean unfair delay",
        "s",
        "lower",
        f"{fair}: by how much those that start later do, mean over them ({_TANG}, 4.2).",
    )


def _fairness() -> Iterator[Metric]:
    veet = (
        "VEET_u, a user's jobs that end after their expected end (EET) in % of the user's jobs "
        f"({_TOTH}, formula 1)"
    )
    for name, label, what in (
        ("veet_mean", "Mean VEET", "mean over users"),
        ("veet_median", "Median VEET", "median over users"),
        ("veet_q1", "Lower quartile of VEET", "a quarter of the users have at most this"),
        ("veet_q3", "Upper quartile of VEET", "three quarters of the users have at most this"),
    ):
        yield Metric(name, label, "%", "lower", f"{veet}: {what}.", ".1f")
    yield Metric("veet_all", "Users with all EETs violated", "", "lower", f"{veet}: users with 100 %.")
    yield Metric(
        "violated_jobs",
        "Violated EETs",
        "",
        "lower",
        f"Jobs that end after their expected end ({_TOTH}, 3.3).",
    )
    weighted = (
        "WT_u, the sum of r T over a user's jobs, tardiness T = max(0, c - EET) weighed by "
        f"processors ({_TOTH}, formulas 2 and 3)"
    )
    for name, label, what in (
        ("wt_total", "Weighted tardiness", "sum over users"),
        ("wt_median", "Median weighted tardiness", "median over users"),
        ("wt_max", "Largest weighted tardiness", "of the user who fares worst"),
    ):
        yield Metric(name, label, "processor-s", "lower", f"{weighted}: {what}.")
    yield Metric(
        "tardiness_mean",
        "Mean tardiness",
        "s",
        "lower",
        f"T = max(0, c - EET): mean over jobs ({_TOTH}, formula 2).",
    )


METRICS: dict[str, Metric] = {metric.name: metric for metric in _all()}
"""Metrics by name, in the order in which tables list them."""
