"""The state that all charts of a window share: clock, selection, filter, zoom history."""
