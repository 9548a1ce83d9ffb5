"""All that is known of Slurm as a program: its files, options, values, sites and schedulers."""
