"""A figure in greys: distinct ones for runs, light and dark sides of two-sided scales, else the luminance."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.arrays import Floats
from views.theme.palette import OTHER_USERS, RUN_COLOURS, USER_COLOURS, rgb

if TYPE_CHECKING:
    from matplotlib.figure import Figure


GREYS = ("#000000", "#9a9a9a", "#5a5a5a", "#c4c4c4", "#2f2f2f", "#7c7c7c", "#b0b0b0")
"""Of the runs, in the order of RUN_COLOURS: neighbours are far apart."""

_SHADES = {
    **dict(zip(USER_COLOURS, GREYS, strict=False)),
    **dict(zip(RUN_COLOURS, GREYS, strict=True)),
    OTHER_USERS: "#dedede",
}
"""Of runs, of the seven users without a hatch, and of all further users."""

TWO_SIDED = "two-sided"
"""Label of figures whose blue and orange are the two sides of a scale, equally light in colour."""

DENSITY = "density"
"""Label of pictures in such figures whose colours have one side alone."""

_SAID = {"(orange)": "(dark)", "(blue)": "(light)", "(red:": "(dark:"}
"""What texts call colours, and what they are called in greys."""

_CHROMA = 0.12
"""How much more red or blue a colour of a two-sided scale has at least."""

_WEIGHTS = np.array([0.2126, 0.7152, 0.0722])


def in_greys(figure: Figure) -> None:
    """Change all colours of a figure to greys: lines, areas, text and pictures."""
    from matplotlib.collections import Collection
    from matplotlib.image import AxesImage
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.text import Text

    levels = _two_sided if figure.get_label() == TWO_SIDED else _luminance
    grey = partial(_grey, levels)
    for artist in figure.findobj():
        if isinstance(artist, Line2D):
            artist.set_color(grey(artist.get_color()))
            for side in ("face", "edge"):
                value = getattr(artist, f"get_marker{side}color")()
                getattr(artist, f"set_marker{side}color")(grey(value))
        elif isinstance(artist, Patch):
            artist.set_facecolor(grey(artist.get_facecolor()))
            artist.set_edgecolor(grey(artist.get_edgecolor()))
        elif isinstance(artist, Collection):
            artist.set_facecolor([grey(rgba) for rgba in artist.get_facecolor()])
            artist.set_edgecolor([grey(rgba) for rgba in artist.get_edgecolor()])
        elif isinstance(artist, Text):
            artist.set_color(grey(artist.get_color()))
            if (ground := artist.get_bbox_patch()) is not None:  # which is no child of the text
                ground.set_facecolor(grey(ground.get_facecolor()))
                ground.set_edgecolor(grey(ground.get_edgecolor()))
            label = artist.get_text()
            for colour, shade in _SAID.items():
                label = label.replace(colour, shade)
            artist.set_text(label)
        elif isinstance(artist, AxesImage):
            _grey_picture(artist, _luminance if artist.get_label() == DENSITY else levels)


def _luminance(colours: Floats) -> Floats:
    """The luminance of colours, shape (..., 3), 0 to 1."""
    return np.asarray(colours @ _WEIGHTS)


def _two_sided(colours: Floats) -> Floats:
    """As `_luminance`, but blue is lighter and orange darker than what is neither, the more the stronger.

    In grey alone both sides of a change would be equally light, and its sign be lost.
    """
    # Grey between the sides makes room for the light side; the white page and dark lines stay as they are.
    level, warm = _luminance(colours), colours[..., 0] - colours[..., 2]
    level = np.where((np.abs(warm) < _CHROMA) & (level > 0.6) & (level < 0.85), level - 0.2, level)
    level = np.where(warm > _CHROMA, 0.6 * level, level)
    return np.where(warm < -_CHROMA, np.clip(0.95 - 0.4 * level, 0.0, 1.0), level)


def _grey(levels: Callable[[Floats], Floats], colour: Any) -> Any:
    """The grey of a colour as matplotlib spells it; what is no colour stays."""
    from matplotlib.colors import to_hex, to_rgba

    try:
        red, green, blue, alpha = to_rgba(colour)
    except ValueError:
        return colour  # "none", "auto"
    colour_name = to_hex((red, green, blue))
    if colour_name in (_SHADES if levels is _luminance else RUN_COLOURS):
        red, green, blue, _ = to_rgba(_SHADES[colour_name])
        return red, green, blue, alpha
    level = float(levels(np.array([red, green, blue])))
    return level, level, level, alpha


def _grey_picture(picture: Any, levels: Callable[[Floats], Floats]) -> None:
    """A picture of red, green and blue as `levels` gives its greys."""
    pixels = np.asarray(picture.get_array())
    if pixels.ndim != 3:
        picture.set_cmap("gray_r")
        return
    most = 255.0 if pixels.dtype.kind in "iu" else 1.0
    level = most * levels(pixels[..., :3] / most)
    changed = pixels.copy()
    changed[..., :3] = level[..., None].astype(pixels.dtype)
    # Boxes of jobs have the greys of their keys in the legend.
    if levels is _luminance and pixels.dtype == np.uint8:
        for colour, shade in _SHADES.items():
            changed[(pixels[..., :3] == rgb(colour)).all(axis=-1), :3] = rgb(shade)
    picture.set_data(changed)
