"""The bound below which advice is none: what a change must save to be named."""

from __future__ import annotations

LEAST_HELP = 5.0
"""The share of a wait, or of all lateness, in %, that a change must save."""

LEAST_SAVED = 60
"""The seconds of a job's wait that a change must save."""

TOO_LITTLE = f"a minute and {LEAST_HELP:.0f} % of the wait"
"""The bound of `is_worth` in words, to follow `less than`."""


def is_worth(saved: float, wait: float) -> bool:
    """Whether a change that saves so many s of a job's wait, s, is advice; a negative saving is none."""
    return saved >= LEAST_SAVED and 100 * saved >= LEAST_HELP * wait
