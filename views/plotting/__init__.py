"""The base of all charts that are not rasters on the clock: plots of pyqtgraph, dressed as ours.

How a plot is shown (`views.plot` says how it is written):

1. Show it: `chart = PlotWidget(context, theme, name, parent)`, `chart.set_plot(make)`, where `make` gives
   the plot and is called in a thread, so that it may sort 300,000 values. `chart.picked` carries what was
   clicked, `chart.mark(units)` marks what is selected, `chart.pick_runs(ids)` draws other runs back (layers
   say whose they are by `run=`), `chart.addAction` puts an entry on top of the menu, `chart.set_theme`
   dresses it anew. A panel of choosers and plots derives from `panel.ChoicePanel`; `run_legend.RunLegend`
   names runs.
2. Test it with real events: `chart.plot` is what is shown, `chart.area.spot(x, y)` the pixel of a point;
   the widget itself takes the mouse, the canvas inside it none.

Zoom, hover, tooltips, menu, grid, ticks, marks and the place of 0 come from here.

Only this package imports pyqtgraph, and only when the first plot is shown (`pyqtgraph_loader`).
"""
