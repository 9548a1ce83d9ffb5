"""What is run: the command line, the window, workers and settings."""
