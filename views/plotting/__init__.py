"""The base of all charts that are not rasters on the clock: pyqtgraph plots in the program's style.

How to show a plot (`views.plot` explains how to write a plot):

1. Show it: `chart = PlotWidget(context, theme, name, parent)`, `chart.set_plot(make)`, where `make` returns
the plot and is called in a thread, so that it may sort 300,000 values. `chart.picked` carries the clicked
units, `chart.mark(units)` marks the selected units, `chart.pick_runs(ids)` fades other runs (layers name
their run by `run=`), `chart.addAction` adds an entry at the top of the menu, `chart.set_theme` changes the
theme. A panel of choosers and plots derives from `panel.ChoicePanel`; `run_legend.RunLegend` names runs. 2.
Test it with real events: `chart.plot` is the shown plot, `chart.area.spot(x, y)` the pixel of a point; the
widget itself handles the mouse, the canvas inside it does not.

Zoom, hover, tooltips, menu, grid, ticks, marks and the position of 0 are handled here.

Only this package imports pyqtgraph, and only when the first plot is shown (`pyqtgraph_loader`).
"""
