"""The sheet for a figure: as wide as a page or a column, in a common style, with all positions in inches."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import wraps
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from engine.words import clip
from views.data.changes import format_offset
from views.data.marks import TimeMark
from views.data.results import Result
from views.raster.time_scale import TimeScale
from views.text.ticks import Tick, TimeAxis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

P = ParamSpec("P")
T = TypeVar("T")

DPI = 200
"""Resolution of PNG files, and of rasterised data inside SVG and PDF."""

WIDTH = 7.2
"""Inches: the text width of a page."""

COLUMN = 3.5
"""Inches: the width of a column of a page with two."""

LEFT, RIGHT, TOP = 0.72, 0.12, 0.22
"""Inches around the axes: labels at the left, the title above."""

TEXT, FAINT, GRID = "#1b2129", "#586270", "#dde2e8"
GOOD, BAD, MARK = "#0a6e4f", "#b3172d", "#1257b8"

STYLE: Any = {
    "font.family": "DejaVu Sans",  # included in matplotlib, so that a figure is the same everywhere
    "font.size": 8.0,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8.0,
    "axes.linewidth": 0.6,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": TEXT,
    "text.color": TEXT,
    "xtick.color": TEXT,
    "ytick.color": TEXT,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "text.parse_math": False,  # a dollar sign in a user's name is a dollar sign
    "svg.hashsalt": "batchscope",  # determines ids inside the file, which are random otherwise
    "pdf.fonttype": 42,  # journals refuse the default, Type 3
}

_alone = threading.RLock()


@dataclass(frozen=True)
class Sheet:
    """The layout settings of a figure: its width in inches, the font, and the notes around it.

    Plots are `heights` times as high, and data images `fine` times as fine, as usual: the page is enlarged.
    """

    width: float = WIDTH
    font: str = ""
    heights: float = 1.0
    titled: bool = True
    captioned: bool = True
    fine: int = 1
    spare: bool = False  # the page is too low for what figures can do without
    grey: bool = False  # without colours, so that dashes, markers and hatches distinguish
    drawn: bool = True  # else figures end with `Laid`, as soon as their height is known

    @property
    def cut(self) -> float:
        """Inches at the top that are left empty for a title that is not written."""
        return 0.0 if self.titled else TOP - 0.04


class Laid(Exception):  # noqa: N818
    """Raised in place of drawing a figure where only its height, in inches, is asked for."""

    def __init__(self, height: float) -> None:
        super().__init__(height)
        self.height = height


_USUAL = Sheet()
_sheet: ContextVar[Sheet] = ContextVar("sheet", default=_USUAL)

_LEAST_TEXT = 5.0
"""Points: a text that finds no room is not written smaller, but cut."""


@contextmanager
def page_of(width: float) -> Iterator[None]:
    """Draw on pages that are so many inches wide."""
    with drawn_on(replace(_sheet.get(), width=width)):
        yield


@contextmanager
def drawn_on(sheet: Sheet) -> Iterator[None]:
    """Draw on that sheet."""
    token = _sheet.set(sheet)
    try:
        yield
    finally:
        _sheet.reset(token)


def page_width() -> float:
    """The width of the page in inches."""
    return _sheet.get().width


def plot_height(inches: float) -> float:
    """The height of a plot that is usually so many inches high."""
    return inches * _sheet.get().heights


def fineness() -> int:
    """The factor on the usual resolution of data images."""
    return _sheet.get().fine


def is_spare() -> bool:
    """Whether figures leave out what they can do without, since the page is too low for it."""
    return _sheet.get().spare


def is_grey() -> bool:
    """Whether the figure is printed without colours."""
    return _sheet.get().grey


def captioned() -> bool:
    """True if notes are written below plots."""
    return _sheet.get().captioned


def _font() -> list[str]:
    """The font of the sheet, followed by the usual font for missing glyphs."""
    usual = str(STYLE["font.family"])
    return list(dict.fromkeys((_sheet.get().font or usual, usual)))


def is_narrow() -> bool:
    """True if the page is a column, in which parts are placed below each other instead of side by side."""
    return page_width() < (WIDTH + COLUMN) / 2


def columns_of(many: int, least: float, between: float) -> int:
    """The number of columns for `many` axes, each at least this wide in inches."""
    room = page_width() - LEFT - RIGHT + between
    return max(min(many, int(room / (least + between) + 1e-9)), 1)


def width_of(columns: int, between: float, left: float = LEFT) -> float:
    """The width of each of a number of axes side by side, in inches."""
    return (page_width() - left - RIGHT - between * (columns - 1)) / columns


def legend_columns(wide: int, names: Sequence[str] = (), title: str = "") -> int:
    """The number of legend columns, given the number on a page: as many as there is room for names."""
    columns = max(round(wide * page_width() / WIDTH), 1)
    if not names:
        return columns
    room = page_width() - max(LEFT if not is_narrow() else 0.1, 0.2 + text_inches(title)) - RIGHT
    return max(min(columns, int(room / (max(map(text_inches, names)) + 0.34))), 1)


def fitting(text: str, inches: float, size: float, least: float = _LEAST_TEXT) -> tuple[str, float]:
    """A text and its size in points, smaller where it would be wider than that; cut below the `least`."""
    wide = text_inches(text) * size / STYLE["font.size"]
    if wide <= inches:
        return text, size
    small = max(size * inches / wide, least)
    while len(text) > 1 and text_inches(text) * small / STYLE["font.size"] > inches + 1e-6:
        text = text[:-2] + "…"
    return text, small


def wrapped(text: str, inches: float, size: float) -> list[str]:
    """Lines of whole words of a text of that size in points, as many as fit so many inches."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".lstrip()
        if lines[-1] and text_inches(longer) * size / STYLE["font.size"] > inches:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


@contextmanager
def styled() -> Iterator[None]:
    """Draw in this style; a single thread at a time, since matplotlib's settings are global."""
    import matplotlib as mpl

    with _alone, mpl.rc_context({**STYLE, "font.family": _font()}):
        yield


def in_style(draw: Callable[P, T]) -> Callable[P, T]:
    """A function that draws in the style of all figures."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> T:
        with styled():
            return draw(*args, **kwargs)

    return drawn


def new_figure(height: float, title: str) -> Figure:
    """An empty page of that height, in inches, with a title. Raises Laid where nothing is to be drawn."""
    if not _sheet.get().drawn:
        raise Laid(height)
    from matplotlib.figure import Figure

    width = page_width()
    title, size = fitting(title, (width - 0.2) / 1.17, 9, 7)  # bold letters are wider
    figure = Figure(figsize=(width, height), dpi=DPI)
    if not _sheet.get().titled:
        return figure
    figure.text(0.1 / width, 1 - 0.1 / height, title, va="top", ha="left", fontsize=size, fontweight="bold")
    return figure


def add_axes(
    figure: Figure, top: float, height: float, left: float = LEFT, width: float | None = None
) -> Axes:
    """Axes, placed in inches from the top left corner."""
    page, whole = figure.get_size_inches()
    across = page - left - RIGHT if width is None else width
    return figure.add_axes((left / page, 1 - (top + height) / whole, across / page, height / whole))


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


def title_run(axes: Axes, result: Result, note: str = "") -> None:
    """The name of a run above its axes, with its colour, and a note at the right if there is room.

    A note on how near a site comes to its log goes first.
    """
    wide = pixels(axes)[0] / DPI
    if result.believed:
        both = f"{result.believed}; {note}" if note else result.believed
        note = both if text_inches(f"■ {result.name}  {both}") <= wide else result.believed
    if text_inches(f"■ {result.name}  {note}") > wide:
        note = ""  # the name would run into it
    name, size = fitting(result.name, wide - 11 / 72, 8.5, 6.0)
    _write_above(axes, 0.0, 0, "■", color=result.colour)
    _write_above(axes, 0.0, 11, name, fontsize=size)
    _write_above(axes, 1.0, 0, note, color=FAINT, fontsize=7.5, ha="right")


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
    marks = axis.axis(scale, _text_width)
    named = [tick for tick in marks.ticks if tick.label]
    last = axes[-1]
    for ax in axes:
        ax.set_xlim(*window)
        names = [_uncut(tick, scale) for tick in named] if ax is last else []
        ax.set_xticks([tick.time for tick in named], names)
        ax.set_xticks([], minor=True)
        _add_small_ticks(ax, [tick.time for tick in marks.ticks if not tick.label])
    name = f"time ({axis.name})"
    _write_below(last, window[1], name, ha="right")
    right = scale.width - _text_width(name) - 10
    ends = [scale.x(stretch.time) for stretch in marks.stretches[1:]] + [right]
    for stretch, end in zip(marks.stretches, ends, strict=False):  # a short window may have none
        if scale.x(stretch.time) + _text_width(stretch.text) <= min(end, right):
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


NO_OFFSETS: Mapping[int, float] = MappingProxyType({})
"""No run is shifted."""


def _uncut(tick: Tick, scale: TimeScale) -> str:
    """The label of a tick; empty where the right edge of the page would cut it."""
    return tick.label if scale.x(tick.time) + _text_width(tick.label) / 2 <= scale.width + RIGHT * DPI else ""


def add_base(figure: Figure, top: float, width: float | None = None) -> Axes:
    """A line for the times that all runs have, below a run that is shifted."""
    axes = add_axes(figure, top, 0.01, width=width)
    axes.set_yticks([])
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    return axes


SHIFTED = 0.16
"""Inches below axes that have times of their own."""


def label_shifted(axes: Sequence[Axes], axis: TimeAxis, window: tuple[float, float], offset: float) -> None:
    """Label axes below each other that are shifted in time by offsets in seconds, each with its own times."""
    own = window[0] + offset, window[1] + offset
    for ax in axes:
        ax.set_xlim(*own)
        ax.set_xticks([], minor=True)
        ax.set_xticks([])
    last = axes[-1]
    ticks = axis.axis(TimeScale(*own, 0.0, pixels(last)[0]), _text_width).ticks
    named = [tick for tick in ticks if tick.label]
    labels = [_uncut(tick, TimeScale(*own, 0.0, pixels(last)[0])) for tick in named]
    last.set_xticks([tick.time for tick in named], labels, fontsize=6.5, color=MARK)
    last.tick_params(axis="x", pad=1.5, length=2)
    place: Any = {"xycoords": "axes fraction", "textcoords": "offset points"}
    style: Any = {"fontsize": 6.5, "color": MARK, "ha": "right", "va": "top"}
    last.annotate(format_offset(offset), (0, 0), (-8, -3.5), **place, **style)


_MARK_LINES = 4
"""Lines of names of marks, one below the other."""


def draw_marks(axes: Sequence[Axes], marks: Sequence[TimeMark], window: tuple[float, float]) -> None:
    """Draw marks as dotted lines through all axes and ranges as bars; their names are in the top axes."""
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
            x, name = scale.x(mark.start), clip(mark.name, 30)
            line = next((k for k, right in enumerate(taken) if right <= x), _MARK_LINES - 1)
            taken[line] = x + _text_width(name) + 8
            axes[0].annotate(
                name,
                (mark.start, 1),
                xycoords=("data", "axes fraction"),
                xytext=(2, -2 - 8 * line),
                textcoords="offset points",
                va="top",
                fontsize=6,
                color=MARK,
                clip_on=True,
                bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.5},
            )


TIME_LABELS = 0.42
"""Inches below the last axes over time."""


def _text_width(text: str) -> float:
    """Pixels that a text of the usual size takes."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=_font(), size=STYLE["font.size"])
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, False)
    return float(width) * DPI / 72


def text_inches(text: str) -> float:
    """Inches that a text of the usual size takes."""
    return _text_width(text) / DPI


LEGEND_LINE = 0.17
"""Inches a line of a legend."""
