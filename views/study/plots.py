"""The plots of a study: curves with intervals or heatmaps, a plot for each facet."""

from __future__ import annotations

from engine.sweep.points import POLICY
from views.data.shown_runs import ShownRuns
from views.data.study_look import HEATMAP, StudyLook
from views.data.view_options import ViewOptions
from views.plot.page import PlotPage
from views.plot.plot import Category, Plot
from views.study.curves import curves_plot
from views.study.heatmap import heat_plot


def study_plots(shown: ShownRuns, _: ViewOptions) -> PlotPage:
    """All facets, and which colour is which value; a heatmap names its rows."""
    look = shown.own.get(StudyLook)
    flat = look.choices.look == HEATMAP
    values = () if flat else look.values(look.choices.colour)
    legend = [Category(value, look.colour_of(value), place) for place, value in enumerate(values)]
    plots = [study_plot(look, number) for number in range(look.count)]
    key = look.choices.colour if look.choices.colour != POLICY else ""
    return PlotPage(plots, legend, key, look.results.study.title)


def study_plot(look: StudyLook, number: int) -> Plot:
    """A facet of a study, in the chosen form."""
    return heat_plot(look, number) if look.choices.look == HEATMAP else curves_plot(look, number)
