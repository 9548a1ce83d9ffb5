"""Schedules, simulated or recorded: starts, allocations, and reasons of waits."""
