"""Synthetic workloads: users who come, go and send bursts of similar jobs to a machine that gets crowded."""

from engine.trace.generate.jobs import GeneratedJobs, generate
from engine.trace.generate.log import write_log
from engine.trace.generate.model import EXAMPLE, EXAMPLE_SEED, Model

__all__ = ["EXAMPLE", "EXAMPLE_SEED", "GeneratedJobs", "Model", "generate", "write_log"]
