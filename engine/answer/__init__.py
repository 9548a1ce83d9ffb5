"""Answers to users about a job: its request, its wait and the reasons, and changes that help."""

from engine.answer.answer import Answer, answer
from engine.answer.inferred_reasons import Inference, infer_wait
from engine.answer.logged_job import LoggedJob
from engine.now.queued_job import QueueNow, WaitingJob
from engine.now.what_if import ChangedRequest, Outcome, changes_of, outcome_of

__all__ = [
    "Answer",
    "ChangedRequest",
    "Inference",
    "LoggedJob",
    "Outcome",
    "QueueNow",
    "WaitingJob",
    "answer",
    "changes_of",
    "infer_wait",
    "outcome_of",
]
