"""A penalty as a contoured surface over the shares of CPUs and RAM, with a dot for each user."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats
from views.data.penalty_surfaces import FORMULAS, PenaltySurfaces, penalty_surfaces, penalty_title
from views.data.scales import LinearScale
from views.data.shown_runs import ShownRuns
from views.data.unit_name import unit_name
from views.data.view_options import ViewOptions
from views.plot.area import PlotArea, Point
from views.plot.layers import Curve, Dots, Labels, Layer, Raster
from views.plot.page import PlotPage
from views.plot.plot import EmptyPlot, HoverText, Pick, Plot, PlotWords, PrintRoom
from views.theme.palette import rgb
from views.theme.theme import Theme

_LEVELS = 10
"""Contours up to the largest visible penalty, and 0; every other contour is labelled."""

_STRONGEST = 0.55
"""Opacity of the colour of a penalty of 100 %."""

NO_RAM = "This machine does not limit RAM: every penalty is a job's share of the CPUs."


@dataclass(frozen=True, eq=False, kw_only=True)
class PenaltyPlot(Plot):
    """A penalty of `surfaces`, by name."""

    surfaces: PenaltySurfaces
    penalty: str

    @property
    def paper(self) -> PrintRoom:
        """Both shares have the same length."""
        return PrintRoom(1.72, 1.15, square=True)

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """The surface, darker where a job weighs more; contours; the users."""
        surfaces, values = self.surfaces, self.surfaces.values[self.penalty]
        strength = values / surfaces.reach
        pixels = np.empty((*values.shape, 4), np.uint8)
        pixels[..., :3] = rgb(theme.accent)
        pixels[..., 3] = np.round(255 * _STRONGEST * np.clip(strength / max(strength.max(), 1.0), 0.0, 1.0))
        half = surfaces.reach / (len(values) - 1) / 2
        span = (-half, surfaces.reach + half)
        lines, labels = _contours(surfaces.shares, values, surfaces.reach)
        return [
            Raster(pixels[::-1], span, span, smooth=True),
            Curve(*lines, colour=theme.faint, width=1.0),
            Labels(*labels, width=surfaces.reach, anchor=(0.5, 0.5)),
            Dots(surfaces.cpu, surfaces.ram, theme.text, diameter=6.0),
        ]

    def pictured(self) -> Sequence[Mapping[str, float | str]]:
        """The penalty, %, of a job with each of some shares of CPUs and RAM, %."""
        shares, values = self.surfaces.shares.tolist(), self.surfaces.values[self.penalty].tolist()
        return [
            {"is": "surface", "series": self.penalty, "x": across, "y": up, "value": value}
            for up, row in zip(shares, values, strict=True)
            for across, value in zip(shares, row, strict=True)
        ]

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The user there, else the penalty of a job with these shares."""
        surfaces = self.surfaces
        unit = area.nearest(surfaces.cpu, surfaces.ram, position)
        if unit is not None:
            weight = surfaces.penalty[self.penalty][unit]
            text = (
                f"{unit_name(surfaces.trace, 'user', unit)}\n"
                f"mean job: {surfaces.cpu[unit]:.3g} % of the CPUs, {surfaces.ram[unit]:.3g} % of the RAM\n"
                f"{self.penalty}: {weight:.3g} %"
            )
            return HoverText(text, lambda: [unit], (float(surfaces.cpu[unit]), float(surfaces.ram[unit])))
        x, y = area.x_at(position.x), area.y_at(position.y)
        if not (area.box.contains(position) and 0 <= x <= surfaces.reach and 0 <= y <= surfaces.reach):
            return None
        column, row = (round(share / surfaces.reach * (len(surfaces.shares) - 1)) for share in (x, y))
        weight = surfaces.values[self.penalty][row, column]
        return HoverText(f"{x:.3g} % of the CPUs and {y:.3g} % of the RAM: {weight:.3g} %")

    def marks(self, units: Sequence[int]) -> list[Pick]:
        """The selected users."""
        surfaces = self.surfaces
        there = [unit for unit in units if np.isfinite(surfaces.cpu[unit])]
        return [Pick(float(surfaces.cpu[unit]), float(surfaces.ram[unit]), "") for unit in there]


def penalty_page(shown: ShownRuns, options: ViewOptions) -> PlotPage:
    """A plot for each formula, of the first run's machine (Klusacek, Chlumsky & Rudova 2014, figure 2)."""
    surfaces = penalty_surfaces(shown.results[0].schedule, options.penalties_whole)
    return PlotPage([penalty_plot(name, lambda: surfaces) for name in FORMULAS], title="the weight of a job")


def penalty_plot(penalty: str, surfaces: Callable[[], PenaltySurfaces | None]) -> Plot:
    """The plot of a penalty, by name."""
    text = (
        "The weight, in its user's usage, of a job that takes the shares x of the machine's CPUs and y of "
        f"its RAM: P = {FORMULAS[penalty]} (Klusacek, Chlumsky & Rudova 2014, figure 2).\n\n"
        "A dot is a user's mean job, each job weighing as much as it runs."
    )
    penalties = surfaces()
    if penalties is None:
        return EmptyPlot(words=PlotWords(title=penalty, text=text, message=NO_RAM))
    words = PlotWords(title=penalty_title(penalty), text=text, x_name="% of the CPUs", y_name="% of the RAM")
    scale = LinearScale(0.0, penalties.reach)
    return PenaltyPlot(words=words, x=scale, y=scale, surfaces=penalties, penalty=penalty)


def _contours(
    shares: Floats, values: Floats, reach: float
) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats, list[str]]]:
    """Lines of equal penalty, separated by NaN, and a label where every other line meets the diagonal."""
    from contourpy import contour_generator

    lines = contour_generator(shares, shares, values)
    step = reach / _LEVELS
    parts: list[Floats] = []
    spots: list[float] = []
    texts: list[str] = []
    diagonal = np.diagonal(values)
    for number in range(1, round(float(values.max()) / step) + 1):
        for line in lines.lines(number * step):
            parts += [np.asarray(line, np.float64), np.full((1, 2), np.nan)]
        if number % 2 == 0 and diagonal[-1] > number * step:
            spots.append(float(np.interp(number * step, diagonal, shares)))
            texts.append(f"{number * step:g}")
    points = np.concatenate(parts) if parts else np.zeros((0, 2))
    at = np.array(spots)
    return (points[:, 0], points[:, 1]), (at, at, texts)
