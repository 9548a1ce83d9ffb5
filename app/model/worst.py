"""Who fares worst: the user who is hurt most, and the job that is most delayed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.model.models import Models
from views.state.selection import Selection


def worst_user(models: Models) -> int | None:
    """The code of the user with the greatest weighted tardiness, under whichever run; None: nobody is late.

    Users are taken as they are judged: by their jobs that were run.
    """
    judged = [one.result.violations for one in models.workbench.finished()]
    hurt = [one.weighted_tardiness for one in judged if one is not None]
    return _greatest(np.max(hurt, axis=0)) if hurt else None


def most_delayed(models: Models) -> int | None:
    """The job that ends latest after its expected end, under whichever run, of the selected users.

    Where no user is selected it is that of all; None: no job is late.
    """
    study, users = models.workbench.study, models.selection.value.users
    judged = [one.result.violations for one in models.workbench.finished()]
    late = [one.tardiness for one in judged if one is not None]
    if not late:
        return None
    most = np.max(late, axis=0)
    if users:
        most = np.where(np.isin(study.trace.user.codes, sorted(users)), most, 0)
    return _greatest(most)


def select_worst_user(models: Models) -> None:
    """Select the user who is hurt most."""
    user = worst_user(models)
    if user is None:
        models.messages.say("No user is late under any run.")
    else:
        models.selection.select(Selection(users=frozenset({user})))


def select_most_delayed(models: Models) -> None:
    """Select the most delayed job of the selected users."""
    job = most_delayed(models)
    if job is None:
        models.messages.say("No job is late under any run.")
        return
    models.selection.select_job(models.workbench.study.trace, job)


def _greatest(values: NDArray[np.float64] | NDArray[np.int64]) -> int | None:
    """The index of the greatest value; None where none is above 0."""
    best = int(np.argmax(values)) if len(values) else 0
    return best if len(values) and values[best] > 0 else None
