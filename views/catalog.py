"""The list of all kinds of view. A new view is a folder of its own and a line here.

Pages, tabs, menus, the palette, `--view`, exports and sessions go through it. The command line reads it
too: widgets and figures are imported when the first of a kind is made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from engine.packages import VIEWS as VIEWS_OF_PACKAGES
from engine.packages import installed
from views.change.spec import CHANGE
from views.curves.spec import SIZES
from views.difference.spec import DIFFERENCE
from views.distribution.spec import DISTRIBUTIONS
from views.fairshare.spec import FAIRSHARE
from views.gantt.spec import GANTT
from views.heatmap.spec import HEATMAP
from views.hours.spec import HOURS
from views.now.spec import NOW
from views.penalties.spec import PENALTIES
from views.planning.spec import PLANNING
from views.predictions.spec import PREDICTIONS
from views.scatter.spec import SCATTER
from views.scores.spec import SCORES
from views.search.spec import SEARCH
from views.spec import FigureSpec, ViewSpec, run_plots
from views.study.spec import STUDY
from views.sweep.spec import SWEEP
from views.tables.spec import ACCOUNTS, JOBS, MARKS, METRICS, NODES, QUEUES, RUNS, USERS
from views.timeline.spec import TIMELINE
from views.twin.spec import TWIN
from views.value.spec import VALUE
from views.waits.spec import WAITS

ALL = "all"
"""The name of all charts under the runs with the tabs below them."""

_NAME, _PLACE = re.compile(r"[A-Za-z][\w-]{0,40}"), re.compile(r"[\w.]+:\w+")

OWN_VIEWS: tuple[ViewSpec[Any], ...] = (
    GANTT,
    HEATMAP,
    DISTRIBUTIONS,
    SCATTER,
    SIZES,
    HOURS,
    WAITS,
    METRICS,
    RUNS,
    USERS,
    QUEUES,
    ACCOUNTS,
    JOBS,
    NODES,
    TIMELINE,
    SCORES,
    PENALTIES,
    FAIRSHARE,
    PLANNING,
    PREDICTIONS,
    VALUE,
    SWEEP,
    MARKS,
    DIFFERENCE,
    STUDY,
    SEARCH,
    NOW,
    TWIN,
    CHANGE,
)


def _installed() -> Iterator[ViewSpec[Any]]:
    """The views of installed packages: functions of plots, imported when the first is shown."""
    taken = {ALL, *(spec.name for spec in OWN_VIEWS)}
    for name, place in installed(VIEWS_OF_PACKAGES).items():
        if name not in taken and _NAME.fullmatch(name) and _PLACE.fullmatch(place):
            title = name.replace("-", " ").replace("_", " ").capitalize()
            empty = f"{title}: a view of an installed package ({place.partition(':')[0]})."
            yield run_plots(name, title, place, (title,), empty, f"{title}…")


VIEWS: tuple[ViewSpec[Any], ...] = (*OWN_VIEWS, *_installed())
"""In the order of the tabs."""

PLACES: tuple[str, ...] = ("difference", "search", "study", "sweep", "now", "twin", "change")
"""The views that are pages of their own beside the charts of all runs, as a switch offers them."""

NAMES: tuple[str, ...] = (ALL, *(spec.name for spec in VIEWS))

FIGURES: tuple[FigureSpec, ...] = tuple(figure for spec in VIEWS for figure in spec.figures)


COLUMN_FIGURES: tuple[FigureSpec, ...] = tuple(figure.in_column for figure in FIGURES)
"""All of them as wide as a column of a page."""


RUN_FIGURES: tuple[FigureSpec, ...] = tuple(
    figure
    for figure in (*FIGURES, *COLUMN_FIGURES)
    if figure.caption not in ("sweep", "study", "search", "twin")
)
"""Those that are drawn from runs alone."""


def view_spec(name: str) -> ViewSpec[Any] | None:
    """The kind of view of that name; None for `all`, and for names that no view has."""
    return next((spec for spec in VIEWS if spec.name == name), None)


def figure_spec(kind: str) -> FigureSpec:
    """The figure of that kind. Raises StopIteration where there is none."""
    return next(figure for figure in (*FIGURES, *COLUMN_FIGURES) if figure.kind == kind)
