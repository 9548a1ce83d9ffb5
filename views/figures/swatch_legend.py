"""The legend of swatches below charts of jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from views.figures.page_settings import FAINT, LEFT, RIGHT, is_narrow
from views.figures.page_text import shortened, text_inches
from views.figures.sheet import share_down
from views.theme.palette import pattern_of, text_on

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def add_legend(
    figure: Figure, entries: Sequence[tuple[str, str]], top: float, columns: int, title: str = ""
) -> None:
    """Colours (or HATCHED, STRIPED) and names, in rows, `top` inches from the top, the title first."""
    from matplotlib.patches import Patch

    # On a narrow page the entries begin at the left edge; elsewhere in line with the plots. In both cases
    # behind the title.
    left, page = max(LEFT if not is_narrow() else 0.1, 0.2 + text_inches(title)), figure.get_figwidth()
    height = share_down(figure, top)
    figure.text(0.1 / page, height, title, va="top", color=FAINT)
    figure.legend(
        [
            Patch(facecolor="white", edgecolor=FAINT, hatch=_HATCHES[colour], linewidth=0)
            if colour in _HATCHES
            else Patch(facecolor=colour, edgecolor=text_on(colour), hatch=_PATTERNS[pattern_of(colour)], lw=0)
            for colour, _ in entries
        ],
        shortened([name for _, name in entries], page - left - RIGHT - _SWATCH),
        loc="upper left",
        bbox_to_anchor=(left / page, height),
        ncols=columns,
        frameon=False,
        borderaxespad=0,
        borderpad=0,
        handlelength=1.0,
        handleheight=0.9,
        columnspacing=1.4,
    )


_SWATCH = 0.24
"""Inches of a swatch, with its gap to the name."""

HATCHED, STRIPED = "hatched", "striped"
"""Hatches in place of a colour in a legend: rising and falling."""

_PATTERNS = ("", "////", "////", "////")
"""Hatches of colours by their pattern: charts stripe all of them alike."""

_HATCHES = {HATCHED: "/////", STRIPED: "\\\\\\\\\\"}
