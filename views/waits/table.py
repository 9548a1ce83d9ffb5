"""The table of what waits are made of: a row for each group, the shares of all kinds under each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.metrics.waits import BY, KINDS, MEANINGS
from engine.quantities import Unit
from engine.shown_text import format_name
from views.tables.content import Content, TableColumn
from views.text.units import UNITS
from views.waits.groups import RunWaits, codes_in_order, kinds_shown
from views.work.lazy import LazyValue


def waits_content(runs: Sequence[RunWaits], by: str) -> Content:
    """The groups that waited, of runs of which there is at least one; the shares are in %."""
    names = BY[by](runs[0].result.schedule.trace).names
    folded = [format_name(by, name).casefold() for name in names]
    rows = np.array(codes_in_order(runs, by), np.int64)
    return Content(
        columns=tuple(_columns(runs, len(names))),
        rows=rows,
        total=len(rows),
        name=lambda item: names[item],
        find=lambda text: np.array([text.casefold() in name for name in folded], np.bool_),
    )


def _columns(runs: Sequence[RunWaits], groups: int) -> list[TableColumn]:
    """Each quantity under all runs side by side, then the next; `groups` groups are in the log."""
    about = "The waits of all jobs of the group together"
    whole = LazyValue.of(100.0)
    return [
        # A quantity is outside and the run inside: the eye compares runs, so their columns stand together.
        *(
            _column("jobs", "Waiting jobs", "Jobs that waited", "count", run, run.waits.jobs, groups)
            for run in runs
        ),
        *(_column("wait", "Wait", about, "s", run, run.waits.seconds, groups) for run in runs),
        *(
            _column(
                kind,
                kind.capitalize(),
                f"Share of the wait for this reason: {MEANINGS[kind]}",
                "%",
                run,
                100 * run.waits.shares[:, list(KINDS).index(kind)],
                groups,
                whole,
            )
            for kind in kinds_shown(runs)
            for run in runs
        ),
    ]


def _column(
    key: str,
    title: str,
    text: str,
    unit: Unit,
    run: RunWaits,
    of_groups: NDArray[Any],
    groups: int,
    most: LazyValue[float] | None = None,
) -> TableColumn:
    """A column with a value for each group that waited under the run, and none for the others."""
    # Items are all groups of the log, so that a row means the same under every run.
    values = np.full(groups, np.nan)
    values[run.codes] = of_groups
    shown = UNITS[unit]
    exact = LazyValue.of(values)
    return TableColumn(key, title, text, exact, shown.show, shown.exact, run=run.result, bar=True, most=most)
