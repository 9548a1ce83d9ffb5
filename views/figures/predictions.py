"""How predicted starts came true: shares early, on time and late, and errors by wait."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import InputError
from views.data.prediction_errors import (
    PUBLISHED,
    SHARES,
    WAITS,
    PredictionErrors,
    prediction_errors_of,
    scale_of,
)
from views.data.results import Result
from views.figures.sheet import (
    FAINT,
    GRID,
    LEFT,
    LEGEND_LINE,
    TEXT,
    TOP,
    add_axes,
    add_legend,
    in_style,
    is_narrow,
    new_figure,
    page_width,
    write_head,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEIGHT, _HEAD, _BETWEEN, _BELOW = 2.3, 0.34, 0.72, 0.45  # inches
_SHARES_WIDE = 2.1  # inches
_GROUP = 0.78
_LABEL_APART = 0.17  # inches between two labels of the axis of errors


@in_style
def predictions_figure(results: Sequence[Result], title: str = "") -> Figure:
    """Shares of early, on-time and late starts, and box-plots of errors by wait (Klusacek et al. 2014, 4).

    Raises InputError where no run predicts starts.
    """
    runs = prediction_errors_of(results)
    if not runs:
        raise InputError("no run predicts starts: add one that reserves them, like plan or easy")
    lines = len(runs) + 1
    tall, narrow = _HEAD + _HEIGHT + _BELOW, is_narrow()
    below = TOP + tall * (2 if narrow else 1)
    figure = new_figure(below + lines * LEGEND_LINE, title or "Predicted starts")
    shares = add_axes(figure, TOP + _HEAD, _HEIGHT, width=None if narrow else _SHARES_WIDE)
    left, top = (LEFT, TOP + tall) if narrow else (LEFT + _SHARES_WIDE + _BETWEEN, TOP)
    errors = add_axes(figure, top + _HEAD, _HEIGHT, left=left)
    _draw_shares(shares, runs)
    _draw_errors(errors, runs)
    add_legend(figure, [(one.result.colour, one.result.name) for one in runs], below, 1, "runs")
    figure.text(
        (0.1 if narrow else LEFT) / page_width(),
        1 - (below + len(runs) * LEGEND_LINE) / figure.get_figheight(),
        "dashed: Klusacek, Chlumsky & Rudova 2014, on another machine",
        va="top",
        fontsize=6 if narrow else 7,
        color=FAINT,
    )
    return figure


def _draw_shares(axes: Axes, runs: Sequence[PredictionErrors]) -> None:
    room, groups = _GROUP / len(runs), np.arange(len(SHARES))
    for index, one in enumerate(runs):
        middle = groups - _GROUP / 2 + (index + 0.5) * room
        axes.bar(middle, one.shares, 0.94 * room, color=one.result.colour)
        for x, share in zip(middle, one.shares, strict=True):
            axes.text(x, share, f"{share:.0f}", ha="center", va="bottom", fontsize=6)
    for group, share in enumerate(PUBLISHED):
        axes.plot([group - 0.45, group + 0.45], [share, share], color=TEXT, linewidth=0.8, linestyle="--")
    axes.set_xticks(groups, SHARES)
    _dress(axes, "Predicted starts", "% of the jobs with a prediction; dashed: Klusacek et al. 2014")


def _draw_errors(axes: Axes, runs: Sequence[PredictionErrors]) -> None:
    room, scale = _GROUP / len(runs), scale_of(runs)
    axes.axhline(0, color=FAINT, linewidth=0.6)
    for index, one in enumerate(runs):
        known = [(group, box) for group, box in enumerate(one.boxes) if box is not None]
        axes.bxp(
            [
                {"whislo": box.low, "q1": box.q1, "med": box.median, "q3": box.q3, "whishi": box.high}
                for _, box in known
            ],
            positions=[group - _GROUP / 2 + (index + 0.5) * room for group, _ in known],
            widths=0.7 * room,
            showfliers=False,
            patch_artist=True,
            boxprops={"facecolor": one.result.colour + "50", "edgecolor": one.result.colour},
            whiskerprops={"color": one.result.colour},
            capprops={"color": one.result.colour},
            medianprops={"color": TEXT},
            manage_ticks=False,
        )
    low, high = scale.full_range
    axes.set_xlim(-0.5, len(WAITS) - 0.5)
    axes.set_ylim(low, high)
    ticks = scale.ticks(_LABEL_APART * (high - low) / _HEIGHT)
    axes.set_yticks([at for at, _ in ticks], [text for _, text in ticks])
    names = [fill(name, 8) if is_narrow() else name.replace(" min to ", " min\nto ") for _, name in WAITS]
    axes.set_xticks(range(len(WAITS)), names, fontsize=7)
    axes.set_xlabel("wait of the job", fontsize=7)
    _dress(axes, "Errors by wait", "started later by")


def _dress(axes: Axes, title: str, name: str) -> None:
    axes.grid(axis="y", color=GRID, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.tick_params(axis="x", length=0)
    axes.tick_params(axis="y", labelsize=7)
    heads: tuple[tuple[str, float, dict[str, Any]], ...] = (
        (title, 14, {"fontweight": "bold"}),
        (name, 5, {"color": FAINT, "fontsize": 7.0}),
    )
    for text, up, style in heads:
        write_head(axes, text, style.pop("fontsize", 8.0), up, -30.0, **style)
