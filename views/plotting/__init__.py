"""The base of all charts that are not rasters on the clock: plots of pyqtgraph, dressed as ours.

How a new plot is written:

1. Say what it shows, as data: a frozen dataclass that derives from `plot.Plot` and has its `words` (title,
   names of the axes, what explains it, or the message that stands in its place), its scales `x` and `y`
   (`views.data.scales`; `Categories` for things beside one another, `TimeLine` for dates across), and
   `layers(theme)`: the things to draw, the first at the bottom, all of them from `layers`: Dots, Curve,
   Intervals, StepLayer, Bars, Labels, LaneHeads, LaneBars, Pointers, Polygon, BoxOutline, Raster,
   ReferenceLine, TextOverlay. All positions are coordinates on the scales (`scale.coordinates_of(values)`).
   `read` says what lies under the mouse and which units a click picks, `units_in` those of a rectangle
   (where a `PlotWidget` `picks`); `marks` where picked units stand. What lies in a plane, without axes,
   has no `has_axes` and gives its `full_ranges`; what is always seen whole has no `zooms`. None of it
   needs a widget or pyqtgraph.
2. Show it: `chart = PlotWidget(context, theme, name, parent)`, `chart.set_plot(make)`, where `make` gives
   the plot and is called in a thread, so that it may sort 300,000 values. `chart.picked` carries what was
   clicked, `chart.mark(units)` marks what is selected, `chart.pick_runs(ids)` draws other runs back (layers
   say whose they are by `run=`), `chart.addAction` puts an entry on top of the menu, `chart.set_theme`
   dresses it anew. A panel of choosers and plots derives from `panel.ChoicePanel`; `run_legend.RunLegend`
   names runs.
3. Test it with real events: `chart.plot` is what is shown, `chart.area.spot(x, y)` the pixel of a point;
   the widget itself takes the mouse, the canvas inside it none.

Zoom, hover, tooltips, menu, grid, ticks, marks and the place of 0 come from here. Many dots and steps are
sampled for the part that is seen (`sampling`), in a thread, so that their cost follows pixels. A thing that
no layer draws yet is a dataclass in `layers` and a function beside it in `items`.

Only this package imports pyqtgraph, and only when the first plot is shown (`pyqtgraph_loader`).
"""
