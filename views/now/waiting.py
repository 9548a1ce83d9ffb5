"""The table of waiting jobs: planned starts, what replays say, and why they wait."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.now.span_claims import text_of
from engine.trace import Names
from views.data.now_look import NowLook, matches
from views.now.words import calibrated_words
from views.tables.content import Content, TableColumn, name_column
from views.text.values import NOTHING, duration, number
from views.work.lazy import LazyValue

if TYPE_CHECKING:
    from engine.now.prediction import Prediction


_WEEK = 6 * 86_400
"""Within so many seconds the day of the week says which day it is."""


def waiting_content(look: NowLook, chosen: dict[str, str]) -> Content:
    """A row a waiting job, those whose fields are as chosen, in the order of their planned starts."""
    waiting = look.found.waiting
    shown = np.array([matches(prediction.job, chosen) for prediction in waiting], np.bool_)
    replays = f"of {look.found.replays:,} simulated replays" if look.found.replays else "no replays yet"
    jobs = [prediction.job for prediction in waiting]
    evidence = look.found.evidence
    share = f"{100 * (look.found.share or 0.0):.0f} % from" if evidence else "Span from"
    how = (
        calibrated_words(look)
        if evidence
        else f"The span contains most {replays}; it is {text_of(look.found.doubt) or 'not calibrated'}"
    )
    middle = (
        f"Where half of the starts are expected before. {how}" if evidence else f"The median start {replays}"
    )
    columns = (
        _moments(
            look, "planned", "Planned start", "By the time limits of all jobs in front of it",
            lambda prediction: prediction.planned,
        ),
        _moments(
            look, "expected", "Expected start", middle,
            lambda prediction: prediction.expected,
        ),
        _moments(
            look, "early", share, f"The begin of the span. {how}", lambda prediction: prediction.early,
        ),
        _moments(look, "late", "to", f"The end of the span. {how}", lambda prediction: prediction.late),
        _names("user", "User", "Who submitted it", [job.user for job in jobs]),
        _names("why", "Why it waits", "By the plan and by Slurm", [prediction.why for prediction in waiting]),
        _names("account", "Account", "Whose share it uses", [job.account for job in jobs]),
        _names("partition", "Partition", "Where it waits", [job.partition for job in jobs]),
        _numbers("cpus", "CPUs", "Processors that it asks for", [job.cpus for job in jobs], number),
        _numbers("limit", "Time limit", "How long it may run", [job.limit for job in jobs], duration, "s"),
    )  # fmt: skip
    return Content(
        columns=columns,
        rows=np.flatnonzero(shown),
        total=len(waiting),
        name=lambda item: waiting[item].job.job_id,
        find=lambda text: _found(waiting, text),
    )


def _found(waiting: Sequence[Prediction], text: str) -> NDArray[np.bool_]:
    """Whose number, user, account, partition or reason has the words."""
    wanted = text.lower()
    words = (
        (
            prediction.job.job_id,
            prediction.job.user,
            prediction.job.account,
            prediction.job.partition,
            prediction.why,
        )
        for prediction in waiting
    )
    return np.array([any(wanted in word.lower() for word in of_job) for of_job in words], np.bool_)


def _names(key: str, title: str, text: str, words: Sequence[str]) -> TableColumn:
    known = {word: code for code, word in enumerate(dict.fromkeys(words))}
    return name_column(
        key, title, text, Names(np.array([known[w] for w in words], np.int32), tuple(known) or ("",))
    )


def _numbers(
    key: str,
    title: str,
    text: str,
    values: Sequence[int | None],
    show: Callable[[float], str],
    unit: str = "",
) -> TableColumn:
    def made() -> NDArray[Any]:
        return np.array([np.nan if value is None else value for value in values], np.float64)

    def show_value(value: float) -> str:
        return NOTHING if np.isnan(value) else show(value)

    return TableColumn(key, title, text, LazyValue(made), show=show_value, unit=unit)


def _moments(
    look: NowLook, key: str, title: str, text: str, value: Callable[[Prediction], int | None]
) -> TableColumn:
    """Seconds from now, shown as dates."""
    now = look.laid.now + look.laid.schedule.trace.zero

    def show(seconds: float) -> str:
        if seconds < 60:
            return "now"
        date = datetime.fromtimestamp(now + seconds, UTC)
        return f"{date:%a %H:%M}" if seconds < _WEEK else f"{date.day} {date:%b %H:%M}"

    values = [value(prediction) for prediction in look.found.waiting]
    return _numbers(key, title, text, values, show, "s from now")
