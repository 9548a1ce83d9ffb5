"""The definition of a kind of view: its name, its factory, its content, and its figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar

from engine.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from PySide6.QtWidgets import QWidget

    from engine.trace import Trace
    from views.data.results import Result
    from views.data.shown_runs import ShownRuns
    from views.data.view_options import ViewOptions
    from views.figures.printing import PrintOptions
    from views.figures.request import FigureRequest
    from views.plot.page import PlotPage
    from views.state.context import ViewContext
    from views.theme.theme import Theme

W = TypeVar("W")
"""The widget of a view, as its functions know it."""

Area = Literal["runs", "tab", "page"]
"""The place of a view: a chart under each run, a tab below them, or a page instead of them all."""

Caption = Literal["jobs", "time", "selection", "all jobs", "sweep", "study", "search", "twin"]
"""What stands below a figure: which jobs were measured; also the time shown; also what is selected; the time
shown of all jobs, whatever the filter; the grid of a sweep; a study, search or twin."""


@dataclass(frozen=True)
class Lazy:
    """A function or class by its path, `views.value.panel:ValuePanel`, which is imported when it is called.

    The command line reads the list of views without importing what shows them.
    """

    path: str

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Import the object at the path and call it."""
        module, name = self.path.split(":")
        return getattr(import_module(module), name)(*given, **named)


@dataclass(frozen=True)
class FigureSpec:
    """A figure for print: its name in commands and menus, and how it is drawn.

    It is made from the plots of its view, or from those with the indices in `only`; `drawn` is the function
    of the few figures that are not plots.
    """

    kind: str
    label: str  # in menus, with its access key
    drawn: Callable[[FigureRequest], Figure] | None = None
    plots: Callable[[ShownRuns, ViewOptions], PlotPage] | None = None  # of its view, which gives it them
    only: tuple[int, ...] = ()
    legend: bool = True  # the colours of the view's legend are those of these plots
    keys: str = ""
    caption: Caption = "jobs"
    runs: Callable[[FigureRequest], Sequence[Result]] = lambda request: request.results  # that it shows
    lacks: Callable[[FigureRequest], str] = lambda _: ""  # why there is nothing to draw; empty: there is
    column_keys: str = ""  # of the same figure as wide as a column
    narrow: bool = False  # it is printed as wide as a column

    @property
    def in_column(self) -> FigureSpec:
        """The same figure, printed as wide as a column of a page; its kind ends in `-column`."""
        label = f"{self.label.removesuffix('…')}, a column wide…"
        kind = f"{self.kind}-column"
        return replace(self, kind=kind, label=label, keys=self.column_keys, narrow=True)

    @property
    def print(self) -> PrintOptions:
        """The default print settings."""
        from views.figures.printing import IN_COLUMN, PrintOptions

        return IN_COLUMN if self.narrow else PrintOptions()

    def draw(self, request: FigureRequest) -> Figure:
        """The figure. Raises InputError where there is nothing to show."""
        return self.drawing(request)()

    def drawing(self, request: FigureRequest) -> Callable[[], Figure]:
        """A function that draws the figure, any number of times; the data of its plots are computed once.

        Raises InputError where there is nothing to show.
        """
        if self.drawn is not None:
            return partial(self.drawn, request)
        from views.figures.plots import plots_figure

        page = self.page(request)
        filtered = self.caption in ("jobs", "time", "selection")  # others show all jobs, whatever the filter
        head = (filtered and request.title) or request.trace.shown_name
        title = f"{head}: {page.title}" if page.title else head
        return partial(plots_figure, page, title, request.window, request.options.marks)

    def page(self, request: FigureRequest) -> PlotPage:
        """The plots that it is made from. Raises InputError where there is nothing to show."""
        assert self.plots is not None
        page = self.plots(request.shown, request.options)
        if self.only:
            there = [page.plots[place] for place in self.only if place < len(page.plots)]
            if not there:
                raise InputError("These runs have no data for this view.")
            page = replace(page, plots=there, legend=page.legend if self.legend else ())
        if page.lacks:
            raise InputError(page.lacks)
        return page


@dataclass(frozen=True)
class ViewSpec(Generic[W]):
    """A kind of view. All pages, tabs, menus, commands and exports are made from the list of these.

    `make` gets the context of views, the theme and a parent. `show` gives the widget finished runs when they
    are compared, or also when they are `measured`. `bind` connects the widget to its options in the view
    state. `plots` returns the plots of runs under some options, in a thread; figures are made from them.
    `own` returns what the widget shows besides the runs, of a type of its own: figures and tables find it in
    `OwnData` by that type.
    """

    name: str  # of `--view`, and in sessions
    title: str
    area: Area
    make: Callable[[ViewContext, Theme, QWidget], QWidget] | None = None  # run panels make theirs
    show: Callable[[W, ShownRuns], object] | None = None
    measured: bool = False
    bind: Callable[[W, ViewContext], object] | None = None
    entry: str = ""  # in menus, with its access key, for views that are turned to by their name
    keys: str = ""
    tip: str = ""
    docks: bool = False  # whether the docks stay beside it where it is shown alone
    own_clock: bool = False  # whether it shows other times and jobs than those of the open trace
    figures: tuple[FigureSpec, ...] = ()
    plots: Callable[[ShownRuns, ViewOptions], PlotPage] | None = None
    own: Callable[[W], object] | None = None

    def __post_init__(self) -> None:
        """Give the figures that are made from the plots these."""
        figures = [replace(figure, plots=self.plots) for figure in self.figures]
        object.__setattr__(self, "figures", tuple(figures))


class ResultsWidget(Protocol):
    """A widget that shows finished runs and needs no more."""

    def set_results(self, results: tuple[Result, ...], /) -> None:
        """Show these runs."""


class JobsWidget(Protocol):
    """A widget that shows finished runs, and their jobs by the trace."""

    def set_results(self, trace: Trace | None, results: tuple[Result, ...], /) -> None:
        """Show these runs; without a study there is no trace."""


def show_jobs(widget: JobsWidget, shown: ShownRuns) -> None:
    """Hand a view finished runs and their trace."""
    widget.set_results(shown.trace, shown.results)


def show_results(widget: ResultsWidget, shown: ShownRuns) -> None:
    """Hand finished runs to a view that needs no more."""
    widget.set_results(shown.results)


def run_plots(
    name: str,
    title: str,
    plots: str,
    names: Sequence[str],
    empty: str,
    figure: str,
    tip: str = "",
) -> ViewSpec[ResultsWidget]:
    """A view of plots with a colour for each run, side by side with a common legend.

    `plots` is the path of the function that returns the plots, `names` are their names for screen readers,
    `empty` is the message before a run is finished, and `figure` is the label of the figure in menus.
    """
    page, panel = Lazy(plots), Lazy("views.plotting.run_plots_panel:RunPlotsPanel")

    def make(context: ViewContext, theme: Theme, parent: QWidget) -> QWidget:
        made: QWidget = panel(
            context, theme, names, lambda shown: page(shown, context.view.options), empty, parent
        )
        return made

    return ViewSpec(
        name, title, "tab", make, show_results, tip=tip, figures=(FigureSpec(name, figure),), plots=page
    )
