"""Slurm's accounting: from the fields of sacct to jobs."""
