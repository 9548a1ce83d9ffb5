"""Policies as lines of a slurm.conf, and a slurm.conf as a policy."""
