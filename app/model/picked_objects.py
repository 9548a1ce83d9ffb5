"""The picked objects, by their names in the log and as the selection of a trace."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.model.documents.document import Picked
from engine.trace import Names, Trace
from views.state.selection import Selection

MOST_PICKED = 50_000
"""Larger selections are not saved: their ids would exceed the maximum size of a session."""


def name_picked(selection: Selection, trace: Trace) -> Picked:
    """The selection in the names of the log."""
    kept = selection.jobs if len(selection.jobs) <= MOST_PICKED else ()
    jobs = np.sort(np.fromiter(kept, np.int64, len(kept)))
    return Picked(
        span=selection.time_range,
        instant=selection.instant,
        jobs=tuple(trace.job_id[jobs[jobs < len(trace)]].tolist()),
        users=tuple(trace.user.names[code] for code in sorted(selection.users)),
        queues=tuple(trace.queue.names[code] for code in sorted(selection.queues)),
        nodes=tuple(sorted(selection.nodes)),
    )


def selection_of(picked: Picked, trace: Trace) -> Selection:
    """The selection of the picked objects that exist in this trace."""
    time_range = (min(picked.span), max(picked.span)) if picked.span else None
    return Selection(
        jobs=_jobs(trace, picked.jobs),
        users=_codes(trace.user, picked.users),
        queues=_codes(trace.queue, picked.queues),
        time_range=time_range,
        instant=picked.instant if time_range is None else None,
        nodes=frozenset(node for node in picked.nodes if node >= 0),
    )


def _jobs(trace: Trace, ids: tuple[int | str, ...]) -> frozenset[int]:
    """Jobs by their ids, which are words in some logs and numbers in others."""
    kind: type = int if trace.job_id.dtype.kind == "i" else str
    wanted: NDArray[Any] = np.array([id_ for id_ in ids if type(id_) is kind], kind)
    return frozenset(np.flatnonzero(np.isin(trace.job_id, wanted)).tolist())


def _codes(column: Names, names: tuple[str, ...]) -> frozenset[int]:
    wanted = set(names)
    return frozenset(code for code, name in enumerate(column.names) if name in wanted)
