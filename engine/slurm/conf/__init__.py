"""Reading of Slurm's configuration files."""
