"""The sheet for a figure: as wide as a page or a column, in a common style, with all positions in inches."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from views.data.marks import TimeMark
from views.figures.page_settings import (
    DPI,
    FAINT,
    GRID,
    LEFT,
    MARK,
    RIGHT,
    STYLE,
    WIDTH,
    Laid,
    fineness,
    fonts,
    is_drawn,
    is_narrow,
    is_titled,
    page_width,
)
from views.figures.page_text import fitting, fitting_size, text_inches, text_width, wrapped
from views.raster.time_scale import TimeScale
from views.text.ticks import Tick, TimeAxis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from views.data.results import Result

P = ParamSpec("P")
T = TypeVar("T")

_alone = threading.RLock()


def columns_of(charts: int, least: float, between: float) -> int:
    """The number of columns for `charts` axes, each at least this wide in inches."""
    room = page_width() - LEFT - RIGHT + between
    return max(min(charts, int(room / (least + between) + 1e-9)), 1)


def legend_columns(wide: int, names: Sequence[str] = (), title: str = "") -> int:
    """The number of legend columns, given the number on a page: as many as there is room for names."""
    columns = max(round(wide * page_width() / WIDTH), 1)
    if not names:
        return columns
    room = page_width() - max(LEFT if not is_narrow() else 0.1, 0.2 + text_inches(title)) - RIGHT
    return max(min(columns, int(room / (max(map(text_inches, names)) + 0.36))), 1)


@contextmanager
def styled() -> Iterator[None]:
    """Draw in this style; a single thread at a time, since matplotlib's settings are global."""
    import matplotlib as mpl

    with _alone, mpl.rc_context({**STYLE, "font.family": fonts()}):
        yield


def in_style(draw: Callable[P, T]) -> Callable[P, T]:
    """A function that draws in the style of all figures."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> T:
        with styled():
            return draw(*args, **kwargs)

    return drawn


_heads: WeakKeyDictionary[Figure, float] = WeakKeyDictionary()
"""Inches at the top of figures whose titles have more than a line."""

_TITLE_LINES, _TITLE_LINE, _LEAST_TITLE = 3, 0.125, 7.0
"""Lines of a title at most, inches of each, and points of its type at least."""


def new_figure(height: float, title: str) -> Figure:
    """An empty page of that height, in inches, with a title. Raises Laid where nothing is to be drawn.

    A page with a title of several lines is higher by these.
    """
    width = page_width()
    room = (width - 0.2) / 1.17  # bold letters are wider
    size = fitting_size(title, room, 9, _LEAST_TITLE)
    lines = wrapped(title, room, size)
    # A title of more lines is cut in its last line, with a key below the figure.
    if len(lines) > _TITLE_LINES:
        rest = fitting(" ".join(lines[_TITLE_LINES - 1 :]), room, size, size)[0]
        lines = [*lines[: _TITLE_LINES - 1], rest]
    head = (len(lines) - 1) * _TITLE_LINE if is_titled() else 0.0
    # The height is known here: a trial run for it ends without drawing anything.
    if not is_drawn():
        raise Laid(height + head)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height + head), dpi=DPI)
    _heads[figure] = head
    if is_titled():
        place = 0.1 / width, 1 - 0.1 / (height + head)
        style: Any = {"fontsize": size, "fontweight": "bold"}
        figure.text(*place, "\n".join(lines), va="top", ha="left", **style)
    return figure


def share_down(figure: Figure, inches: float) -> float:
    """The share of a figure's height at so many inches below its title of a single line."""
    return float(1 - (inches + _heads.get(figure, 0.0)) / figure.get_figheight())


def add_axes(
    figure: Figure, top: float, height: float, left: float = LEFT, width: float | None = None
) -> Axes:
    """Axes, placed in inches from the top left corner."""
    page, whole = figure.get_size_inches()
    across = page - left - RIGHT if width is None else width
    place = left / page, share_down(figure, top + height), across / page, height / whole
    return figure.add_axes(place)


def pixels(axes: Axes) -> tuple[int, int]:
    """Width and height of axes in pixels of a page that is not enlarged."""
    box = axes.get_position()
    figure = axes.get_figure(root=True)
    assert figure is not None
    return round(box.width * figure.get_figwidth() * DPI), round(box.height * figure.get_figheight() * DPI)


def raster(axes: Axes) -> tuple[int, int]:
    """Width and height of a picture of data that fills axes, in its own pixels."""
    width, height = pixels(axes)
    return width * fineness(), height * fineness()


_RUN_NAME, _LEAST_NOTE = 8.5, 5.5
"""Points of the name of a run above its axes, and of the note beside it at least."""

_BEFORE_NOTE = 0.1
"""Inches between the two."""


def title_run(axes: Axes, result: Result, note: str = "") -> None:
    """The name of a run above its axes, with its colour, and a note at the right if there is room.

    A note on how near a site comes to its log goes first.
    """
    wide = pixels(axes)[0] / DPI
    # The verdict on a site goes before other notes, and alone if both find no room.
    if result.believed:
        both = f"{result.believed}; {note}" if note else result.believed
        note = both if text_inches(f"■ {result.name}  {both}") <= wide else result.believed
    room = wide - 11 / 72 - text_inches(result.name) * _RUN_NAME / STYLE["font.size"] - _BEFORE_NOTE
    note_size = fitting_size(note, max(room, 1e-6), 7.5, _LEAST_NOTE)
    if text_inches(note) * note_size / STYLE["font.size"] > room + 1e-6:
        note = ""  # the name would run into it
    name, size = fitting(result.name, wide - 11 / 72, _RUN_NAME, 6.0)
    _write_above(axes, 0.0, 0, "■", color=result.colour)
    _write_above(axes, 0.0, 11, name, fontsize=size)
    _write_above(axes, 1.0, 0, note, color=FAINT, fontsize=note_size, ha="right")


def _write_above(axes: Axes, x: float, shift: float, text: str, **style: Any) -> None:
    """Text on the line above axes, `shift` points right of the share `x` of their width."""
    axes.annotate(text, (x, 1), (shift, 4), xycoords="axes fraction", textcoords="offset points", **style)


def _write_below(axes: Axes, time: float, text: str, **style: Any) -> None:
    """Text on the second line below axes, at a time."""
    spot = (time, 0.0)
    line = ("data", "axes fraction")
    axes.annotate(text, spot, (0, -16), xycoords=line, textcoords="offset points", va="top", **style)


def dress(axes: Axes, title: str, lift: float = 5.0) -> None:
    """Grid lines, and the name of what axes show, so many points above them."""
    axes.grid(axis="both", color=GRID, linewidth=0.5)
    axes.set_axisbelow(True)
    write_head(axes, title, 8.0, lift)
    axes.tick_params(axis="y", labelsize=7, labelcolor=FAINT)


def write_head(
    axes: Axes, text: str, size: float, lift: float = 5.0, shift: float = 0.0, **style: Any
) -> None:
    """A line above axes, so many points up and aside; no wider than these and what is free beside them."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    room = axes.get_position().width * figure.get_figwidth() - shift / 72 + RIGHT / 2
    text, size = fitting(text, room / (1.17 if "fontweight" in style else 1.0), size)
    place: Any = {"xycoords": "axes fraction", "textcoords": "offset points"}
    axes.annotate(text, (0, 1), (shift, lift), fontsize=size, **place, **style)


def label_time(axes: Sequence[Axes], axis: TimeAxis, window: tuple[float, float]) -> None:
    """The same time axis for all; dates only below the last."""
    scale = TimeScale(window[0], window[1], 0.0, pixels(axes[-1])[0])
    # The same ticks for all axes, measured with the type of the page.
    marks = axis.axis(scale, text_width)
    named = [tick for tick in marks.ticks if tick.label]
    last = axes[-1]
    for ax in axes:
        ax.set_xlim(*window)
        # Dates only below the last axes; the lines of the ticks are in all.
        names = [uncut(tick, scale) for tick in named] if ax is last else []
        ax.set_xticks([tick.time for tick in named], names)
        ax.set_xticks([], minor=True)
        _add_small_ticks(ax, [tick.time for tick in marks.ticks if not tick.label])
    name = f"time ({axis.name})"
    _write_below(last, window[1], name, ha="right")
    # The name of the time zone has the right end of the second line, and names of units stop before it.
    right = scale.width - text_width(name) - 10
    ends = [scale.x(stretch.time) for stretch in marks.stretches[1:]] + [right]
    for stretch, end in zip(marks.stretches, ends, strict=False):  # a short window may have none
        if scale.x(stretch.time) + text_width(stretch.text) <= min(end, right):
            _write_below(last, stretch.time, stretch.text, color=FAINT)


def _add_small_ticks(axes: Axes, times: Sequence[float]) -> None:
    """Ticks without labels below axes, as a single line of markers: each tick of matplotlib is seven objects,
    and a figure has hundreds of ticks.
    """
    from matplotlib import rcParams
    from matplotlib.lines import Line2D
    from matplotlib.markers import TICKDOWN, MarkerStyle

    ticks = Line2D(times, [0.0] * len(times), linestyle="none", marker=MarkerStyle(TICKDOWN), zorder=-1)
    ticks.set_transform(axes.get_xaxis_transform())
    ticks.set(color=rcParams["xtick.color"], markersize=rcParams["xtick.minor.size"])
    ticks.set(markeredgewidth=rcParams["xtick.minor.width"])
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.add_artist(ticks)  # not a line of the axes, whose lines are data


def uncut(tick: Tick, scale: TimeScale) -> str:
    """The label of a tick; empty where the right edge of the page would cut it."""
    return tick.label if scale.x(tick.time) + text_width(tick.label) / 2 <= scale.width + RIGHT * DPI else ""


_MARK_LINES = 4
"""Lines of names of marks, one below the other."""


def draw_marks(axes: Sequence[Axes], marks: Sequence[TimeMark], window: tuple[float, float]) -> None:
    """Draw marks as dotted lines through all axes and ranges as bars; their names are in the top axes."""
    # Marks outside of the window would widen the axes.
    shown = [mark for mark in marks if mark.end >= window[0] and mark.start <= window[1]]
    scale = TimeScale(window[0], window[1], 0.0, pixels(axes[0])[0])
    taken = [0.0] * _MARK_LINES  # how far names reach to the right in each line
    for mark in shown:
        for axis in axes:
            for time in {mark.start, mark.end}:
                axis.axvline(time, color=MARK, linewidth=0.8, linestyle=":")
            if mark.start < mark.end:
                axis.axvspan(mark.start, mark.end, ymax=0.02, color=MARK, linewidth=0)
        if window[0] <= mark.start:
            name, size = fitting(mark.name, 0.6 * scale.width / DPI, 6.0)
            wide = text_width(name) * size / STYLE["font.size"] + 8
            x = scale.x(mark.start)
            left = x - wide if x + wide > scale.width else x  # whole: where it ends, at the other side
            # The first line that is free at this place; if none is, names overlap in the last line.
            line = next((k for k, right in enumerate(taken) if right <= left), _MARK_LINES - 1)
            taken[line] = left + wide
            axes[0].annotate(
                name,
                (mark.start, 1),
                xycoords=("data", "axes fraction"),
                xytext=(2 if left == x else -2, -2 - 8 * line),
                textcoords="offset points",
                ha="left" if left == x else "right",
                va="top",
                fontsize=size,
                color=MARK,
                clip_on=True,
                bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.5},
            )


TIME_LABELS = 0.42
"""Inches below the last axes over time."""


LEGEND_LINE = 0.17
"""Inches a line of a legend."""
