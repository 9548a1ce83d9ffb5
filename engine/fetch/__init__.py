"""Logs of the Parallel Workloads Archive, fetched over the network."""
