"""The commands about a site: its queue now, its page, a twin of its Slurm, and how long jobs wait."""
