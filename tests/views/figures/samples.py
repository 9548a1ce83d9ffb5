"""Runs for figures, and what is seen of a figure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from engine.machine.cluster import Cluster, NodeGroup
from engine.trace import Trace
from tests.traces import make_trace
from tests.views.results import make_result
from views.catalog import figure_spec
from views.data.gantt.look import GanttLook
from views.data.own_data import OwnData
from views.data.results import Result
from views.data.run_series import RunSeries
from views.data.view_options import ViewOptions
from views.figures.request import FigureRequest

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    from views.figures.printing import PrintedFigure

HOUR = 3600
NOON = 1_357_041_600  # Tuesday, 1 January 2013, 12:00 UTC
LONG = "fairshare-easy:penalty=cpu,half_life=2h"
WHITE = (255, 255, 255)


def some_trace(ram: bool = True) -> Trace:
    """Two users on 100 processors: 40 for four hours, then the other 50 for two."""
    return make_trace(
        submit=[0, HOUR],
        runtime=[4 * HOUR, 2 * HOUR],
        procs=[40, 50],
        user=["alice", "$bob$"],
        ram=[1024, 2048] if ram else None,
        cluster=Cluster((NodeGroup(1, 100, 4096 if ram else None),)),
        zero=NOON,
        name="log",
    )


def some_results(trace: Trace) -> list[Result]:
    return [make_result(trace, [0, HOUR], 1), make_result(trace, [0, 4 * HOUR], 2, LONG)]


def drawn(
    kind: str,
    results: Sequence[Result],
    options: ViewOptions | None = None,
    series: Sequence[RunSeries] = (),
    window: tuple[float, float] | None = None,
    users: tuple[int, ...] = (),
    **own: object,
) -> Figure:
    """The figure of a kind, as the window would have it drawn; `own` is what views show besides the runs."""
    return figure_spec(kind).draw(request_of(results, options, series, window, users, **own))


def request_of(
    results: Sequence[Result],
    options: ViewOptions | None = None,
    series: Sequence[RunSeries] = (),
    window: tuple[float, float] | None = None,
    users: tuple[int, ...] = (),
    **own: object,
) -> FigureRequest:
    """What the window would ask for."""
    schedules = [result.schedule for result in (*results, *series)]
    ends = max(schedule.last_end for schedule in schedules)
    return FigureRequest(
        trace=schedules[0].trace,
        results=list(results),
        series=list(series),
        window=window or (float(schedules[0].first_submit), float(ends)),
        title="",
        options=options or ViewOptions(),
        gantt=GanttLook(),
        own=OwnData(*own.values()),
        users=users,
    )


def texts(figure: Figure) -> list[str]:
    """All that is written in a figure."""
    from matplotlib.text import Text

    figure.draw_without_rendering()
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def with_image(figure: Figure) -> list[Axes]:
    return [axes for axes in figure.axes if axes.images and axes.yaxis_inverted()]


def colour_at(axes: Axes, x: float, y: float) -> tuple[int, ...]:
    """The colour of the picture at a position in data."""
    picture = np.asarray(axes.images[0].get_array())
    left, right = axes.get_xlim()
    bottom, top = axes.get_ylim()
    column = int((x - left) / (right - left) * picture.shape[1])
    row = int((y - top) / (bottom - top) * picture.shape[0])
    return tuple(int(part) for part in picture[row, column])


def scene_faults(made: PrintedFigure) -> list[str]:
    """What is wrong with the texts of a figure: each that leaves the page, covers another, or has no key.

    Texts of keys are below the figure, where the page grows by them.
    """
    from matplotlib.text import Text

    figure = made.figure
    figure.draw_without_rendering()
    width, height = figure.get_size_inches() * figure.dpi
    # Labels of ticks beyond the ends of their axes are not drawn.
    unseen = _outside(figure)
    shown = [
        (text.get_text(), text.get_window_extent())
        for text in figure.findobj(Text)
        if isinstance(text, Text) and text.get_visible() and text.get_text().strip() and text not in unseen
    ]
    low, high = -made.below * figure.dpi - 1, height - made.cut * figure.dpi + 1
    found = []
    for k, (text, box) in enumerate(shown):
        if box.x0 < -1 or box.x1 > width + 1 or box.y0 < low or box.y1 > high:
            found.append(f"{text!r} leaves the page")
        # Each pair once: texts may touch by some pixels, as their boxes are larger than their letters.
        for other, place in shown[k + 1 :]:
            across = min(box.x1, place.x1) - max(box.x0, place.x0)
            if across > _TOUCH and min(box.y1, place.y1) - max(box.y0, place.y0) > _TOUCH:
                found.append(f"{text!r} covers {other!r}")
    # A shortened text needs an entry below the figure that says what it stands for.
    keys = " ".join(text for text, _ in shown if text.startswith(("[1]", "…", "[2]")))
    for text, _ in shown:
        short = re.search(r"…(\[\d+\])?$|^…", text)
        if short and (short.group(1) or "…") not in keys:
            found.append(f"{text!r} has no key")
    return found


def _outside(figure: Figure) -> list[Text]:
    """The labels of ticks beyond the ends of their axes, which are not drawn."""
    found = []
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            found += [
                tick.label1
                for tick in axis.get_major_ticks()
                if not low - 1e-9 <= tick.get_loc() <= high + 1e-9
            ]
    return found


_TOUCH = 3.0
"""Dots of 1/200 inch that boxes of texts may share: letters do not fill their boxes."""


def cut(figure: Figure) -> list[str]:
    """The texts that do not lie on the page as a whole."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    width, height = figure.get_size_inches() * figure.dpi
    found = []
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        if text.get_visible() and text.get_text().strip():
            box = text.get_window_extent(canvas.get_renderer())
            inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1
            seen = any(result.get_visible() for result in (text.axes, text) if result is not None)
            if seen and not inside:
                found.append(f"{text.get_text()} {[round(v) for v in box.extents]} {width} {height}")
    return found
