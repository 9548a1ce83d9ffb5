"""What waits are made of, by groups of jobs and by week."""
