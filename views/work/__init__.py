"""Work off the GUI thread, and work cut up on it."""
