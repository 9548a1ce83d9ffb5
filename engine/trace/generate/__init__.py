"""Synthetic workloads: a campus whose machine gets crowded, or the model of Lublin & Feitelson 2003."""

from engine.trace.generate.campus import campus_jobs, campus_log
from engine.trace.generate.campus_model import EXAMPLE, EXAMPLE_SEED, CampusModel
from engine.trace.generate.generated_log import GeneratedJobs, GeneratedLog
from engine.trace.generate.log import write_log
from engine.trace.generate.sessions import SessionModel, session_log

__all__ = [
    "EXAMPLE",
    "EXAMPLE_SEED",
    "CampusModel",
    "GeneratedJobs",
    "GeneratedLog",
    "SessionModel",
    "campus_jobs",
    "campus_log",
    "session_log",
    "write_log",
]
