"""Parts of a trace: by position, by time of submission, by user and by queue."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.trace.names import Names
from engine.trace.trace import Trace
from engine.words import no_job_selected


def select(
    trace: Trace,
    *,
    jobs: slice | tuple[int | None, int | None] | None = None,
    start: int | None = None,
    end: int | None = None,
    users: Sequence[str] = (),
    queues: Sequence[str] = (),
) -> Trace:
    """The jobs that meet all given conditions.

    `jobs` are positions in the trace, half-open and counted from 0 (negative ones from the end); `start` and
    `end` bound the submission, half-open, in seconds from the trace's zero. `users` and `queues` are names as
    spelled in the log; a leading `-` excludes a name, and if all names are excluded ones all others are
    included.

    Raises InputError for an unknown name, and if no job is left.
    """
    chosen = chosen_jobs(trace, jobs=jobs, start=start, end=end, users=users, queues=queues)
    if not chosen.any():
        raise InputError(f"{trace.name}: {no_job_selected(len(trace))}")
    return trace if chosen.all() else trace.take(chosen)


def chosen_jobs(
    trace: Trace,
    *,
    jobs: slice | tuple[int | None, int | None] | None = None,
    start: int | None = None,
    end: int | None = None,
    users: Sequence[str] = (),
    queues: Sequence[str] = (),
) -> NDArray[np.bool_]:
    """The jobs that meet all given conditions, shape (n,), as described at `select`."""
    chosen = np.zeros(len(trace), np.bool_)
    chosen[jobs if isinstance(jobs, slice) else slice(*(jobs or (None, None)))] = True
    if start is not None:
        chosen &= trace.submit >= start
    if end is not None:
        chosen &= trace.submit < end
    for kind, column, names in (("user", trace.user, users), ("queue", trace.queue, queues)):
        if names:
            chosen &= selected_names(trace.name, kind, column, names)[column.codes]
    return chosen


def selected_names(trace: str, kind: str, column: Names, names: Sequence[str]) -> NDArray[np.bool_]:
    """The names selected by a list, shape (names,), in which a leading `-` excludes a name.

    Logs write -1 for a missing name: `-1` selects these jobs, unless a name `1` is there, which it then
    excludes. Raises InputError for an unknown name.
    """
    known = {name: code for code, name in enumerate(column.names)}
    let_in, left_out = set(), set()
    for name in names:
        # -1 is also the spelling of a missing name: as an exclusion it counts only where a name 1 is known.
        if name.startswith("-") and name[1:] in known:
            left_out.add(known[name[1:]])
        elif name in known:
            let_in.add(known[name])
        else:
            raise InputError(f"{trace}: there is no {kind} {name.removeprefix('-')!r}{_nearest(name, known)}")
    # Without any name that is let in, all are, but for those that are left out.
    passing = np.full(len(known), not let_in, np.bool_)
    passing[list(let_in)] = True
    passing[list(left_out)] = False
    return passing


def _nearest(name: str, known: dict[str, int]) -> str:
    close = difflib.get_close_matches(name.removeprefix("-"), known, n=1, cutoff=0)
    return f"; did you mean {close[0]!r}?" if close else ""
