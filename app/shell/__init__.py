"""The main window: assembly, start page, docks, status line, messages."""
