"""Names as they are shown, and in the order in which people look for them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.words import natural

_UNTOLD = "-1"
"""What a log has for the queue or the group of a job that had none."""


def format_name(kind: str, name: str) -> str:
    """A user, queue or group of the log as it is shown: by its name, or `no queue`."""
    return f"no {kind}" if name == _UNTOLD and kind != "user" else name


def with_kind(kind: str, name: str) -> str:
    """`user 7`, `queue short`, or `no queue`."""
    shown = format_name(kind, name)
    return f"{kind} {name}" if shown == name else shown


def name_ranks(names: Sequence[str]) -> NDArray[np.float64]:
    """The rank of each name, numbers within them by value: u2 before u10. Shape (names,)."""
    order = sorted(range(len(names)), key=lambda code: natural(names[code].casefold()))
    ranks = np.empty(len(names))
    ranks[order] = np.arange(len(names))
    return ranks
