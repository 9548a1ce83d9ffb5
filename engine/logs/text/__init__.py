"""The text of logs: numbers, dates, lengths of time, cells, JSON, and words of Slurm in any format."""
