"""The application: the command line, the window, workers and settings."""
