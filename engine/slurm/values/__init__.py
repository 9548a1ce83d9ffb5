"""Values as Slurm writes them: times, numbers, lists of hosts."""
