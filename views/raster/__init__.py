"""Rasterizers: arrays in, pixels out. No Qt."""
