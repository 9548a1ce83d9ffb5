"""The context that all views of one window share."""

from __future__ import annotations

from dataclasses import dataclass, field

from views.state.clock import Clock
from views.state.filter import FilterModel
from views.state.selection import SelectionModel
from views.state.view_state import ViewState
from views.work.executor import Executor
from views.work.idle_queue import IdleQueue


@dataclass(frozen=True)
class ViewContext:
    """The clock, selection, filter and view state of a window, its executors and its idle queue.

    Made once by the window.
    """

    clock: Clock
    selection: SelectionModel
    filter: FilterModel
    executor: Executor
    idle_queue: IdleQueue
    view: ViewState = field(default_factory=ViewState, kw_only=True)
    files: Executor | None = field(default=None, kw_only=True)  # for looking at files of the user's
