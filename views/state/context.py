"""What all views of one window share."""

from __future__ import annotations

from dataclasses import dataclass

from views.state.clock import Clock
from views.state.filter import FilterModel
from views.state.selection import SelectionModel
from views.work.executor import Executor
from views.work.idle_queue import IdleQueue


@dataclass(frozen=True)
class Stage:
    """One clock, one selection, one filter, who makes the pictures, and whose turn it is to be painted.

    Made once by the window.
    """

    clock: Clock
    selection: SelectionModel
    filter: FilterModel
    executor: Executor
    idle_queue: IdleQueue
