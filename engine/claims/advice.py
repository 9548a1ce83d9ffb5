"""The bounds of advice: what a change must save to be named, and what harm is named with it."""

from __future__ import annotations

LEAST_HELP = 5.0
"""The share of a wait, or of all lateness, in %, that a change must save."""

LEAST_ENERGY = 1.0
"""The share of the energy, in %, by which a change must raise or lower it to be told."""

LEAST_SAVED = 60
"""The seconds of a job's wait that a change must save."""

TOO_LITTLE = f"a minute and {LEAST_HELP:.0f} % of the wait"
"""The bound of `is_worth` in words, to follow `less than`."""


def is_worth(saved: float, wait: float) -> bool:
    """Whether a change that saves so many s of a job's wait, s, is advice; a negative saving is none."""
    return saved >= LEAST_SAVED and 100 * saved >= LEAST_HELP * wait


LEAST_HARM = 10.0
"""The share, in %, by which the longest wait must rise to be told with a change."""

LEAST_RISE = 3600
"""The seconds by which it must rise: less is gone in a working day."""


def is_harm(before: int, after: int) -> bool:
    """Whether a longest wait that rises from so many s to so many is told: by an hour and a tenth of it."""
    return after - before >= LEAST_RISE and 100 * (after - before) >= LEAST_HARM * before
