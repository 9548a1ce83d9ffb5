"""The parts of their limits that jobs ran for, of all users and of each, of which runtimes are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.now.usual_shares import usual_parts

_MOST_OF_USER = 100  # latest jobs of a user that count
_FEWEST_OF_USER = 10  # jobs of a user of whom anything is known
_LEAST_LEFT = 0.02  # of the limit, that a running job runs on at least


class UsedParts(NamedTuple):
    """Parts of limits, each ascending: of all jobs, and of the last jobs of users with ten or more."""

    every: Floats
    of_user: Mapping[str, Floats]

    def drawn(self, random: np.random.Generator, users: Sequence[str], done: Floats) -> Floats:
        """A part for each job, (n,), larger than the part of its limit that is `done`.

        It is one of its user's, where any of these is larger.
        """
        chance = random.random(len(done))
        part = _drawn_of(self.every, done, chance)
        rows: dict[str, list[int]] = {}
        for row, user in enumerate(users):
            if user in self.of_user:
                rows.setdefault(user, []).append(row)
        for user, parts_of_user in rows.items():
            parts, places = self.of_user[user], np.array(parts_of_user)
            # A job that has outlived all of its user's is drawn of everybody's.
            places = places[done[places] < parts[-1]]
            part[places] = _drawn_of(parts, done[places], chance[places])
        return np.maximum(part, done + _LEAST_LEFT * (done > 0))


def used_parts(part: Floats, user: NDArray[np.integer], names: Sequence[str]) -> UsedParts:
    """What is drawn of: the parts of jobs in order of their ends, (n,), `user` the number of each one's name.

    Of no jobs at all, the parts of archived logs.
    """
    if not len(part):
        return UsedParts(usual_parts(), {})
    order = np.argsort(user, kind="stable")
    first = np.searchsorted(user[order], np.arange(len(names) + 1))
    of_user = {}
    for k in range(len(names)):
        parts = part[order[first[k] : first[k + 1]]][-_MOST_OF_USER:]
        if len(parts) >= _FEWEST_OF_USER:
            of_user[names[k]] = np.sort(parts)
    return UsedParts(np.sort(part), of_user)


def _drawn_of(parts: Floats, done: Floats, chance: Floats) -> Floats:
    """A part of those above what is done, by a chance from 0 to 1; what is done where none is."""
    first = np.searchsorted(parts, done, "right")
    chosen = first + (chance * (len(parts) - first)).astype(np.int64)
    part = np.where(first < len(parts), parts[np.minimum(chosen, len(parts) - 1)], done)
    return np.asarray(part, np.float64)
