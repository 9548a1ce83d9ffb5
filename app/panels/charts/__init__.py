"""The charts of runs over time, and how they share the room of the window."""
