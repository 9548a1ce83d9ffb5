"""Slurm's two schedulers over a trace or a queue: their input, kernels and schedule."""
