"""Simulation of a site's Slurm by its own files, and its accuracy relative to the site's log."""
