"""The best run by each metric, and the metrics that disagree about the order of the runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Relation, Unit
from engine.metrics.catalog import METRICS
from engine.report.section import Compared, Section, Statement, TextTable
from engine.schedule.ranks import rank_correlation
from engine.verdict.verdict import Teller
from engine.words import in_sentence

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
            # Runs with the same value share a place.
            f"{place + 1}. ({metric.show(evaluation.summary[name])})"
            for place, evaluation in zip(order, compared.evaluations, strict=True)
        ]
        unit = f", {metric.unit}" if metric.unit else ""
        rows.append([f"{metric.label}{unit}", metric.better or "", *cells])
    table = TextTable("ranking", "Place of each run by each metric, with its value", rows)
    return Section(
        "Which run is best, and by what",
        [Statement((claim,), "radar", named=False) for claim in _claims(compared, orders)],
        [table],
    )


def ranks(compared: Compared) -> dict[str, list[int]]:
    """The place of each run, from 0, by metric; equal values share the better place.

    Of metrics that have a value in all runs, and not the same in all.
    """
    rank = {}
    for name in RANKED:
        values = [evaluation.summary[name] for evaluation in compared.evaluations]
        if any(value is None for value in values) or len(set(values)) == 1:
            continue
        # With the sign turned, less is better for all metrics.
        signed = np.array(values, np.float64) * (1 if METRICS[name].better == "lower" else -1)
        rank[name] = [int((signed < value).sum()) for value in signed]
    return rank


def _claims(compared: Compared, orders: dict[str, list[int]]) -> Iterator[Claim]:
    """The best runs by each metric, the two metrics that disagree most, and sites that are not told apart."""
    if len(compared.names) < 2 or not compared.base.jobs.any():
        return
    base = compared.base
    teller = Teller.over("the runs", compared.baseline, base.schedule, base.jobs)
    if not orders:
        yield teller.claim(Relation.NO_ORDER)
        return
    # Metrics with the same best runs are told in a single sentence.
    firsts: dict[tuple[int, ...], list[str]] = {}
    for name, order in orders.items():
        best = tuple(run for run, place in enumerate(order) if place == 0)
        firsts.setdefault(best, []).append(name)
    for best, metrics in firsts.items():
        runs = [_run("runs", compared, place) for place in best]
        named = [_metric("metrics", name) for name in metrics]
        yield teller.claim(Relation.BEST, about=[*runs, *named], evidence=[each.place for each in runs])
    if len(firsts) == 1:
        yield teller.claim(Relation.ONE_ORDER)
    else:
        yield from _most_opposed(compared, orders, teller)
    yield from _by_chance(compared, teller)


def _by_chance(compared: Compared, teller: Teller) -> Iterator[Claim]:
    """Pairs of sites that are not told apart by their mean wait: chance decides which of them is better."""
    jobs = compared.base.jobs
    for pair in combinations(range(len(compared.names)), 2):
        sites = [compared.verdicts.runs[place] for place in pair]
        change = None if None in sites else compared.verdicts.change(*pair, jobs)
        if change is not None and change.by_chance:
            yield teller.claim(Relation.CHANCE_ORDER, about=[_run("runs", compared, place) for place in pair])


def _most_opposed(compared: Compared, orders: dict[str, list[int]], teller: Teller) -> Iterator[Claim]:
    """The two metrics with the most different orders, by Spearman's rank correlation."""
    worst: tuple[float, str, str] | None = None
    # Two runs stand in the same or in the opposite order; ties have no order.
    whole = [name for name, order in orders.items() if len(set(order)) == len(order) > 2]
    for first, second in combinations(whole, 2):
        alike = rank_correlation(np.array(orders[first]), np.array(orders[second]))
        if alike is not None and (worst is None or alike < worst[0]):
            worst = alike, first, second
    if worst is None or worst[0] >= 1.0:
        return
    about = []
    for role, name in zip(("first", "second"), worst[1:], strict=True):
        order = np.argsort(orders[name], kind="stable").tolist()
        about += [_metric(role, name), *(_run(f"{role} order", compared, place) for place in order)]
    yield teller.claim(Relation.OPPOSED, [ClaimQuantity("alike", worst[0], Unit.CORRELATION)], about)


def _run(role: str, compared: Compared, place: int) -> NamedThing:
    return NamedThing(role, compared.names[place], ClaimPlace("runs", place))


def _metric(role: str, name: str) -> NamedThing:
    """A metric by its title inside a sentence; names of persons keep their capitals."""
    label = METRICS[name].label
    shown = label if label.startswith("Jain") else in_sentence(label)
    # In a list of metrics a comma inside a title would make it look like two metrics.
    head, _, rest = shown.partition(", ")
    shown = f"{head} ({rest})" if rest else head
    return NamedThing(role, shown, ClaimPlace("metrics", RANKED.index(name)))
