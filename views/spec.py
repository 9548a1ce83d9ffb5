"""What a kind of view is: its name, how it is made, what it shows, and its figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from PySide6.QtWidgets import QWidget

    from views.data.results import Result
    from views.data.shown_runs import ShownRuns
    from views.figures.request import FigureRequest
    from views.state.context import ViewContext
    from views.theme.theme import Theme

Area = Literal["runs", "tab", "page"]
"""Where a view stands: a chart under each run, a tab below them, or a page instead of them all."""

Caption = Literal["jobs", "time", "selection", "all jobs", "sweep", "study", "search"]
"""What stands below a figure: which jobs were measured; also the time shown; also what is selected; the time
shown of all jobs, whatever the filter; the grid of a sweep; a study or search."""


@dataclass(frozen=True)
class FigureSpec:
    """A figure for print: what `batchscope` and the menus call it, and how it is drawn."""

    kind: str
    label: str  # in menus, with its access key
    draw: Callable[[FigureRequest], Figure]
    keys: str = ""
    caption: Caption = "jobs"
    runs: Callable[[FigureRequest], Sequence[Result]] = lambda request: request.results  # that it shows
    lacks: Callable[[FigureRequest], str] = lambda _: ""  # why there is nothing to draw; empty: there is
    column_keys: str = ""  # of the same figure as wide as a column

    @property
    def in_column(self) -> FigureSpec:
        """The same figure as wide as a column of a page; its kind ends in `-column`."""
        label = f"{self.label.removesuffix('…')}, a column wide…"
        kind = f"{self.kind}-column"
        return replace(self, kind=kind, label=label, draw=self._draw_column, keys=self.column_keys)

    def _draw_column(self, request: FigureRequest) -> Figure:
        from views.figures.sheet import COLUMN, page_of

        with page_of(COLUMN):
            return self.draw(request)


@dataclass(frozen=True)
class ViewSpec:
    """One kind of view. All pages, tabs, menus, commands and exports are made from the list of these.

    `make` is given what views share, the theme and a parent. `show` hands finished runs to the widget,
    when they are judged, or `measured` too. `bind` ties the widget to its options, in the view state.
    """

    name: str  # of `--view`, and in sessions
    title: str
    area: Area
    make: Callable[[ViewContext, Theme, QWidget], QWidget] | None = None  # run panels make theirs
    show: Callable[[Any, ShownRuns], object] | None = None
    measured: bool = False
    bind: Callable[[Any, ViewContext], object] | None = None
    entry: str = ""  # in menus, with its access key, for views that are turned to by their name
    keys: str = ""
    tip: str = ""
    docks: bool = False  # whether the docks stay beside it where it is shown alone
    figures: tuple[FigureSpec, ...] = ()
