"""The best run by each metric, and the metrics that disagree about the order of the runs."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from engine.metrics.catalog import METRICS
from engine.report.section import Compared, Section, Statement, TextTable
from engine.schedule.ranks import rank_correlation
from engine.words import in_sentence, listed

RANKED = (
    *("wait_mean", "wait_median", "wait_p95", "bounded_slowdown_mean", "awf", "response_l2"),
    *("veet_median", "veet_q3", "violated_jobs", "wt_total", "jain_wait", "nuwt_std"),
    *("utilization", "loss_of_capacity_fit"),
)
"""Metrics by which runs are ranked: of waits, of fairness, and of the use of the machine."""


def ranking(compared: Compared) -> Section:
    """Runs in the order of each metric, and the two metrics that disagree the most."""
    orders = ranks(compared)
    titles = ["Metric", "Better", *compared.names]
    rows = [titles]
    for name, order in orders.items():
        metric = METRICS[name]
        cells = [
            f"{place + 1}. ({metric.show(evaluation.summary[name])})"
            for place, evaluation in zip(order, compared.evaluations, strict=True)
        ]
        unit = f", {metric.unit}" if metric.unit else ""
        rows.append([f"{metric.label}{unit}", metric.better or "", *cells])
    table = TextTable("ranking", "Place of each run by each metric, with its value", rows)
    return Section(
        "Which run is best, and by what",
        [
            Statement(words=text, figure="radar")
            for text in [*_sentences(compared, orders), *_by_chance(compared)]
        ],
        [table],
    )


def ranks(compared: Compared) -> dict[str, list[int]]:
    """The place of each run, from 0, by metric; equal values share the better place.

    Of metrics that have a value in all runs, and not the same in all.
    """
    found = {}
    for name in RANKED:
        values = [evaluation.summary[name] for evaluation in compared.evaluations]
        if any(value is None for value in values) or len(set(values)) == 1:
            continue
        signed = np.array(values, np.float64) * (1 if METRICS[name].better == "lower" else -1)
        found[name] = [int((signed < value).sum()) for value in signed]
    return found


def _sentences(compared: Compared, orders: dict[str, list[int]]) -> list[str]:
    if len(compared.names) < 2:
        return []
    if not orders:
        return ["All metrics are the same for all runs."]
    firsts: dict[str, list[str]] = {}
    for name, order in orders.items():
        best = [run for run, place in zip(compared.names, order, strict=True) if place == 0]
        verb = f"{listed(best)} {'is' if len(best) == 1 else 'are equal and'} best"
        firsts.setdefault(verb, []).append(_label(name))
    lines = [f"{verb} by {listed(metrics)}." for verb, metrics in firsts.items()]
    if len(firsts) == 1:
        return [*lines, "All ranked metrics put the same run first."]
    return [*lines, *_most_opposed(compared, orders)]


def _by_chance(compared: Compared) -> list[str]:
    """Pairs of sites that are not told apart by their mean wait: chance decides which of them is better."""
    lines, jobs = [], compared.base.jobs
    for first, second in combinations(range(len(compared.names)), 2):
        sites = [compared.verdicts.runs[place] for place in (first, second)]
        change = None if None in sites else compared.verdicts.change(first, second, jobs)
        if change is not None and change.by_chance:
            names = listed([compared.names[first], compared.names[second]])
            lines.append(
                f"The mean waits of {names} differ by less than the phases of slurmctld's loops change: "
                "their order is chance."
            )
    return lines


def _most_opposed(compared: Compared, orders: dict[str, list[int]]) -> list[str]:
    """The two metrics with the most different orders, by Spearman's rank correlation."""
    worst: tuple[float, str, str] | None = None
    # Two runs are in the same order or in the opposite one, and ties have no order.
    whole = [name for name, order in orders.items() if len(set(order)) == len(order) > 2]
    for first, second in combinations(whole, 2):
        alike = rank_correlation(np.array(orders[first]), np.array(orders[second]))
        if alike is not None and (worst is None or alike < worst[0]):
            worst = alike, first, second
    if worst is None or worst[0] >= 1.0:
        return []
    alike, first, second = worst
    labels = [_label(name) for name in (first, second)]
    text = f"The two that disagree most about the whole order (rank correlation {_minus(alike)}): "
    lines = [
        f"by {label} {_order(compared, orders[name])}"
        for label, name in zip(labels, (first, second), strict=True)
    ]
    return [f"{text}{'; '.join(lines)}."]


def _order(compared: Compared, places: list[int]) -> str:
    ordered = np.argsort(places, kind="stable")
    return ", ".join(compared.names[place] for place in ordered)


def _minus(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def _label(name: str) -> str:
    """A metric's title inside a sentence; names of persons keep their capitals."""
    label = METRICS[name].label
    return label if label.startswith("Jain") else in_sentence(label)
