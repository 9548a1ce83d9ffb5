"""Plots as plain values without Qt, which the window and print paint.

How a new plot is written:

1. Define its content as data: a frozen dataclass that derives from `plot.Plot` and has its `words` (title,
names of the axes, explanation, or the message in its place), its scales `x` and `y` (`views.data.scales`;
`Categories` for things beside one another, `TimeLine` for dates across), and `layers(theme)`: the things to
draw, the first at the bottom, all of them from `layers`. All positions are coordinates on the scales
(`scale.coordinates_of(values)`). `read` describes what lies under the mouse and which units a click picks,
`units_in` those of a rectangle (where a `PlotWidget` `picks`); `marks` where picked units stand. A plot in a
plane without axes sets `has_axes` to False and gives its `full_ranges`; a plot that is always seen whole sets
`zooms` to False. 2. Show it in a `PlotWidget` (`views.plotting`). Many dots and steps are sampled for the
part that is seen (`sampling`), so that their cost follows pixels.

A thing that no layer draws yet is a dataclass in `layers`, and a function for each of the two painters:
`views.plotting.items` for the window, with pyqtgraph, and `views.figures` for print, with matplotlib.
"""
