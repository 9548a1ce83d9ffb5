"""The span of submissions that is measured, as it is spelled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.dates import parse_time
from engine.errors import InputError
from engine.reading.options import OptionError
from engine.trace import Trace


def measured_span(text: str, trace: Trace) -> tuple[int | None, int | None]:
    """FROM:TO in seconds from the trace's zero, half-open; None where a side is open. Raises OptionError."""
    first, colon, last = _split_span(text)
    if not colon:
        raise OptionError("measure", f"{text}: expected FROM:TO, ISO dates or seconds")
    try:
        start, end = (parse_time(side, trace) if side else None for side in (first, last))
    except InputError as error:
        raise OptionError("measure", f"{text}: {error}") from error
    return start, end


def measured_jobs(text: str, trace: Trace) -> NDArray[np.bool_]:
    """The jobs submitted in the span, shape (n,). Raises OptionError, also where there is none."""
    start, end = measured_span(text, trace)
    chosen = np.ones(len(trace), np.bool_)
    if start is not None:
        chosen &= trace.submit >= start
    if end is not None:
        chosen &= trace.submit < end
    if not chosen.any():
        raise OptionError("measure", f"{text}: no job was submitted in that span")
    return chosen


def _split_span(text: str) -> tuple[str, str, str]:
    """Split FROM:TO, in which an ISO time may contain colons: the middle of an odd number of colons
    separates.
    """
    parts = text.split(":")
    if len(parts) % 2:
        return text, "", ""
    middle = len(parts) // 2
    return ":".join(parts[:middle]), ":", ":".join(parts[middle:])
