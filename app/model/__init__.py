"""The workbench without its widgets: the study and its runs, reading, settings, sweeps."""
