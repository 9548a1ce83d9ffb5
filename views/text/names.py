"""Names as they are shown, and in the order in which people look for them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.shown_text import shown_name
from engine.words import natural

_UNTOLD = "-1"
"""What a log has for the queue or the group of a job that had none."""


def is_named(kind: str, name: str) -> bool:
    """Whether the log has a user, queue or group of that name; otherwise the jobs have none."""
    return kind == "user" or name != _UNTOLD


def format_name(kind: str, name: str) -> str:
    """A user, queue or group of the log as it is shown: by its name, or `no queue`."""
    return shown_name(name) if is_named(kind, name) else f"no {kind}"


def with_kind(kind: str, name: str) -> str:
    """`user 7`, `queue short`, or `no queue`."""
    return f"{kind} {shown_name(name)}" if is_named(kind, name) else f"no {kind}"


def name_ranks(names: Sequence[str]) -> NDArray[np.float64]:
    """The rank of each name, numbers within them by value: u2 before u10. Shape (names,)."""
    order = sorted(range(len(names)), key=lambda code: natural(names[code].casefold()))
    ranks = np.empty(len(names))
    ranks[order] = np.arange(len(names))
    return ranks
