"""The figure of the plots of a view, side by side and below each other, with a legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.errors import InputError
from engine.words import plural
from views.data.marks import TimeMark
from views.data.scales import AxisRange, ClockScale
from views.figures.line_labels import AFTER_NUMBER, label_lines, labelled
from views.figures.page_settings import (
    FAINT,
    GRID,
    LEFT,
    RIGHT,
    STYLE,
    TOP,
    captioned,
    is_grey,
    is_narrow,
    is_spare,
    page_width,
    plot_height,
)
from views.figures.page_text import text_inches, wrapped
from views.figures.plot_axes import LINE, below, draw_plot, head_lines, labels_beside, slot_lines
from views.figures.run_styles import STYLES, RunStyle, hatches_of, styles_of
from views.figures.sheet import (
    LEGEND_LINE,
    TIME_LABELS,
    add_axes,
    columns_of,
    draw_marks,
    in_style,
    label_time,
    new_figure,
    share_down,
)
from views.plot.layers import (
    Bars,
    Computed,
    Curve,
    Intervals,
    Layer,
    Polygon,
    StepLayer,
)
from views.plot.page import PlotPage
from views.plot.plot import Category, Plot
from views.plot.time_plot import TimePlot
from views.theme.theme import LIGHT

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BETWEEN = 0.62  # inches, at least

_APART = 0.06
"""Inches from the labels of a plot to the plot at its left."""

_HEAD = 0.26
"""Inches of a title above a plot, without the name of the vertical axis."""

_NOTE = 0.115

_KEY, _LINE_KEY, _GUTTER = 0.28, 0.24, 0.16
"""Inches of a swatch of the legend with its gap to the name, of a line beside it, and between two columns."""

_BESIDE = 0.25
"""The part of a page that the title of a legend takes beside it, at most."""

_LEAST_WIDTH = 0.9
"""Inches of a plot of a grid, at least."""

_FEW, _LOW = 3, 0.75
"""More plots over time than these are lower: so much of their height."""


@dataclass(frozen=True)
class PlotPosition:
    """The position of a plot on the page, in inches."""

    plot: Plot
    left: float
    top: float
    width: float
    height: float


@in_style
def plots_figure(
    page: PlotPage, title: str, window: AxisRange | None = None, marks: Sequence[TimeMark] = ()
) -> Figure:
    """All plots of a page in rows, which colour is what, and the notes.

    Those that have nothing to show are left out where others have. `window` and `marks` are of plots over
    time.
    """
    # A message in place of a plot tells less than another plot; only a page of messages alone keeps them.
    shown = [plot for plot in page.plots if not plot.words.message]
    if not (page.columns or page.groups):  # a grid has no holes
        page = replace(page, plots=shown or page.plots)
    # The layout comes before the page: its height follows from legend, notes and labels.
    numbered = numbered_slots(page)
    legend = named(page) if numbered is None else numbered
    timed, others = divide(page.plots)
    if is_grey():
        timed = _apart(timed)
        # Runs that titles name need no colours, and a legend tells no more.
        if not others and (inked := _in_ink(timed)):
            timed, legend = inked, []
    # Lines over time carry their names themselves; the legend repeats these shortened labels.
    labels, legend = labelled(legend) if timed and numbered is None else ({}, legend)
    # Plots over time share an axis and are stacked first; all others stand below them in rows.
    stack, bottom = stack_plots(timed, TOP)
    placed, bottom = place_plots(others, bottom, page.columns, page.groups) if others else ([], bottom)
    title_of_keys = "" if numbered is not None else page.legend_title
    columns, legend = legend_columns_of(legend, title_of_keys, key_width(kinds_of(page.plots)))
    notes = _note_lines(page) if captioned() else []
    # The page is made here, when the bottom of everything is known.
    below_legend = bottom + 0.06 + _legend_lines(legend, columns, title_of_keys) * LEGEND_LINE
    figure = new_figure(below_legend + len(notes) * _NOTE + (0.06 if notes else 0.0), title)
    styles, hatches = styles_of(legend), hatches_of(legend, page.plots)
    if stack:
        draw_stack(figure, stack, window or time_of(timed).full_range, marks, labels)
    for slot in placed:
        axes = add_axes(figure, slot.top, slot.height, left=slot.left, width=slot.width)
        draw_plot(axes, slot.plot, (slot.width, slot.height), styles, hatches=hatches)
    add_keys(figure, legend, page.plots, title_of_keys, bottom + 0.04, columns)
    write_notes(figure, notes, below_legend)
    return figure


@in_style
def draw_on_axes(page: PlotPage, axes: Sequence[Axes], window: AxisRange | None = None) -> None:
    """Draw the first plots of a page on somebody's own axes, a plot on each, without legend and notes.

    They keep their places and sizes; `window` is of plots over time. Raises InputError where there are more
    axes than plots.
    """
    plots = [plot for plot in page.plots if not plot.words.message] or list(page.plots)
    if len(axes) > len(plots):
        raise InputError(f"there are {len(axes)} axes for {plural(len(plots), 'plot')}")
    styles, hatches = styles_of(named(page)), hatches_of(page.legend, page.plots)
    for axis, plot in zip(axes, plots, strict=False):
        # Somebody's own axes have their size in dots, and texts are measured in inches.
        place = axis.get_window_extent()  # in the dots of its figure
        dpi = axis.figure.dpi
        timed = plot.on_clock and not plot.words.message
        seen = (window or time_of([plot]).full_range) if timed else None
        size = place.width / dpi, place.height / dpi
        draw_plot(axis, plot, size, {} if timed else styles, seen, hatches)
        if seen is not None:
            label_time([axis], time_of([plot]).axis, seen)


def _apart(timed: Sequence[Plot]) -> list[Plot]:
    """Plots over time with a plot for each run: in grey, lines over time cannot be told apart by markers."""
    return [part for plot in timed for part in (plot.apart() if isinstance(plot, TimePlot) else [plot])]


def _in_ink(timed: Sequence[Plot]) -> list[Plot]:
    """The plots drawn in black, where all titles name the run of their plot; else none."""
    inked: list[Plot] = [ink for plot in timed if isinstance(plot, TimePlot) and (ink := plot.in_ink())]
    return inked if len(inked) == len(timed) else []


def divide(plots: Sequence[Plot]) -> tuple[list[Plot], list[Plot]]:
    """Split plots into those over time, which are stacked, and the others."""
    timed = [plot for plot in plots if plot.on_clock and not plot.words.message]
    return timed, [plot for plot in plots if plot not in timed]


def time_of(timed: Sequence[Plot]) -> ClockScale:
    """The time line of plots over time."""
    line = timed[0].x
    assert isinstance(line, ClockScale)
    return line


def stack_plots(timed: Sequence[Plot], top: float) -> tuple[list[PlotPosition], float]:
    """Place stacked plots over time; returns their positions and the bottom of their axis labels."""
    placed, width = [], page_width() - LEFT - RIGHT
    part = 1.0 if len(timed) <= _FEW else _LOW
    for plot in timed:
        height = plot_height(part * plot.paper.height)
        placed.append(PlotPosition(plot, LEFT, top + _HEAD, width, height))
        top += _HEAD + height
    return placed, top + TIME_LABELS if timed else top


def draw_stack(
    figure: Figure,
    stack: Sequence[PlotPosition],
    window: AxisRange,
    marks: Sequence[TimeMark],
    labels: Mapping[str, str],
) -> None:
    """Draw plots over time with a common axis of dates below the last plot, and marks through all plots.

    Lines have no markers of runs, since these would cover them; `labels` of lines, by colour, are on them.
    """
    drawn = []
    for placed in stack:
        axes = add_axes(figure, placed.top, placed.height, left=placed.left, width=placed.width)
        draw_plot(axes, placed.plot, (placed.width, placed.height), {}, window)
        label_lines(axes, labels, (placed.width, placed.height))
        axes.grid(axis="x", color=GRID, linewidth=0.5)
        drawn.append(axes)
    label_time(drawn, time_of([placed.plot for placed in stack]).axis, window)
    draw_marks(drawn, marks, window)


def place_plots(
    plots: Sequence[Plot], top: float, grid: int = 0, groups: int = 0
) -> tuple[list[PlotPosition], float]:
    """Place plots in rows from a position in inches on; also returns the bottom of the last row.

    With a `grid` of so many columns they are that many side by side; a new row begins with each of `groups`.
    Raises InputError where the page has no room for these.
    """
    # The widest labels beside any plot decide the gap, so that columns are in line.
    beside = max(labels_beside(plot, plot_height(plot.paper.height)) for plot in plots)
    between = max(_BETWEEN, beside + _APART)
    widest = max(plot.paper.width for plot in plots)
    # On a page that is too low for all rows, plots that would be wide are as narrow as those of a grid.
    if is_spare():
        widest = min(widest, _LEAST_WIDTH)
    columns = columns_of(len(plots), widest, between)
    # Columns of a grid are asked for: they become narrower, to a limit below which nothing is seen.
    if grid:
        if grid > columns_of(grid, _LEAST_WIDTH, between):
            raise InputError(
                f"{grid} plots side by side do not fit on this page: widen it, or make rows of them"
            )
        columns = grid
    in_rows = _in_rows(plots, columns, 0 if grid else groups)
    columns = max(map(len, in_rows))
    room = page_width() - LEFT - RIGHT - between * (columns - 1)
    # A column is as wide as its widest plot needs, in proportion.
    shares = [max(row[k].paper.share for row in in_rows if k < len(row)) for k in range(columns)]
    widths = [room * share / sum(shares) for share in shares]
    placed: list[PlotPosition] = []
    for shown in in_rows:
        sizes = [_size(plot, width) for plot, width in zip(shown, widths, strict=False)]
        # Plots of a row begin at the same height, below the largest head.
        head = max(
            _HEAD + len(head_lines(plot, wide)) * LINE for plot, (wide, _) in zip(shown, sizes, strict=True)
        )
        left = LEFT
        for plot, (wide, tall), width in zip(shown, sizes, widths, strict=False):
            placed.append(_placed(plot, left, top + head, wide, tall))
            left += width + between
        high = max(tall for _, tall in sizes)
        top += head + high + max(below(plot, wide) for plot, (wide, _) in zip(shown, sizes, strict=True))
    return placed, top


def _in_rows(plots: Sequence[Plot], columns: int, groups: int) -> list[Sequence[Plot]]:
    """Rows of at most so many plots, of one length as far as possible; none has plots of two groups."""
    made: list[Sequence[Plot]] = []
    size = groups or len(plots)
    for first in range(0, len(plots), size):
        group = plots[first : first + size]
        length = -(-len(group) // -(-len(group) // columns))
        made += [group[k : k + length] for k in range(0, len(group), length)]
    return made


def _size(plot: Plot, width: float) -> tuple[float, float]:
    paper = plot.paper
    side = min(width, plot_height(paper.height))
    return (side, side) if paper.square else (width, plot_height(paper.height))


def _placed(plot: Plot, left: float, top: float, width: float, height: float) -> PlotPosition:
    """The position of a plot; a plot without axes needs no room for labels."""
    if plot.has_axes:
        return PlotPosition(plot, left, top, width, height)
    more = left - 0.1
    return PlotPosition(plot, left - more, top, width + more, height)


def numbered_slots(page: PlotPage) -> list[Category] | None:
    """Slots with their numbers, if some plot has no room for their names; None if all names fit."""
    _, others = divide(page.plots)
    placed, _ = place_plots(others, 0.0, page.columns, page.groups) if others else ([], 0.0)
    for place in placed:
        slots = place.plot.slots
        if not any(slot.colour for slot in slots):  # they are shortened: a legend of swatches tells nothing
            continue
        if not place.plot.words.message and slot_lines(place.plot, place.width) is None:
            names = [f"{k}{AFTER_NUMBER}{slot.name}" for k, slot in enumerate(slots, 1)]
            return [Category(name, slot.colour, slot.run) for name, slot in zip(names, slots, strict=True)]
    return None


def named(page: PlotPage) -> list[Category]:
    """The legend without runs of which nothing is drawn."""
    layers = [layer for plot in page.plots if not plot.words.message for layer in plot.layers(LIGHT)]
    seen = {layer.run for layer in layers if layer.run is not None}
    # The runs of computed layers show only when these are made: the legend then stays whole.
    if any(isinstance(layer, Computed) for layer in layers):  # the runs of these are not known
        return list(page.legend)
    return [category for category in page.legend if category.run is None or category.run in seen or not seen]


def legend_columns_of(legend: Sequence[Category], title: str, key: float) -> tuple[int, list[Category]]:
    """As many columns as the longest name allows, and the entries: names wider than the page are wrapped."""
    if not legend:
        return 1, []
    room = page_width() - _legend_left(title) - RIGHT
    widest = max(text_inches(category.name) for category in legend)
    # A name that is wider than the page is wrapped, which needs a single column.
    if widest + key > room:
        names = ["\n".join(wrapped(category.name, room - key, STYLE["font.size"])) for category in legend]
        return 1, [replace(each, name=name) for each, name in zip(legend, names, strict=True)]
    return min(max(int((room + _GUTTER) / (widest + key + _GUTTER)), 1), len(legend)), list(legend)


def _legend_lines(legend: Sequence[Category], columns: int, title: str) -> int:
    """The lines of a legend, with those of its title; names in a single column may be wrapped."""
    lines = sum(category.name.count("\n") + 1 for category in legend) if columns == 1 else 0
    return (lines or -(-len(legend) // columns)) + (bool(legend) and _is_above(title))


def _is_above(title: str) -> bool:
    """Whether the title of a legend stands above it: beside it would take the room of a column of names."""
    return text_inches(title) > _BESIDE * page_width()


def _legend_left(title: str) -> float:
    """Inches from the left edge of the page to the legend, behind its title."""
    beside = 0.2 + text_inches(title) if title and not _is_above(title) else 0.0
    return max(0.1 if is_narrow() else LEFT, beside)


def add_keys(
    figure: Figure, legend: Sequence[Category], plots: Sequence[Plot], title: str, top: float, columns: int
) -> None:
    """Draw the legend: a swatch for each entry, drawn like the data, and a name."""
    from matplotlib.legend_handler import HandlerTuple

    if not legend:
        return
    wide = figure.get_figwidth()
    styles = styles_of(legend)
    kinds = kinds_of(plots)
    if title:
        above = _is_above(title)
        left = _legend_left(title) if above else 0.1
        figure.text(left / wide, share_down(figure, top), title, va="top", color=FAINT)
        top += LEGEND_LINE if above else 0.0
    hatches = hatches_of(legend, plots)
    # Tuples too, for the handler.
    keys: list[Any] = [_key(each, styles, kinds, hatches.get(each.colour, "")) for each in legend]
    figure.legend(
        keys,
        [category.name for category in legend],
        loc="upper left",
        bbox_to_anchor=(_legend_left(title) / wide, share_down(figure, top)),
        ncols=columns,
        frameon=False,
        borderaxespad=0,
        borderpad=0,
        handlelength=3.6 if kinds >= _BOTH else 1.6 if kinds & {"line"} else 1.0,
        handler_map={tuple: HandlerTuple(ndivide=None, pad=0.5)},
        handleheight=0.9,
        columnspacing=1.4,
    )


_BOTH = {"line", "bar"}
"""The shapes of pages whose keys have both."""


def key_width(kinds: set[str]) -> float:
    """Inches of a key of the legend with its gap to the name."""
    return _KEY + (_LINE_KEY if kinds >= _BOTH else 0.0)


def kinds_of(plots: Sequence[Plot]) -> set[str]:
    """The shapes by which runs are drawn: lines, bars or others."""
    kinds: set[str] = set()
    for plot in plots:
        if not plot.words.message:
            kinds |= {_kind(layer) for layer in plot.layers(LIGHT) if layer.run is not None}
    return kinds


def _kind(layer: Layer) -> str:
    if isinstance(layer, Curve):
        return "other" if layer.fill else "line"
    if isinstance(layer, Intervals) and not layer.joined:
        return "mark"
    if isinstance(layer, StepLayer | Polygon | Intervals):
        return "line"
    return "bar" if isinstance(layer, Bars) else "other"


def _key(
    category: Category, styles: dict[int, RunStyle], kinds: set[str], part: str
) -> Artist | tuple[Artist, ...]:
    """A swatch, or a line or mark where all are; both where some plots have lines and some bars.

    `part` is the hatch of a part of bars.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    style = styles.get(category.run, STYLES[0]) if category.run is not None else STYLES[0]
    alone = kinds == {"mark"}  # and no line joins it to others
    line = Line2D(
        [], [], color=category.colour, linewidth=1.6, marker=style.marker or ("o" if alone else None),
        markersize=3.6, markeredgewidth=0.6, markerfacecolor="white" if style.marker else category.colour,
        linestyle="none" if alone else style.line,
    )  # fmt: skip
    if kinds == {"line"} or alone:
        return line
    hatch = part or (style.hatch if "bar" in kinds else "")
    swatch = Patch(
        facecolor=category.colour, edgecolor="white" if hatch else category.colour, hatch=hatch, linewidth=0
    )
    return (swatch, line) if kinds >= _BOTH and category.run is not None else swatch


def _note_lines(page: PlotPage) -> list[str]:
    """The notes of a page and of its plots, in lines as long as the page is wide."""
    room = page_width() - (0.1 if is_narrow() else LEFT) - RIGHT
    notes = [*page.notes, *(plot.words.note for plot in page.plots if plot.words.note)]
    return [line for note in notes for line in wrapped(note, room, 7.0)]


def write_notes(figure: Figure, notes: Sequence[str], top: float) -> None:
    """Lines below the legend."""
    wide = figure.get_figwidth()
    left = 0.1 if is_narrow() else LEFT
    text = "\n".join(notes)
    figure.text(left / wide, share_down(figure, top), text, va="top", fontsize=7, color=FAINT)
