"""Choosing the policy, the machine and the jobs of a run."""
