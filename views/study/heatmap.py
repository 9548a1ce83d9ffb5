"""The heatmap of a study: a metric over two parameters, better means darker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from views.data.named_rows import NamedRows
from views.data.scales import Categories
from views.data.study_look import Facet, HeatCell, StudyLook
from views.plot.area import PlotArea, Point
from views.plot.layers import Labels, Layer, Raster
from views.plot.plot import Category, HoverText, Paper, Plot, Words
from views.theme.palette import rgb, text_on
from views.theme.theme import Theme


@dataclass(frozen=True, eq=False, kw_only=True)
class HeatPlot(Plot):
    """A facet of a study; `cells` by column and row; a click picks the run nearest to a mean."""

    look: StudyLook
    facet: Facet
    cells: Mapping[tuple[int, int], HeatCell]

    @property
    def paper(self) -> Paper:
        """At most three are side by side."""
        return Paper(1.9, 1.6)

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """A pixel a cell, and the values over them."""
        wide, tall = (round(scale.full_range[1] + 0.5) for scale in (self.x, self.y))
        pixels = np.zeros((tall, wide, 4), np.uint8)
        for (column, row), cell in self.cells.items():
            pixels[tall - 1 - row, column] = (*rgb(cell.colour), 255)
        format = self.look.format(self.facet.measure)
        labels = Labels(
            np.array([column for column, _ in self.cells], np.float64),
            np.array([row for _, row in self.cells], np.float64),
            [format(cell.point.mean) for cell in self.cells.values()],
            width=0.96,
            colours=[text_on(cell.colour) for cell in self.cells.values()],
            clear=False,
        )
        return [Raster(pixels, self.x.full_range, self.y.full_range), labels]

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The cell there in words."""
        if not area.box.contains(position):
            return None
        at = round(area.x_at(position.x)), round(area.y_at(position.y))
        if at not in self.cells:
            return None
        cell = self.cells[at]
        text = self.look.describe(self.facet, cell.curve, cell.point)
        return HoverText(text, lambda: [cell.point.run], (float(at[0]), float(at[1])))


def heat_plot(look: StudyLook, number: int) -> HeatPlot:
    """A facet as a heatmap: horizontally its axis, vertically the parameter that colours distinguish in
    curves.
    """
    facet, chosen = look.facets[number], look.choices
    columns, rows = look.values(chosen.across), look.values(chosen.colour) or ("",)
    keys = f"{chosen.colour} down, {chosen.across} across" if chosen.colour else chosen.across
    below = (look.unit_in(facet.measure), keys, "better is darker")
    words = Words(
        title=facet.title,
        text=look.metric(facet.measure).text,
        y_name=", ".join(filter(None, below)),
        message="" if facet.curves else "No run of this plot is finished yet.",
    )
    last = len(rows) - 1
    cells = {(column, last - row): cell for (column, row), cell in look.cells(facet).items()}
    return HeatPlot(
        words=words,
        x=Categories(len(columns)),
        y=NamedRows(rows[::-1]),
        slots=[Category(name) for name in columns],
        look=look,
        facet=facet,
        cells=cells,
    )
