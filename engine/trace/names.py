"""Identifiers of jobs, such as users and queues: a code for each job, and a name for each code."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.shown_text import shown_name

T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Names:
    """A column of identifiers: a code per job, and the name of each code.

    `codes` has shape (n,), int32, from 0; `names[code]` is written as in the log.
    """

    codes: NDArray[np.int32]
    names: tuple[str, ...]

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """The names where people read them, as `engine.shown_text` writes them."""
        return tuple(map(shown_name, self.names))

    def take(self, index: NDArray[Any]) -> Names:
        """The column for the chosen jobs only; names that no job has any more are kept."""
        return Names(read_only(self.codes[index]), self.names)


def read_only(array: NDArray[T]) -> NDArray[T]:
    """The array, made read-only."""
    array.setflags(write=False)
    return array
