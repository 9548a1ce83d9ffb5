"""Learning to schedule: episodes of a log step by step, and trained policies that run as schedulers."""
