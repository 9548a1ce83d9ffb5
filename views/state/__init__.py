"""What all charts of a window share: clock, selection, filter, zoom history."""
