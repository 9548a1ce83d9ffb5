"""Colours, fonts and palettes of the light and the dark theme."""
