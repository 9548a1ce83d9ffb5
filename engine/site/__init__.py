"""A site as its Slurm runs it: when jobs start by its own files, and how near that comes to its log."""
