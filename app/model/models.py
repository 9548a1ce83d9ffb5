"""The models of a window, which panels, menus, sessions and exports get instead of the window."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.model.measured_jobs import MeasuredJobs
from app.model.messages import Messages
from app.model.own_files import OwnFiles
from app.model.questions import Questions
from app.model.settings import Settings
from app.model.workbench import Workbench
from views.state.clock import Clock
from views.state.context import ViewContext
from views.state.filter import FilterModel
from views.state.selection import SelectionModel
from views.state.view_state import ViewState


@dataclass(frozen=True)
class Models:
    """The models of a window, without the settings, which all windows share."""

    settings: Settings
    workbench: Workbench
    context: ViewContext
    measured: MeasuredJobs
    messages: Messages
    code: OwnFiles
    questions: Questions = field(default_factory=Questions)

    @property
    def clock(self) -> Clock:
        """The visible time."""
        return self.context.clock

    @property
    def selection(self) -> SelectionModel:
        """The selected jobs, users, queues and times."""
        return self.context.selection

    @property
    def filter(self) -> FilterModel:
        """The filter of jobs."""
        return self.context.filter

    @property
    def view(self) -> ViewState:
        """The options of the view."""
        return self.context.view
