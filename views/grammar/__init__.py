"""Figures that are composed of results: what stands on which axis, in which colour, style and facet."""
