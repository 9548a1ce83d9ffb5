"""The table of metrics: name, label, unit, direction, and definition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.metrics.metric import Metric
from engine.metrics.power import POWER_METRICS
from engine.quantities import offered
from engine.schedule.predictions import TOLERANCE

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
    for name, quantity in offered("spread").items():
        style = ",.0f" if quantity.unit == "s" else ",.2f"
        unit = "" if quantity.unit == "ratio" else quantity.unit
        source = f" ({quantity.source})" if quantity.source else ""
        for position, label, what in _POSITIONS:
            title = (label if unit or position != "max" else "Largest {}").format(quantity.title.lower())
            text = f"{quantity.text[0].upper()}{quantity.text[1:]}: {what}{source}."
            yield Metric(f"{name}_{position}", title, unit, "lower", text, style, formula=quantity.formula)


def _packing() -> Iterator[Metric]:
    yield Metric(
        "awf",
        "Area-weighted response",
        "s",
        "lower",
        f"The mean response of a unit of work, independent of the sizes of jobs ({_GOPONENKO}, III).",
        formula="AWF = sum(a F) / sum(a)",
    )
    yield Metric(
        "awq",
        "Area-weighted wait",
        "s",
        "lower",
        f"The mean wait of a unit of work, independent of the sizes of jobs ({_GOPONENKO}, III).",
        formula="AWQ = sum(a Q) / sum(a)",
    )
    for alpha in (1, 2, 3):
        yield Metric(
            f"psf{alpha}",
            f"P{'¹²³'[alpha - 1]}SF",
            "s",
            "lower",
            "Priority weighted specific response time: rates packing and also fairness to the jobs that "
            f"waited longest, which weighs more with a higher power ({_GOPONENKO}, IV).",
            formula=f"{alpha + 1}/{alpha + 2} sum r (F^{alpha + 2} - Q^{alpha + 2}) / "
            f"sum r (F^{alpha + 1} - Q^{alpha + 1})",
        )
    yield Metric(
        "response_l2",
        "Response, l2 norm",
        "s",
        "lower",
        f"Long responses count more than in their mean (after Pruhs et al.; {_GOPONENKO}, VII).",
        formula="sqrt(sum F^2)",
    )
    yield Metric(
        "loss_of_capacity_demand",
        "Loss of capacity, demand",
        "",
        "lower",
        f"The part of the machine's time that is idle while jobs wait for it ({_GOPONENKO}, VII).",
        ".4f",
        share=True,
        formula="integral of min(processors that waiting jobs request, idle processors) / "
        "(R makespan without downtime)",
    )
    yield Metric(
        "loss_of_capacity_fit",
        "Loss of capacity, fit",
        "",
        "lower",
        "The part of the machine's time that is idle while some waiting job requests no more processors than "
        "are idle. Jobs do not count while they are held, before they may begin, or before the end of a job "
        "that they follow, where the log tells it and the run obeys it; partitions, memory and limits are "
        f"not looked at (after {_TANG}, equation 4).",
        ".4f",
        share=True,
        formula="integral of the idle processors while some waiting job requests no more than is idle on all "
        "nodes together / (R makespan without downtime)",
    )
    yield Metric(
        "loss_of_capacity_fragmented",
        "Loss of capacity, fragmented",
        "",
        "lower",
        "The part of the loss of capacity, fit, during which no waiting job could be placed: free processors "
        f"are scattered over nodes, or partitions are larger than requested (after {_TANG}, equation 4).",
        ".4f",
        share=True,
    )


def _estimates() -> Iterator[Metric]:
    yield Metric(
        "estimate_r2",
        "R² of estimates",
        "",
        "higher",
        "How well runtimes are estimated at submission: 1 if all are exact, 0 if the estimates are no better "
        f"than the mean runtime, below 0 if worse ({_GOPONENKO}, VI).",
        ".4f",
        formula="1 - sum((D - E)^2) / sum((D - mean D)^2)",
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
        "Of the jobs with a predicted start (the first planned or reserved start, or the submission for jobs "
        "that started then), the % that start"
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
        "By how much jobs start earlier or later than in the recorded schedule: median over jobs.",
    )
    yield Metric(
        "recorded_wait_correlation",
        "Wait correlation with recorded",
        "",
        "higher",
        "Rank correlation of the jobs' waits with those of the recorded schedule: 1 if the same jobs "
        "wait longest, 0 if there is no relation (Spearman 1904).",
        ".3f",
    )
    yield Metric(
        "recorded_utilization_difference",
        "Utilization difference to recorded",
        "",
        None,
        "Utilization minus that of the recorded schedule, over the same jobs.",
        "+.4f",
        share=True,
    )


def _all() -> Iterator[Metric]:
    yield Metric("jobs", "Jobs measured", "", None, "Number of jobs over which metrics are computed.")
    yield Metric("users", "Users", "", None, "Number of users with at least one measured job.")
    yield Metric("ran", "Jobs run", "", None, "Number of jobs of the whole trace that ran.")
    yield Metric(
        "refused",
        "Jobs refused",
        "",
        "lower",
        "Number of jobs that did not run because they are too large for the machine.",
    )
    yield Metric(
        "given_up",
        "Jobs given up",
        "",
        "lower",
        "Number of jobs given up: their nodes failed more often than the policy restarts a job "
        "(max_restarts), or once (on_failure=lose).",
    )
    yield Metric(
        "runs_stopped",
        "Runs stopped by failures",
        "",
        "lower",
        "How often a node failure stopped a job. Jobs that were given up count, also where they are left out "
        "of other metrics.",
    )
    yield Metric(
        "stopped_area",
        "Processor time lost to failures",
        "processor-s",
        "lower",
        "Processors, counted as in utilization, times time of the runs that a node failure cut short, except "
        "runs from which the job continued. Of jobs on whole nodes these are the processors asked for. Jobs "
        "that were given up count, also where they are left out of other metrics.",
    )
    yield Metric(
        "preempted_runs",
        "Runs ended by preemption",
        "",
        "lower",
        "How often a running job was requeued or cancelled for another job; empty where the policy preempts "
        "nobody.",
    )
    yield Metric(
        "preempted_area",
        "Processor time lost to preemption",
        "processor-s",
        "lower",
        "Processors, counted as in utilization, times time of the runs that were requeued or cancelled for "
        "another job.",
    )
    yield Metric("makespan", "Makespan", "s", "lower", "Time from the first submission to the last end.")
    yield Metric(
        "utilization",
        "Utilization",
        "",
        "higher",
        "The part of the machine's time that jobs used. Downtime is not part of it; runs that failures cut "
        "short count as unused unless the job continues from them.",
        ".4f",
        share=True,
        formula="sum(r D) / (R makespan)",
    )
    for resource, label in (("ram", "RAM"), ("gpu", "GPU")):
        yield Metric(
            f"utilization_{resource}",
            f"{label} utilization",
            "",
            "higher",
            f"The part of the machine's {label} that jobs requested over time, as utilization is for "
            f"processors; empty if the {label} of the machine is not known.",
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
        "The sum of the waits so far of all waiting jobs, in minutes, averaged over the makespan "
        f"({_TANG}, 4.2).",
        ",.1f",
    )
    yield Metric(
        "queue_depth_max",
        "Largest queue depth",
        "min",
        "lower",
        f"The largest sum at any moment of the waits so far of all waiting jobs, in minutes ({_TANG}, 4.2).",
        ",.1f",
    )
    yield from _fairness()
    yield Metric(
        "jain_wait",
        "Jain index of waits",
        "",
        "higher",
        "How evenly users wait: 1 if all wait equally, 1 / n if one of n users does all the waiting "
        "(Jain, Chiu & Hawe 1984).",
        ".3f",
        formula="(sum x)^2 / (n sum x^2), x the mean wait of each of n users",
    )
    nuwt = (
        "Normalized user wait time: the total wait of a user divided by the processor-seconds that the user "
        f"got, in which RAM counts too if the machine limits it ({_KLUSACEK}, 3.2)"
    )
    yield Metric("nuwt_mean", "Mean NUWT", "", "lower", f"{nuwt}: mean over users.", ",.3g")
    yield Metric(
        "nuwt_std",
        "Spread of NUWT",
        "",
        "lower",
        f"{nuwt}: standard deviation over users, 0 if all wait in proportion to what they get.",
        ",.3g",
    )
    yield from _unfairness()
    yield from _value()
    yield from POWER_METRICS
    yield from _estimates()
    yield from _predictions()
    yield from _recorded()
    yield Metric(
        "backfilled",
        "Jobs backfilled",
        "",
        None,
        "Number of measured jobs that started ahead of a waiting job. Needs the decision log.",
    )
    yield Metric("passes", "Scheduling passes", "", None, "Number of scheduling passes.")


def _value() -> Iterator[Metric]:
    yield Metric(
        "value",
        "Value",
        "",
        "higher",
        "What is left of the values of all jobs when they end or, where values fade, start; the policy's "
        f"valuation and seed give each job its value ({_BOSSCHE}, equations 2 and 9).",
        formula="sum of v max(0, 1 - (F / D - 1) / 5)",
    )
    yield Metric(
        "value_percent",
        "Value relative to the auction",
        "%",
        "higher",
        f"The value in % of the value under the first compared policy with order=auction ({_BOSSCHE}, 6).",
        ".2f",
    )
    yield Metric(
        "revenue",
        "Revenue",
        "",
        None,
        f"What all jobs pay: prices of queues, bids, or the bids that starts displaced ({_BOSSCHE}, 3).",
    )
    waited = "Number of users who waited for 30 days on end without a start; empty where nothing is sold."
    yield Metric("users_priced_out", "Users priced out", "", "lower", waited)
    yield Metric("budget_unspent", "Budgets unspent", "", None, "Credits that users have left at the end.")


def _unfairness() -> Iterator[Metric]:
    fair = (
        "The fair start of a job is its start under the same policy, from the state at its submission, if no "
        "job came later and all jobs ran as long as estimated"
    )
    yield Metric(
        "unfair_jobs",
        "Jobs treated unfairly",
        "",
        "lower",
        f"{fair}: number of jobs that start later ({_TANG}, 4.2).",
    )
    yield Metric(
        "unfair_delay_mean",
        "Mean unfair delay",
        "s",
        "lower",
        f"{fair}: mean delay of the jobs that start later ({_TANG}, 4.2).",
    )


def _fairness() -> Iterator[Metric]:
    veet = f"The % of a user's jobs that end after their expected end time, EET ({_TOTH}, formula 1)"
    for name, label, what in (
        ("veet_mean", "Mean VEET", "mean over users"),
        ("veet_median", "Median VEET", "median over users"),
        ("veet_q1", "Lower quartile of VEET", "a quarter of the users have at most this"),
        ("veet_q3", "Upper quartile of VEET", "three quarters of the users have at most this"),
    ):
        yield Metric(name, label, "%", "lower", f"{veet}: {what}.", ".1f")
    yield Metric(
        "veet_all", "Users with all EETs violated", "", "lower", f"{veet}: number of users with 100 %."
    )
    yield Metric(
        "violated_jobs",
        "Violated EETs",
        "",
        "lower",
        f"Number of jobs that end after their expected end time ({_TOTH}, 3.3).",
    )
    weighted = (
        "By how much the jobs of a user end after their expected end times, each weighed by its processors "
        f"({_TOTH}, formulas 2 and 3)"
    )
    for name, label, what in (
        ("wt_total", "Weighted tardiness", "sum over users"),
        ("wt_median", "Median weighted tardiness", "median over users"),
        ("wt_max", "Largest weighted tardiness", "largest over users"),
    ):
        formula = "WT_u = sum of r T over the jobs of u, T = max(0, c - EET)"
        yield Metric(name, label, "processor-s", "lower", f"{weighted}: {what}.", formula=formula)
    yield Metric(
        "tardiness_mean",
        "Mean tardiness",
        "s",
        "lower",
        f"By how much jobs end after their expected end times: mean over jobs ({_TOTH}, formula 2).",
        formula="T = max(0, c - EET)",
    )


METRICS: dict[str, Metric] = {metric.name: metric for metric in _all()}
"""Metrics by name, in the order in which tables list them."""

_MAIN = (
    "jobs",
    "makespan",
    "utilization",
    *("wait_mean", "wait_median", "wait_p95", "wait_max"),
    "bounded_slowdown_mean",
    "veet_median",
    "violated_jobs",
    "jain_wait",
    "backfilled",
)
_IF_ANY = ("refused", "given_up", "runs_stopped", "stopped_area", "preempted_runs", "users_priced_out")
_POWERED = ("energy", "energy_idle", "power_peak", "energy_cost", "energy_carbon")
_PRICED = ("value_percent", "revenue")
_IF_KNOWN = ("utilization_gpu", "unfair_jobs", "unfair_delay_mean", *_PRICED, "budget_unspent", *_POWERED)


def main_metrics(
    summaries: Sequence[Mapping[str, float | int | None]], asked: Sequence[str] = ()
) -> list[str]:
    """The names of the dozen metrics that are asked for most, in the order of the summaries.

    Also those in `asked`, those of jobs that were refused, stopped or preempted where any was, and those that
    only some logs and options have: of GPUs, fair starts and prices.
    """
    shown = {*_MAIN, *asked}
    for values in summaries:
        shown.update(name for name in _IF_ANY if values.get(name))
        shown.update(name for name in _IF_KNOWN if values.get(name) is not None)
        if any(values.get(name) is not None for name in _PRICED):
            shown.add("value")  # which each run has, but what the other two are parts of
    return [name for name in summaries[0] if name in shown] if summaries else []
