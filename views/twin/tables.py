"""The tables of a twin: waits by group, and the jobs that differ most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine.trace import Names
from views.data.twin_look import TwinLook
from views.tables.content import Content, TableColumn, name_column
from views.text.values import NOTHING, duration, number, percent
from views.work.lazy import LazyValue


def groups_content(look: TwinLook, by: str) -> Content:
    """One row per group, all jobs first: mean, median and 95 % of waits, and how many starts agree."""
    groups = look.groups(by)
    words = ("mean", "median", "95th percentile")
    columns = [
        _column(
            "jobs", "Jobs", "Jobs that ran both by the log and in the simulation", [g.jobs for g in groups]
        ),
    ]
    for place, word in enumerate(words):
        columns += [
            _waits(f"recorded {word}", f"{word.capitalize()} wait", f"{word} of the waits in the log",
                   [g.recorded[place] for g in groups]),
            _waits(f"simulated {word}", f"Simulated {word}", f"{word} of the waits in the simulation",
                   [g.simulated[place] for g in groups]),
        ]  # fmt: skip
        if not place:
            off = [None if g.off is None else 100 * g.off for g in groups]
            text = "Difference of the simulated mean wait, in % of the recorded mean wait"
            columns.append(_column("off", "Off", text, off, _signed, "%"))
    columns += [
        _column("cycle", "Within a cycle",
                f"Jobs within a backfill cycle ({duration(look.answer.cycle)}) of their recorded start",
                [100 * g.cycle for g in groups], percent, "%"),
        _column("tenth", "Within a cycle or 10 %",
                "Jobs within a cycle, or a tenth of their wait, of their recorded start",
                [100 * g.tenth for g in groups], percent, "%"),
    ]  # fmt: skip
    names = [group.shown if group.by else "all jobs" for group in groups]
    return Content(
        columns=tuple(columns),
        rows=np.arange(len(groups)),
        total=len(groups),
        name=lambda item: names[item],
        find=lambda text: np.array([text.lower() in name.lower() for name in names], np.bool_),
    )


def differing_content(look: TwinLook) -> Content:
    """One row per job, those that differ most first, with what came before them instead."""
    differing, trace = look.twin.differing, look.schedule.trace
    jobs = np.array([job.job for job in differing], np.int64)
    ids = [str(trace.job_id[job]) for job in jobs.tolist()]

    def named(key: str, title: str, text: str, names: Names) -> TableColumn:
        return name_column(key, title, text, names.take(jobs))

    reasons = tuple(dict.fromkeys(job.why for job in differing))
    why = Names(np.array([reasons.index(job.why) for job in differing], np.int32), reasons)
    later = "Jobs that started after it by the log, and start before it in the simulation"
    sooner = "Jobs that started before it by the log, and start after it in the simulation"
    columns = (
        _waits("recorded", "Waited", "Its wait in the log", [job.recorded for job in differing]),
        _waits("simulated", "Simulated", "Its wait in the simulation", [job.simulated for job in differing]),
        _column("change", "Difference", "Simulated less recorded",
                [job.simulated - job.recorded for job in differing], _change, "s"),
        _column("passed", "Newly ahead", later, [job.passed for job in differing]),
        _column("passes", "Newly behind", sooner, [job.passes for job in differing]),
        _column("procs", "Processors", "That it asks for", trace.procs[jobs].tolist()),
        named("user", "User", "Who submitted it", trace.user),
        named("group", "Account", "Whose share it uses", trace.group),
        named("queue", "Queue", "Where it waited", trace.queue),
        name_column("why", "Waits mostly", "What it waits for longest in the simulation", why),
    )  # fmt: skip
    return Content(
        columns=columns,
        rows=np.arange(len(jobs)),
        total=len(jobs),
        name=lambda item: ids[item],
        find=lambda text: np.array([text in id_ for id_ in ids], np.bool_),
    )


def _waits(key: str, title: str, text: str, values: Sequence[float]) -> TableColumn:
    return _column(key, title, text.capitalize(), values, lambda value: duration(round(value)), "s")


def _column(
    key: str,
    title: str,
    text: str,
    values: Sequence[Any],
    show: Callable[[float], str] = number,
    unit: str = "",
) -> TableColumn:
    array = np.array([np.nan if value is None else value for value in values], np.float64)
    return TableColumn(
        key,
        title,
        text,
        LazyValue(lambda: array),
        lambda value: NOTHING if np.isnan(value) else show(value),
        unit,
    )


def _signed(value: float) -> str:
    return f"{value:+.1f} %".replace("-", "−")


def _change(value: float) -> str:
    return ("+" if value > 0 else "") + duration(round(value))
