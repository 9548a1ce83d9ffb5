"""The users who wait less or longer under each run than under the baseline, and how significant it is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.metrics.difference import Difference, difference
from engine.metrics.evaluation import Evaluation
from engine.report.section import Compared, Section, Statement, TextTable
from engine.schedule.responses import bounded_slowdown
from engine.search.answer import Advantage
from engine.search.interval import FEWEST
from engine.search.weeks import WEEK, weekly_change
from engine.words import format_count, format_seconds, plural

Floats = NDArray[np.float64]

_MOST = 3
"""Users that are named on either side."""


def changes(compared: Compared) -> Section:
    """For each run the number of jobs that moved, and the users whose waits changed most."""
    statements: list[Statement] = []
    rows = [["Run", "Jobs earlier", "Jobs later", "Wait saved, h", "Wait added, h", "Net saved, h"]]
    for place in compared.others:
        moved = difference(
            compared.base.schedule,
            compared.evaluations[place].schedule,
            compared.base.jobs & compared.evaluations[place].jobs,
        )
        spread = compared.verdicts.change_line(compared.baseline, place, moved.jobs)
        text = _moved(compared, place, moved) + (f" {spread}." if spread else "")
        statements.append(Statement(text, "difference", place))
        users = moved.users
        sums = (users.earlier, users.later)
        hours = (users.won, users.lost, users.net)
        rows.append(
            [
                compared.names[place],
                *(format_count(int(total.sum())) for total in sums),
                *(_hours(int(hour.sum())) for hour in hours),
            ]
        )
    if not statements:
        return Section(
            "Who waits less and who waits longer", [Statement("There is one run: nothing to compare.")]
        )
    caption = f"Waiting against {compared.base_name}, over the jobs that both ran"
    return Section(
        f"Who waits less and who waits longer, against {compared.base_name}",
        statements,
        [TextTable("changes", caption, rows)],
    )


def _moved(compared: Compared, place: int, moved: Difference) -> str:
    users, names = moved.users, compared.trace.user.names
    earlier, later = int(users.earlier.sum()), int(users.later.sum())
    name = compared.names[place]
    if not earlier and not later:
        return f"{name}: every job starts as under {compared.base_name}."
    order = np.argsort(-users.net, kind="stable")
    helped = [int(user) for user in order[:_MOST] if users.net[user] > 0]
    hurt = [int(user) for user in order[::-1][:_MOST] if users.net[user] < 0]
    text = f"{name}: {plural(earlier, 'job')} earlier, {format_count(later)} later."
    if helped:
        text += f" Gained most: {_named(names, users.net, helped)} less waiting in all."
    if hurt:
        text += f" Lost most: {_named(names, -users.net, hurt)} more."
    many = int((users.net > 0).sum()), int((users.net < 0).sum())
    return f"{text} In all {plural(many[0], 'user')} wait less and {format_count(many[1])} wait longer."


def _named(names: tuple[str, ...], net: NDArray[np.int64], users: list[int]) -> str:
    return ", ".join(f"user {names[user]} {_hours(int(net[user]))} h" for user in users)


def _hours(seconds: int) -> str:
    return format_count(seconds / 3600).replace("-", "−") if abs(seconds) >= 36000 else _fine(seconds)


def _fine(seconds: int) -> str:
    return f"{seconds / 3600:.1f}".replace("-", "−")


_INSIDE = "inside what the phases of slurmctld's loops change"
_FOLLOWED = ("mean wait", "mean bounded slowdown", "share of late jobs")


def noise(compared: Compared) -> Section:
    """The mean weekly change of three metrics against the baseline with its 95 % interval.

    Intervals are those of `engine/search/interval.py`, given from 12 weeks on. On a log shorter than a week
    none is worked out.
    """
    submit = compared.trace.submit[compared.base.jobs]
    span = int(submit[-1] - submit[0]) if len(submit) else 0
    if span < WEEK:
        text = f"The log spans {format_seconds(span)}, less than a week: no weeks can be compared."
        return Section("What is more than noise", [Statement(text)])
    rows = [["Run", "Metric", "Mean weekly change, %", "95 % interval", "Verdict"]]
    statements = []
    for place in compared.others:
        clear: list[str] = []
        unclear: list[str] = []
        chance: list[str] = []
        phased = compared.verdicts.change(compared.baseline, place, compared.base.jobs)
        by_chance = phased is not None and phased.by_chance
        weeks = 0
        for label in _FOLLOWED:
            found = weekly(compared.evaluations[place], compared.base, label)
            if found is None:
                continue
            weeks = found.weeks
            text = f"{label} {_signed(found.change)} %"
            # Weeks may agree on what the phases of a site's loops alone explain.
            inside = by_chance and label == "mean wait" and found.side != 0
            (chance if inside else clear if found.side else unclear).append(text)
            word = _INSIDE if inside else _word(found)
            rows.append([compared.names[place], label, _signed(found.change), _interval(found), word])
        text = _verdict(compared.names[place], clear, unclear, chance, weeks)
        statements.append(Statement(text, "distributions"))
    caption = f"Change of the weekly mean against {compared.base_name}; weeks by submission"
    tables = [TextTable("noise", caption, rows)] if len(rows) > 1 else []
    return Section("What is more than noise", statements, tables)


def weekly(evaluation: Evaluation, base: Evaluation, label: str) -> Advantage | None:
    """The change of the weekly mean of a followed quantity; None where there is nothing to compare.

    Both are of the same jobs, which are cut into weeks by their submission. Raises KeyError for other labels.
    """
    jobs = evaluation.jobs & base.jobs
    submit = evaluation.schedule.trace.submit[jobs]
    if not len(submit):
        return None
    week = (submit - int(submit.min())) // WEEK
    many = np.bincount(week)
    there = many > 0
    means = [
        np.bincount(week, _values(run, label)[jobs], len(many))[there] / many[there]
        for run in (evaluation, base)
    ]
    return weekly_change(*means)


def _values(run: Evaluation, label: str) -> Floats:
    """A value a job, shape (n,)."""
    if label == "mean wait":
        return run.schedule.wait.astype(np.float64)
    if label == "mean bounded slowdown":
        return np.nan_to_num(bounded_slowdown(run.schedule))
    return {"share of late jobs": run.violations.violated}[label].astype(np.float64)


def _verdict(name: str, clear: list[str], unclear: list[str], chance: list[str], weeks: int) -> str:
    if not clear and not unclear and not chance:
        return f"{name}: there is nothing to compare week by week."
    if weeks < FEWEST:
        return (
            f"{name}: {', '.join(unclear)}. The log has {plural(weeks, 'week')}; an interval takes "
            f"{FEWEST}, so this cannot be told from noise."
        )
    lines = []
    if clear:
        lines.append(f"{', '.join(clear)}: more than the variation from week to week explains")
    if chance:
        lines.append(f"{', '.join(chance)}: {_INSIDE}")
    if unclear:
        lines.append(f"{', '.join(unclear)}: within noise")
    return f"{name}: {'; '.join(lines)}."


def _interval(found: Advantage) -> str:
    if found.low is None or found.high is None:
        return "none"
    return f"{_signed(found.low)} to {_signed(found.high)}"


def _word(found: Advantage) -> str:
    if found.low is None:
        return "cannot be told from noise"
    return {0: "within noise", 1: "higher", -1: "lower"}[found.side]


def _signed(change: float) -> str:
    return f"{change:+.1f}".replace("-", "−")
