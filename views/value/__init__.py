"""The value of jobs, the loss by delay, and the value that each run delivers."""
