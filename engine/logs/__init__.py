"""Logs of batch systems: from files to records of jobs, which `engine.trace` cleans."""
