"""Labels on lines over time, with which a legend names them where colours alone do not tell lines apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.arrays import Floats
from views.figures.page_settings import STYLE, TEXT, is_grey
from views.figures.page_text import text_inches
from views.plot.plot import Category
from views.theme.palette import RUN_COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


AFTER_NUMBER = "\u00a0\u00a0"
"""Between a number, or a short label, and the name in a legend: no line ends there."""

_SIZE = 5.5
_PLACES = 150
"""Places across where a label may stand."""

_AWAY = 0.13
"""Inches from a line to all others, which is enough: more does not make a label clearer."""

_STEEP = 0.3
"""How much worse a place is where the line climbs, inches an inch from one place to the next."""

_TALL = 0.1
"""Inches that a label is high."""

_SAME = 0.006
"""Inches, less than a line is wide: lines that are nowhere further apart look like one."""

_EQUALS = "="
"""Between the labels of lines that coincide."""

_SHORT = 5
"""Letters of names that are written onto lines as they are."""

_ABOVE = 1000


def labelled(legend: list[Category]) -> tuple[dict[str, str], list[Category]]:
    """The label of each line, by colour, and the legend, in which a label stands before its name."""
    labels = labels_of(legend)
    if not labels:
        return {}, legend
    entries = [
        replace(category, name=f"{label}{AFTER_NUMBER}{category.name}")
        if label != category.name
        else category
        for category, label in zip(legend, labels, strict=True)
    ]
    return {category.colour: label for category, label in zip(legend, labels, strict=True)}, entries


def labels_of(legend: Sequence[Category]) -> list[str]:
    """The labels of the lines of a legend; none where colours tell them apart, as they do unless they are
    many or grey.

    Short names are labels themselves. Others have numbers, or letters where names begin with digits.
    """
    if len(legend) <= (1 if is_grey() else len(RUN_COLOURS)):
        return []
    if all(len(category.name) <= _SHORT for category in legend):
        return [category.name for category in legend]
    if any(category.name[:1].isdigit() for category in legend) and len(legend) <= len(ascii_lowercase):
        return list(ascii_lowercase[: len(legend)])
    return [str(k) for k in range(1, len(legend) + 1)]


def label_lines(axes: Axes, labels: Mapping[str, str], size: tuple[float, float]) -> None:
    """Write the label of each line onto it, by its colour, where it is farthest from the others.

    Of several lines of a colour the one on top has the label. Lines that coincide have a label in common,
    `1=4`, for only the one on top is seen. `size` is that of the axes in inches.
    """
    lines = _labelled(axes, labels)
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    everywhere = np.linspace(left, right, 4 * _PLACES)
    lines = _joined(
        {label: (line, _at(line, everywhere) / (high - low) * size[1]) for label, line in lines.items()}
    )
    widths = {label: text_inches(label) * _SIZE / STYLE["font.size"] + 0.03 for label in lines}
    edge = min(min(widths.values(), default=0.0) / 2 / size[0], 0.5)
    share = np.linspace(edge, 1 - edge, _PLACES)
    across, x = share * size[0], left + share * (right - left)
    heights = {label: (_at(line, x) - low) / (high - low) * size[1] for label, line in lines.items()}
    placed: list[tuple[float, float, float]] = []
    for label, y in heights.items():
        others = [line for name, line in heights.items() if name != label]
        whole = np.minimum(across, size[0] - across) >= min(widths[label], size[0]) / 2 - 1e-6
        place = _clearest(across, np.where(whole, y, np.nan), others, placed, widths[label])
        if place is None:
            continue
        placed.append((across[place], y[place], widths[label]))
        ground: Any = {"facecolor": "white", "edgecolor": "none", "alpha": 0.9, "pad": 0.3}
        up = min(max(y[place], _TALL / 2), size[1] - _TALL / 2)  # whole, on lines at the edge too
        spot = x[place], low + up / size[1] * (high - low)
        style: Any = {"ha": "center", "va": "center", "bbox": ground, "zorder": _ABOVE, "clip_on": True}
        axes.text(*spot, label, fontsize=_SIZE, color=TEXT, **style)


def _labelled(axes: Axes, labels: Mapping[str, str]) -> dict[str, tuple[Floats, Floats]]:
    """The lines by their labels, in the order of these; dashed lines are values to compare with."""
    from matplotlib.colors import to_hex

    lines: dict[str, tuple[Floats, Floats]] = {}
    for line in axes.get_lines():
        colour = to_hex(line.get_color())
        if line.get_linestyle() == "-" and colour in labels:
            points = np.asarray(line.get_xdata(), np.float64), np.asarray(line.get_ydata(), np.float64)
            lines[labels[colour]] = points
    return {label: lines[label] for label in labels.values() if label in lines}


def _joined(lines: Mapping[str, tuple[tuple[Floats, Floats], Floats]]) -> dict[str, tuple[Floats, Floats]]:
    """The lines that are seen, those that coincide on the page as one, by the labels of all of them.

    Each line comes with its heights in inches at many places.
    """
    groups: list[list[str]] = []
    for label, (_, heights) in lines.items():
        same = (
            alike for alike in groups if np.allclose(lines[alike[0]][1], heights, 0, _SAME, equal_nan=True)
        )
        group = next(same, None)
        # Lines that coincide on the page share a label; lines that are not seen never do.
        if group is None or not np.isfinite(heights).any():
            groups.append([label])
        else:
            group.append(label)
    return {_EQUALS.join(group): lines[group[-1]][0] for group in groups}


def _at(line: tuple[Floats, Floats], x: Floats) -> Floats:
    """The values of a line at ascending places; NaN beyond it."""
    known = np.isfinite(line[1])
    if not known.any():
        return np.full(len(x), np.nan)
    return np.interp(x, line[0][known], line[1][known], left=np.nan, right=np.nan)


def _clearest(
    across: Floats,
    y: Floats,
    others: Sequence[Floats],
    placed: Sequence[tuple[float, float, float]],
    wide: float,
) -> int | None:
    """The place where a line is farthest from others and from labels, itself `wide`; None: it is not seen."""
    # Far from all other lines, where the line is flat, and beside the labels that are there.
    apart = np.full(len(across), _AWAY)
    for other in others:
        apart = np.fmin(apart, np.abs(y - other))
    score = apart - _STEEP * np.abs(np.gradient(y))
    for middle, height, width in placed:
        near = (np.abs(across - middle) < (wide + width) / 2) & (np.abs(y - height) < _TALL)
        score[near] -= 1.0
        # Among equal places that which is farther from other labels.
        score += 0.01 * np.minimum(np.abs(across - middle), 0.5)
    # Where the line is not seen there is no place.
    score[~np.isfinite(score)] = -np.inf
    best = int(np.argmax(score))
    return best if np.isfinite(score[best]) else None
