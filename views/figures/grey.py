"""A figure in greys: runs get distinct greys, everything else its luminance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from views.theme.palette import RUN_COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GREYS = ("#000000", "#9a9a9a", "#5a5a5a", "#c4c4c4", "#2f2f2f", "#7c7c7c", "#b0b0b0")
"""Of the runs, in the order of RUN_COLOURS: neighbours are far apart."""

_WEIGHTS = np.array([0.2126, 0.7152, 0.0722])


def in_greys(figure: Figure) -> None:
    """Change all colours of a figure to greys: lines, areas, text and pictures."""
    from matplotlib.collections import Collection
    from matplotlib.image import AxesImage
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.text import Text

    for artist in figure.findobj():
        if isinstance(artist, Line2D):
            artist.set_color(_grey(artist.get_color()))
            for side in ("face", "edge"):
                value = getattr(artist, f"get_marker{side}color")()
                getattr(artist, f"set_marker{side}color")(_grey(value))
        elif isinstance(artist, Patch):
            artist.set_facecolor(_grey(artist.get_facecolor()))
            artist.set_edgecolor(_grey(artist.get_edgecolor()))
        elif isinstance(artist, Collection):
            artist.set_facecolor([_grey(one) for one in artist.get_facecolor()])
            artist.set_edgecolor([_grey(one) for one in artist.get_edgecolor()])
        elif isinstance(artist, Text):
            artist.set_color(_grey(artist.get_color()))
        elif isinstance(artist, AxesImage):
            _grey_picture(artist)


def _grey(colour: Any) -> Any:
    """The grey of a colour as matplotlib spells it; what is no colour stays."""
    from matplotlib.colors import to_hex, to_rgba

    try:
        red, green, blue, alpha = to_rgba(colour)
    except ValueError:
        return colour  # "none", "auto"
    spelled = to_hex((red, green, blue))
    if spelled in RUN_COLOURS:
        red, green, blue, _ = to_rgba(GREYS[RUN_COLOURS.index(spelled)])
        return red, green, blue, alpha
    level = float(np.array([red, green, blue]) @ _WEIGHTS)
    return level, level, level, alpha


def _grey_picture(picture: Any) -> None:
    """A picture of red, green and blue by luminance."""
    pixels = np.asarray(picture.get_array())
    if pixels.ndim != 3:
        picture.set_cmap("gray_r")
        return
    level = pixels[..., :3] @ _WEIGHTS
    changed = pixels.copy()
    changed[..., :3] = level[..., None].astype(pixels.dtype)
    picture.set_data(changed)
