"""The options of Slurm, and the rules that they set."""
