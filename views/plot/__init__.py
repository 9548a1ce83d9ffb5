"""What a plot is, as plain values without Qt: the window and print paint the same ones.

How a new plot is written:

1. Say what it shows, as data: a frozen dataclass that derives from `plot.Plot` and has its `words` (title,
   names of the axes, what explains it, or the message that stands in its place), its scales `x` and `y`
   (`views.data.scales`; `Categories` for things beside one another, `TimeLine` for dates across), and
   `layers(theme)`: the things to draw, the first at the bottom, all of them from `layers`. All positions are
   coordinates on the scales (`scale.coordinates_of(values)`). `read` describes what lies under the mouse and
   which units a click picks, `units_in` those of a rectangle (where a `PlotWidget` `picks`); `marks` where
   picked units stand. What lies in a plane, without axes, has no `has_axes` and gives its `full_ranges`; what
   is always seen whole has no `zooms`.
2. Show it in a `PlotWidget` (`views.plotting`). Many dots and steps are sampled for the part that is seen
   (`sampling`), so that their cost follows pixels.

A thing that no layer draws yet is a dataclass in `layers`, and a function for each of the two painters:
`views.plotting.items` for the window, with pyqtgraph, and `views.figures` for print, with matplotlib.
"""
